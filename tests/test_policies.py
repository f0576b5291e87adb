"""Triggers and gains against every subset of the tiles."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refsym_theory.errors import InputError
from refsym_theory.selection.policies import LEVELS, gains, random_gains, units
from refsym_theory.selection.trigger import decimal_text, exact_decimal, trigger_order, triggered_count


@pytest.mark.parametrize(
    ("q", "tiles", "count"),
    [("0.55", 100, 55), (0.55, 100, 55), ("0.4", 48, 20), ("1/3", 3, 1), ("0", 7, 0), ("1", 7, 7), ("0.1", 5, 1)],
)
def test_the_count_is_exact(q, tiles, count):
    assert triggered_count(exact_decimal(q, "q"), tiles) == count


@pytest.mark.parametrize("value", ["nan", "inf", "x", "", "1/0", float("nan")])
def test_what_is_no_decimal_is_refused(value):
    with pytest.raises(InputError, match="q must be a decimal"):
        exact_decimal(value, "q")


@pytest.mark.parametrize("text", ["0.4", "2", "1/3", "0.55", "0.125", "1e-7"])
def test_a_fraction_reads_as_it_was_written(text):
    assert exact_decimal(decimal_text(exact_decimal(text, "q")), "q") == Fraction(text)
    assert decimal_text(Fraction("0.4")) == "0.4"


def test_ties_go_to_the_lower_tile():
    assert trigger_order(np.array([1.0, 0.0, 1.0, 0.0])).tolist() == [1, 3, 0, 2]


values = st.integers(1, 3).flatmap(
    lambda heads: st.integers(1, 5).flatmap(
        lambda tiles: st.lists(
            st.lists(st.integers(0, 6), min_size=tiles, max_size=tiles), min_size=heads, max_size=heads
        )
    )
)


@given(values, st.fractions(0, 1, max_denominator=20))
@settings(derandomize=True, deadline=None, max_examples=150)
def test_best_and_random_over_every_subset(drawn, q):
    """best-by-value is the best subset of its size; random is the mean over all of them (UG equation 20)."""
    worth = np.array(drawn, dtype=float)
    for level in LEVELS:
        groups = units(worth, level)
        best = gains(-worth, worth[None], level, (q,))[0, :, 0]
        drawn_at_random = random_gains(worth[None], level, (q,))[0, :, 0]
        for g, row in enumerate(groups):
            size = triggered_count(q, len(row))
            sums = [sum(row[list(c)]) for c in combinations(range(len(row)), size)]
            assert best[g] == max(sums)
            assert abs(drawn_at_random[g] - np.mean(sums)) < 1e-12 * max(1, max(sums))


def test_levels_group_as_they_say():
    worth = np.arange(6.0).reshape(2, 3)
    assert units(worth, "head").tolist() == worth.tolist()
    assert units(worth, "tile").tolist() == [[3.0, 5.0, 7.0]]
    assert units(worth, "cell").tolist() == [[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]]  # tile by tile, its heads in order
    priority = np.array([[5.0, 1.0, 9.0], [0.0, 1.0, 9.0]])
    at = (Fraction(1, 3),)
    assert gains(priority, worth[None], "head", at)[0, :, 0].tolist() == [1.0, 3.0]
    assert gains(priority, worth[None], "tile", at)[0, :, 0].tolist() == [5.0]  # sums 5, 2, 18: tile 1
    assert gains(priority, worth[None], "cell", at)[0, :, 0].tolist() == [3.0 + 1.0]  # two of six


def test_ends_of_the_risk_curve():
    worth = np.arange(6.0).reshape(2, 3)
    for level in LEVELS:
        nothing, everything = gains(worth, worth[None], level, (Fraction(0), Fraction(1))).sum(axis=(0, 1))
        assert (nothing, everything) == (0.0, 15.0)
