"""UG equation 13."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import numpy as np
from sympy import symbols

from algebra import vanishes
from marks import proof, refutation
from refsym_theory.claims.ug.e13 import interpolated, interpolated_count, smallest
from refsym_theory.evidence import Level, below, equal, require
from refsym_theory.selection.trigger import exact_decimal, trigger_order, triggered_count

Rule = Callable[..., set[int]]
Record = Callable[[str, object], None]
QS = [Fraction(a, b) for b in range(2, 21) for a in range(1, b)]


@refutation("UG.E13", Level.EXACT, interpolated, {"corrected": smallest})
def test_four_of_five(stated: Rule, record_property: Record) -> None:
    q, margins = Fraction(9, 10), [Fraction(t) for t in range(5)]
    found = len(stated(margins, q))
    record_property("claimed", f"T = 5, q = 0.9: {ceil(q * 5)} tiles")
    record_property("computed", f"{found} tiles")
    require(below(found, ceil(q * 5)))


@refutation("UG.E13", Level.EXACT, interpolated, {"corrected": smallest})
def test_equal_margins_all_trigger(stated: Rule, record_property: Record) -> None:
    found = len(stated([Fraction(1)] * 2, Fraction(1, 2)))
    record_property("claimed", "T = 2 equal margins, q = 0.5: 1 tile")
    record_property("computed", f"{found} tiles")
    require(below(1, found))


@refutation("UG.E13", Level.EXACT, interpolated, {"corrected": smallest})
def test_the_papers_own_fraction(stated: Rule, record_property: Record) -> None:
    q, margins = Fraction(2, 5), [Fraction(t) for t in range(3)]
    found = len(stated(margins, q))
    record_property("claimed", f"T = 3, q = 0.4: {ceil(q * 3)} tiles")
    record_property("computed", f"{found} tile")
    require(below(found, ceil(q * 3)))


@proof(
    "UG.E13", "interpolated", Level.EXACT, lambda f: 1 - f, {"the lower weight": lambda f: f, "all of it": lambda f: 1}
)
def test_the_cut_lies_between_two_neighbours(stated: Callable[..., Any]) -> None:
    f, low, gap = symbols("f low gap")
    cut = (1 - f) * low + f * (low + gap)
    require(vanishes(cut - low - f * gap))  # at least the lower one
    require(vanishes(low + gap - cut - stated(f) * gap))  # below the upper one: f < 1 and gap > 0


@proof(
    "UG.E13",
    "interpolated",
    Level.EXACT,
    interpolated_count,
    {"ceil(qT)": lambda tiles, q: ceil(q * tiles), "floor(qT)": lambda tiles, q: int(q * tiles)},
)
def test_count_of_the_interpolated_rule(stated: Callable[..., int]) -> None:
    for tiles, q in product(range(1, 25), QS):
        assert len(interpolated([Fraction(t) for t in range(tiles)], q)) == stated(tiles, q)


@proof("UG.E13", "interpolated", Level.SAMPLED)
def test_numpy_does_the_same() -> None:
    for tiles, q in product((2, 5, 10, 31), (0.25, 0.5, 0.9)):
        margins = np.arange(tiles, dtype=np.float64)
        found = int((margins <= np.quantile(margins, q)).sum())
        assert found == interpolated_count(tiles, Fraction(str(q)))


@proof(
    "UG.E13",
    "agrees",
    Level.EXACT,
    lambda tiles, q: q * tiles - ceil(q * tiles) + 1 >= q,
    {"only for integers": lambda tiles, q: q * tiles == int(q * tiles), "always": lambda tiles, q: True},
)
def test_when_both_counts_agree(stated: Callable[..., bool]) -> None:
    # floor(x) + 1 = D is D - 1 <= x < D; x = qT - q is below D = ceil(qT) anyway.
    for tiles, q in product(range(1, 61), QS):
        assert q * tiles - q < ceil(q * tiles)
        assert (interpolated_count(tiles, q) == ceil(q * tiles)) == stated(tiles, q)
        assert stated(tiles, q) or (q * tiles).denominator > 1
    assert [t % 5 for t in range(1, 61) if interpolated_count(t, Fraction(2, 5)) != ceil(Fraction(2 * t, 5))] == [
        3
    ] * 12


@proof("UG.E13", "atom", Level.EXACT, interpolated, {"corrected": smallest})
def test_all_of_an_atom_trigger(stated: Rule, record_property: Record) -> None:
    for tied, q in ((83, Fraction(2, 5)), (83, Fraction(1, 100)), (41, Fraction(2, 5))):
        margins = [Fraction(0)] * tied + [Fraction(t) for t in range(1, 101 - tied)]
        found = len(stated(margins, q))
        require(equal(found, tied))  # any quantile of any kind is 0 here: 0 is the value of more than q of the tiles
    record_property("claimed", "83 of 100 margins 0, q = 0.4: 40 tiles")
    record_property("computed", "83 tiles")


@proof("UG.E13", "decimal", Level.EXACT, exact_decimal, {"as a float": lambda q, name: Fraction(float(q))})
def test_the_fraction_as_it_was_written(stated: Callable[..., Fraction]) -> None:
    require(equal(triggered_count(stated("0.55", "q"), 100), 55))
    require(equal(ceil(0.55 * 100), 56))


@proof("UG.E13", "decimal", Level.SAMPLED)
def test_numpy_misses_its_own_rule() -> None:
    margins = np.arange(101, dtype=np.float64)  # 0.29 * 100 is 28.999999999999996 in floats
    assert int((margins <= np.quantile(margins, 0.29)).sum()) == 29
    assert interpolated_count(101, Fraction("0.29")) == 30


@proof(
    "UG.E13",
    "sorted",
    Level.EXACT,
    smallest,
    {"at most the threshold": lambda m, q: {t for t, x in enumerate(m) if x <= sorted(m)[ceil(q * len(m)) - 1]}},
)
def test_the_sorted_rule_counts_right(stated: Rule) -> None:
    for margins in product(range(3), repeat=4):
        for q in QS:
            chosen = stated([Fraction(x) for x in margins], q)
            require(equal(len(chosen), ceil(4 * q)))
            require(equal(len(chosen), triggered_count(q, 4)))
            assert chosen == set(trigger_order(np.array(margins, dtype=np.float64))[: triggered_count(q, 4)].tolist())
            rest = [margins[t] for t in range(4) if t not in chosen]
            assert all(margins[t] <= other for t in chosen for other in rest)
