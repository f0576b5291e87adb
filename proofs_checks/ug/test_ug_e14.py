"""UG equation 14."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from marks import control, proof, superfluous
from refsym_theory.claims.ug.e14 import slack
from refsym_theory.claims.ug.kept_set import prefix_set
from refsym_theory.evidence import Level, at_most, below, require


@proof(
    "UG.E14",
    "max",
    Level.EXACT,
    slack,
    {"k + 2 needed": lambda rho, k: rho * k - (k + 2), "rho k - 2k - 1": lambda rho, k: rho * k - 2 * k - 1},
)
def test_twice_as_many_are_at_least_one_more(stated: Callable[..., Any]) -> None:
    a, b = symbols("a b")  # rho = 2 + a, k = 1 + b
    require(nonnegative_coefficients(stated(2 + a, 1 + b).expand() + 0 * a))
    require(vanishes(stated(2 + a, 1 + b) - a * (1 + b) - b))


@proof(
    "UG.E14", "contains", Level.EXACT, prefix_set, {"bottom of the list": lambda s, m: set(range(len(s) - m, len(s)))}
)
def test_expansion_keeps_the_kept(stated: Callable[..., set[int]]) -> None:
    scores = (3, 1, 4, 1, 5, 9, 2, 6)
    for k in range(1, 5):
        assert stated(scores, k) <= stated(scores, 2 * k)
        assert max(stated(scores, 1)) == 5


@superfluous("UG.E14", "two", Level.EXACT, 1, {"three more": 3})
def test_any_larger_integer(stated: int) -> None:
    for k in range(1, 40):
        for more in range(1, 40):  # rho = (k + more) / k
            require(at_most(stated, Fraction(k + more, k) * k - k))
            require(at_most(0, slack(Fraction(k + more, k), k)))


@control("UG.E14", "whole", Level.EXACT)
def test_one_and_a_half_blocks() -> None:
    require(below(slack(Fraction(3, 2), 1), 0))


@control("UG.E14", "kept", Level.EXACT)
def test_nothing_kept() -> None:
    require(below(slack(2, 0), 0))
