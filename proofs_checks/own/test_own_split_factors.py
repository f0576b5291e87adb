"""Which equal splits force linear weights."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits
from marks import control, nan, proof
from refsym_theory.claims.own import split_factors
from refsym_theory.claims.rs import p1_halving
from refsym_theory.evidence import Level, at_most, below, equal, require


@proof(
    "OWN.SPLIT-FACTORS",
    "group",
    Level.EXACT,
    split_factors.grown,
    {"no factor": lambda w, g: w, "squared": lambda w, g: g**2 * w},
)
def test_homogeneous_over_the_group(stated: Callable[..., Any]) -> None:
    w, k, g = symbols("w k g")  # w(m); k w(m / k) = w(m) at k m, and at m
    require(vanishes(k * w - stated(w, k)))
    require(vanishes(k * stated(w, 1 / k) - w))
    require(vanishes(stated(stated(w, g), k) - stated(w, g * k)))  # one generator more, by induction
    require(vanishes(stated(w, g) / g - w))  # w(m) / m is constant on the group's orbits


@proof("OWN.SPLIT-FACTORS", "descent", Level.EXACT, 1, {"z^2 at most y / 2": 2})
def test_the_nearer_of_two_is_below_the_root(stated: int) -> None:
    z, slack, power = symbols("z slack power")
    y = z * (z + slack)  # z is the smaller of z and y / z
    require(nonnegative_coefficients((y - stated * z**2).expand()))
    require(vanishes(power * z / power - z))  # x = y^n z, or x = y^(n+1) / z: either way z, y generate x
    require(vanishes(power * y / (power * y / z) - z))


@proof(
    "OWN.SPLIT-FACTORS",
    "descent",
    Level.EXACT,
    split_factors.nearer,
    {"remainder alone": lambda x, y: x / y, "the other one": lambda x, y: y},
)
def test_products_of_two_and_three_near_one(
    stated: Callable[..., Fraction], record_property: Callable[[str, object], None]
) -> None:
    for k, other in ((2, 3), (6, 12), (4, 6), (10, 7)):
        x, y = Fraction(max(k, other)), Fraction(min(k, other))
        for _ in range(12):
            z = stated(x, y)
            require(below(1, z))
            require(at_most(z * z, y))
            x, y = y, z
            if 10**4 * (y - 1) < 1:
                break
        require(below(y, 1 + Fraction(1, 10**4)))
        if (k, other) == (2, 3):
            twos, threes = valuation(y, 2), valuation(y, 3)
            require(equal(y, Fraction(2) ** twos * Fraction(3) ** threes))
            record_property("computed", f"2^{twos} 3^{threes} = {float(y):.8f}")


def valuation(x: Fraction, prime: int) -> int:
    """Exponent of a prime in a positive rational."""
    found, top, bottom = 0, x.numerator, x.denominator
    while top % prime == 0:
        found, top = found + 1, top // prime
    while bottom % prime == 0:
        found, bottom = found - 1, bottom // prime
    return found


@proof(
    "OWN.SPLIT-FACTORS",
    "squeeze",
    Level.EXACT,
    split_factors.error,
    {"half the width": lambda c, x, g: c * x * (g - 1) / 2, "x^2": lambda c, x, g: c * x**2 * (g - 1)},
)
def test_between_two_powers(stated: Callable[..., Any]) -> None:
    # Slacks, all nonnegative: x = p + a, p g = x + b for p = g^n and g = 1 + t; w = c p + d, c p g = w + e.
    c, p, a, t, d = symbols("c p a t d")
    x, weight = p + a, c * p + d
    b, e = p * (1 + t) - x, c * p * (1 + t) - weight
    require(vanishes(stated(c, x, 1 + t) - (weight - c * x) - (e + c * a + c * a * t)))
    require(vanishes(stated(c, x, 1 + t) - (c * x - weight) - (c * b + d + c * a * t)))


@proof("OWN.SPLIT-FACTORS", "powers-keep", Level.EXACT, (1, 0), {"half a turn": (-1, 0), "a quarter turn": (0, 1)})
def test_dividing_by_a_power_is_a_whole_turn(stated: tuple[int, int]) -> None:
    # log_b (m / b^j) = log_b m - j: the angle loses j turns, each of cosine 1 and sine 0.
    s, c, e, m, k = symbols("s c epsilon m k")
    sine = s * stated[0] - c * stated[1]
    require(vanishes(k * (m / k) * p1_halving.bracket(e, sine) - m * p1_halving.bracket(e, s)))


@proof(
    "OWN.SPLIT-FACTORS",
    "powers-increase",
    Level.ENCLOSED,
    Fraction(1, 10),
    {"a ninth": Fraction(1, 9), "NaN": nan()},
)
def test_increasing_for_base_two_hence_for_all(stated: Any) -> None:
    with digits(30):
        kappa = 2 * arb.pi() / ball(2).log()
        epsilon = ball(stated) if isinstance(stated, Fraction) else ball("nan")
        require(below(epsilon**2 * (1 + kappa**2), ball(1)))  # |sin + kappa cos| <= sqrt(1 + kappa^2)


@proof("OWN.SPLIT-FACTORS", "powers-differ", Level.EXACT, p1_halving.bracket, {"no sine": lambda e, s: 1 + e * 0 * s})
def test_a_quarter_of_a_turn(stated: Callable[..., Any]) -> None:
    epsilon = Fraction(1, 10)
    require(equal(stated(epsilon, 0), Fraction(1)))  # w(1) / 1: sine of 0
    require(equal(stated(epsilon, 1), Fraction(11, 10)))  # w(m) / m at log_b m = 1/4: sine of a quarter turn


@control("OWN.SPLIT-FACTORS", "monotone", Level.EXACT)
def test_twice_as_much_off_the_group() -> None:
    def weight(m: Fraction) -> Fraction:
        rest = m / Fraction(2) ** valuation(m, 2) / Fraction(3) ** valuation(m, 3)
        return m if rest == 1 else 2 * m

    for m in (Fraction(1), Fraction(5), Fraction(7, 12), Fraction(6, 5), Fraction(9, 8)):
        for k in (2, 3):
            require(equal(k * weight(m / k), weight(m)))
    require(equal(weight(Fraction(5)), Fraction(10)))
    require(equal(weight(Fraction(6)), Fraction(6)))  # positive, but 5 weighs more than 6


@control("OWN.SPLIT-FACTORS", "independent", Level.ENCLOSED)
def test_two_and_four_leave_a_wave() -> None:
    with digits(30):
        turn = 2 * arb.pi() / ball(2).log()

        def weight(m: Fraction) -> arb:
            return ball(m) * p1_halving.bracket(ball(Fraction(1, 10)), (turn * ball(m).log()).sin())

        for k in (2, 4):
            require(at_most(abs(k * weight(Fraction(3, k)) - weight(Fraction(3))), ball("1e-25")))
        require(below(ball(Fraction(1, 10)), abs(3 * weight(Fraction(1)) - weight(Fraction(3)))))
