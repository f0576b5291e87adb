"""UG equation 15."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
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


@refutation("UG.E15", Level.EXACT, e15.printed, {"at most 45.2": lambda k, q, rho: Fraction(45)})
def test_the_papers_own_setting(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    k, q, rho, tiles = 33, Fraction(2, 5), 2, 512  # 32K in tiles of 64; tile t sees t + 1 blocks
    visible = range(1, tiles + 1)
    late = range(tiles - e15.triggered(q, tiles), tiles)  # no trigger of this size attends to more
    most = e15.attended(visible, late, k, rho * k)
    record_property("claimed", f"{float(e15.printed(k, q, rho))} blocks at 32K")
    record_property("computed", f"at most {float(most):.2f}, whatever is triggered")
    require(below(most, stated(k, q, rho)))


@proof(
    "UG.E15",
    "short",
    Level.EXACT,
    e15.attended,
    {
        "invisible blocks counted": lambda v, e, k, m: Fraction(len(e) * m + (len(v) - len(e)) * k + 1, len(v)),
        "one block too many": lambda v, e, k, m: e15.attended(v, e, k, m) + 1,
        "NaN": nan,
    },
)
def test_short_tiles_only_lower_it(stated: Callable[..., Any]) -> None:
    for visible in product(range(1, 6), repeat=3):
        for count in range(4):
            for expanded in combinations(range(3), count):
                full = e15.average(2, Fraction(count), 3, 2)
                found = stated(visible, expanded, 2, 4)
                require(at_most(found, full))
                enough = all(v >= (4 if t in expanded else 2) for t, v in enumerate(visible))
                assert (found == full) == enough


@proof("UG.E15", "short", Level.EXACT)
def test_late_tiles_gain_most() -> None:
    # min(v, 66) - min(v, 33) never falls as v grows, so that the latest tiles are the dearest trigger.
    gains = [min(v, 66) - min(v, 33) for v in range(1, 513)]
    assert gains == sorted(gains)


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
