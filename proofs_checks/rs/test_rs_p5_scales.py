"""RS Proposition 5, second half."""

from collections.abc import Callable
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

import pytest
from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs import p5_scales
from refsym_theory.evidence import Level, equal, require

TYPES = 4
ROWS = list(chain.from_iterable(combinations(range(TYPES), size) for size in range(2, TYPES + 1)))
LABELS = [
    a for a in product(range(TYPES), repeat=TYPES) if all(x <= max(a[:i], default=-1) + 1 for i, x in enumerate(a))
]


@proof(
    "RS.P5-scales",
    "row",
    Level.EXACT,
    p5_scales.change,
    {"not normalized": lambda p, a, mean: p * (a - 1), "mean left out": lambda p, a, mean: p * (a - mean)},
)
def test_change_of_a_probability(stated: Callable[..., Any]) -> None:
    p, a, rest = symbols("p a rest")  # rest: the sum of p_j a_j over the others
    mean = p * a + rest
    require(vanishes(stated(p, a, mean) - (p * a / mean - p)))


@proof(
    "RS.P5-scales",
    "graph",
    Level.EXACT,
    p5_scales.components,
    {"every type by itself": lambda rows, types: list(range(types)), "all in one": lambda rows, types: [0] * types},
)
def test_every_family_of_rows(stated: Callable[..., list[int]]) -> None:
    assert len(ROWS) == 11
    assert len(LABELS) == 15
    for chosen in range(2 ** len(ROWS)):
        rows = [row for bit, row in enumerate(ROWS) if chosen >> bit & 1]
        label = stated(rows, TYPES)
        pairs = [(s, t) for s, t in combinations(range(TYPES), 2) if label[s] == label[t]]
        for factors in LABELS:  # factors up to renaming: which types share one
            by_row = all(len({factors[t] for t in row}) == 1 for row in rows)
            by_component = all(factors[s] == factors[t] for s, t in pairs)
            assert by_row == by_component


@control("RS.P5-scales", "positive", Level.EXACT)
def test_a_key_of_probability_zero_may_have_any_factor() -> None:
    p, a = (Fraction(1), Fraction(0)), (Fraction(1), Fraction(7))
    mean = sum(x * y for x, y in zip(p, a, strict=True))
    for x, y in zip(p, a, strict=True):
        require(equal(p5_scales.change(x, y, mean), Fraction(0)))


@control("RS.P5-scales", "factors", Level.EXACT)
def test_factors_of_sum_zero_have_no_normalizer() -> None:
    half = Fraction(1, 2)
    with pytest.raises(ZeroDivisionError):
        p5_scales.change(half, 1, half * 1 + half * -1)
