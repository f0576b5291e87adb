"""Student intervals over seeds and clusters against scipy, statsmodels and RS D.1's formula in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from refsym_stats import Alternative, Flag, InputError, cluster_robust, paired_t

ALTERNATIVES = ["two-sided", "greater", "less"]
seldom = settings(derandomize=True, deadline=None, max_examples=60)
data = st.integers(0, 10**6).map(np.random.default_rng)


def clustered(rng, integers=False):
    n = int(rng.integers(6, 60))
    values = rng.integers(-3, 4, n) if integers else rng.normal(0.3, 1, n) * 10.0 ** rng.integers(-3, 4)
    labels = rng.integers(0, int(rng.integers(2, n)), n)
    # At least two clusters, and two values.
    labels[:2], values[:2] = (0, 1), (2, -1)
    return values, labels


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 5, 30])
def test_paired_t_is_the_one_sample_t_test(n, alternative):
    rng = np.random.default_rng(n)
    first, second = rng.normal(0.2, 1, n), rng.normal(0, 1, n)
    found = paired_t(first - second, level=0.9, alternative=alternative)
    expected = stats.ttest_rel(first, second, alternative=alternative)
    # Rounding only.
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    # The interval has two sides whatever the test has.
    interval = stats.ttest_1samp(first - second, 0).confidence_interval(0.9)
    assert (found.low, found.high) == pytest.approx(tuple(interval), rel=1e-12)
    assert found.standard_error == pytest.approx(stats.sem(first - second), rel=1e-12)
    assert (found.n, found.seeds, found.clusters, found.alternative) == (n, n, None, Alternative(alternative))
    assert found.flags == ()


def test_an_interval_excludes_zero_exactly_where_its_test_is_below_one_minus_the_level():
    rng = np.random.default_rng(3)
    for _ in range(40):
        values = rng.normal(0.5, 1, 6)
        p = paired_t(values).p_value
        edge = paired_t(values, level=1 - p)
        assert min(abs(edge.low), abs(edge.high)) < 1e-9 * abs(edge.estimate)


@pytest.mark.parametrize("method", [paired_t, cluster_robust])
@pytest.mark.parametrize(
    ("values", "flag"),
    [([0.3], Flag.ONE_UNIT), ([0.1] * 7, Flag.NO_VARIATION), ([0, 0, 0], Flag.NO_VARIATION), ([0], Flag.ONE_UNIT)],
)
def test_without_variation_nothing_is_certain(method, values, flag):
    found = method(values)
    assert found.flags == (flag,)
    assert found.estimate == pytest.approx(np.mean(values), rel=1e-15)
    # Undefined, never zero.
    assert (found.standard_error, found.low, found.high, found.p_value) == (None,) * 4


def test_one_cluster_has_no_variance_however_many_items():
    found = cluster_robust([1.0, 2.0, 5.0], ["a", "a", "a"])
    assert (found.standard_error, found.p_value, found.clusters, found.n) == (None, None, 1, 3)
    assert found.flags == (Flag.ONE_UNIT,)


def test_clusters_that_balance_out_have_no_variation_to_go_by():
    # Sums are sizes times the mean: the formula gives 0, in floats perhaps 1e-17.
    found = cluster_robust([0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.2], [0, 0, 0, 1, 1, 1, 2])
    assert found.flags == (Flag.NO_VARIATION,)
    assert found.standard_error is None


@pytest.mark.parametrize("method", [paired_t, cluster_robust])
@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e-17, 1e-9, 1e9, 1e170, 1e199])
def test_small_and_large_units_are_only_units(method, scale):
    values = np.array([1.0, 2.0, 5.0, 4.5])
    plain, found = method(values), method(values * scale)
    assert found.flags == ()
    # The products round once each.
    assert found.p_value == pytest.approx(plain.p_value, rel=1e-13)
    assert found.standard_error / scale == pytest.approx(plain.standard_error, rel=1e-13)
    assert (found.low / scale, found.high / scale) == pytest.approx((plain.low, plain.high), rel=1e-13)


@seldom
@given(data, st.sampled_from(ALTERNATIVES))
def test_cluster_robust_is_statsmodels_with_small_sample_t(rng, alternative):
    values, labels = clustered(rng)
    found = cluster_robust(values, labels, level=0.9, alternative=alternative)
    fit = sm.OLS(values, np.ones(len(values))).fit()
    robust = fit.get_robustcov_results(
        cov_type="cluster", groups=labels, use_t=True, use_correction=True, df_correction=True
    )
    # The bar; the mean may cancel, so the interval is compared on the scale of its error.
    error = robust.bse[0]
    assert found.standard_error == pytest.approx(error, rel=1e-12)
    assert (found.low, found.high) == pytest.approx(tuple(robust.conf_int(0.1)[0]), abs=1e-12 * error + 1e-14)
    two_sided, upper = robust.pvalues[0], robust.tvalues[0] > 0
    one_sided = two_sided / 2 if upper == (alternative == "greater") else 1 - two_sided / 2
    expected = two_sided if alternative == "two-sided" else one_sided
    assert found.p_value == pytest.approx(expected, rel=1e-10, abs=1e-14)


@seldom
@given(data)
def test_cluster_robust_is_the_printed_formula_in_fractions(rng):
    values, labels = clustered(rng)
    exact = [Fraction(float(v)) for v in values]
    n, groups = len(values), sorted(set(labels.tolist()))
    mean = sum(exact) / n
    squares = Fraction(0)
    for g in groups:
        members = [v for v, label in zip(exact, labels, strict=True) if label == g]
        squares += (sum(members) - len(members) * mean) ** 2
    variance = Fraction(len(groups), len(groups) - 1) * squares / n**2
    found = cluster_robust(values, labels)
    assert found.clusters == len(groups)
    assert found.standard_error**2 == pytest.approx(float(variance), rel=1e-12)
    # G - 1 degrees, not n - 1.
    half = stats.t.ppf(0.975, len(groups) - 1) * float(variance) ** 0.5
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-12)


def test_items_of_their_own_are_the_plain_t_test():
    values = np.random.default_rng(0).normal(size=12)
    alone, t = cluster_robust(values), paired_t(values)
    assert (alone.low, alone.high, alone.p_value) == pytest.approx((t.low, t.high, t.p_value), rel=1e-13)


@seldom
@given(data, st.booleans())
def test_row_order_and_labels_change_no_bit(rng, integers):
    values, labels = clustered(rng, integers)
    order = rng.permutation(len(values))
    renamed = np.array([f"source {9 - g}" for g in labels])
    assert cluster_robust(values[order], renamed[order]) == cluster_robust(values, labels)
    assert paired_t(values[order]) == paired_t(values)
    assert cluster_robust(values.astype(float), labels) == cluster_robust(values, labels)


@seldom
@given(data)
def test_swapping_the_arms_flips_the_sign(rng):
    values, labels = clustered(rng)
    for method in (paired_t, lambda d, **how: cluster_robust(d, labels, **how)):
        one, other = method(values), method(-values)
        # Sums within a cluster are added from the other end.
        close = 1e-13 * max(abs(one.low), abs(one.high))
        assert (other.estimate, other.low, other.high) == pytest.approx((-one.estimate, -one.high, -one.low), abs=close)
        assert other.p_value == pytest.approx(one.p_value, rel=1e-11)
        less, greater = method(-values, alternative="less"), method(values, alternative="greater")
        assert less.p_value == pytest.approx(greater.p_value, rel=1e-11)


@seldom
@given(data)
def test_a_constant_shifts_and_a_factor_scales(rng):
    values, labels = clustered(rng, integers=True)
    one, moved, halved = (cluster_robust(d, labels) for d in (values, values + 7, values / 2))
    # Residuals of sums of up to 60 small numbers, each rounded once.
    assert moved.estimate == pytest.approx(one.estimate + 7, rel=1e-14)
    assert moved.standard_error == pytest.approx(one.standard_error, rel=1e-11, abs=1e-13)
    # A power of two changes exponents only.
    assert (2 * halved.estimate, 2 * halved.low, halved.p_value) == (one.estimate, one.low, one.p_value)


@seldom
@given(data)
def test_duplicating_every_cluster_divides_the_variance_as_the_formula_does(rng):
    values, labels = clustered(rng)
    one = cluster_robust(values, labels)
    twice = cluster_robust(np.tile(values, 2), np.concatenate([labels, labels + 1000]))
    # G/(G-1) sum R^2 / n^2 becomes 2G/(2G-1) 2 sum R^2 / (2n)^2.
    factor = (one.clusters - 1) / (2 * one.clusters - 1)
    assert twice.estimate == pytest.approx(one.estimate, rel=1e-14)
    assert twice.standard_error**2 == pytest.approx(factor * one.standard_error**2, rel=1e-11)


def test_copies_within_their_clusters_add_no_information():
    values, labels = clustered(np.random.default_rng(5))
    one, copied = cluster_robust(values, labels), cluster_robust(np.repeat(values, 3), np.repeat(labels, 3))
    assert copied.standard_error == pytest.approx(one.standard_error, rel=1e-12)
    assert copied.p_value == pytest.approx(one.p_value, rel=1e-11)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t([]), "no values"),
        (lambda: paired_t([[1.0, 2.0]]), "one axis"),
        (lambda: cluster_robust([[1.0, 2.0]]), "one axis"),
        (lambda: paired_t([1.0, np.nan]), "value 2 is nan"),
        (lambda: paired_t([1.0, 2.0, -np.inf]), "value 3 is -inf"),
        (lambda: paired_t([1e308, 1e308]), "value 1 is 1e[+]308"),
        (lambda: paired_t(["a", "b"]), "numbers are needed"),
        (lambda: paired_t([1.0, 2.0], level=1.0), "level 1.0"),
        (lambda: paired_t([1.0, 2.0], level=np.nan), "level nan"),
        (lambda: paired_t([1.0, 2.0], alternative="both"), "one of two-sided, greater, less"),
        (lambda: cluster_robust([1.0, 2.0], ["a"]), "2 labels are needed"),
        (lambda: cluster_robust([1.0, 2.0, 3.0], ["a", None, "b"]), "missing in row 2"),
        (lambda: cluster_robust([1.0, 2.0, 3.0], [1.0, np.nan, np.nan]), "missing in rows 2, 3"),
        (lambda: cluster_robust([2**52, 2**52]), "passes 2\\^53"),
    ],
)
def test_bad_input_is_one_clear_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
