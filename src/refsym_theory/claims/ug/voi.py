"""UG section 3.3: what the softmax mass of a dropped block has to do with the gap at the cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.VOI",
    title="A near tie does not mean much dropped mass",
    source="UG Section 3.3, 'Why this is a value-of-information signal'",
    statement=(
        "The expected loss from the cutoff decision is bounded by the probability mass the softmax would have placed on the dropped "
        "block. When the $k$-th and $(k+1)$-th scores are close, that mass is large; when they are well-separated, it is small."
    ),
    plain=(
        "False: two blocks that tie at the cut can both be negligible beside the best one. Only the other half is right, and only "
        "for one block, and only for the softmax of the block scores: a wide gap bounds the score mass of each dropped block, not of "
        "all of them; and a block dropped far below the cut by its mean key can hold almost all of the attention."
    ),
    definitions=(
        r"Block mass $\alpha_b=e^{s_b}/\sum_ce^{s_c}$; weights $x_b=e^{s_b}$ are given in the witnesses.",
        r"Read as the mass of the block's keys, $\sum_{j\in b}e^{q\cdot k_j}$, no half is right for mean-pooled scores.",
    ),
    steps=(
        Step("mass", r"$\alpha_j=1/(1+\sum_{i\ne j}e^{s_i-s_j})\le1/(1+\sum_{i\text{ kept}}e^{s_i-s_j})$."),
        Step("gap", r"Every kept $s_i-s_j\ge g$, so $\alpha_j\le1/(1+k\,e^{g})\le\tfrac1{k+1}$."),
    ),
    correction=(
        r"Each dropped block has score mass at most $1/(1+k\,e^g)$; no positive lower bound follows from a small $g$, no small bound on "
        "all of them from a large one, and none on the attention that its keys would get."
    ),
    tight="Kept blocks of equal scores and a single dropped one.",
    expected=Verdict.REFUTED,
)


def mass(weights: Sequence[Any], block: int) -> Any:
    """Softmax mass of a block from the exponentials of the scores."""
    return weights[block] / sum(weights)


def bound(k: Any, gap_factor: Any) -> Any:
    """Bound 1 / (1 + k e^g), from e^g."""
    return 1 / (1 + k * gap_factor)
