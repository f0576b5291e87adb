"""UG equation 14."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from marks import control, proof, superfluous
from refsym_theory.claims.ug.e14 import slack
from refsym_theory.claims.ug.kept_set import prefix_set, threshold_set
from refsym_theory.evidence import Level, below, equal, require


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
    "UG.E14",
    "contains",
    Level.EXACT,
    prefix_set,
    {
        "bottom of the list": lambda s, m: set(range(len(s) - m, len(s))) if m > 1 else prefix_set(s, m),
        "ties broken anew": lambda s, m: (
            prefix_set(s, m) if m % 2 else {len(s) - 1 - b for b in prefix_set(s[::-1], m)}
        ),
    },
)
def test_expansion_keeps_the_kept(stated: Callable[..., set[int]]) -> None:
    for scores in product(range(3), repeat=5):
        for k, m in ((1, 2), (1, 3), (2, 3), (2, 4), (3, 5)):
            assert stated(scores, k) <= stated(scores, m)


@proof("UG.E14", "fills", Level.EXACT, prefix_set, {"threshold": threshold_set})
def test_every_slot_is_filled_once(stated: Callable[..., set[int]]) -> None:
    for n in range(1, 6):
        for scores in product(range(2), repeat=n):
            for m in range(1, n + 1):
                require(equal(len(stated(scores, m)), m))


@superfluous("UG.E14", "two", Level.EXACT, slack, {"k + 2 needed": lambda rho, k: rho * k - (k + 2)})
def test_any_larger_integer(stated: Callable[..., Any]) -> None:
    k, more = symbols("k more")  # rho = (k + 1 + more) / k, rho k an integer above k
    require(vanishes(stated((k + 1 + more) / k, k) - more))
    require(equal(slack(Fraction(3, 2), 2), 0))  # rho = 3/2, k = 2


@control("UG.E14", "whole", Level.EXACT)
def test_one_and_a_half_blocks() -> None:
    require(below(slack(Fraction(3, 2), 1), 0))


@control("UG.E14", "kept", Level.EXACT)
def test_nothing_kept() -> None:
    require(below(slack(2, 0), 0))


@control("UG.E14", "visible", Level.EXACT)
def test_a_tile_that_sees_forty_blocks() -> None:
    require(below(len(prefix_set(range(40), 66)), 66))
    require(equal(sum(tile + 1 < 66 for tile in range(512)), 65))
