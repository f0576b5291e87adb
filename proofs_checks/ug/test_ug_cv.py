"""UG (A2): CV(r) and beta."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.ug import cv
from refsym_theory.evidence import Level, at_most, below, equal, require

SPREADS = st.lists(st.integers(1, 50).map(Fraction), min_size=1, max_size=8)
FALSE = {
    "divisor T - 1": lambda r: cv.cv_squared(r, max(len(r) - 1, 1)),
    "variance for deviation": lambda r: cv.cv_squared(r) * 2,
    "NaN": nan,
}


@proof("UG.CV", "scale", Level.EXACT, lambda mean, xi: mean * (1 + xi), {"r = mean + xi": lambda mean, xi: mean + xi})
def test_in_relative_deviations(stated: Callable[..., Any]) -> None:
    mean, xi = symbols("mean xi")
    require(vanishes((stated(mean, xi) - mean) ** 2 / mean**2 - xi**2))  # tile by tile; the mean is linear


@proof("UG.CV", "mean", Level.EXACT, lambda b, x: b**2 - x**2, {"(beta - xi)^2": lambda b, x: (b - x) ** 2})
def test_a_deviation_inside_its_bound(stated: Callable[..., Any]) -> None:
    b, x, u = symbols("b x u")
    require(vanishes(stated(b, x) - (b - x) * (b + x)))  # both factors nonnegative for |xi| <= beta
    require(vanishes(stated(b, b - u) - u * (2 * b - u)))


@proof("UG.CV", "mean", Level.SAMPLED, cv.cv_squared, FALSE)
@given(SPREADS)
def test_in_rationals(stated: Callable[..., Any], spreads: Sequence[Fraction]) -> None:
    require(at_most(stated(spreads), cv.beta(spreads) ** 2))


@superfluous("UG.CV", "beta", Level.EXACT)
def test_beta_of_one_or_more() -> None:
    b, x = symbols("b x")
    require(vanishes(b**2 - x**2 - (b - x) * (b + x)))  # b < 1 is not used
    spreads = [Fraction(1), Fraction(1), Fraction(10)]
    require(below(Fraction(1), cv.beta(spreads)))
    require(at_most(cv.cv_squared(spreads), cv.beta(spreads) ** 2))


@tightness("UG.CV", Level.EXACT)
def test_two_tiles() -> None:
    require(equal(cv.cv_squared([Fraction(1), Fraction(3)]), cv.beta([Fraction(1), Fraction(3)]) ** 2))


@control("UG.CV", "divisor", Level.EXACT)
def test_the_unbiased_variance() -> None:
    spreads = [Fraction(1), Fraction(3)]
    require(below(cv.beta(spreads) ** 2, cv.cv_squared(spreads, 1)))
