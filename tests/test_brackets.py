"""Bounds from pairs of scores: against exact errors, mpmath and every possible set."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erfc, mp, mpf

from refsym_theory.errors import InputError
from refsym_theory.selection.brackets import trigger_bound, value_brackets
from refsym_theory.selection.containment import containment_error
from refsym_theory.selection.regret import expansion_value
from refsym_theory.selection.trigger import trigger_order

EXACT = 1e-9  # what `expansion_value` promises
SCORES = st.lists(st.floats(-8, 8, allow_subnormal=False), min_size=3, max_size=9)


def wrong_order(gap: float, tau: float) -> mpf:
    return erfc(mpf(gap) / (2 * mpf(tau))) / 2


def by_hand(scores: list[float], k: int, m: int, tau: float) -> tuple[mpf, mpf]:
    """Both bounds at 40 digits, every pair counted."""
    s = sorted(scores, reverse=True)

    def miss(kept: int) -> mpf:
        total = mpf(0)
        for j in range(kept, len(s)):
            sums = [sum(wrong_order(s[i] - s[j], tau) for i in range(a)) / (a - k + 1) for a in range(k, kept + 1)]
            total += min(sums)
        return min(mpf(1), total)

    with mp.workdps(40):
        return max(mpf(0), wrong_order(s[k - 1] - s[k], tau) - miss(m)), miss(k)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(SCORES, st.integers(1, 4), st.integers(1, 4), st.sampled_from([1e-3, 0.1, 1.0, 30.0]))
def test_they_hold_the_exact_value(scores: list[float], k: int, extra: int, tau: float):
    k = min(k, len(scores) - 1)
    m = min(k + extra, len(scores))
    low, high = value_brackets(scores, k, m, tau)
    exact = float(expansion_value(scores, k, m, tau))
    assert low <= exact + EXACT
    assert exact <= high + EXACT
    assert 0.0 <= low <= high <= 1.0


@settings(max_examples=40, derandomize=True, deadline=None)
@given(SCORES, st.integers(1, 4), st.integers(1, 4), st.sampled_from([0.05, 1.0, 10.0]))
def test_against_forty_digits(scores: list[float], k: int, extra: int, tau: float):
    k = min(k, len(scores) - 1)
    m = min(k + extra, len(scores))
    found = value_brackets(scores, k, m, tau)
    for ours, truth in zip(found, by_hand(scores, k, m, tau), strict=True):
        assert abs(float(ours) - float(truth)) <= 1e-14  # a few hundred additions of numbers below one


@pytest.mark.parametrize("tau", [1e-6, 1e6])
def test_edges(tau: float):
    spread = [4.0, 3.0, 2.0, 1.0, 0.0]
    low, high = value_brackets(spread, 2, 4, tau)
    if tau < 1:
        assert high == low == 0.0
    else:
        assert (low, high) == (0.0, 1.0)
    low, high = value_brackets([1.0] * 6, 1, 5, 1.0)  # all equal: a miss of the first has probability 5/6
    assert low <= 5 / 6 - float(containment_error([1.0] * 6, 1, 5, 1.0)) <= high == 1.0
    low, high = value_brackets([1.0, 0.0], 1, 2, 1.0)  # no excluded block after expansion: both bounds meet
    assert low == high == pytest.approx(float(wrong_order(1.0, 1.0)), rel=1e-15)


def test_a_long_tail_is_bounded_not_dropped():
    scores = np.concatenate([[100.0], np.zeros(200_000)])
    low, high = value_brackets(scores, 1, 2, 10.0)
    truth = min(1.0, 200_000 * float(wrong_order(100.0, 10.0)))
    assert truth <= high <= truth * (1 + 1e-9)
    far = np.concatenate([[400.0], np.zeros(1000)])
    assert 0.0 < float(value_brackets(far, 1, 2, 30.0)[1]) <= 1001 * float(wrong_order(400.0, 30.0))
    assert low == 0.0


def test_rows_of_any_length_and_order():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(4, 3, 9))
    valid = np.arange(9) < rng.integers(4, 10, size=(4, 3, 1))
    low, high = value_brackets(scores, 1, 3, 0.7, valid=valid)
    assert low.shape == high.shape == (4, 3)
    for at in product(range(4), range(3)):
        row = rng.permutation(scores[at][valid[at]])
        assert (low[at], high[at]) == tuple(float(x) for x in value_brackets(row, 1, 3, 0.7))
    padded = np.where(valid, scores, np.nan)
    np.testing.assert_array_equal(value_brackets(padded, 1, 3, 0.7, valid=valid), (low, high))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (([1.0, np.nan], 1, 2, 1.0), "finite"),
        (([1.0, 0.0], 1, 2, 0.0), "tau must be positive"),
        (([1.0, 0.0], 1, 2, np.nan), "tau must be positive"),
        (([1.0, 0.0], 0, 2, 1.0), "1 <= k < expanded"),
        (([1.0, 0.0], 1, 1, 1.0), "1 <= k < expanded"),
        (([1.0, 0.0], 1, 3, 1.0), "1 <= k < expanded"),
    ],
)
def test_bad_input(arguments, told: str):
    with pytest.raises(InputError, match=told):
        value_brackets(*arguments)


def regret(values: np.ndarray, chosen: np.ndarray) -> float:
    """Against every set of the same size."""
    tiles, count = values.size, int(chosen.sum())
    best = max(sum(values[list(other)]) for other in combinations(range(tiles), count))
    return (best - values[chosen].sum()) / tiles


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans(), st.floats(0, 1)), min_size=1, max_size=6))
def test_trigger_bound_covers_every_value_between(tiles):
    ends = np.array([sorted(tile[:2]) for tile in tiles])
    chosen = np.array([tile[2] for tile in tiles])
    mix = np.array([tile[3] for tile in tiles])
    bound = trigger_bound(ends[:, 0], ends[:, 1], chosen)
    for part in (mix, np.round(mix), 1 - np.round(mix), np.where(chosen, 0.0, 1.0)):
        values = ends[:, 0] + part * (ends[:, 1] - ends[:, 0])
        assert regret(values, chosen) <= bound + 1e-15


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=6))
def test_with_the_values_themselves_it_is_the_regret(tiles):
    values, chosen = np.array([tile[0] for tile in tiles]), np.array([tile[1] for tile in tiles])
    assert trigger_bound(values, values, chosen) == pytest.approx(regret(values, chosen), abs=1e-15)


def test_bounds_of_real_tiles_hold_for_the_router():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(7, 12)) * rng.exponential(2.0, size=(7, 1))
    low, high = value_brackets(scores, 2, 4, 0.3)
    values = np.asarray(expansion_value(scores, 2, 4, 0.3))
    rows = -np.sort(-scores, axis=1)
    chosen = np.zeros(7, dtype=bool)
    chosen[trigger_order((rows[:, 1] - rows[:, 2]) / (rows[:, 0] - rows[:, 2]))[:3]] = True
    assert regret(values, chosen) <= trigger_bound(low, high, chosen) + EXACT
    assert trigger_bound(low, high, chosen) < 3 / 7


@pytest.mark.parametrize(
    "arguments", [([0.1], [0.2, 0.3], [True]), ([], [], []), ([0.5], [0.4], [True]), ([np.nan], [0.4], [True])]
)
def test_bad_bounds(arguments):
    with pytest.raises(InputError, match="trigger bound"):
        trigger_bound(*arguments)
