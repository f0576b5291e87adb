"""UG's Gaussian tail ratio."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from gaussian import cdf
from marks import control, proof, superfluous, tightness
from refsym_theory.claims.ug import tail
from refsym_theory.evidence import Level, at_most, below, require

Record = Callable[[str, object], None]
FALSE = {
    "a^2 without its half": lambda x, a: -a * x - a * a,
    "2 a x": lambda x, a: -2 * a * x - a * a / 2,
    "wrong sign of a x": lambda x, a: a * x - a * a / 2,
}


@proof("UG.TAIL", "shift", Level.EXACT, tail.exponent, FALSE)
def test_the_density_shifts_by_a_factor(stated: Callable[..., Any]) -> None:
    x, a, u = symbols("x a u")
    require(vanishes(((x + u) ** 2 - (x + a + u) ** 2) / 2 - stated(x + u, a)))


@proof("UG.TAIL", "sign", Level.EXACT, tail.exponent, {"2 a x": FALSE["2 a x"]})
def test_the_factor_falls_along_the_tail(stated: Callable[..., Any]) -> None:
    x, a, u = symbols("x a u")
    require(vanishes(stated(x, a) - stated(x + u, a) - a * u))


@superfluous("UG.TAIL", "x", Level.EXACT)
def test_the_sign_of_x_does_not_enter() -> None:
    x, a, u = symbols("x a u")
    drop = tail.exponent(x, a) - tail.exponent(x + u, a)  # a u: nonnegative for a, u >= 0
    require(vanishes(drop - a * u))
    require(vanishes(drop.diff(x)))


@control("UG.TAIL", "a", Level.ENCLOSED)
def test_a_shift_inwards() -> None:
    x, a = ball(1), ball(-1)
    require(below(cdf(-x) * tail.exponent(x, a).exp(), cdf(-x - a)))


@tightness("UG.TAIL", Level.ENCLOSED, tail.exponent, FALSE)
def test_far_out_the_sides_meet(stated: Callable[..., Any], record_property: Record) -> None:
    with digits(80):
        for x in (Fraction(10**3), Fraction(10**5)):
            a = ball(1)
            ratio = cdf(-ball(x)) * stated(ball(x), a).exp() / cdf(-ball(x) - a)
            require(at_most(1, ratio))
            require(at_most(ratio, 1 + 1 / ball(x)))
    record_property("computed", f"right over left at a = 1, x = 100000: {ratio.str(9, radius=False)}")


@proof("UG.TAIL", "sign", Level.ENCLOSED, tail.exponent, {**FALSE, "NaN": lambda x, a: ball("nan")})
def test_at_points_of_both_signs(stated: Callable[..., Any]) -> None:
    with digits(40):
        for x in (-6, -1, 0, 1, 6):
            for a in (Fraction(1, 100), Fraction(1), Fraction(7)):
                require(at_most(cdf(-ball(x) - ball(a)), cdf(-ball(x)) * stated(ball(x), ball(a)).exp()))
