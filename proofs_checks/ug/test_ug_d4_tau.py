"""UG appendix D.4: the row step."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous
from refsym_theory.claims.ug.d4_tau import mean_square
from refsym_theory.evidence import Level, equal, require


@proof(
    "UG.D4-tau", "square", Level.EXACT, lambda v: 2 * v, {"tau^2": lambda v: v, "4 tau^2": lambda v: 4 * v, "NaN": nan}
)
def test_moments(stated: Callable[[Any], Any]) -> None:
    v, d, a, b = symbols("v d a b")
    found = stated(v)
    require(vanishes(mean_square(0, v, 0) - found))
    # (d + b - a)^2 with mean a = mean b = 0: replace a^2, b^2 by v and ab, a, b by 0.
    square = ((d + b - a) ** 2).expand()
    require(vanishes(square - (d**2 + a**2 + b**2 - 2 * a * b + 2 * d * b - 2 * d * a)))


@superfluous("UG.D4-tau", "gaussian", Level.EXACT)
def test_noise_of_three_values() -> None:
    law = {Fraction(-2): Fraction(1, 4), Fraction(0): Fraction(1, 4), Fraction(1): Fraction(1, 2)}
    mean = sum(x * p for x, p in law.items())
    variance = sum((x - mean) ** 2 * p for x, p in law.items())
    found = sum((x - y) ** 2 * p * q for (x, p), (y, q) in product(law.items(), repeat=2))
    require(equal(found, mean_square(0, variance, 0)))


@control("UG.D4-tau", "equal", Level.EXACT)
def test_a_moving_mean() -> None:
    require(equal(mean_square(Fraction(1), Fraction(1), 0), Fraction(3)))


@control("UG.D4-tau", "independent", Level.EXACT)
def test_noise_that_rows_share() -> None:
    require(equal(mean_square(0, Fraction(1), Fraction(1)), Fraction(0)))
