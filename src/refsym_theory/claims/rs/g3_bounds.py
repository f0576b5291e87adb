"""RS Appendix G.3: bounds on the odds ratio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.G3-bounds",
    title="Bounds on the odds ratio",
    source="RS Appendix G.3",
    statement=(r"It is bounded by $\min_Dm/\max_Sm$ and $\max_Dm/\min_Sm$, but generally depends on scores."),
    plain="Whatever the scores, the correction lies between the extreme ratios of the masses of both groups.",
    definitions=(
        "The printed ranges [0.250, 0.820] and [0.125, 0.743] are of schedules that the paper does not give; they cannot be recomputed.",
    ),
    hypotheses=(Hypothesis("positive", "Masses and kernel values are positive."),),
    steps=(
        Step("mean", r"$\sum p_jm_j-\min m=\sum p_j(m_j-\min m)\ge0$, and likewise the maximum."),
        Step("ratio", r"A quotient grows with its numerator and falls with its denominator, for positive numbers."),
        Step("scores", "Masses 1 and 3 in one group, equal or opposite scores: two ratios."),
    ),
    uses=("RS.G3",),
    tight="Groups of one token, or of equal masses.",
    expected=Verdict.VERIFIED,
)


def mean(masses: Sequence[Any], kernel: Sequence[Any]) -> Any:
    """Mean mass of a group under the attention within it."""
    return sum(m * x for m, x in zip(masses, kernel, strict=True)) / sum(kernel)
