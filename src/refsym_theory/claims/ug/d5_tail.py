"""UG D.5: how the dropped softmax mass falls with the cutoff gap."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.D5-tail",
    title="The dropped mass is not Phi-tailed",
    source="UG Appendix D.5",
    statement=(
        r"The dropped softmax mass is itself $\Phi$-tailed in the cutoff gap [...], so composing gives a bound proportional to "
        r"$\Phi(-g_t/\tau_{\mathrm{softmax}})\cdot\max_j\|v_j\|$."
    ),
    plain="Softmax weights fall exponentially with the gap, not like a Gaussian tail; no constant makes the latter a bound.",
    definitions=(
        r"As read: there is a constant $C$ with dropped mass $\le C\,\Phi(-g/\tau_{\mathrm{softmax}})$ for all gaps $g \ge 0$, "
        r"weights proportional to $e^{s/\tau_{\mathrm{softmax}}}$; $x = g/\tau_{\mathrm{softmax}}$. More blocks only add mass.",
    ),
    correction=(
        r"A dropped block at gap $x$ below some kept one has mass at most $1/(1+e^{x}) \le e^{-x}$; of two blocks the dropped "
        r"one has at least $\frac12e^{-x}$. The noise is added in OWN.OUTPUT."
    ),
    hypotheses=(Hypothesis("gap", r"$x \ge 0$: the dropped block does not have the larger score (lower bound only)."),),
    uses=("UG.TAIL",),
    steps=(
        Step("above", r"With $z = e^{-x}$: the mass $z/(1+z)$ is below $z$ by $z^2/(1+z)$."),
        Step("partner", r"Other kept and dropped blocks only make the denominator larger."),
        Step("below", r"$\frac{z}{1+z} - \frac z2 = \frac{z(1-z)}{2(1+z)} \ge 0$ for $0 \le z \le 1$."),
        Step("never", r"$C\,\Phi(-x) \le \frac C2e^{-x^2/2} < \frac12e^{-x}$ at $x = 3+2\log C$, for every $C \ge 1$."),
    ),
    tight=r"Above: $z/(1+z)$ over $z$ tends to 1 as the gap grows. Below: equality at $x = 0$.",
    expected=Verdict.REFUTED,
)


def mass(z: Any) -> Any:
    """Mass of the dropped one of two blocks, z = exp(-x) its weight against the kept one's."""
    return z / (1 + z)
