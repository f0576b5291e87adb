"""Bootstraps against their law by enumeration, a NumPy loop and scipy; then invariances and edges."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from refsym_stats import Flag, InputError, categories, cluster_bootstrap, crossed_bootstrap
from refsym_stats.categories import Categories

seldom = settings(derandomize=True, deadline=None, max_examples=40)

MISS = 1e-9
"""Probability with which a right program would fail one comparison with a law (Dvoretzky-Kiefer-Wolfowitz)."""


def law_over_clusters(values, clusters):
    """Every resample of the clusters, each with its probability; values [S, n] of integers."""
    labels = sorted(set(clusters))
    parts = [[int(row[[c == label for c in clusters]].sum()) for row in values] for label in labels]
    sizes = [clusters.count(label) for label in labels]
    law = Counter()
    for drawn in itertools.product(range(len(labels)), repeat=len(labels)):
        law[tuple(sum(parts[g][s] for g in drawn) for s in range(len(values))), sum(sizes[g] for g in drawn)] += 1
    return law


def law(values, clusters):
    """Exact law of the mean over resampled clusters and seeds: {mean: probability}."""
    count = len(values)
    out = Counter()
    for (sums, size), times in law_over_clusters(values, clusters).items():
        for seeds in itertools.product(range(count), repeat=count):
            out[Fraction(sum(sums[s] for s in seeds), count * size)] += times
    total = sum(out.values())
    return {mean: Fraction(times, total) for mean, times in sorted(out.items())}


def quantile(exact, share):
    total = Fraction(0)
    for mean, probability in exact.items():
        total += probability
        if total >= share:
            return mean
    return max(exact)


def follows(found, exact, draws):
    """Ends and standard error of the sample are those of the law, as near as `draws` of them can tell."""
    error = math.sqrt(math.log(2 / MISS) / (2 * draws))
    tails = (1 - found.level) / 2, (1 + found.level) / 2
    for end, tail in zip((found.low, found.high), tails, strict=True):
        low, high = (quantile(exact, tail + side * error) for side in (-1, 1))
        assert float(low) - 1e-12 <= end <= float(high) + 1e-12
    mean = sum(m * p for m, p in exact.items())
    moments = [float(sum((m - mean) ** k * p for m, p in exact.items())) for k in (2, 4)]
    # Six standard errors of a sample variance.
    spread = 6 * math.sqrt((moments[1] - moments[0] ** 2) / draws)
    assert found.standard_error**2 == pytest.approx(moments[0], abs=spread)


@pytest.mark.parametrize("shared", [1, 2, 10**9])
@pytest.mark.parametrize(
    ("values", "clusters"),
    [
        ([[1, 0]], "ab"),
        ([[1, -1, 0, 1]], "aabc"),
        ([[1, 1, 0, 0, -1, 3, 3]], "abcdddd"),
        ([[1, 0, 0, 5]], "abcd"),
        ([[1, 0, 1], [0, 0, -1]], "abb"),
        ([[1, 0, 1, 2], [0, 0, -1, 2], [4, 1, 0, 0]], "abcc"),
        ([[1, 1, 0, 0], [1, 1, 0, 0]], "abcd"),
    ],
)
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_the_law_is_that_of_every_resample(values, clusters, level, shared, monkeypatch):
    # One is what contributions are counted from, the other what is drawn one by one.
    monkeypatch.setattr(categories, "SHARED", shared)
    array, draws = np.array(values), 100_000
    exact = law(array, list(clusters))
    bootstrap, given = (crossed_bootstrap, array) if len(array) > 1 else (cluster_bootstrap, array[0])
    found = bootstrap(given, list(clusters), level=level, draws=draws, seed=11)
    assert found.estimate == pytest.approx(float(array.mean()), rel=1e-15)
    follows(found, exact, draws)
    basic = bootstrap(given, list(clusters), level=level, draws=draws, seed=11, method="basic")
    assert (basic.low, basic.high) == pytest.approx(
        (2 * found.estimate - found.high, 2 * found.estimate - found.low), rel=1e-12, abs=1e-15
    )


@pytest.mark.parametrize("shared", [1, 10**9])
def test_counts_of_categories_are_multinomial(shared, monkeypatch):
    monkeypatch.setattr(categories, "SHARED", shared)
    drawn = Categories.of(np.eye(3)).sums(np.random.Generator(np.random.SFC64(5)), 60_000)
    exact = stats.multinomial(3, np.full(3, 1 / 3))
    cells = [cell for cell in itertools.product(range(4), repeat=3) if sum(cell) == 3]
    seen = Counter(map(tuple, drawn.astype(int).tolist()))
    assert set(seen) <= set(cells)
    found = stats.chisquare([seen[cell] for cell in cells], [60_000 * exact.pmf(cell) for cell in cells])
    assert found.pvalue > 1e-4


def test_shared_and_single_contributions_mix_in_the_right_shares():
    # 200 clusters share a contribution, 100 another, 30 have their own.
    columns = np.vstack([np.repeat([0.0, 1.0], [200, 130]), np.r_[np.zeros(300), np.arange(1.0, 31.0)], np.ones(330)])
    sums = Categories.of(columns).sums(np.random.Generator(np.random.SFC64(6)), 40_000)
    assert (sums[:, 2] == 330).all()
    for row, line in zip(columns[:2], sums.T[:2], strict=True):
        assert line.mean() == pytest.approx(row.sum(), abs=5 * math.sqrt(330 * row.var() / 40_000))
        assert line.var() == pytest.approx(330 * row.var(), rel=0.05)
    covariance = np.cov(columns[:2], bias=True)[0, 1]
    assert np.cov(sums.T[:2])[0, 1] == pytest.approx(330 * covariance, abs=5 * 330 * 6 / math.sqrt(40_000))


@pytest.mark.parametrize("method", ["percentile", "basic"])
def test_scipy_and_a_loop_agree_on_unequal_clusters(method):
    random = np.random.default_rng(3)
    sizes = random.integers(1, 9, 60)
    labels = np.repeat(np.arange(60), sizes)
    values = random.exponential(size=len(labels)) + random.normal(size=60)[labels]
    sums, draws = np.bincount(labels, values), 20_000
    found = cluster_bootstrap(values, labels, method=method, draws=draws, seed=1)

    def ratio(total, count, axis=-1):
        return total.sum(axis=axis) / count.sum(axis=axis)

    peer = stats.bootstrap(
        (sums, sizes.astype(float)), ratio, paired=True, n_resamples=draws, method=method, rng=np.random.default_rng(4)
    )
    chosen = random.integers(0, 60, (draws, 60))
    loop = sums[chosen].sum(axis=1) / sizes[chosen].sum(axis=1)
    assert found.standard_error == pytest.approx(peer.standard_error, rel=0.04)
    assert found.standard_error == pytest.approx(loop.std(ddof=1), rel=0.04)
    # A 2.5% quantile of 20,000 draws has a standard error of 0.019 of theirs; twelve for two of them, and room.
    near = 0.12 * found.standard_error
    interval = peer.confidence_interval
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=near)
    if method == "percentile":
        assert (found.low, found.high) == pytest.approx(np.quantile(loop, [0.025, 0.975]), abs=near)


def test_a_loop_over_clusters_and_seeds_agrees():
    random = np.random.default_rng(8)
    labels = np.repeat(np.arange(40), 3)
    values = random.normal(size=(4, 120)) + random.normal(size=(4, 1)) * 0.3 + random.normal(size=40)[labels]
    found = crossed_bootstrap(values, labels, draws=20_000, seed=2)
    means = np.stack([np.bincount(labels, row) for row in values]) / 3
    loop = np.array(
        [means[random.integers(0, 4, 4)][:, random.integers(0, 40, 40)].mean() for _ in range(20_000)], dtype=float
    )
    assert found.standard_error == pytest.approx(loop.std(ddof=1), rel=0.04)
    near = 0.12 * found.standard_error
    assert (found.low, found.high) == pytest.approx(np.quantile(loop, [0.025, 0.975]), abs=near)


def some(seed, integers, contrasts=None):
    random = np.random.default_rng(seed)
    groups, seeds = int(random.integers(2, 14)), int(random.integers(2, 5))
    labels = np.r_[np.arange(groups), random.integers(0, groups, 12)]
    shape = (*(() if contrasts is None else (contrasts,)), seeds, len(labels))
    values = random.integers(-3, 4, shape) if integers else random.normal(0.2, 1, shape)
    return values, labels


def ends(found):
    return found.estimate, found.low, found.high, found.standard_error


@seldom
@given(st.integers(0, 10**6), st.booleans())
def test_rows_labels_and_workers_change_no_bit(seed, integers):
    values, labels = some(seed, integers)
    random = np.random.default_rng(seed)
    order = random.permutation(len(labels))
    names = np.array([f"video {c}" for c in random.permutation(99)[: labels.max() + 1]])
    plain = crossed_bootstrap(values, labels, draws=600, seed=seed)
    assert ends(plain) == ends(crossed_bootstrap(values[:, order], names[labels[order]], draws=600, seed=seed))
    assert ends(plain) == ends(crossed_bootstrap(values, labels, draws=600, seed=seed, workers=1))
    assert ends(plain) == ends(crossed_bootstrap(values[::-1], labels, draws=600, seed=seed))
    one = cluster_bootstrap(values[0], labels, draws=600, seed=seed)
    assert ends(one) == ends(cluster_bootstrap(values[0][order], labels[order], draws=600, seed=seed, workers=3))


@seldom
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from(["percentile", "basic"]))
def test_swapping_the_arms_mirrors_and_powers_of_two_scale(seed, integers, method):
    values, labels = some(seed, integers)
    plain = crossed_bootstrap(values, labels, draws=400, method=method)
    swapped = crossed_bootstrap(-values, labels, draws=400, method=method)
    if plain.low is None:
        assert swapped.flags == plain.flags
        return
    # Quantiles between two draws are interpolated from the other side: the last bit may differ.
    assert ends(swapped) == pytest.approx((-plain.estimate, -plain.high, -plain.low, plain.standard_error), rel=1e-12)
    for factor in (0.25, 1024.0):
        scaled = crossed_bootstrap(values * factor, labels, draws=400, method=method)
        assert ends(scaled) == pytest.approx([factor * end for end in ends(plain)], rel=1e-12, abs=1e-15 * factor)
    moved = crossed_bootstrap(values + 5, labels, draws=400, method=method)
    assert ends(moved)[:3] == pytest.approx([end + 5 for end in ends(plain)[:3]], rel=1e-10)


@seldom
@given(st.integers(0, 10**6))
def test_a_family_shares_its_draws(seed):
    values, labels = some(seed, integers=False, contrasts=2)
    family = np.stack([values[0], values[1], values[0], -values[1], values[0] + values[1]])
    found = crossed_bootstrap(family, labels, draws=400, seed=seed)
    assert found.low[0] == found.low[2]
    assert (found.low[3], found.high[3]) == pytest.approx((-found.high[1], -found.low[1]), rel=1e-12)
    assert found.estimate.shape == (5,)
    # Shared draws add up: the sum's standard error is that of correlated parts, never outside their bounds.
    low, high = abs(found.standard_error[0] - found.standard_error[1]), found.standard_error[:2].sum()
    assert low - 1e-12 <= found.standard_error[4] <= high + 1e-12
    nested = crossed_bootstrap(family.reshape(5, 1, *family.shape[1:]), labels, draws=400, seed=seed)
    assert np.array_equal(nested.low[:, 0], found.low)


def test_copies_of_items_within_their_clusters_change_nothing():
    values, labels = some(5, integers=True)
    plain = crossed_bootstrap(values, labels, draws=500)
    doubled = crossed_bootstrap(np.repeat(values, 2, axis=1), np.repeat(labels, 2), draws=500)
    assert ends(doubled) == pytest.approx(ends(plain), rel=1e-12)


def test_duplicating_every_cluster_divides_the_variance_by_two():
    random = np.random.default_rng(0)
    values = random.normal(size=200)
    once = cluster_bootstrap(values, draws=20_000)
    twice = cluster_bootstrap(np.r_[values, values], draws=20_000)
    assert once.standard_error / twice.standard_error == pytest.approx(math.sqrt(2), rel=0.03)


def test_questions_are_weighted_not_clusters():
    values, labels = [0] * 99 + [1], ["large"] * 99 + ["small"]
    assert cluster_bootstrap(values, labels, draws=50).estimate == 0.01


def test_another_seed_is_another_sample_of_one_law():
    values = np.random.default_rng(0).normal(size=500)
    first, second = (cluster_bootstrap(values, draws=4_000, seed=seed) for seed in (1, 2))
    assert first.low != second.low
    assert first.low == pytest.approx(second.low, abs=0.2 * first.standard_error)
    assert (first.draws, first.seed, first.clusters, first.n) == (4_000, 1, 500, 500)


@pytest.mark.parametrize(
    ("found", "flags"),
    [
        (lambda: cluster_bootstrap([1, 2, 3], ["a", "a", "a"]), (Flag.ONE_UNIT,)),
        (lambda: cluster_bootstrap([1]), (Flag.ONE_UNIT,)),
        (lambda: crossed_bootstrap([[1, 2, 3]]), (Flag.ONE_UNIT,)),
        (lambda: crossed_bootstrap([[1], [2]]), (Flag.ONE_UNIT,)),
        (lambda: cluster_bootstrap([0.1] * 5), (Flag.NO_VARIATION, Flag.FEW_UNITS)),
        (lambda: cluster_bootstrap([0] * 12), (Flag.NO_VARIATION,)),
        (lambda: cluster_bootstrap([1, 1, 0.5, 1.5], ["a", "a", "b", "b"]), (Flag.NO_VARIATION, Flag.FEW_UNITS)),
    ],
)
def test_what_cannot_vary_has_no_interval(found, flags):
    result = found()
    assert (result.low, result.high, result.standard_error) == (None, None, None)
    assert result.flags == flags
    assert result.estimate is not None


def test_in_a_family_only_the_contrast_without_variation_loses_its_interval():
    varied = np.arange(12.0)
    found = cluster_bootstrap([varied, np.ones(12)], draws=100)
    assert found.flags == (Flag.NO_VARIATION,)
    assert np.isnan(found.low).tolist() == [False, True]
    assert found.at(0).flags == ()
    assert (found.at(1).low, found.at(1).flags) == (None, (Flag.NO_VARIATION,))
    assert found.at(0).low == found.low[0]


def test_few_clusters_are_flagged():
    assert cluster_bootstrap(range(9), draws=50).flags == (Flag.FEW_UNITS,)
    assert cluster_bootstrap(range(10), draws=50).flags == ()


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e150, 1e199])
def test_huge_and_tiny_values_are_only_units(scale):
    values = np.random.default_rng(1).normal(size=(3, 30))
    plain, scaled = crossed_bootstrap(values, draws=300), crossed_bootstrap(values * scale, draws=300)
    assert ends(scaled) == pytest.approx([scale * end for end in ends(plain)], rel=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cluster_bootstrap([]), "no values"),
        (lambda: cluster_bootstrap(3), "no values"),
        (lambda: cluster_bootstrap([1, np.nan]), "value 2 is nan"),
        (lambda: cluster_bootstrap([np.inf, 1]), "value 1 is inf"),
        (lambda: cluster_bootstrap(["a", "b"]), "numbers are needed"),
        (lambda: cluster_bootstrap([1, 2], ["a"]), "2 labels are needed"),
        (lambda: cluster_bootstrap([1, 2], ["a", None]), "missing in row 2"),
        (lambda: cluster_bootstrap([1, 2], [0.0, np.nan]), "missing in row 2"),
        (lambda: cluster_bootstrap([1, 2], level=1), "level 1: a number between"),
        (lambda: cluster_bootstrap([1, 2], level=np.nan), "level nan"),
        (lambda: cluster_bootstrap([1, 2], level="0.95"), "level '0.95'"),
        (lambda: cluster_bootstrap([1, 2], method="bca"), "method 'bca': one of percentile, basic"),
        (lambda: cluster_bootstrap([1, 2], draws=1), "draws 1: an integer of at least 2"),
        (lambda: cluster_bootstrap([1, 2], draws=2.5), "draws 2.5"),
        (lambda: cluster_bootstrap([1, 2], seed=-1), "seed -1"),
        (lambda: cluster_bootstrap([2**62, 2**62, 1]), "2\\^53"),
        (lambda: crossed_bootstrap([1, 2]), r"axes \(..., seeds, items\), got shape \(2,\)"),
    ],
)
def test_bad_input_is_one_clear_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
