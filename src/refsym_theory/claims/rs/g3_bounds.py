"""RS G.3: bounds on the odds ratio."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.G3-bounds",
    title="Bounds on the odds ratio",
    source="RS Appendix G.3, after the second display",
    statement=(r"It is bounded by $\min_D m/\max_S m$ and $\max_D m/\min_S m$, but generally depends on scores."),
    plain="Whatever the scores, the odds ratio lies between the extreme ratios of a dense to a sparse mass.",
    definitions=(r"It: $\sum_{j \in D} p_{j|D} m_j / \sum_{j \in S} p_{j|S} m_j$.",),
    hypotheses=(
        Hypothesis("positive", r"Masses are positive."),
        Hypothesis("weights", r"$p_{j|G} \ge 0$, as for every positive kernel."),
    ),
    steps=(
        Step("mean", r"$\sum_j p_j m_j - \min m = \sum_j p_j (m_j - \min m) \ge 0$, and likewise for the maximum."),
        Step("ratio", r"$N \ge a > 0$ and $0 < Z \le b$ give $N b - a Z = (N - a) b + a (b - Z) \ge 0$."),
        Step("depends", "Two scores, other odds."),
    ),
    tight="One token in each group attains both bounds at once; so do constant masses.",
    stronger=(
        r"With at least two different masses in a group a bound is never attained ($p > 0$ everywhere), but approached "
        r"as the scores concentrate on the extreme token."
    ),
    uses=("RS.G3",),
    scope="Any number of tokens and any positive kernel.",
    residue="A finite sum of nonnegative terms is nonnegative.",
    expected=Verdict.VERIFIED,
)


def low(dense: Sequence[Any], sparse: Sequence[Any]) -> Any:
    """Lower bound from the masses of the two groups."""
    return min(dense) / max(sparse)


def high(dense: Sequence[Any], sparse: Sequence[Any]) -> Any:
    """Upper bound from the masses of the two groups."""
    return max(dense) / min(sparse)
