"""UG Lemma 1's tool: the ratio of two Gaussian tails."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.TAIL",
    title="Gaussian tail ratio",
    source="UG Appendix D.3, proof of Lemma 1",
    statement=r"the Gaussian tail ratio $\Phi(-x-a) \le \Phi(-x)\,e^{-ax-a^2/2}$ (valid for $a, x \ge 0$)",
    plain="Moving a Gaussian tail outwards by a shrinks it at least as fast as the density shrinks.",
    hypotheses=(
        Hypothesis("a", r"$a \ge 0$."),
        Hypothesis("x", r"$x \ge 0$.", needed=False),
    ),
    steps=(
        Step("shift", r"$\varphi(x+a+u) = \varphi(x+u)\,e^{-a(x+u)-a^2/2}$, for all real $x, a, u$."),
        Step("sign", r"$e^{-a(x+u)-a^2/2} \le e^{-ax-a^2/2}$ for $a, u \ge 0$, whatever $x$."),
    ),
    stronger=r"It holds for every real $x$; only $a \ge 0$ is used.",
    tight=r"For fixed $a$ the two sides become equal as $x \to \infty$; at $a = 0$ they are.",
    residue=r"$\Phi(-y) = \int_0^\infty \varphi(y+u)\,du$, and that a smaller integrand has a smaller integral.",
    expected=Verdict.VERIFIED,
)


def exponent(x: Any, a: Any) -> Any:
    """Exponent -a x - a^2 / 2 of the factor between the two tails."""
    return -a * x - a * a / 2
