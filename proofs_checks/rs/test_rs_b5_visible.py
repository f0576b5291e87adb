"""RS B.5: partial-cell visible mass."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import symbols, sympify

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs.b5_visible import binary_mass, seen, visible_attention, visible_mass
from refsym_theory.evidence import Level, Truth, at_most, equal, require

ONE = Fraction(1)
REGION = (0 * ONE, Fraction(5, 3))
CELLS = [((0 * ONE, ONE), ONE, 0 * ONE), ((ONE, 2 * ONE), ONE, ONE)]
SPLIT = [CELLS[0], ((ONE, Fraction(3, 2)), ONE, ONE), ((Fraction(3, 2), 2 * ONE), ONE, ONE)]


@proof("RS.B5-visible", "additive", Level.EXACT, seen, {"union of cell and region": lambda c, v: max(c, v), "NaN": nan})
def test_children_share_the_visible_part(stated: Callable[..., Any]) -> None:
    for a, b, v in product((0, 1), repeat=3):
        if not (a and b):  # a point lies in at most one child
            require(equal(stated(a + b, v), stated(a, v) + stated(b, v)))


@proof(
    "RS.B5-visible",
    "numerator",
    Level.EXACT,
    seen,
    {"union of cell and region": lambda c, v: max(c, v), "region forgotten": lambda c, v: c},
)
def test_a_point_reads_its_own_cell(stated: Callable[..., Any]) -> None:
    # The point lies in one cell, of kernel K and value v; all the other cells, however many, contribute 0.
    kernel, value, other = symbols("K v other")
    for v in (0, 1):
        require(vanishes(sympify(stated(1, v) * kernel * value + stated(0, v) * other - v * kernel * value)))


@proof(
    "RS.B5-visible",
    "marginals",
    Level.EXACT,
    seen,
    {"union": lambda c, d, v: max(c, d, v), "region forgotten": lambda c, d, v: seen(c, d)},
)
def test_the_other_partition_sums_out(stated: Callable[..., Any]) -> None:
    # Of all cells D_j one holds the point (d = 1), the others (d = 0) contribute nothing.
    for c, v in product((0, 1), repeat=2):
        require(equal(stated(c, 1, v) + stated(c, 0, v), seen(c, v)))
        require(equal(stated(c, 0, v), 0))


@proof("RS.B5-visible", "support", Level.EXACT, seen, {"union": lambda *sets: max(sets), "NaN": nan})
def test_what_is_coupled_visibly_is_coupled(stated: Callable[..., Any]) -> None:
    for c, d, v in product((0, 1), repeat=3):
        require(at_most(stated(c, d, v), seen(c, d)))


@proof("RS.B5-visible", "binary", Level.EXACT, visible_mass, {"mask on the midpoint": binary_mass, "NaN": nan})
def test_a_boundary_through_a_cell(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    whole, parts = stated(CELLS[1][0], REGION), [stated(cell, REGION) for cell, *_ in SPLIT[1:]]
    require(equal(whole, Fraction(2, 3)))
    require(equal(sum(parts), whole))
    require(equal(visible_attention(CELLS, REGION, stated), visible_attention(SPLIT, REGION, stated)))
    binary = [binary_mass(cell, REGION) for cell, *_ in SPLIT[1:]]
    record_property("computed", f"visible 2/3 = {' + '.join(map(str, parts))}; by midpoints 1, then {sum(binary)}")


@control("RS.B5-visible", "partial", Level.EXACT, binary_mass, {"visible part": visible_mass})
def test_a_binary_mask_notices_the_split(stated: Callable[..., Any]) -> None:
    whole, halves = visible_attention(CELLS, REGION, stated), visible_attention(SPLIT, REGION, stated)
    require(equal(whole, Fraction(1, 2)))
    require(equal(halves, Fraction(1, 3)))


@control("RS.B5-visible", "copied", Level.EXACT)
def test_a_score_that_reads_the_support() -> None:
    narrower = [SPLIT[0], *((cell, 2 * kernel, value) for cell, kernel, value in SPLIT[1:])]
    require(differ(visible_attention(CELLS, REGION), visible_attention(narrower, REGION)))


@control("RS.B5-visible", "region", Level.EXACT)
def test_a_child_with_a_shorter_horizon() -> None:
    require(differ(visible_attention(SPLIT, REGION), visible_attention(SPLIT, (0 * ONE, Fraction(3, 2)))))


@control("RS.B5-visible", "positive", Level.EXACT)
def test_nothing_visible_nothing_to_divide_by() -> None:
    require(equal(sum(visible_mass(cell, (3 * ONE, 4 * ONE)) for cell, *_ in CELLS), 0))


@control("RS.B5-visible", "disjoint", Level.EXACT)
def test_overlapping_children_count_twice() -> None:
    require(differ(seen(1, 1) + seen(1, 1), seen(1, 1)))  # a point in both children, and in the region


def differ(x: Any, y: Any) -> Truth:
    """Whether two exact numbers differ."""
    return {Truth.TRUE: Truth.FALSE, Truth.FALSE: Truth.TRUE}.get(equal(x, y), Truth.UNKNOWN)
