"""RS Appendix B.5: partial cells."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs.b5_visible import visible
from refsym_theory.evidence import Level, at_most, equal, require


def whole_if_seen(a: Any, b: Any, v: Any) -> Any:
    """Mask on the cell's midpoint."""
    return b - a if (a + b) / 2 <= v else 0 * a


@proof("RS.B5-visible", "additive", Level.EXACT)
def test_four_places_of_the_boundary() -> None:
    a, b, c, v = symbols("a b c v")
    # v <= a, a <= v <= b, b <= v <= c, c <= v: visible lengths of [a, c], [a, b] and [b, c].
    for whole, first, second in ((0, 0, 0), (v - a, v - a, 0), (v - a, b - a, v - b), (c - a, b - a, c - b)):
        require(vanishes(a * 0 + whole - first - second))


@proof(
    "RS.B5-visible",
    "additive",
    Level.EXACT,
    visible,
    {"mask on the midpoint": whole_if_seen, "count of seen cells": lambda a, b, v: Fraction(int(a < v)), "NaN": nan},
)
def test_every_order_of_four_points(stated: Callable[..., Any]) -> None:
    # The formula depends on the order of a <= b <= c and v alone, up to the identities above.
    for points in combinations_with_replacement([Fraction(n) for n in range(5)], 3):
        for v in (Fraction(n, 2) for n in range(-1, 11)):
            a, b, c = points
            require(equal(stated(a, c, v), stated(a, b, v) + stated(b, c, v)))


@proof("RS.B5-visible", "support", Level.EXACT, visible, {"distance to the boundary": lambda a, b, v: abs(v - a)})
def test_a_visible_part_is_no_larger(stated: Callable[..., Any]) -> None:
    for a, length, v in product(
        (Fraction(0), Fraction(1)), (Fraction(0), Fraction(1, 2), Fraction(2)), (Fraction(n, 2) for n in range(-2, 9))
    ):
        require(at_most(stated(a, a + length, v), length))


@control("RS.B5-visible", "partial", Level.EXACT)
def test_a_mask_on_the_midpoint() -> None:
    zero, half, one = Fraction(0), Fraction(1, 2), Fraction(1)
    require(equal(whole_if_seen(zero, one, half), one))
    require(equal(whole_if_seen(zero, half, half) + whole_if_seen(half, one, half), half))


@control("RS.B5-visible", "same-query", Level.EXACT)
def test_children_with_different_prefixes() -> None:
    # The first child is seen up to 1/2, the second up to 1: together less than their parent at 1 where it matters.
    zero, half, one = Fraction(0), Fraction(1, 2), Fraction(1)
    require(equal(visible(zero, one, one), one))
    require(equal(visible(zero, half, half / 2) + visible(half, one, one), Fraction(3, 4)))
