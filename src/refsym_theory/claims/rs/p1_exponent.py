"""RS section 2.2: in the exponent family only alpha = 1 survives a split."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P1-exponent",
    title="The exponent must be one",
    source="RS Section 2.2; Appendix A.3",
    statement=(
        r"For the exponent family, the children contribute $k(m/k)^{\alpha}K(s)=k^{1-\alpha}m^{\alpha}K(s)$. "
        r"Requiring equality for $k>1$ gives $\alpha=1$."
    ),
    plain="Weight must grow with the first power of mass: the square root, or no mass at all, betrays a split.",
    hypotheses=(Hypothesis("family", r"$w(m)=m^\alpha$."), Hypothesis("several", "$k>1$.")),
    steps=(
        Step("children", r"$k(m/k)^\alpha=k^{1-\alpha}m^\alpha$."),
        Step("forced", r"$k^{1-\alpha}=1$ with $k>1$ means $(1-\alpha)\log k=0$."),
    ),
    stronger=r"One split, of one mass, into one number $k\ge2$ of parts is enough.",
    residue=r"Outside the Coq proof: that $e^x=1$ only at $x=0$.",
    expected=Verdict.VERIFIED,
)


def log_ratio(alpha: Any, log_k: Any) -> Any:
    """Logarithm of the children's weight over the parent's."""
    return (1 - alpha) * log_k
