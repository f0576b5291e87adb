"""RS Appendix A.3: m exp(c m^2)."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Integer, symbols

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits
from marks import control, nan, proof
from refsym_theory.claims.rs import p1_consistency
from refsym_theory.evidence import Level, at_most, below, equal, require


@proof("RS.P1-consistency", "cubic", Level.EXACT, 2, {"a third of the remainder": 3, "an eighth": 8})
def test_the_remainder_of_the_exponential_term_by_term(stated: int) -> None:
    # e^x - 1 - x is the sum of x^(n+2) / (n+2)!; against x^2 / 2 times x^n / n! it needs 2 n! <= (n+2)!.
    n = symbols("n")
    require(nonnegative_coefficients(((n + 2) * (n + 1) - stated).expand()))


@proof(
    "RS.P1-consistency",
    "cubic",
    Level.ENCLOSED,
    lambda c, m: m + c * m**3,
    {"m alone": lambda c, m: m, "fourth power": lambda c, m: m + c * m**4, "NaN": nan},
)
def test_cubic_on_balls(stated: Callable[..., Any]) -> None:
    with digits(40):
        for c in (Fraction(1), Fraction(-2)):
            for m in (Fraction(1, 10), Fraction(1, 1000)):
                x, y = ball(c), ball(m)
                gap = abs(y * (x * y**2).exp() - stated(x, y))
                require(at_most(gap, x**2 * y**5 * (abs(x) * y**2).exp() / 2))


@proof(
    "RS.P1-consistency",
    "second-order",
    Level.EXACT,
    p1_consistency.log_tilt,
    {"first power": lambda c, m: c * m, "constant": lambda c, m: c * m**0},
)
def test_the_tilt_has_a_range_of_second_order(stated: Callable[..., Any]) -> None:
    # For c > 0 (the other sign mirrors it) and masses a <= a + b <= h = a + b + d: h^2 c - (log-range) >= 0.
    c, a, b, d = symbols("c a b d")
    h = a + b + d
    require(nonnegative_coefficients((c * h**2 - (stated(c, a + b) - stated(c, a))).expand()))
    require(vanishes(stated(c, 2 * h) - 4 * stated(c, h)))  # twice finer, four times smaller


@proof(
    "RS.P1-consistency",
    "splits",
    Level.EXACT,
    p1_consistency.log_split_ratio,
    {"sign": lambda c, m, k: c * m**2 * (1 - 1 / k**2), "1/k": lambda c, m, k: c * m**2 * (1 / k - 1)},
)
def test_children_against_the_parent(stated: Callable[..., Any]) -> None:
    c, m, k = symbols("c m k")
    # log(k w(m/k)) - log w(m): the factors k and m cancel.
    require(vanishes(p1_consistency.log_tilt(c, m / k) - p1_consistency.log_tilt(c, m) - stated(c, m, k)))
    require(vanishes(stated(c, m, k) * k**2 + c * m**2 * (k - 1) * (k + 1)))  # zero only at c = 0 or k = 1
    require(below(stated(Integer(1), Integer(1), Integer(2)), 0))


@control("RS.P1-consistency", "c", Level.EXACT)
def test_without_c_every_split_is_kept() -> None:
    for k in range(1, 9):
        require(equal(p1_consistency.log_split_ratio(Fraction(0), Fraction(5), Fraction(k)), Fraction(0)))
