"""RS Theorem 1 on two partitions."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, proof, superfluous, tightness
from refsym_theory.claims.rs import t1, t1_eps, t1_lipschitz
from refsym_theory.evidence import Level, below, equal, require

Note = Callable[[str, object], None]


@proof("RS.T1-lipschitz", "value", Level.EXACT, t1_lipschitz.value_bound, {"h alone": lambda lip, h, h_new: lip * h})
def test_values_within_the_distance(stated: Callable[..., Expr]) -> None:
    lip, h, h_new, d, change = symbols("L h h' d change")  # change <= L d, d <= h + h'
    require(vanishes(stated(lip, h, h_new) - change - ((lip * d - change) + lip * (h + h_new - d))))


@proof(
    "RS.T1-lipschitz",
    "range",
    Level.EXACT,
    t1_lipschitz.range_bound,
    {"without the 2": lambda lip, h, h_new: lip * (h + h_new)},
)
def test_range_within_twice_the_distance(stated: Callable[..., Expr]) -> None:
    lip, h, h_new, a, b = symbols("L h h' a b")  # |a|, |b| <= L (h + h')
    bound = t1_lipschitz.value_bound(lip, h, h_new)
    require(vanishes(stated(lip, h, h_new) - (a - b) - ((bound - a) + (bound + b))))
    require(vanishes(stated(lip, h, h_new) - (a - b) - t1_eps.range_gap(bound, a, b)))


@proof(
    "RS.T1-lipschitz",
    "coupling",
    Level.EXACT,
    lambda mass, total: mass / total,
    {"not normalized": lambda mass, total: mass},
)
def test_pieces_of_a_cell_add_up(stated: Callable[..., Expr]) -> None:
    part, more, total = symbols("part more total")  # one piece C_i and D_j more
    require(vanishes(stated(part, total) + stated(more, total) - (part + more) / total))


@proof(
    "RS.T1-lipschitz",
    "distance",
    Level.EXACT,
    lambda h, h_new: h + h_new,
    {"the larger cell alone": lambda h, h_new: h},
)
def test_distance_through_a_common_point(stated: Callable[..., Expr]) -> None:
    h, h_new, d, to, fro = symbols("h h' d to fro")  # to <= h, fro <= h', d <= to + fro
    require(vanishes(stated(h, h_new) - d - ((to + fro - d) + (h - to) + (h_new - fro))))


# A line with the masses 1 at 0, 1, 2 and at 10, 11, 12, cut in two ways; representatives come first.
CELLS = [(0, 1), (2,), (12, 11), (10,)]
NEW_CELLS = [(0,), (2, 1), (10, 11), (12,)]


def physical(cells: list[tuple[int, ...]], new: list[tuple[int, ...]]) -> dict[tuple[int, int], Fraction]:
    """Coupling by common points."""
    total = sum(len(cell) for cell in cells)
    pairs = {(i, j): Fraction(len(set(c) & set(d)), total) for i, c in enumerate(cells) for j, d in enumerate(new)}
    return {pair: mass for pair, mass in pairs.items() if mass}


@tightness(
    "RS.T1-lipschitz",
    Level.EXACT,
    (t1_lipschitz.value_bound, t1_lipschitz.range_bound),
    {
        "larger of h and h'": (lambda lip, h, h_new: lip * max(h, h_new), t1_lipschitz.range_bound),
        "L_s (h + h')": (t1_lipschitz.value_bound, lambda lip, h, h_new: lip * (h + h_new)),
    },
)
def test_six_points_attain_both(stated: tuple[Callable[..., int], ...], record_property: Note) -> None:
    gamma = physical(CELLS, NEW_CELLS)
    assert t1.marginal(gamma, 0) == [Fraction(len(cell), 6) for cell in CELLS]
    assert t1.marginal(gamma, 1) == [Fraction(len(cell), 6) for cell in NEW_CELLS]
    x, y = ([cell[0] for cell in cells] for cells in (CELLS, NEW_CELLS))
    moved = [y[j] - x[i] for i, j in gamma]  # the fields are the coordinate: L = 1, and h = h' = 1
    require(equal(max(abs(change) for change in moved), stated[0](1, 1, 1)))
    require(equal(max(moved) - min(moved), stated[1](1, 1, 1)))
    record_property("claimed", "ε ≤ L (h + h') = 2, Δ ≤ 2 L (h + h') = 4")
    record_property("computed", f"ε = {max(map(abs, moved))}, Δ = {max(moved) - min(moved)}")


@control("RS.T1-lipschitz", "lipschitz", Level.EXACT)
def test_a_field_with_a_jump(record_property: Note) -> None:
    x, y = Fraction(-1, 100), Fraction(1, 100)  # a step of height 1 at 0, said to have L = 1; cells of diameter 1/50
    change = Fraction(int(y > 0) - int(x > 0))
    require(below(t1_lipschitz.value_bound(1, Fraction(1, 50), Fraction(1, 50)), change))
    record_property("computed", f"ε = {change}, bound 1/25")


@control("RS.T1-lipschitz", "intersecting", Level.EXACT)
def test_a_coupling_of_far_cells(record_property: Note) -> None:
    # Quarters of [0, 1] with their midpoints, the field is the coordinate; every cell with every cell.
    quarters = range(4)
    gamma = {(i, j): Fraction(1, 16) for i in quarters for j in quarters}
    assert t1.marginal(gamma, 0) == t1.marginal(gamma, 1) == [Fraction(1, 4)] * 4
    x = [Fraction(2 * i + 1, 8) for i in quarters]
    error, bound = t1.value_error(gamma, x, x), t1_lipschitz.value_bound(1, Fraction(1, 4), Fraction(1, 4))
    require(below(bound, error))
    record_property("computed", f"ε = {error}, bound {bound}")


@control("RS.T1-lipschitz", "covering", Level.EXACT)
def test_a_partition_that_leaves_a_part_out(record_property: Note) -> None:
    gamma = physical([(0, 1), (2,)], [(0,), (1,)])
    rows = t1.marginal(gamma, 0)
    require(below(sum(rows), Fraction(1)))
    record_property("computed", f"row sums {', '.join(map(str, rows))} for the masses 2/3, 1/3")


@superfluous("RS.T1-lipschitz", "point", Level.EXACT)
def test_averages_over_the_cells() -> None:
    # Averages over C with weights a and over D with weights b, of total 1: their difference is the double sum of
    # a b (v(x) - v(y)), each term at most a b L (h + h').
    a, b, v, u = symbols("a b v u")
    s, sv, r, rv = symbols("S S_v R R_v")
    paired = t1.paired_difference
    require(vanishes(paired(a, a * v, b, b * u) - a * b * (v - u)))
    require(vanishes(paired(s + a, sv + a * v, r, rv) - paired(s, sv, r, rv) - paired(a, a * v, r, rv)))
    require(vanishes(paired(s, sv, r + b, rv + b * u) - paired(s, sv, r, rv) - paired(s, sv, b, b * u)))
    require(vanishes(paired(1, sv, 1, rv) - (sv - rv)))
