"""UG Proposition 1: the caps."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import symbols

from algebra import nonnegative_coefficients
from balls import ball, digits
from marks import control, nan, proof, tightness
from orders import miss_when_tied, misses, orders
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import p1_caps
from refsym_theory.evidence import Level, at_most, below, equal, require

Caps = Callable[..., tuple[Any, Any]]


@proof(
    "UG.P1-caps",
    "nonnegative",
    Level.EXACT,
    lambda k, m: m,
    {"fewer kept than before": lambda k, m: k - 1},
)
def test_expansion_misses_no_more(stated: Callable[[int, int], int]) -> None:
    for n, order in orders(5):
        for k, m in product(range(1, n), range(1, n + 1)):
            if k <= m:
                assert misses(order, k, k) or not misses(order, k, stated(k, m))


@proof("UG.P1-caps", "one", Level.EXACT, p1_caps.caps, {"half for one": lambda eps: (Fraction(1, 2), eps)})
def test_a_probability_less_one_that_is_not_negative(stated: Caps) -> None:
    expanded, other, rest = symbols("expanded other rest")  # E_k = 1 - rest, V*_t' = other >= 0
    cost = (1 - rest - expanded) - other
    require(nonnegative_coefficients((stated(0)[0] - cost).expand()))


@proof(
    "UG.P1-caps",
    "half",
    Level.EXACT,
    p1_caps.caps,
    {"eps / 2": lambda eps: (1, eps / 2), "1/2": lambda eps: (1, Fraction(1, 2))},
)
def test_v_bar_is_at_most_a_half(stated: Caps) -> None:
    eps, a = symbols("eps a")  # V-bar = 1/2 - a
    require(nonnegative_coefficients((stated(eps)[1] - (1 + eps) * (Fraction(1, 2) - a)).expand()))


@proof("UG.P1-caps", "half", Level.ENCLOSED, v_bar, {"Phi of plus g": lambda g: v_bar(-g), "NaN": nan})
def test_v_bar_falls_from_a_half(stated: Callable[..., Any]) -> None:
    with digits(30):
        require(below(abs(stated(ball(0)) - ball(Fraction(1, 2))), ball("1e-28")))
        for gap in (Fraction(1, 10), Fraction(1), Fraction(9)):
            require(below(stated(ball(gap)), ball(Fraction(1, 2))))


@tightness("UG.P1-caps", Level.EXACT)
def test_tied_blocks() -> None:
    for n in range(2, 7):
        require(equal(miss_when_tied(n, 1, 1) - miss_when_tied(n, 1, n), 1 - Fraction(1, n)))
    require(equal(miss_when_tied(2, 1, 1), Fraction(1, 2)))


@control("UG.P1-caps", "nested", Level.EXACT)
def test_an_expanded_set_without_the_kept_one() -> None:
    # Posterior certain of the order 0, 1, 2: the first score alone is right, "expanding" to {1, 2} loses it.
    value_inside = Fraction(0) - Fraction(1)
    value_outside = miss_when_tied(4, 1, 1) - miss_when_tied(4, 1, 4)
    require(below(Fraction(p1_caps.caps(0)[0]), value_outside - value_inside))  # 7/4
    require(at_most(value_inside, Fraction(0)))
