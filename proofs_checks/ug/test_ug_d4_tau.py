"""UG appendix D.4: the row step."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import Poly, symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous
from refsym_theory.claims.ug.d4_tau import mean_square
from refsym_theory.evidence import Level, equal, require


def expected(square: Any, noise: tuple[Any, Any], variance: Any, covariance: Any) -> Any:
    """Mean of a quadratic polynomial in two noises of mean zero, from their second moments alone."""
    moments = {(0, 0): 1, (1, 0): 0, (0, 1): 0, (2, 0): variance, (0, 2): variance, (1, 1): covariance}
    return sum(coefficient * moments[powers] for powers, coefficient in Poly(square, *noise).terms())


@proof(
    "UG.D4-tau", "square", Level.EXACT, lambda v: 2 * v, {"tau^2": lambda v: v, "4 tau^2": lambda v: 4 * v, "NaN": nan}
)
def test_moments(stated: Callable[[Any], Any]) -> None:
    v, d, c, a, b = symbols("v d c a b")
    require(vanishes(expected((d + b - a) ** 2, (a, b), v, c) - mean_square(d, v, c)))
    require(vanishes(expected((b - a) ** 2, (a, b), v, 0) - stated(v)))


@superfluous("UG.D4-tau", "gaussian", Level.EXACT, lambda v: 2 * v, {"three quarters": lambda v: v * Fraction(3, 2)})
def test_only_two_moments_enter(stated: Callable[[Any], Any]) -> None:
    v, a, b = symbols("v a b")
    require(vanishes(expected((b - a) ** 2, (a, b), v, 0) - stated(v)))  # nothing else of the law is used
    law = {Fraction(-2): Fraction(1, 4), Fraction(0): Fraction(1, 4), Fraction(1): Fraction(1, 2)}  # of mean zero
    variance = sum(x * x * p for x, p in law.items())
    found = sum((x - y) ** 2 * p * q for (x, p), (y, q) in product(law.items(), repeat=2))
    require(equal(found, stated(variance)))


@control("UG.D4-tau", "equal", Level.EXACT)
def test_a_moving_mean() -> None:
    require(equal(mean_square(Fraction(1), Fraction(1), 0), Fraction(3)))


@control("UG.D4-tau", "independent", Level.EXACT)
def test_noise_that_rows_share() -> None:
    require(equal(mean_square(0, Fraction(1), Fraction(1)), Fraction(0)))
