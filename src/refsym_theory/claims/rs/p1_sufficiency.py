"""RS Proposition 1, sufficiency: masses preserve every split."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P1-sufficiency",
    title="Masses preserve every duplicate split",
    source="RS Section 2.2, Proposition 1, first sentence; Appendix A.3",
    statement="Equation (1) preserves every duplicate split whose child masses sum to the parent's mass.",
    plain="However a token is cut into copies that share its mass, the output stays the same.",
    definitions=("Children copy the parent's score and value; masses are positive, the parts need not be equal.",),
    hypotheses=(
        Hypothesis("mass", "The child masses sum to the parent's."),
        Hypothesis("content", "Children copy the parent's score and value."),
        Hypothesis("positive-kernel", "$K>0$.", needed=False),
    ),
    steps=(
        Step("split", r"$\sum_j m_jK(s)v=m\,K(s)v$ and $\sum_j m_jK(s)=m\,K(s)$ when $\sum_j m_j=m$."),
        Step("others", "All other terms of both sums are untouched, so their ratio is too."),
    ),
    stronger="Only the normalizer has to be nonzero; the kernel may vanish or be negative.",
    expected=Verdict.VERIFIED,
)


def contribution(mass: Any, kernel: Any, value: Any) -> tuple[Any, Any]:
    """Contribution of a token to numerator and denominator."""
    return mass * kernel * value, mass * kernel
