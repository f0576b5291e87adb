"""RS Appendix A.4: the Cauchy-Schwarz bound."""

from collections.abc import Callable
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import p4_cauchy, p4_gradient
from refsym_theory.evidence import Level, at_most, below, equal, require

ID = "RS.P4-cauchy"
BOUND, GAP = p4_cauchy.square_bound, p4_cauchy.lagrange_gap


def spread(n: Expr, sum_b: Expr, sum_bb: Expr) -> Expr:
    """Return n sigma^2(b), from the sums of b and b^2."""
    return sum_bb - sum_b**2 / n


@proof(
    ID,
    "spread",
    Level.EXACT,
    spread,
    {"mean not subtracted": lambda n, b, bb: bb, "n - 1": lambda n, b, bb: bb - b**2 / (n - 1)},
)
def test_spread(stated: Callable[..., Expr]) -> None:
    n, b, bb = symbols("n b bb")
    mean = b / n
    require(vanishes(bb - 2 * mean * b + n * mean**2 - stated(n, b, bb)))


@proof(
    ID,
    "cauchy",
    Level.EXACT,
    GAP,
    {"plus": lambda g, c, gc, cc: (cc * g + gc * c) ** 2, "not scaled": lambda g, c, gc, cc: (g - c) ** 2},
)
def test_sum_of_squares(stated: Callable[..., Expr]) -> None:
    g, c, gg, gc, cc = symbols("g c gg gc cc")
    # A quadratic form in (g, c): its sum over the keys has gg for g^2, gc for g c and cc for c^2.
    one = stated(g, c, gc, cc)
    summed = sum(one.expand().coeff(g, k).coeff(c, 2 - k) * total for k, total in ((2, gg), (1, gc), (0, cc)))
    require(vanishes(summed - cc * (gg * cc - gc**2)))


@proof(ID, "product", Level.EXACT, BOUND, {"n lost": lambda n, g, v: g * v, "n^2": lambda n, g, v: n**2 * g * v})
def test_square_of_the_bound(stated: Callable[..., Expr]) -> None:
    n, gg, b, bb = symbols("n gg b bb")
    require(vanishes(stated(n, gg, spread(n, b, bb) / n) - gg * spread(n, b, bb)))


@proof(ID, "cauchy", Level.SAMPLED, BOUND, {"half": lambda n, g, v: BOUND(n, g, v) / 2, "NaN": nan})
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=5))
def test_bound_in_rationals(stated: Callable[..., object], pairs: list[tuple[int, int]]) -> None:
    n = len(pairs)
    total = Fraction(sum(g for g, _ in pairs), n)
    g, b = [x - total for x, _ in pairs], [y for _, y in pairs]
    direct = sum((x * y for x, y in zip(g, b, strict=True)), Fraction(0))
    variance = Fraction(sum(y * y for y in b), n) - Fraction(sum(b), n) ** 2
    require(at_most(direct**2, stated(n, sum(x * x for x in g), variance)))


@tightness(ID, Level.EXACT, BOUND, {"0.99": lambda n, g, v: BOUND(n, g, v) * Fraction(99, 100)})
def test_aligned_gradient(stated: Callable[..., object], record_property: Callable[[str, object], None]) -> None:
    # z = 0, n = 3, b = (2, 0, 1): a loss sum l_i p_i with l = 3 (b - 1) has the gradient p (l - 0) = b - 1.
    b, p = [2, 0, 1], Fraction(1, 3)
    g = [p4_gradient.logit_gradient(p, 3 * (x - 1), 0) for x in b]
    direct = sum(x * y for x, y in zip(g, b, strict=True))
    bound = stated(3, sum(x * x for x in g), Fraction(2, 3))
    require(equal(sum(g), Fraction(0)))
    require(equal(direct**2, bound))
    record_property("claimed", "at most 2")
    record_property("computed", str(direct))


@control(ID, "zero-sum", Level.EXACT)
def test_constant_log_mass() -> None:
    # g = (1, 1), b = (1, 1): the derivative is 2, and sigma(b) = 0.
    require(below(BOUND(2, 2, 0), (1 * 1 + 1 * 1) ** 2))
