"""UG equation 2."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import z3
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.ug.quest import dot, quest
from refsym_theory.evidence import Level, at_most, below, equal, require
from solver import follows


@proof(
    "UG.QUEST",
    "positive",
    Level.EXACT,
    lambda q, low, high: q * high,
    {"minimum for maximum": lambda q, low, high: q * low, "mean key": lambda q, low, high: q * (low + high) / 2},
)
def test_a_nonnegative_coordinate(stated: Callable[..., Any]) -> None:
    q, low, up, more = symbols("q low up more")  # low <= key = low + up <= high = low + up + more, and q >= 0
    require(nonnegative_coefficients((stated(q, low, low + up + more) - q * (low + up)).expand() + 0 * low))


@proof(
    "UG.QUEST",
    "negative",
    Level.EXACT,
    lambda q, low, high: q * low,
    {"maximum for minimum": lambda q, low, high: q * high},
)
def test_a_negative_coordinate(stated: Callable[..., Any]) -> None:
    p, low, up, more = symbols("p low up more")  # q = -p
    require(nonnegative_coefficients((stated(-p, low, low + up + more) + p * (low + up)).expand() + 0 * low))


@proof(
    "UG.QUEST",
    "positive",
    Level.SOLVED,
    lambda x, y: z3.If(x >= y, x, y),
    {"minimum": lambda x, y: z3.If(x <= y, x, y)},
)
def test_solver_one_coordinate(stated: Callable[..., Any]) -> None:
    q, low, high, key = z3.Reals("q low high key")
    require(follows(stated(q * high, q * low) >= q * key, low <= key, key <= high))


SMALL = [Fraction(n) for n in (-2, -1, 0, 1, 3)]


@proof(
    "UG.QUEST",
    "sum",
    Level.EXACT,
    quest,
    {
        "largest coordinate alone": lambda q, a, b: max(max(x * y, x * z) for x, y, z in zip(q, a, b, strict=True)),
        "mean of both ends": lambda q, a, b: sum(x * (y + z) / 2 for x, y, z in zip(q, a, b, strict=True)),
        "NaN": nan,
    },
)
def test_every_block_of_two_keys_in_two_dimensions(stated: Callable[..., Any]) -> None:
    points = list(product(SMALL, repeat=2))
    for query in product((Fraction(-1), Fraction(0), Fraction(2)), repeat=2):
        for one, other in product(points, repeat=2):
            low = [min(x, y) for x, y in zip(one, other, strict=True)]
            high = [max(x, y) for x, y in zip(one, other, strict=True)]
            require(at_most(max(dot(query, one), dot(query, other)), stated(query, low, high)))


def extreme(query: tuple[Fraction, ...], key: tuple[Fraction, ...], low: list[Fraction], high: list[Fraction]) -> bool:
    """Whether a key lies at the query's end of the box in every coordinate that the query looks at."""
    return all(q == 0 or k == (b if q > 0 else a) for q, k, a, b in zip(query, key, low, high, strict=True))


@proof(
    "UG.QUEST",
    "equality",
    Level.EXACT,
    extreme,
    {
        "any key of the block": lambda q, k, a, b: True,
        "at the upper end, whatever the sign": lambda q, k, a, b: list(k) == list(b),
    },
)
def test_equality_is_one_key_at_its_end_everywhere(stated: Callable[..., bool]) -> None:
    q, end, key = symbols("q end key")  # what one coordinate leaves is a product: zero where q = 0 or key = end
    require(vanishes(q * end - q * key - q * (end - key)))
    points = list(product(SMALL[:4], repeat=2))
    for query in product((Fraction(-1), Fraction(0), Fraction(2)), repeat=2):
        for one, other in product(points, repeat=2):
            low = [min(x, y) for x, y in zip(one, other, strict=True)]
            high = [max(x, y) for x, y in zip(one, other, strict=True)]
            for k in (one, other):
                assert (dot(query, k) == quest(query, low, high)) == stated(query, k, low, high)


@proof("UG.QUEST", "equality", Level.EXACT)
def test_a_larger_score_over_a_smaller_best_key() -> None:
    query, half = (Fraction(1), Fraction(1)), (Fraction(1, 2), Fraction(1, 2))
    box = (Fraction(-1), Fraction(-1)), (Fraction(1), Fraction(1))  # of the keys (1, -1) and (-1, 1), both of score 0
    require(below(quest(query, half, half), quest(query, *box)))
    require(below(dot(query, (Fraction(1), Fraction(-1))), dot(query, half)))


@tightness(
    "UG.QUEST",
    Level.EXACT,
    quest,
    {"mean of both ends": lambda q, a, b: sum(x * (y + z) / 2 for x, y, z in zip(q, a, b, strict=True))},
)
def test_an_extreme_key_attains_it(stated: Callable[..., Any]) -> None:
    query, low, high = (Fraction(2), Fraction(-3)), (Fraction(0), Fraction(-1)), (Fraction(5), Fraction(4))
    require(equal(stated(query, low, high), dot(query, (high[0], low[1]))))
    key = (Fraction(7), Fraction(-2))
    require(equal(quest(query, key, key), dot(query, key)))  # a block of one key


@control("UG.QUEST", "covers", Level.EXACT)
def test_a_key_outside_the_box() -> None:
    query, low, high = (Fraction(1),), (Fraction(0),), (Fraction(1),)
    require(below(quest(query, low, high), dot(query, (Fraction(2),))))
