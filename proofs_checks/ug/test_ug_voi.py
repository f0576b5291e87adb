"""UG section 3.3: mass of a dropped block."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from marks import nan, proof, refutation, tightness
from refsym_theory.claims.ug.voi import bound, mass
from refsym_theory.evidence import Level, at_most, below, equal, require

Record = Callable[[str, object], None]


@refutation(
    "UG.VOI",
    Level.EXACT,
    Fraction(1, 10),
    {"no promise at all": Fraction(1, 100), "corrected: no lower bound": Fraction(0)},
)
def test_a_tie_of_two_negligible_blocks(stated: Fraction, record_property: Record) -> None:
    weights = [Fraction(98), Fraction(1), Fraction(1)]  # k = 2: the second and third block tie
    found = mass(weights, 2)
    record_property("claimed", "large at a tie")
    record_property("computed", str(found))
    require(below(found, stated))


@refutation("UG.VOI", Level.EXACT, 1, {"each block by itself": 0})
def test_many_blocks_behind_a_wide_gap(stated: int, record_property: Record) -> None:
    weights = [Fraction(100), *[Fraction(1)] * 900]  # k = 1, gap log 100
    dropped = mass(weights, 1) * (900 if stated else 1)
    record_property("claimed", "small where well separated")
    record_property("computed", f"{dropped} dropped in all")
    require(at_most(Fraction(9, 10), dropped))


@refutation("UG.VOI", Level.EXACT, Fraction(1, 2), {"no promise at all": Fraction(99, 100)})
def test_a_hot_key_in_a_block_with_a_low_mean(stated: Fraction, record_property: Record) -> None:
    # Two blocks of two keys, k = 1; a score is the mean log of the weights of its keys, so exp(2 s) is their product.
    kept, dropped = (Fraction(1), Fraction(1)), (Fraction(100), Fraction(1, 10**6))
    ratio = Fraction(kept[0] * kept[1], dropped[0] * dropped[1])
    require(equal(ratio, 100**2))  # exp(2 g): the gap is log 100
    found = sum(dropped) / (sum(kept) + sum(dropped))
    record_property("claimed", "small where well separated")
    record_property("computed", f"gap log 100, attention dropped {float(found):.3f}")
    require(below(stated, found))
    require(below(bound(Fraction(1), Fraction(100)), found))  # the bound is one on score mass


@proof(
    "UG.VOI",
    "mass",
    Level.EXACT,
    lambda x, kept, rest: x / (x + kept),
    {"itself left out": lambda x, kept, rest: x / (kept + 2 * rest), "NaN": nan},
)
def test_leaving_out_the_other_dropped_ones(stated: Callable[..., Any]) -> None:
    x, kept, rest = symbols("x kept rest")  # weights of the block, of all kept ones, of the other dropped ones
    slack = stated(x, kept, rest) - x / (x + kept + rest)
    require(vanishes(slack * (x + kept) * (x + kept + rest) - x * rest))


@proof(
    "UG.VOI",
    "gap",
    Level.EXACT,
    bound,
    {"k + 1 blocks": lambda k, z: 1 / (1 + (k + 1) * z), "e^2g": lambda k, z: 1 / (1 + k * z**2)},
)
def test_every_kept_block_is_a_gap_above(stated: Callable[..., Any]) -> None:
    k, z, x, more = symbols("k z x more")  # kept weights sum to k z x + more
    slack = (stated(k, z) - x / (x + k * z * x + more)) * (1 + k * z) * (x + k * z * x + more)
    require(vanishes(slack - more))
    a = symbols("a")  # z = 1 + a
    require(nonnegative_coefficients(((1 + k * (1 + a)) - (1 + k)).expand()))


@tightness("UG.VOI", Level.EXACT, bound, {"k + 1 blocks": lambda k, z: 1 / (1 + (k + 1) * z)})
def test_equal_kept_and_one_dropped(stated: Callable[..., Any]) -> None:
    for k in range(1, 6):
        weights = [Fraction(7)] * k + [Fraction(1)]
        require(equal(mass(weights, k), stated(Fraction(k), Fraction(7))))
