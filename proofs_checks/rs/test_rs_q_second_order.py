"""RS Appendix A.2: second-order rates."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, Rational, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.rs import q_second_order as q
from refsym_theory.evidence import Level, at_most, below, equal, require

ID = "RS.Q-second-order"
PRIMITIVE, BOUND, SHIFT = q.primitive, q.midpoint_bound, q.shift_bound


@proof(
    ID,
    "parts",
    Level.EXACT,
    PRIMITIVE,
    {
        "sign of the middle term": lambda a, t, u, du, i: PRIMITIVE(a, t, -u, du, i),
        "kernel without its half": lambda a, t, u, du, i: PRIMITIVE(a, t, u, 2 * du, i),
    },
)
def test_integration_by_parts(stated: Callable[..., Expr]) -> None:
    a, t, u, du, ddu, integral = symbols("a t u du ddu U")
    whole = stated(a, t, u, du, integral)
    along_t = whole.diff(t) + whole.diff(u) * du + whole.diff(du) * ddu + whole.diff(integral) * u
    require(vanishes(along_t - (a - t) ** 2 * ddu / 2))
    # u(t) = f(c + t) + f(c - t) has u'(0) = 0 and u(0) = 2 f(c): at t = a only the integral is left.
    require(vanishes(stated(a, a, u, du, integral) - integral))
    require(vanishes(stated(a, 0 * t, u, 0 * du, 0 * integral) - a * u))


@proof(
    ID,
    "kernel",
    Level.EXACT,
    BOUND,
    {"48 for 24": lambda m, h: BOUND(m, h) / 2, "h^2": lambda m, h: m * h[0] ** 2 / 24},
)
def test_integral_of_the_kernel(stated: Callable[..., Expr]) -> None:
    a, t, h, m = symbols("a t h M")
    antiderivative = -((a - t) ** 3) / 6
    require(vanishes(antiderivative.diff(t) - (a - t) ** 2 / 2))
    integral = (antiderivative.subs(t, a) - antiderivative.subs(t, 0)).subs(a, h / 2)
    require(vanishes(stated(m, [h]) - integral * 2 * m))  # |u''| <= 2 max |f''|


@proof(
    ID,
    "sum",
    Level.EXACT,
    q.cube_slack,
    {"h^2 only": lambda h, m: h * (m - h), "twice the width": lambda h, m: h * (m - h) * (m + 2 * h)},
)
def test_sum_of_cubes(stated: Callable[..., Expr]) -> None:
    h, largest = symbols("h H")
    require(vanishes(h * largest**2 - h**3 - stated(h, largest)))  # nonnegative for 0 <= h <= H, summed over cells


@proof(ID, "shift", Level.EXACT, SHIFT, {"1/16": lambda m, w: SHIFT(m, w) / 2, "first order": lambda m, w: m * w / 8})
def test_shift_of_midpoints(stated: Callable[..., Expr]) -> None:
    a, t, u, du, ddu, m, w = symbols("a t u du ddu M w")
    whole = (a - t) * du + u  # u(t) = phi(c + t) + phi(c - t), a = half the cell
    require(vanishes(whole.diff(t) + whole.diff(u) * du + whole.diff(du) * ddu - (a - t) * ddu))
    kernel = -((a - t) ** 2) / 2
    require(vanishes(kernel.diff(t) - (a - t)))
    integral = (kernel.subs(t, a) - kernel.subs(t, 0)).subs(a, w / 2)
    require(vanishes(stated(m, w) - integral * 2 * m / 2))  # half of u(a) - u(0) is the shift


@proof(
    ID,
    "standard",
    Level.EXACT,
    q.standard_bound,
    {
        "shift forgotten": lambda a, b, c, n: a / 24 / n**2,
        "third order": lambda a, b, c, n: q.standard_bound(a, b, c, n) / n,
    },
)
def test_two_errors_of_second_order(stated: Callable[..., Expr]) -> None:
    second, first, curve, n = symbols("A B C N")
    quadrature = n * q.midpoint_bound(second, [1 / n])  # N cells of width 1/N in the parameter
    moved = n * (1 / n) * first * q.shift_bound(curve, 1 / n)
    require(vanishes(stated(second, first, curve, n) - quadrature - moved))


@tightness(ID, Level.EXACT, BOUND, {"25 for 24": lambda m, h: BOUND(m, h) * Rational(24, 25), "NaN": nan})
def test_square(stated: Callable[..., Expr], record_property: Callable[[str, object], None]) -> None:
    c, h = symbols("c h")
    error = ((c + h / 2) ** 3 - (c - h / 2) ** 3) / 3 - h * c**2
    require(equal(stated(2, [Fraction(1, 2)]), Fraction(1, 96)))
    require(vanishes(stated(2, [h]) - error))
    a, b = symbols("a b")
    require(vanishes((a**2 + b**2) / 2 - ((a + b) / 2) ** 2 - q.shift_bound(2, b - a)))
    record_property("claimed", "f = x²: error of a cell at most 2h³/24")
    record_property("computed", str(error.factor()))


@control(ID, "c2", Level.ENCLOSED)
def test_square_root_as_integrand() -> None:
    # Every cell's error has one sign, since the root is concave; the first cell's alone is (1/sqrt 2 - 2/3) h^(3/2).
    with digits(30):
        first = 1 / ball(2).sqrt() - ball(Fraction(2, 3))
        require(below(ball(Fraction(1, 25)), first))  # with h = 1/N, N^2 times the error is more than sqrt N / 25


@control(ID, "width", Level.EXACT)
def test_one_cell_never_shrinks() -> None:
    # x^2 on [0, 1], a cell [0, 1/2] and N - 1 equal ones on the rest: an error of at least (1/2)^3 / 12.
    for n in (2, 200, 20000):
        widths = [Fraction(1, 2), *([Fraction(1, 2 * (n - 1))] * (n - 1))]
        require(at_most(Fraction(1, 96), sum(h**3 for h in set(widths)) / 12))


@control(ID, "above", Level.EXACT)
def test_map_with_infinite_slope() -> None:
    # phi(u) = sqrt u, G(x) = x: the estimator is the trapezoid rule of a concave function, one sign in every cell;
    # the first cell's error is (2/3 - 1/2) N^(-3/2), so N^2 times the error is at least sqrt N / 6.
    root = symbols("r")  # N^(-1/2)
    require(vanishes(Rational(2, 3) * root**3 - root**2 * root / 2 - root**3 / 6))
    for side in (10, 1000):  # N = side^2
        require(equal(Fraction(1, 6 * side**3) * side**4, Fraction(side, 6)))


@control(ID, "smooth", Level.EXACT)
def test_lacunary_map_with_bounded_slope() -> None:
    # phi(u) = u + e sum_m 8^-m cos(2 pi 4^m u), e = 1/20: phi' lies within 1 +- 2 pi e. G(x) = x on N = 4^M cells is
    # the
    # trapezoid rule of phi. Terms with m < M cancel in pairs of nodes half a turn apart; the others are 1 at every
    # node.
    for top in (1, 2, 3, 4):
        n = 4**top
        for m in range(1, top):
            half = n // 4**m // 2
            require(equal(Fraction(4**m * half, n), Fraction(1, 2)))
        assert all((4**m * i) % n == 0 for m in (top, top + 1, top + 3) for i in range(n))
        error = Fraction(1, 20) * Fraction(1, 8**top) * Fraction(8, 7)  # the geometric series from m = M
        require(equal(n**2 * error, Fraction(2**top * 2, 35)))  # N^2 times the error grows like sqrt N


@superfluous(ID, "below", Level.EXACT)
def test_bounds_do_not_read_the_slope_from_below() -> None:
    second, first, curve, n = symbols("A B C N")
    moved = n * (1 / n) * first * q.shift_bound(curve, 1 / n)
    require(vanishes(q.standard_bound(second, first, curve, n) - n * q.midpoint_bound(second, [1 / n]) - moved))
    # phi(u) = u^2, with phi'(0) = 0, and G(x) = x: the mean of ((i-1)^2 + i^2) / 2N^2 is 1/3 + 1/6N^2.
    for cells in (1, 7, 100):
        mean = sum(Fraction(i**2 + (i - 1) ** 2, 2 * cells**2) for i in range(1, cells + 1)) / cells
        require(equal(mean - Fraction(1, 3), q.standard_bound(-Fraction(2), Fraction(1), Fraction(2), cells)))
