"""RS section 4.2 and Appendix G.3: odds of two regions sampled unequally."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.G3",
    title="Odds ratio of dense to sparse",
    source="RS Appendix G.3; Section 4.2",
    statement=(
        r"$\frac{O_{\mathrm{MC}}}{O_{\mathrm{std}}}=\frac{m_D}{m_S}\in\{\frac6{10},\frac4{12},\frac2{14}\}$ because scores are shared. More generally "
        r"the odds ratio becomes $\frac{\sum_{j\in D}p_{j\mid D}m_j}{\sum_{j\in S}p_{j\mid S}m_j}$, $p_{j\mid G}=e^{s_j}/\sum_{k\in G}e^{s_k}$."
    ),
    plain="Two halves of a clip, sampled 10 and 6 times: measure weighting corrects the odds by exactly 6/10, whatever the scores.",
    definitions=("Two halves of equal duration: a frame of a half with $n$ frames has mass $\\tfrac1{2n}$.",),
    hypotheses=(Hypothesis("shared", "Both rules see the same scores (the first layer)."),),
    steps=(
        Step(
            "general",
            r"$\frac{\sum_Dm_je^{s_j}/\sum_Sm_je^{s_j}}{\sum_De^{s_j}/\sum_Se^{s_j}}$ is the ratio of the two means.",
        ),
        Step("constant", r"Constant masses: $m_D/m_S$."),
        Step("values", r"$10/6$, $12/4$, $14/2$ frames give $6/10$, $4/12$, $2/14$."),
    ),
    expected=Verdict.VERIFIED,
)


def ratio(dense: Any, dense_sum: Any, sparse: Any, sparse_sum: Any) -> Any:
    """Ratio of the mean masses of two groups, from weighted and plain sums."""
    return (dense / dense_sum) / (sparse / sparse_sum)


def frame_mass(frames: int) -> Fraction:
    """Mass of a frame in a half of the clip."""
    return Fraction(1, 2 * frames)
