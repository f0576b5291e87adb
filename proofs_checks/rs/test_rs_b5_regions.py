"""RS Appendix B.5: two regions."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import l1
from refsym_theory.claims.rs.b5_regions import directly, variation
from refsym_theory.evidence import Level, at_most, below, equal, require

SMALL = [Fraction(n) for n in (0, 1, 2, 5)]


@proof(
    "RS.B5-regions",
    "formula",
    Level.EXACT,
    lambda c, larger: 1 - c / larger,
    {
        "half of it": lambda c, larger: (1 - c / larger) / 2,
        "square of the share": lambda c, larger: 1 - (c / larger) ** 2,
    },
)
def test_identity_where_the_first_is_larger(stated: Callable[..., Any]) -> None:
    a, b, c = symbols("a b c")  # Z >= Z', so |1/Z - 1/Z'| = 1/Z' - 1/Z; the other case exchanges a and b
    z, other = a + c, b + c
    require(vanishes((a / z + b / other + c * (1 / other - 1 / z)) / 2 - stated(c, z)))


@proof(
    "RS.B5-regions",
    "formula",
    Level.EXACT,
    variation,
    {
        "the smaller normalizer": lambda a, b, c: 1 - c / min(a + c, b + c),
        "the union": lambda a, b, c: 1 - c / (a + b + c),
        "NaN": nan,
    },
)
def test_small_integrals(stated: Callable[..., Any]) -> None:
    for a, b, c in product(SMALL, repeat=3):
        if a + c and b + c:
            require(equal(stated(a, b, c), directly(a, b, c)))


@proof("RS.B5-regions", "output", Level.EXACT, 1, {"D / 2": Fraction(1, 2)})
def test_output_of_values_zero_and_one(stated: Any) -> None:
    for a, b, c in product(SMALL, repeat=3):
        if a + c and b + c:
            first = [a / (a + c), c / (a + c), 0 * a]
            second = [0 * b, c / (b + c), b / (b + c)]
            require(equal(l1.total_variation(first, second), variation(a, b, c)))
            for values in product((0, 1), repeat=3):
                change = abs(sum((q - p) * v for p, q, v in zip(first, second, values, strict=True)))
                require(at_most(change, stated * variation(a, b, c)))


@proof(
    "RS.B5-regions",
    "displacement",
    Level.EXACT,
    lambda e: 1 / (1 + e),
    {"small with the sliver": lambda e: e / (1 + e)},
)
def test_a_heavy_sliver(stated: Callable[..., Any]) -> None:
    for n in (10, 1000, 10**9):
        e = Fraction(1, n)
        require(equal(variation(Fraction(0), 1 / e, Fraction(1)), stated(e)))
        require(below(Fraction(9, 10), stated(e)))


@tightness("RS.B5-regions", Level.EXACT, variation, {"half of it": lambda a, b, c: variation(a, b, c) / 2})
def test_disjoint_regions(stated: Callable[..., Any]) -> None:
    require(equal(stated(Fraction(1), Fraction(1), Fraction(0)), 1))  # values 0 and 1: the output goes from 0 to 1


@control("RS.B5-regions", "same-kernel", Level.EXACT)
def test_another_kernel_on_the_same_region() -> None:
    p, q = [Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]
    require(equal(l1.total_variation(p, q), Fraction(1, 4)))
    require(equal(variation(Fraction(0), Fraction(0), Fraction(1)), 0))  # V = V': the formula says nothing moves


@control("RS.B5-regions", "normalizers", Level.EXACT)
def test_an_empty_region_has_no_distribution() -> None:
    a, b, c = Fraction(1), Fraction(0), Fraction(0)
    require(equal(b + c, 0))  # P_V' is 0/0, while the formula would say 1
    require(equal(variation(a, b, c), 1))


@control("RS.B5-regions", "nonnegative", Level.EXACT)
def test_a_signed_field() -> None:
    a, b, c = Fraction(-1), Fraction(2), Fraction(3)
    assert directly(a, b, c) != variation(a, b, c)
