"""RS Appendix C.2: the fourth-order gap."""

from collections.abc import Callable
from fractions import Fraction
from math import factorial

from flint import arb
from sympy import Expr, Rational, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, proof, value
from refsym_theory.claims.rs import c2_gap
from refsym_theory.evidence import Level, at_most, below, equal, require

ID = "RS.C2-gap"
A = c2_gap.coefficient
NEXT = Fraction(13, 1451520)


@value(
    ID,
    "coefficients",
    Level.EXACT,
    A,
    {
        "sinc z": lambda k: Fraction(1, 24**k * factorial(k)) - Fraction(1, factorial(2 * k + 1)),
        "variance h^2/6": lambda k: Fraction(1, 12**k * factorial(k)) - Fraction(1, 4**k * factorial(2 * k + 1)),
        "NaN": lambda k: float("nan"),
    },
)
def test_first_coefficients(stated: Callable[[int], Fraction], record_property: Callable[[str, object], None]) -> None:
    for k, expected in enumerate((Fraction(0), Fraction(0), Fraction(1, 2880), NEXT)):
        require(equal(stated(k), expected))
    record_property("claimed", "z⁴/2880 + O(z⁶)")
    record_property("computed", "z⁴/2880 − 13 z⁶/1451520 + ...")


@proof(
    ID,
    "ratios",
    Level.EXACT,
    lambda k: 3 / (2 * k + 3),
    {"6 for 3": lambda k: 6 / (2 * k + 3), "off by one": lambda k: 3 / (2 * k + 1)},
)
def test_coefficients_fall(stated: Callable[[Expr], Expr]) -> None:
    # a_k = (1 - r_k) / (24^k k!) with r_k = 6^k k! / (2k + 1)!, and r_(k+1) / r_k = 6 (k + 1) / ((2k + 2) (2k + 3)) <
    # 1.
    k = symbols("k")
    require(vanishes(6 * (k + 1) / ((2 * k + 2) * (2 * k + 3)) - stated(k)))
    for n in range(3, 9):
        r = Fraction(6**n * factorial(n), factorial(2 * n + 1))
        require(equal(A(n), (1 - r) / (24**n * factorial(n))))
    # So for k >= 3: r_k <= r_3 = 9/35, and a_(k+1) / a_k < 1 / (24 (k + 1) (1 - r_k)) <= 1 / (96 * 26/35) < 1/64.
    require(equal(Fraction(6**3 * factorial(3), factorial(7)), Fraction(9, 35)))
    require(below(64, 96 * Fraction(26, 35)))


def remainder_bound(y: Fraction) -> Fraction:
    return NEXT * y**3


@proof(
    ID,
    "inside",
    Level.EXACT,
    remainder_bound,
    {"half of it": lambda y: remainder_bound(y) / 2, "a_4": lambda y: A(4) * y**3},
)
def test_alternating_remainder(stated: Callable[[Fraction], Fraction]) -> None:
    # For y = z^2 <= 64 the terms a_k y^k, k >= 3, fall: the remainder a_3 y^3 - a_4 y^4 + ... lies in [0, a_3 y^3].
    for y in (Fraction(1, 10**6), Fraction(1), Fraction(64)):
        require(below(A(4) * y, A(3)))
    y = symbols("y")
    require(vanishes(Rational(13, 1451520) * y**3 - A(3).numerator * y**3 / A(3).denominator))
    # Near 0 no smaller constant will do: what is left of a_3 y^3 is at most a_4 y^4.
    tiny = Fraction(1, 10**6)
    require(at_most(A(3) * tiny**3 - A(4) * tiny**4, stated(tiny)))


def gap(z: arb) -> arb:
    return (-z * z / 24).exp() - (z / 2).sin() / (z / 2)


@proof(
    ID,
    "inside",
    Level.SAMPLED,
    lambda z: z**4 / 2880,
    {"2880 doubled": lambda z: z**4 / 5760, "sign": lambda z: -(z**4) / 2880, "NaN": lambda z: arb("nan")},
)
def test_both_bounds_at_points(stated: Callable[[arb], arb]) -> None:
    with digits(60):
        for z in (Fraction(1, 10**4), Fraction(1, 10), *(Fraction(i, 4) for i in range(1, 200))):
            left = stated(ball(z)) - gap(ball(z))
            require(below(0, left))
            require(below(left, ball(remainder_bound(z * z))))


@proof(
    ID,
    "outside",
    Level.ENCLOSED,
    lambda y: y**2 / 2880,
    {"28800": lambda y: y**2 / 28800, "second order": lambda y: y / 2880},
)
def test_beyond_eight(stated: Callable[[Expr], Expr]) -> None:
    # |gap| <= exp(-y / 24) + 2 / |z|; both bounds are monotone in y >= 64 (slopes below), so their ends decide.
    with digits(20):
        size = (ball(Fraction(-64, 24))).exp() + ball(Fraction(1, 4))
        require(below(size, ball("0.32")))
        require(below(ball("0.32"), ball(Fraction(str(stated(Rational(64)))))))
    y = symbols("y")
    low = stated(y) - Rational(13, 1451520) * y**3
    require(below(Fraction(str(low.subs(y, 64))), Fraction(-32, 100)))
    # y (1/1440 - 13 y / 483840): negative beyond y = 336/13 < 64.
    require(vanishes(low.diff(y) - y * (Rational(1, 1440) - Rational(13, 483840) * y)))
    require(equal(Fraction(483840, 1440 * 13), Fraction(336, 13)))


@control(ID, "matched", Level.EXACT)
def test_other_variances_differ_at_second_order() -> None:
    v = symbols("v")  # exp(-v z^2 / 2): the coefficient of z^2 is -v/2 + 1/24
    require(vanishes(-v / 2 + Rational(1, 24) + (v - Rational(1, 12)) / 2))
    require(equal(-Fraction(1, 6) / 2 + Fraction(1, 24), Fraction(-1, 24)))
