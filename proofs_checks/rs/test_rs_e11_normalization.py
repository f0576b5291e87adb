"""RS B.3: normalization."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import e11_normalization
from refsym_theory.evidence import Level, at_most, below, equal, require

Note = Callable[[str, object], None]


@proof(
    "RS.E11-normalization",
    "centering",
    Level.EXACT,
    lambda n, total: total**2 / n,
    {"mean for sum": lambda n, total: total**2},
)
def test_centering_takes_a_square_away(stated: Callable[..., Expr]) -> None:
    h, total, n, squares = symbols("h total n squares")
    # Sum of (h - total/n)^2 = sum of h^2 - total^2 / n, from the sums of h^2, of h and of 1.
    mean = total / n
    require(vanishes((squares - 2 * mean * total + n * mean**2) - (squares - stated(n, total))))
    require(vanishes((h - mean) ** 2 - (h**2 - 2 * mean * h + mean**2)))


@proof(
    "RS.E11-normalization",
    "slope",
    Level.EXACT,
    e11_normalization.along,
    {"epsilon left out": lambda e, sigma: 1 / sigma, "epsilon / sigma^2": lambda e, sigma: e / sigma**2},
)
def test_derivative_along_and_across(stated: Callable[..., Expr]) -> None:
    u, w, n, e, sigma, dot, t = symbols("u w n epsilon sigma dot t")
    # sigma is a function of u with sigma^2 = |u|^2 / n + e, so along w its derivative is (u.w) / (n sigma).
    slope = w / sigma - u * (dot / (n * sigma)) / sigma**2
    require(vanishes(slope - (w - u * dot / (n * sigma**2)) / sigma))
    require(vanishes(slope.subs(dot, 0) - w * e11_normalization.across(sigma)))
    square = n * (sigma**2 - e)  # |u|^2
    require(vanishes(slope.subs({u: t * w, dot: square / t}) - w * stated(e, sigma)))  # u = t w, u.w = |u|^2 / t


@proof(
    "RS.E11-normalization", "constant", Level.EXACT, e11_normalization.along, {"1 / epsilon": lambda e, sigma: 1 / e**2}
)
def test_both_slopes_are_at_most_that_at_zero_variance(stated: Callable[..., Expr]) -> None:
    r, sigma = symbols("r sigma")  # r = sqrt(epsilon) <= sigma
    require(vanishes((1 / r - e11_normalization.across(sigma)) - (sigma - r) / (r * sigma)))
    gap = e11_normalization.across(sigma) - stated(r**2, sigma)
    require(vanishes(gap - (sigma - r) * (sigma + r) / sigma**3))


@tightness(
    "RS.E11-normalization",
    Level.EXACT,
    e11_normalization.along,
    {"half of it": lambda e, sigma: e11_normalization.along(e, sigma) / 2, "NaN": nan},
)
def test_slope_at_zero_variance(stated: Callable[..., Fraction], record_property: Note) -> None:
    r = Fraction(1, 1000)
    require(equal(stated(r**2, r), 1 / r))
    with digits(30):  # and the difference quotient comes near it: u = (t, -t), epsilon = 10^-6, t = 10^-6
        t = ball(Fraction(1, 10**6))
        quotient = 1 / (t**2 + ball(r**2)).sqrt()
        require(at_most(quotient, ball(1 / r)))
        require(below(ball(Fraction(999)), quotient))
    record_property("computed", f"ε = 10^-6: slope {1 / r}")


@control("RS.E11-normalization", "regularized", Level.EXACT)
def test_without_it_there_is_no_constant(record_property: Note) -> None:
    for t in (Fraction(1), Fraction(1, 1000), Fraction(1, 10**9)):
        # (t, -t) and (-t, t) have the standard deviation t: they become (1, -1) and (-1, 1).
        change, apart = Fraction(2), 2 * t
        require(equal(change / apart, 1 / t))
    record_property("computed", "(t, -t) and (-t, t): stretched by 1/t for every t > 0")
