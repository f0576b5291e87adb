"""Margins against loops over ranks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from refsym_theory.selection.margins import margins

tiles = st.integers(3, 12).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(-3, 3), min_size=n, max_size=n), st.integers(1, n - 2), st.integers(0, n - 3)
    )
)


@given(tiles)
@settings(derandomize=True, deadline=None, max_examples=200)
def test_margins_are_those_of_the_ranks(drawn):
    scores, k, more = drawn
    ranked = sorted(scores, reverse=True)
    m = min(k + 1 + more, len(ranked) - 1)
    padded = np.array([[*ranked, -np.inf, -np.inf]], dtype=float)
    found = margins(padded, np.array([len(ranked)]), np.array([k]), np.array([m]))
    g, r = ranked[k - 1] - ranked[k], ranked[0] - ranked[k]
    assert found.gap[0] == g
    assert found.expansion_gap[0] == ranked[k - 1] - ranked[m] >= g
    assert found.spread[0] == r
    assert found.sigma[0] == (g / r if r else 0.0)
    assert 0 <= found.sigma[0] <= 1
    others = [ranked[j] - ranked[j + 1] for j in range(len(ranked) - 1) if j != k - 1]
    assert found.spacing[0] == min(others)


def test_two_blocks_have_no_other_spacing():
    found = margins(np.array([[2.0, 1.0]]), np.array([2]), np.array([1]), np.array([1]))
    assert found.spacing[0] == np.inf


def test_margins_do_not_change_with_a_shift_and_scale_with_the_scores():
    s = -np.sort(-np.random.default_rng(0).integers(-99, 99, (6, 20)).astype(float))
    args = (np.full(6, 20), np.full(6, 4), np.full(6, 8))
    base, moved = margins(s, *args), margins(4.0 * s + 32.0, *args)
    assert np.array_equal(base.sigma, moved.sigma)
    assert np.array_equal(4.0 * base.expansion_gap, moved.expansion_gap)
