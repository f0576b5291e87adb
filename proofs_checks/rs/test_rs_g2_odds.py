"""RS G.2: duplication of a whole modality."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.g2_odds import duplicated, odds
from refsym_theory.evidence import Level, below, equal, require

K, V, Z, P = symbols("k V Z p")


def tokens(name: str) -> list[tuple[Any, ...]]:
    return [symbols(f"{name}m{i} {name}w{i}") for i in range(3)]


def unit(name: str) -> list[tuple[Any, ...]]:
    return [(1, weight) for _, weight in tokens(name)]


@proof(
    "RS.G2-odds",
    "standard",
    Level.EXACT,
    lambda k: k,
    {"k - 1": lambda k: k - 1, "k squared": lambda k: k**2, "unchanged": lambda k: 1},
)
def test_counted_copies_multiply_the_odds(stated: Callable[..., Any], record_property: Callable[..., None]) -> None:
    # One token at a time: k copies of weight w are one of weight k w, so k factors out of the sum, however long.
    a, b = symbols("a b")
    require(vanishes(K * a + K * b - stated(K) * (a + b)))
    require(vanishes(odds(duplicated(unit("a"), K, shared=False), unit("b")) - stated(K) * odds(unit("a"), unit("b"))))
    record_property("computed", "factor k, for every k (the paper tries 2, 3, 4)")


@proof("RS.G2-odds", "measure", Level.EXACT, (True, 3), {"counted": (False, 3), "four copies of a third": (True, 4)})
def test_shared_masses_leave_the_odds(stated: tuple[bool, int]) -> None:
    shared, number = stated
    a = symbols("a")
    require(vanishes(K * (a / K) - a))  # k copies of mass a / k, for every k
    copies = [(mass / 3, kernel) for mass, kernel in tokens("a") for _ in range(number)]  # written out at k = 3
    require(vanishes(odds(copies, tokens("b")) - odds(tokens("a"), tokens("b"))))
    require(vanishes(odds(duplicated(tokens("a"), K, shared), tokens("b")) - odds(tokens("a"), tokens("b"))))


def partial(k: Expr, p: Expr) -> Expr:
    """Factor on the odds where tokens of share p within the modality are duplicated."""
    return 1 + (k - 1) * p


@proof("RS.G2-odds", "part", Level.EXACT, partial, {"k p": lambda k, p: k * p, "k for a part too": lambda k, p: k})
def test_a_part_of_the_modality(stated: Callable[..., Any]) -> None:
    require(vanishes((K * P * V + (1 - P) * V) / Z - stated(K, P) * V / Z))
    # Between 1 and k: what is missing at either end is a product of nonnegative factors.
    require(vanishes(stated(K, P) - 1 - (K - 1) * P))
    require(vanishes(K - stated(K, P) - (K - 1) * (1 - P)))


@control("RS.G2-odds", "whole", Level.EXACT)
def test_half_the_tokens_twice() -> None:
    one = Fraction(1)
    require(equal(odds([(1, one), (2, one)], [(1, 2 * one)]), Fraction(3, 2)))
    require(below(Fraction(3, 2), 2))


@control("RS.G2-odds", "scores", Level.EXACT)
def test_copies_with_lower_scores() -> None:
    one = Fraction(1)
    require(equal(odds([(1, one), (1, one / 2)], [(1, one)]), Fraction(3, 2)))


@control("RS.G2-odds", "other", Level.EXACT)
def test_everything_duplicated() -> None:
    group = [(2, Fraction(1))]
    require(equal(odds(group, group), 1))
