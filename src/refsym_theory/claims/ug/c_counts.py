"""UG appendix C: whether the printed recalls are fractions of so few examples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from refsym_theory.claims.claim import Claim, Step, Verdict
from refsym_theory.claims.ug.c_sweep import RECALL

CLAIM = Claim(
    id="UG.C-counts",
    title="The printed recalls are not fractions of 30",
    source="UG Appendix C, 'Row-grain q sweep'; Sections 3.4, 4.1 and 4.5",
    statement=(
        r"On RULER NIAH-multikey at $n=30$, ctx=32K, we swept $q\in\{0.10,0.20,0.30,0.40\}$ and observed paired recall "
        r"$0.38,0.35,0.47,0.53$ respectively."
    ),
    plain=(
        "Impossible: of 30 questions a share is a multiple of 1/30, and 0.38 and 0.35 are not near one. No number of questions up to 30 "
        "gives all four; 60 does."
    ),
    definitions=(
        r"Paired recall is $m/n_{dc}$ with $n_{dc}\le n$ the number that dense answers (Section 4.1), so all four have one denominator; "
        r"Section 4.1 says dense answers all. Recalls are rounded to two digits, halves either way.",
        "If keys were counted and not examples, against Section 4.1, larger denominators would be possible.",
    ),
    steps=(
        Step(
            "none",
            "No denominator up to 30 gives all four, whether rounded to the nearest or always down or always up.",
        ),
        Step("thirty", "Of 30, neither 0.38 nor 0.35 is possible; 0.47 and 0.53 are."),
        Step("least", "34 is the least denominator that gives all four; 60 does: 23, 21, 28 and 32 of 60."),
    ),
    correction="The four recalls share no denominator below 34; with 60 examples they would be 23, 21, 28 and 32 of 60.",
    expected=Verdict.REFUTED,
)


def nearest(share: Fraction, n: int) -> bool:
    """Whether some m / n rounds to the share of two digits."""
    return any(abs(Fraction(m, n) - share) <= Fraction(1, 200) for m in (floor(share * n), ceil(share * n)))


def directed(share: Fraction, n: int, *, down: bool) -> bool:
    """Whether some m / n becomes the share when its other digits are cut off, or rounded up."""
    m = ceil(share * n) if down else floor(share * n)
    return abs(Fraction(m, n) - share) < Fraction(1, 100)


def possible(n: int, recall: Sequence[Fraction] = RECALL) -> bool:
    """Whether all shares are fractions of n."""
    return all(nearest(share, n) for share in recall)
