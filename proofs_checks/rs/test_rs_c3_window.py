"""RS C.3: windows of tokens and of the signal."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from marks import control, nan, proof
from refsym_theory.claims.rs.b5_visible import seen
from refsym_theory.claims.rs.c3_window import inside, inside_by_midpoint, last_tokens
from refsym_theory.evidence import Level, equal, require

HALF = Fraction(1, 2)
CELLS = list(pairwise(map(Fraction, range(5))))
SPLIT = [*CELLS[:3], (Fraction(3), 7 * HALF), (7 * HALF, Fraction(4))]


@proof(
    "RS.C3-window",
    "count",
    Level.EXACT,
    lambda cells: last_tokens(cells, 2),
    {"in units of the signal": lambda cells: inside(cells, (Fraction(2), Fraction(4))), "NaN": nan},
)
def test_two_tokens_shrink(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    require(equal(stated(CELLS), 2))
    require(equal(stated(SPLIT), 1))
    record_property("computed", "2 becomes 1")


@proof("RS.C3-window", "physical", Level.EXACT, seen, {"whole cells": lambda c, w: c, "union": max})
def test_children_share_what_lies_inside(stated: Callable[..., Any]) -> None:
    for a, b, w in ((0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1), (0, 1, 1), (1, 0, 1)):  # in at most one child
        require(equal(stated(a + b, w), stated(a, w) + stated(b, w)))
        require(equal(stated(a, w), a * w))


@proof("RS.C3-window", "physical", Level.EXACT, inside, {"by midpoints": inside_by_midpoint, "NaN": nan})
def test_every_edge_of_the_window(stated: Callable[..., Any]) -> None:
    for edge in range(41):
        window = (Fraction(edge, 10), Fraction(4))
        require(equal(stated(CELLS, window), window[1] - window[0]))
        require(equal(stated(SPLIT, window), window[1] - window[0]))


@control("RS.C3-window", "partial", Level.EXACT)
def test_midpoints_at_the_edge() -> None:
    window = (Fraction(0), Fraction(18, 5))
    require(equal(inside_by_midpoint(CELLS, window), 4))
    require(equal(inside_by_midpoint(SPLIT, window), 7 * HALF))
