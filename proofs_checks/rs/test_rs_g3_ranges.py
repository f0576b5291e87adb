"""RS G.3: ranges of the geometric-width schedules."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from balls import agrees, ball, digits, interval
from marks import proof, value
from refsym_theory.claims.rs.g3_bounds import high, low
from refsym_theory.claims.rs.g3_ranges import PRINTED, upper
from refsym_theory.evidence import Level, below, equal, require

HALF_DIGIT = Fraction(1, 2000)


@value(
    "RS.G3-ranges",
    "bounds",
    Level.ENCLOSED,
    8,
    {"seven cells": 7, "nine cells": 9, "sixteen frames, a cell each": 16},
)
def test_printed_bounds(stated: int, record_property: Callable[[str, object], None]) -> None:
    with digits(30):
        for span, (lower_bound, upper_bound) in PRINTED.items():
            found = upper(ball(span), stated)
            require(agrees(1 / ball(span), lower_bound))
            require(agrees(found, upper_bound))
            record_property(f"[{lower_bound}, {upper_bound}]", f"[1/{span}, {found.str(6, radius=False)}]")


@value(
    "RS.G3-ranges",
    "bounds",
    Level.EXACT,
    (low, high),
    {"exchanged": (high, low), "twice": (lambda d, s: 2 * low(d, s), high)},
)
def test_bounds_of_geometric_widths(stated: Any) -> None:
    widths = [Fraction(3, 2) ** power for power in range(8)]  # any ratio, any cut
    for cut in range(1, 8):
        require(equal(stated[0](widths[:cut], widths[cut:]), Fraction(2, 3) ** 7))
        require(equal(stated[1](widths[:cut], widths[cut:]), Fraction(2, 3)))


@proof("RS.G3-ranges", "unique", Level.ENCLOSED, (7, 7), {"seven cells": (6, 6), "fifteen or sixteen": (14, 15)})
def test_only_eight_cells_fit(stated: tuple[int, int]) -> None:
    # r^(n-1) = 1 / lower and r = 1 / upper, each anywhere within its printed digits: n - 1 lies between 6 and 8.
    with digits(30):
        for lower_bound, upper_bound in PRINTED.values():
            ends = [interval(Fraction(x) - HALF_DIGIT, Fraction(x) + HALF_DIGIT) for x in (lower_bound, upper_bound)]
            gaps = ends[0].log() / ends[1].log()
            require(below(ball(stated[0] - 1), gaps))
            require(below(gaps, ball(stated[1] + 1)))


@value("RS.G3-ranges", "count", Level.EXACT, 2, {"three schedules": 3, "one schedule": 1})
def test_observations(stated: int) -> None:
    require(equal(720 * 28 * stated, 40320))
