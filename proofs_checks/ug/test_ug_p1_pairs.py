"""UG Proposition 1: pairs of tiles."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof, tightness
from refsym_theory.claims.ug import p1_pairs
from refsym_theory.evidence import Level, at_most, equal, require

FALSE = {"symmetric difference": lambda a, b: a * (1 - b) + b * (1 - a), "union": lambda a, b: a + b - a * b}


@proof("UG.P1-pairs", "cancel", Level.EXACT, p1_pairs.difference, FALSE)
def test_a_common_tile_counts_on_neither_side(stated: Callable[..., Any]) -> None:
    a, b, v = symbols("a b v")
    require(vanishes(v * (a - b) - v * (stated(a, b) - stated(b, a))))  # and sums are linear
    for bit in (0, 1):
        require(equal(stated(bit, bit), 0))


@proof("UG.P1-pairs", "equal", Level.EXACT, p1_pairs.difference, {"intersection": lambda a, b: a * b})
def test_with_every_value_one(stated: Callable[..., Any]) -> None:
    a, b = symbols("a b")
    require(vanishes(a - b - (stated(a, b) - stated(b, a))))  # 0 in total where the sets have the same size


@proof("UG.P1-pairs", "size", Level.EXACT, p1_pairs.difference, FALSE)
def test_a_difference_is_inside_and_outside(stated: Callable[..., Any]) -> None:
    a, b = symbols("a b")
    require(vanishes(a - stated(a, b) - a * b))
    require(vanishes((1 - b) - stated(a, b) - (1 - a) * (1 - b)))  # both rests are products of indicators


@proof(
    "UG.P1-pairs",
    "size",
    Level.EXACT,
    p1_pairs.most_pairs,
    {
        "D - 1": lambda triggered, tiles: triggered - 1,
        "half of them": lambda triggered, tiles: min(triggered, tiles) // 2,
    },
)
def test_every_two_sets_of_a_few_tiles(stated: Callable[[int, int], int]) -> None:
    for tiles in range(1, 6):
        for triggered in range(tiles + 1):
            sets = [set(chosen) for chosen in combinations(range(tiles), triggered)]
            for one in sets:
                for other in sets:
                    assert len(one - other) == len(other - one)
                    require(at_most(len(one - other), stated(triggered, tiles)))


@tightness("UG.P1-pairs", Level.EXACT)
def test_two_tiles() -> None:
    values = (Fraction(1), Fraction(0))
    assert len({0} - {1}) == p1_pairs.most_pairs(1, 2)
    require(equal(p1_pairs.regret(values, [0], [1]), Fraction(1, 2)))


@control("UG.P1-pairs", "budget", Level.EXACT)
def test_sets_of_different_sizes() -> None:
    one, other = {0}, set()
    assert len(one - other) != len(other - one)
