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
        "False in two ways: tied margins trigger together, all T where all are equal, whatever the kind of quantile; and the usual "
        "interpolated quantile triggers one tile fewer in many cases: 4 of 5 at q = 0.9, and at the paper's q = 0.4 whenever T "
        "leaves 3 when divided by 5."
    ),
    definitions=(
        r"The interpolated quantile, the default of NumPy and PyTorch, is the value at position $q(T-1)$ of the sorted list, linear between "
        "neighbours. The paper does not name one.",
        r"The inverse of the empirical distribution, the $\lceil qT\rceil$-th smallest value, would trigger $\lceil qT\rceil$ where no two "
        "margins are equal; a tie at the cut breaks that too.",
    ),
    steps=(
        Step(
            "interpolated",
            r"With distinct margins it triggers $\lfloor q(T-1)\rfloor+1$ tiles: with $l=\lfloor q(T-1)\rfloor$ and $f$ the rest, the "
            r"cut lies in $[x_{(l)},x_{(l+1)})$, since $x_{(l+1)}-\mathrm{cut}=(1-f)(x_{(l+1)}-x_{(l)})>0$.",
        ),
        Step(
            "agrees",
            r"That is $\lceil qT\rceil$ exactly if $qT-\lceil qT\rceil+1\ge q$; always so where $qT$ is an integer.",
        ),
        Step(
            "atom", r"At a share $p>q$ of equal smallest margins all of them trigger: 83 of 100, not 40, on D.4's ties."
        ),
        Step("decimal", r"$\lceil qT\rceil$ needs $q$ as it was written: as a float, 0.55 makes 56 of 100."),
        Step("sorted", r"The first $\lceil qT\rceil$ tiles in order of (margin, index) are that many, ties or not."),
    ),
    correction=r"The trigger set is the first $\lceil qT\rceil$ tiles in the order of $(\bar\sigma_t,t)$, $q$ an exact decimal.",
    residue=(
        r"More than 24 margins: the $i$-th smallest lies at or below position $h=q(T-1)$ exactly if $i\le h$; "
        r"$\lfloor x\rfloor+1=D$ says $D-1\le x<D$; the first $D$ of a list are $D$."
    ),
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
