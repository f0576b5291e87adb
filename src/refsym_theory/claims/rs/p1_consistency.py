"""RS Appendix A.3: consistency under refinement is weaker than invariance to splits."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P1-consistency",
    title="Consistency is weaker than exact invariance",
    source="RS Appendix A.3",
    statement=(
        r"Consistency is weaker than exact finite-partition invariance. For example, $w(m)=m\exp(cm^2)$ differs from $m$ by "
        r"$O(m^3)$. Under regular refinement it can retain a second-order quadrature error while failing exact split invariance."
    ),
    plain="A rule can be right in the limit of ever finer tokens and still notice every single split.",
    definitions=(
        r"Regular refinement: all cell masses at most $h\to0$. The weights are those of masses times $e^{cm^2}$, a tilt "
        r"with log-range at most $|c|h^2$.",
    ),
    hypotheses=(Hypothesis("c", r"$c\ne0$."),),
    steps=(
        Step("cubic", r"$|w(m)-m-cm^3|\le \tfrac12c^2m^5e^{|c|m^2}$."),
        Step(
            "second-order",
            r"The output differs from the one with weights $m$ by at most $D\tanh(|c|h^2/4)\le D|c|h^2/4$, $D$ the diameter of the values.",
        ),
        Step("splits", r"$k\,w(m/k)/w(m)=\exp(cm^2(k^{-2}-1))\ne1$ for $k>1$."),
    ),
    uses=("RS.L1", "RS.Q-second-order"),
    residue=r"That the exponential series may be summed term by term; $\tanh x\le x$ for $x\ge0$.",
    expected=Verdict.VERIFIED,
)


def log_split_ratio(c: Any, m: Any, k: Any) -> Any:
    """Logarithm of the children's weight over the parent's."""
    return c * m**2 * (1 / k**2 - 1)


def log_tilt(c: Any, m: Any) -> Any:
    """Logarithm of w(m) / m."""
    return c * m**2
