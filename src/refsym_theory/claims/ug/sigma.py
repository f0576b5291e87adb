"""UG equations 4 and 11: the normalized cutoff margin lies between 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.SIGMA",
    title="The margin lies in [0, 1]",
    source="UG Section 3.3, equation 4; Appendix A.6, equation 11",
    statement=(
        r"$\sigma=\frac{s_{(k-1)}-s_{(k)}}{s_{(0)}-s_{(k)}}\in[0,1]$, where $s_{(\cdot)}$ are the sorted block scores; if the "
        r"denominator is zero we set $\sigma=0$."
    ),
    plain="The margin says which part of the way from the best score to the first dropped one the last step is.",
    definitions=(r"$g=s_{(k-1)}-s_{(k)}$, $r=s_{(0)}-s_{(k)}$; forced blocks are left out (UG.E11-forced).",),
    hypotheses=(
        Hypothesis("sorted", "Scores are sorted, the largest first."),
        Hypothesis(
            "enough", "More than $k$ blocks are visible. The paper's edge cases pass over tiles that see fewer."
        ),
    ),
    steps=(
        Step("range", r"$g\ge0$ and $r-g=s_{(0)}-s_{(k-1)}\ge0$."),
        Step("tied", r"$r=g+(s_{(0)}-s_{(k-1)})=0$ makes both parts 0, and $\sigma=0$ by convention."),
        Step("one", r"For $k=1$, $g=r$: $\sigma=1$ unless the two best are tied."),
    ),
    expected=Verdict.VERIFIED,
)


def gap(scores: Sequence[Any], k: int) -> Any:
    """Cutoff gap g of sorted scores."""
    return scores[k - 1] - scores[k]


def spread(scores: Sequence[Any], k: int) -> Any:
    """Spread r of sorted scores."""
    return scores[0] - scores[k]


def sigma(scores: Sequence[Any], k: int) -> Any:
    """Margin g / r, and 0 where r is 0."""
    r = spread(scores, k)
    return r * 0 if r == 0 else gap(scores, k) / r
