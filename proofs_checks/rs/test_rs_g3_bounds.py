"""RS Appendix G.3: bounds."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs.g3_bounds import mean
from refsym_theory.evidence import Level, at_most, below, equal, require


@proof(
    "RS.G3-bounds",
    "mean",
    Level.EXACT,
    mean,
    {"sum for mean": lambda m, x: sum(a * b for a, b in zip(m, x, strict=True)), "NaN": nan},
)
def test_a_mean_lies_between(stated: Callable[..., Any]) -> None:
    low, rest, x, y = symbols("low rest x y")  # masses low and low + rest; one term more is the same
    found = stated([low, low + rest], [x, y])
    require(vanishes((found - low) * (x + y) - rest * y))
    require(vanishes((low + rest - found) * (x + y) - rest * x))


@proof("RS.G3-bounds", "ratio", Level.EXACT, lambda a, b: a / b, {"product": lambda a, b: a * b})
def test_quotients_are_monotone(stated: Callable[..., Any]) -> None:
    a, b, up, down = symbols("a b up down")  # a <= a + up over b + down >= b
    slack = ((stated(a + up, b) - stated(a, b + down)) * b * (b + down)).together().expand()
    require(nonnegative_coefficients((slack.cancel()).expand()))


@proof("RS.G3-bounds", "scores", Level.EXACT, mean, {"scores ignored": lambda m, x: sum(m) / len(m)})
def test_it_depends_on_the_scores(stated: Callable[..., Any]) -> None:
    masses = [Fraction(1), Fraction(3)]
    require(below(stated(masses, [Fraction(9), Fraction(1)]), stated(masses, [Fraction(1), Fraction(9)])))


@tightness("RS.G3-bounds", Level.EXACT, mean, {"mass squared": lambda m, x: mean([a**2 for a in m], x)})
def test_equal_masses(stated: Callable[..., Any]) -> None:
    for scores in ([Fraction(1), Fraction(5)], [Fraction(2), Fraction(2)]):
        require(equal(stated([Fraction(3)] * 2, scores) / stated([Fraction(5)], [Fraction(7)]), Fraction(3, 5)))


@control("RS.G3-bounds", "positive", Level.EXACT)
def test_a_negative_kernel_value() -> None:
    found = mean([Fraction(1), Fraction(3)], [Fraction(-1), Fraction(2)])
    require(equal(found, 5))
    require(at_most(3, found))
