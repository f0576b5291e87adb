"""Divergences in nats against scipy and mpmath, and at the edges where logarithms misbehave."""

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from refsym_stats import InputError, jensen_shannon, kl_divergence, mean_pairwise_jsd

seldom = settings(derandomize=True, deadline=None, max_examples=100)
LOG_2 = float(np.log(2))


def options(rng, shape, zeros=True):
    p = rng.gamma(10.0 ** rng.uniform(-2, 1), size=shape) + 1e-300
    if zeros:
        p[rng.random(shape) < 0.2] = 0
        p[..., 0] += 1e-3
    return p / p.sum(axis=-1, keepdims=True)


def exact_kl(p, q):
    with mp.workdps(50):
        return mp.fsum(mp.mpf(a) * mp.log(mp.mpf(a) / mp.mpf(b)) for a, b in zip(p, q, strict=True) if a > 0)


def exact_jsd(p, q):
    with mp.workdps(50):
        middle = [(mp.mpf(a) + mp.mpf(b)) / 2 for a, b in zip(p, q, strict=True)]
        return (exact_kl(p, middle) + exact_kl(q, middle)) / 2


@seldom
@given(st.integers(0, 10**6), st.integers(2, 7))
def test_both_divergences_are_scipy_and_mpmath(seed, m):
    rng = np.random.default_rng(seed)
    p, q = options(rng, (5, m)), options(rng, (5, m))
    full = options(rng, (5, m), zeros=False)
    # Sums of terms of order one: their rounding.
    assert kl_divergence(p, full) == pytest.approx(stats.entropy(p, full, axis=-1), rel=1e-12, abs=1e-15)
    assert jensen_shannon(p, q) == pytest.approx(jensenshannon(p, q, axis=-1) ** 2, rel=1e-12, abs=2e-15)
    assert kl_divergence(p[0], full[0]) == pytest.approx(float(exact_kl(p[0], full[0])), rel=1e-12, abs=1e-15)
    assert jensen_shannon(p[0], q[0]) == pytest.approx(float(exact_jsd(p[0], q[0])), rel=1e-12, abs=1e-15)


@seldom
@given(st.integers(0, 10**6), st.integers(1, 7), st.integers(-18, 0))
def test_divergences_stay_within_their_bounds(seed, m, exponent):
    rng = np.random.default_rng(seed)
    p = options(rng, m)
    near = p * (1 + 10.0**exponent * rng.uniform(-1, 1, m))
    near /= near.sum()
    assert kl_divergence(p, near) >= 0
    assert 0 <= jensen_shannon(p, near) <= LOG_2
    assert jensen_shannon(p, near) == jensen_shannon(near, p)
    assert jensen_shannon(p, near) == pytest.approx(float(exact_jsd(p, near)), abs=5e-16 * m)
    # Identical: exactly zero, not its rounding.
    assert kl_divergence(p, p) == jensen_shannon(p, p) == 0.0


def test_zeros_count_nothing_and_missing_support_is_infinite():
    assert kl_divergence([1.0, 0.0], [0.5, 0.5]) == pytest.approx(LOG_2, rel=1e-15)
    assert kl_divergence([0.5, 0.5], [1.0, 0.0]) == np.inf
    assert kl_divergence([1.0, 0.0], [1.0, 0.0]) == 0.0


@pytest.mark.parametrize("bad", [[np.nan, 0.5], [np.inf, 0.0], [-0.5, 1.5], [0.5, 0.4], [1.0], [0.5, 0.25, 0.25], 1.0])
def test_what_is_no_distribution_is_refused(bad):
    good = [0.5, 0.5]
    for divergence in (kl_divergence, jensen_shannon):
        for pair in ((good, bad), (bad, good)):
            with pytest.raises(InputError, match="distributions"):
                divergence(*pair)
    if np.shape(bad) == (2,):
        with pytest.raises(InputError, match="distributions"):
            mean_pairwise_jsd([good, bad])


@pytest.mark.parametrize("m", [2, 3, 10, 97])
def test_disjoint_supports_are_log_2_apart(m):
    p, q = np.zeros(2 * m), np.zeros(2 * m)
    p[:m], q[m:] = 1 / m, 1 / m
    assert jensen_shannon(p, q) == pytest.approx(LOG_2, rel=1e-14)
    assert jensen_shannon(p, q) <= LOG_2


def test_subnormal_probabilities_do_not_overflow():
    assert kl_divergence([1.0, 0.0], [5e-324, 1.0]) == pytest.approx(744.44, rel=1e-4)
    assert jensen_shannon([1.0, 5e-324], [5e-324, 1.0]) == pytest.approx(LOG_2)
    assert kl_divergence([5e-324, 1.0], [1e-300, 1.0]) >= 0


@seldom
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_the_mean_over_pairs_is_over_all_pairs_once(seed, partitions):
    rng = np.random.default_rng(seed)
    p = options(rng, (3, partitions, 4))
    found = mean_pairwise_jsd(p)
    assert found.shape == (3,)
    for item in range(3):
        pairs = [
            jensenshannon(p[item, i], p[item, j]) ** 2 for i in range(partitions) for j in range(i + 1, partitions)
        ]
        assert found[item] == pytest.approx(np.mean(pairs), rel=1e-12, abs=2e-15)
    # The order of partitions and of options does not matter beyond rounding.
    assert mean_pairwise_jsd(p[:, ::-1, ::-1]) == pytest.approx(found, rel=1e-13, abs=1e-16)
    assert mean_pairwise_jsd(np.repeat(p[:, :1], partitions, axis=1)) == pytest.approx(0, abs=0)


@pytest.mark.parametrize("p", [[0.5, 0.5], [[0.5, 0.5]], np.ones((4, 1, 3)) / 3])
def test_one_partition_has_no_pairs(p):
    with pytest.raises(InputError, match="two partitions or more"):
        mean_pairwise_jsd(p)
