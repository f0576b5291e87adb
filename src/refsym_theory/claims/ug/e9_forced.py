"""UG appendix A.4: infinity as a way to force two blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.E9-forced",
    title="Infinity forces both blocks",
    source="UG Appendix A.4, equation 9; Section 3.2",
    statement=(
        r"We add $+\infty$: $\mathrm{tile\_score}[t,h,b]+\infty\cdot\mathbb{1}[b\in\{b_{\mathrm{sink}},b_{\mathrm{self}}(t)\}]$. This guarantees "
        "both blocks land in the kept set."
    ),
    plain="Blocks with an infinite score come first, so the cut keeps them, as long as it keeps at least as many as are forced.",
    definitions=("One block is forced where the sink is the self block (tile 0), else two.",),
    hypotheses=(
        Hypothesis("room", r"$k$ is at least the number of forced blocks; the paper states no least budget."),
        Hypothesis(
            "zero", r"$\infty\cdot0$ is read as 0. In floating point it is NaN, on every block that is not forced."
        ),
        Hypothesis(
            "finite", "The scores themselves are finite or minus infinity; plus infinity would tie with a forced block."
        ),
    ),
    steps=(
        Step(
            "first", r"Fewer than $k$ other entries are $+\infty$, and every finite score lies below: rank at most $k$."
        ),
    ),
    residue="More than five blocks: the forced ones fill the first ranks whatever follows.",
    expected=Verdict.VERIFIED,
)


def forced_scores(scores: Sequence[float], forced: Sequence[int]) -> list[float]:
    """Scores with infinity in the place of the forced ones."""
    return [float("inf") if b in forced else score for b, score in enumerate(scores)]


def as_printed(score: Any, forced: bool) -> Any:
    """Score of equation 9, evaluated as it stands."""
    return score + float("inf") * (1 if forced else 0)
