"""RS Appendix A.2: quadrature with a modulus of continuity."""

from collections.abc import Callable
from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.rs import q_modulus
from refsym_theory.evidence import Level, at_most, below, equal, require

ID = "RS.Q-modulus"
BOUND, RATIO = q_modulus.error_bound, q_modulus.ratio_error


@proof(ID, "cell", Level.EXACT, BOUND, {"half the modulus": lambda m, w: m * w / 2, "mass lost": lambda m, w: w})
def test_one_more_cell_adds_its_mass_times_the_modulus(stated: Callable[..., Expr]) -> None:
    # `gap` is the mean over the cell of f(x_i) - f(y), between -w and w: both right-hand sides are sums of
    # nonnegative terms if the error so far is within M w. A component of g, and a part of a cell, are the same step.
    total, w, so_far, m, gap = symbols("M w E m gap")
    for sign in (1, -1):
        after = stated(total + m, w) - sign * (so_far + m * gap)
        require(vanishes(after - (total * w - sign * so_far) - m * (w - sign * gap)))
    require(vanishes(stated(total * 0, w)))


@proof(
    ID,
    "cell",
    Level.SAMPLED,
    BOUND,
    {"a third of the modulus": lambda m, w: Fraction(m) * w / 3, "NaN": nan},
)
@given(st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=4), min_size=1, max_size=5), st.randoms())
def test_step_functions(stated: Callable[..., object], cells: list[list[int]], random: Random) -> None:
    # Atoms of mass 1; the modulus is the largest difference within a cell, which is at most the paper's.
    modulus = max(max(cell) - min(cell) for cell in cells)
    points = [random.choice(cell) for cell in cells]
    error = q_modulus.quadrature_error([len(cell) for cell in cells], points, sum(map(sum, cells)))
    require(at_most(abs(error), stated(sum(map(len, cells)), modulus)))


@proof(
    ID,
    "ratio",
    Level.EXACT,
    RATIO,
    {
        "errors add": lambda g, f, a, b: (a + g / f * b) / (f + b),
        "old denominator": lambda g, f, a, b: (a - g / f * b) / f,
    },
)
def test_ratio_converges(stated: Callable[..., Expr]) -> None:
    g, f, a, b = symbols("g f a b")
    require(vanishes((g + a) / (f + b) - g / f - stated(g, f, a, b)))
    require(vanishes(stated(g, f, 0 * a, 0 * b)))


@tightness(ID, Level.EXACT, BOUND, {"half the modulus": lambda m, w: Fraction(m) * w / 2})
def test_mass_at_one_end_and_point_at_the_other(
    stated: Callable[..., object], record_property: Callable[[str, object], None]
) -> None:
    error = q_modulus.quadrature_error([1], [1], 0)  # f(x) = x: f(1) = 1, integral f(0) = 0, modulus f(1) - f(0)
    require(equal(error, stated(1, 1)))
    record_property("claimed", "at most 1")
    record_property("computed", str(error))


@control(ID, "continuous", Level.EXACT)
def test_indicator_of_the_rationals() -> None:
    # f = 1 + indicator of the rationals has the Lebesgue integral 1 on [0, 1], at every refinement the sum 2.
    for n in (1, 10, 1000):
        points = [Fraction(2 * i + 1, 2 * n) for i in range(n)]
        values = [2 if isinstance(x, Fraction) else 1 for x in points]
        require(equal(q_modulus.quadrature_error([Fraction(1, n)] * n, values, 1), Fraction(1)))
    h, n = symbols("h n")  # n equal cells of rational points: n (1/n) 2 - 1 = 1
    require(vanishes((n * h * 2 - 1).subs(h, 1 / n) - 1))


@control(ID, "compact", Level.EXACT)
def test_open_end() -> None:
    # f(x) = x^(-1/2) on (0, 1], integral 2: the first of N cells has its point at N^-4, where f = N^2.
    n = symbols("N")
    require(vanishes(n ** (-1) * n**2 - n))
    for count in (10, 1000):
        first = Fraction(1, count) * count**2  # all other terms are positive
        require(below(count - 3, first - 2))


@control(ID, "nonzero", Level.EXACT)
def test_no_mass_no_ratio() -> None:
    require(equal(sum(m * f for m, f in zip([0, 0], [1, 2], strict=True)), 0))  # the ratio is 0/0


@control(ID, "inside", Level.EXACT)
def test_point_of_another_cell() -> None:
    # Cells of width 1/N of [0, 1], f(x) = x, every point at 1: error 1/2, while omega_f(1/N) = 1/N.
    for n in (3, 300):
        error = q_modulus.quadrature_error([Fraction(1, n)] * n, [1] * n, Fraction(1, 2))
        require(below(q_modulus.error_bound(1, Fraction(1, n)), error))


@superfluous(ID, "positive", Level.EXACT)
def test_any_sign_of_the_denominator() -> None:
    g, f, a, b = symbols("g f a b")
    require(vanishes((g + a) / (f + b) - g / f - q_modulus.ratio_error(g, f, a, b)))  # f may have any sign but 0
    # |f + b| >= |f| - |b|: with p = |f| and s = +-|b|, (f + b)^2 - (|f| - |b|)^2 is 0 or 4 |f| |b|.
    p, s = symbols("p s")
    require(vanishes((p + s) ** 2 - (p - s) ** 2 - 4 * p * s))
    # f = 2 on three quarters of the mass and -1 on the rest: the integral is 5/4, and one point a cell is exact.
    require(equal(q_modulus.quadrature_error([Fraction(3, 4), Fraction(1, 4)], [2, -1], Fraction(5, 4)), Fraction(0)))
