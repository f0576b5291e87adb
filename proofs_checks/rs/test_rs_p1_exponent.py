"""RS section 2.2: the exponent."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from kernel import accepts
from marks import control, nan, proof
from refsym_theory.claims.rs import p1_exponent
from refsym_theory.evidence import Level, at_most, below, equal, require


@proof(
    "RS.P1-exponent",
    "children",
    Level.EXACT,
    p1_exponent.log_ratio,
    {"alpha for 1 - alpha": lambda a, k: a * k, "no copies counted": lambda a, k: -a * k},
)
def test_logarithm_of_the_children_over_the_parent(stated: Callable[..., Any]) -> None:
    a, log_k, log_m = symbols("alpha L M")
    children = log_k + a * (log_m - log_k)
    require(vanishes(children - a * log_m - stated(a, log_k)))


@proof(
    "RS.P1-exponent", "forced", Level.EXACT, p1_exponent.log_ratio, {"zero twice": lambda a, k: (1 - a) * (2 - a) * k}
)
def test_it_vanishes_at_one_alone(stated: Callable[..., Any]) -> None:
    a, log_k = symbols("alpha L")
    require(vanishes(stated(a, log_k).diff(a) + log_k))  # linear in alpha, of slope -log k, which is not 0
    require(vanishes(stated(a, log_k).subs(a, 1)))


@proof(
    "RS.P1-exponent",
    "",
    Level.KERNEL,
    None,
    {"k = 1 allowed": ("(2 <= k)%nat -> 0 < m ->\n  INR", "(1 <= k)%nat -> 0 < m ->\n  INR")},
)
def test_coq_one_split_is_enough(stated: tuple[str, str] | None) -> None:
    accepts(
        "equal_splits.v", "exponent_is_one", "INR k * Rpower (m / INR k) alpha = Rpower m alpha -> alpha = 1", stated
    )


@proof(
    "RS.P1-exponent",
    "children",
    Level.ENCLOSED,
    Fraction(1),
    {"alpha = 0.9": Fraction(9, 10), "alpha = 0": Fraction(0), "NaN": nan()},
)
def test_two_halves_on_balls(stated: Fraction) -> None:
    with digits(30):
        ratio = (p1_exponent.log_ratio(ball(stated) if stated == stated else ball("nan"), ball(2).log())).exp()
        require(at_most(abs(ratio - 1), ball("1e-25")))


@control("RS.P1-exponent", "several", Level.EXACT)
def test_one_part_is_no_split() -> None:
    for alpha in (Fraction(0), Fraction(1, 2), Fraction(3)):
        require(equal(p1_exponent.log_ratio(alpha, 0), Fraction(0)))


@control("RS.P1-exponent", "family", Level.EXACT)
def test_a_staircase_survives_halving() -> None:
    # The largest power of two that is at most m: 2 w(m / 2) = w(m), and no power of m: w(2) = w(3).
    powers = {m: 2 ** (m.bit_length() - 1) for m in (2, 3, 4, 6)}
    require(equal(2 * powers[2], powers[4]))
    require(equal(2 * powers[3], powers[6]))
    require(below(powers[3], 3))
