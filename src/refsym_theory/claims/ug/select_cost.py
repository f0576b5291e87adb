"""UG section 3.2: how the cost of selection scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.SELECT-COST",
    title="Only the top-k gets cheaper by the tile size",
    source="UG Section 3.2",
    statement=(
        r"Wall time for selection scales as $O(NN_B/\mathrm{BLOCK}_M)$ rather than $O(NN_B)$ for the per-row version."
    ),
    plain=(
        "One top-k per tile of 64 rows reads 64 times fewer scores than one per row. But the tile scores are themselves a maximum over "
        "every row's score, so all of those still have to be computed and read."
    ),
    definitions=(
        r"Cost of a top-$k$: the scores that it reads; $N$ rows, $Q_t=N/\mathrm{BLOCK}_M$ tiles, a head at a time.",
    ),
    hypotheses=(
        Hypothesis(
            "pooled",
            r"The tile scores are given: the maximum (8), which the same step prescribes, is not counted. It reads all $NN_B$ row scores.",
        ),
    ),
    steps=(
        Step("tiles", r"The top-$k$ of all tiles reads $Q_tN_B=NN_B/\mathrm{BLOCK}_M$ scores."),
        Step("rows", r"That of all rows reads $NN_B$."),
    ),
    scope=r"With (8) counted, both versions are $\Theta(NN_B)$; the tile version saves a factor in the top-$k$ and in its output.",
    residue="A top-k of n scores takes a number of comparisons linear in n (selection algorithms).",
    expected=Verdict.VERIFIED,
)


def top_k_reads(groups: Any, blocks: Any) -> Any:
    """Scores that one top-k for every group of rows reads."""
    return groups * blocks


def pool_reads(rows_scores: Sequence[Sequence[Any]]) -> int:
    """Row scores that a maximum over the rows reads, all of them."""
    return sum(len(row) for row in rows_scores)
