"""RS Appendix A.4, after Proposition 4."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, Rational, symbols

from algebra import vanishes
from marks import control, proof, tightness
from refsym_theory.claims.rs import p4, p4_reference
from refsym_theory.evidence import Level, at_most, require

ID = "RS.P4-reference"
F = Fraction
TYPES = [[0, 0, 1], [0, 1, 1]]
SHIFTED, LEFT = p4_reference.shifted, p4_reference.unexplained


@proof(
    ID,
    "offset",
    Level.EXACT,
    SHIFTED,
    {
        "offset by position": lambda rows, types, e: [[b + e[i % 2] for i, b in enumerate(row)] for row in rows],
        "offset subtracted": lambda rows, types, e: SHIFTED(rows, types, [-x for x in e]),
    },
)
def test_offsets_move_the_minimiser_only(stated: Callable[..., list[list[Expr]]]) -> None:
    b, d, e = symbols("b0:6"), symbols("d0:2"), symbols("e0:2")
    rows = [list(b[:3]), list(b[3:])]
    moved = [x + y for x, y in zip(d, e, strict=True)]
    require(vanishes(LEFT(stated(rows, TYPES, e), TYPES, moved) - LEFT(rows, TYPES, d)))
    # Key by key, for any family: the row that enters the variance is the same.
    require(vanishes((b[0] + e[0]) - (d[0] + e[0]) - (b[0] - d[0])))


@proof(
    ID,
    "zero",
    Level.EXACT,
    lambda rows: sum(map(p4.variance, rows)) / len(rows),
    {"sum for mean": lambda rows: sum(map(p4.variance, rows)), "one row": lambda rows: p4.variance(rows[0])},
)
def test_zero_vector(stated: Callable[..., Expr]) -> None:
    b = symbols("b0:6")
    rows = [list(b[:3]), list(b[3:])]
    require(vanishes(LEFT(rows, TYPES, [Rational(0), Rational(0)]) - stated(rows)))  # a minimum is at most a value


@proof(
    ID,
    "constant",
    Level.EXACT,
    lambda x: x,
    {"half the constant": lambda x: [a / 2 for a in x], "exchanged": lambda x: [x[1], x[0]]},
)
def test_one_configuration(stated: Callable[..., list[Expr]]) -> None:
    x = list(symbols("x0:2"))
    rows = [[x[t] for t in TYPES[0]]] * 3  # several rows of one configuration
    require(vanishes(LEFT(rows, TYPES[:1] * 3, stated(x))))
    require(vanishes(p4.variance([x[t] - d for t, d in zip(TYPES[1], [x[0], x[1], x[1]], strict=True)])))


@proof(
    ID,
    "several",
    Level.EXACT,
    lambda: Rational(1, 16),
    {
        "nothing left": lambda: Rational(0),
        "variance at d = 0": lambda: Rational(5, 8),
    },
)
def test_two_configurations(stated: Callable[..., Expr], record_property: Callable[[str, object], None]) -> None:
    d, e = symbols("d e")
    left = LEFT([[1, 0], [2, 0]], [[0, 1], [0, 1]], [d, e])
    require(vanishes(left - (d - e - Rational(3, 2)) ** 2 / 4 - stated()))  # a square, zero at d - e = 3/2
    record_property("claimed", "D² need not be 0")
    record_property("computed", "1/16")


@proof(
    ID,
    "shifts",
    Level.EXACT,
    lambda d, c: [x + c for x in d],
    {"one type only": lambda d, c: [d[0] + c, d[1]], "scaled": lambda d, c: [x * c for x in d]},
)
def test_common_shift_cancels(stated: Callable[..., list[Expr]]) -> None:
    b, d, c = symbols("b0:6"), list(symbols("d0:2")), symbols("c")
    rows = [list(b[:3]), list(b[3:])]
    require(vanishes(LEFT(rows, TYPES, stated(d, c)) - LEFT(rows, TYPES, d)))


@tightness(
    ID,
    Level.EXACT,
    LEFT,
    {"half": lambda r, t, d: LEFT(r, t, d) / 2, "sum for mean": lambda r, t, d: LEFT(r, t, d) * len(r)},
)
def test_one_type(stated: Callable[..., Expr]) -> None:
    d = symbols("d")
    rows = [[F(0), F(1), F(2)], [F(0), F(3), F(3)]]
    mean = sum(map(p4.variance, rows)) / 2
    require(vanishes(stated(rows, [[0] * 3] * 2, [d]) - mean))  # whatever d


@control(ID, "fixed", Level.EXACT)
def test_offset_of_one_row() -> None:
    # Recalibration at every tokenization: 1 added to the physical key of the second of two equal rows.
    d, e = symbols("d e")
    types = [[0, 1], [0, 1]]
    require(vanishes(LEFT([[1, 0], [1, 0]], types, [Rational(1), Rational(0)])))
    require(vanishes(LEFT([[1, 0], [2, 0]], types, [d, e]) - (d - e - Rational(3, 2)) ** 2 / 4 - Rational(1, 16)))


@control(ID, "single", Level.EXACT)
def test_second_configuration() -> None:
    d, e = symbols("d e")
    left = LEFT([[1, 0], [2, 0]], [[0, 1], [0, 1]], [d, e])
    require(vanishes(left - (d - e - Rational(3, 2)) ** 2 / 4 - Rational(1, 16)))
    require(at_most(F(1, 16), LEFT([[F(1), F(0)], [F(2), F(0)]], [[0, 1], [0, 1]], [F(3, 2), F(0)])))


@control(ID, "within", Level.EXACT)
def test_masses_that_vary_within_a_type() -> None:
    d = symbols("d")
    require(vanishes(LEFT([[0, 1]], [[0, 0]], [d]) - Rational(1, 4)))  # whatever d
