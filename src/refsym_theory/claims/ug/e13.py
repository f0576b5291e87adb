"""UG equations 5 and 13: how many tiles a quantile triggers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.E13",
    title="A quantile does not trigger ceil(qT) tiles",
    source="UG Section 3.4, equation 5; Appendix A.8, equation 13; Appendix D.2",
    statement=(
        r"$\mathrm{trigger}[t]=\mathbb{1}[\bar\sigma[t]\le\operatorname{quantile}_q(\bar\sigma[\cdot])]$; the router is the "
        r"$\sigma$-quantile rule $\Pi_q^\sigma:=$ the $\lceil qT\rceil$ tiles of smallest $\sigma_t$."
    ),
    plain=(
        "False in two ways: tied margins trigger together, all T where all are equal; and the usual interpolated quantile triggers "
        "one tile fewer in many cases, 4 of 5 at q = 0.9."
    ),
    definitions=(
        r"The interpolated quantile, the default of NumPy and PyTorch, is the value at position $q(T-1)$ of the sorted list, linear between "
        "neighbours. The paper does not name one.",
    ),
    steps=(
        Step("interpolated", r"With distinct margins it triggers $\lfloor q(T-1)\rfloor+1$ tiles."),
        Step(
            "agrees",
            r"That is $\lceil qT\rceil$ exactly if $qT-\lceil qT\rceil+1\ge q$; always so where $qT$ is an integer.",
        ),
        Step("sorted", r"The first $\lceil qT\rceil$ tiles in order of (margin, index) are that many, ties or not."),
    ),
    correction=r"The trigger set is the first $\lceil qT\rceil$ tiles in the order of $(\bar\sigma_t,t)$, $q$ an exact decimal.",
    residue=r"More than 24 margins: the $i$-th smallest lies at or below position $h=q(T-1)$ exactly if $i\le h$.",
    expected=Verdict.REFUTED,
)


def interpolated(margins: Sequence[Fraction], q: Fraction) -> set[int]:
    """Tiles at or below the linearly interpolated quantile."""
    rising = sorted(margins)
    place = q * (len(margins) - 1)
    low = floor(place)
    cut = rising[low]
    if place > low:
        cut += (place - low) * (rising[low + 1] - rising[low])
    return {t for t, margin in enumerate(margins) if margin <= cut}


def smallest(margins: Sequence[Fraction], q: Fraction) -> set[int]:
    """Return the first ceil(qT) tiles by margin, then by index."""
    return set(sorted(range(len(margins)), key=lambda t: (margins[t], t))[: ceil(q * len(margins))])


def interpolated_count(tiles: int, q: Fraction) -> int:
    """Tiles that the interpolated quantile of distinct margins triggers."""
    return floor(q * (tiles - 1)) + 1
