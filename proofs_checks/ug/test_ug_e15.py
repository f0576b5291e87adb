"""UG equation 15."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import nan, proof, refutation
from refsym_theory.claims.ug import e15
from refsym_theory.evidence import Level, at_most, below, equal, require


@refutation(
    "UG.E15",
    Level.EXACT,
    e15.printed,
    {"corrected": lambda k, q, rho: e15.average(k, Fraction(e15.triggered(q, 2)), 2, rho)},
)
def test_two_tiles(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    k, q, rho, tiles = 2, Fraction(1, 10), 2, 2
    spent = Fraction(k * rho + k, tiles)  # one tile expands, since ceil(0.2) = 1
    record_property("claimed", str(e15.printed(k, q, rho)))
    record_property("computed", str(spent))
    require(below(stated(k, q, rho), spent))


@proof(
    "UG.E15",
    "average",
    Level.EXACT,
    e15.average,
    {
        "rho for rho - 1": lambda k, d, t, rho: k * (1 + d / t * rho),
        "one tile fewer": lambda k, d, t, rho: k * (1 + (d - 1) / t * (rho - 1)),
        "NaN": nan,
    },
)
def test_mean_over_tiles(stated: Callable[..., Any]) -> None:
    k, d, t, rho = symbols("k D T rho")
    found = stated(k, d, t, rho)
    require(vanishes(found - ((t - d) * k + d * rho * k) / t))


@proof(
    "UG.E15",
    "bracket",
    Level.EXACT,
    e15.triggered,
    {"rounded down": lambda q, t: int(q * t), "one more": lambda q, t: int(q * t) + 1},
)
def test_the_share_lies_just_above_q(stated: Callable[..., int]) -> None:
    for tiles in range(1, 50):
        for b in range(1, 21):
            for a in range(1, b + 1):
                share = Fraction(stated(Fraction(a, b), tiles), tiles)
                require(at_most(Fraction(a, b), share))
                require(below(share, Fraction(a, b) + Fraction(1, tiles)))
                same = share == Fraction(a, b)
                assert same == ((Fraction(a, b) * tiles).denominator == 1)
    require(equal(e15.average(33, Fraction(2), 5, 2), e15.printed(33, Fraction(2, 5), 2)))
