"""UG equation 20."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.ug.d2 import best, gain
from refsym_theory.evidence import Level, at_most, below, require


@proof(
    "UG.D2",
    "risk",
    Level.EXACT,
    lambda total, gained, t: (total - gained) / t,
    {"sign": lambda total, gained, t: (total + gained) / t, "not averaged": lambda total, gained, t: total - gained},
)
def test_the_risk_is_a_total_less_the_gain(stated: Callable[..., Any]) -> None:
    kept, expanded, rest, t = symbols("kept expanded rest T")  # one tile that expands; the others sum to rest
    require(vanishes(stated(rest + kept, kept - expanded, t) - (rest + expanded) / t))


@proof(
    "UG.D2",
    "exchange",
    Level.EXACT,
    best,
    {"smallest first": lambda v, d: best([-x for x in v], d), "first tiles": lambda v, d: list(range(d))},
)
def test_no_other_set_gains_more(stated: Callable[..., list[int]]) -> None:
    for values in product([Fraction(x, 2) for x in (-1, 0, 1, 2)], repeat=4):
        for count in range(5):
            for other in combinations(range(4), count):
                require(at_most(gain(values, other), gain(values, stated(values, count))))


@proof("UG.D2", "exchange", Level.EXACT)
def test_one_exchange() -> None:
    rest, one, other = symbols("rest V W")
    require(vanishes((rest + other) - (rest + one) - (other - one)))


@control("UG.D2", "budget", Level.EXACT)
def test_a_larger_budget_has_negative_regret() -> None:
    values = [Fraction(1), Fraction(1, 2)]
    require(below(gain(values, best(values, 1)), gain(values, [0, 1])))
