"""UG appendix A.6: which ranks the margin reads once the forced blocks are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.E11-forced",
    title="Without the forced blocks the cut is at another rank",
    source="UG Appendix A.6, after equation 11; Section 3.3",
    statement=(
        r"$+\infty$ entries from (A.4) participate in the sorted prefix on top – in practice we therefore exclude the forced indices "
        r"from the $\sigma$ computation and apply Eq. (A.6) to the remaining tile scores."
    ),
    plain=(
        "With F forced blocks a budget of k keeps only k - F others, so the margin of the cut that is made is that of rank k - F among the "
        "others. Equation (11) taken literally, with rank k, reads two blocks that are both dropped."
    ),
    definitions=(
        r"As read: $k$ in (11) becomes $k-F_t$, $F_t$ the forced blocks of tile $t$ (one for the first tile, else two). The paper does "
        r"not say so; its 'one extra element beyond the top-$k$' fits only this reading.",
    ),
    hypotheses=(
        Hypothesis("free-rank", r"(11) is applied at the free rank $k-F_t$, not at $k$."),
        Hypothesis("room", r"$k>F_t$."),
    ),
    steps=(
        Step(
            "cut",
            r"The $k$ largest of the scores with the forced ones infinite are the forced and the first $k-F$ of the others.",
        ),
        Step(
            "prefix",
            r"The first $k+1$ hold the free ranks $0,\dots,k-F$ and no more: enough for $\sigma$ at rank $k-F$, and none for rank $k$ if $F>0$.",
        ),
    ),
    residue="More than five blocks: sorting puts the forced ones first and leaves the order of the others.",
    uses=("UG.E9-forced",),
    expected=Verdict.VERIFIED,
)


def free_rank(k: int, forced: int) -> int:
    """Return how many blocks that are not forced a budget of k keeps."""
    return k - forced


def free(scores: Sequence[Any], forced: Sequence[int]) -> list[Any]:
    """Scores of the other blocks, the largest first."""
    return sorted((score for b, score in enumerate(scores) if b not in forced), reverse=True)
