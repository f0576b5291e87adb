"""Families against statsmodels, and equivalence, which no large p-value shows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from refsym_stats import (
    InputError,
    bonferroni,
    cluster_bootstrap,
    cluster_robust,
    crossed_bootstrap,
    gated,
    holm,
    mcnemar_exact,
    paired_t,
    sign_flip,
    tost,
)

seldom = settings(derandomize=True, deadline=None, max_examples=100)
p_values = st.lists(st.sampled_from([0.0, 1e-300, 1e-5, 0.01, 0.011, 0.02, 0.3, 0.5, 1.0]), min_size=1, max_size=12)


# The peer takes 50 ms a call.
@settings(derandomize=True, deadline=None, max_examples=15)
@given(p_values)
def test_full_families_are_statsmodels(p):
    for method, name in ((bonferroni, "bonferroni"), (holm, "holm")):
        # The peer multiplies in another order.
        assert method(p, len(p)) == pytest.approx(multipletests(p, method=name)[1], rel=1e-14)


@seldom
@given(p_values, st.integers(0, 50))
def test_members_of_a_declared_family_that_are_not_given_count_as_one(p, more):
    size = len(p) + more
    filled = [*p, *[1.0] * more]
    for method in (bonferroni, holm):
        assert np.array_equal(method(p, size), method(filled, size)[: len(p)])
    assert (holm(p, size) <= bonferroni(p, size)).all()
    assert (holm(p, size) >= p).all()


@seldom
@given(p_values, st.randoms())
def test_the_order_of_a_family_does_not_matter_and_ranks_stay(p, random):
    order = list(range(len(p)))
    random.shuffle(order)
    for method in (bonferroni, holm):
        adjusted = method(p, 20)
        assert np.array_equal(method(np.array(p)[order], 20), adjusted[order])
        assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


def test_shapes_are_kept():
    p = np.array([[0.01, 0.5, 0.04], [0.001, 0.02, 1.0]])
    for method in (bonferroni, holm):
        assert method(p, 9).shape == (2, 3)
        assert np.array_equal(method(p, 9).reshape(-1), method(p.reshape(-1), 9))
    assert holm(0.02, 4) == pytest.approx(0.08)
    assert bonferroni([], 4).size == holm([], 4).size == 0


@pytest.mark.parametrize(("p_source", "p_seed"), [(1 / 20_001, 3.2e-5), (3e-4, 0.06), (0.004, 0.9)])
def test_the_gate_is_rs_i_2(p_source, p_seed):
    # min{1, 4 max(p_source, p_seed)}.
    assert gated(p_source, p_seed, family_size=4) == pytest.approx(min(1.0, 4 * max(p_source, p_seed)), rel=1e-15)
    assert gated(p_seed, p_source, family_size=4) == gated(p_source, p_seed, family_size=4)


def test_the_gate_works_contrast_by_contrast():
    source, seed = [0.001, 0.2, 0.01], [0.002, 0.0001, 0.5]
    assert gated(source, seed, family_size=4) == pytest.approx([0.008, 0.8, 1.0], rel=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda p: bonferroni([0.1, p], 4),
        lambda p: holm([p], 4),
        lambda p: holm(p, 4),
        lambda p: gated([p], [0.1], family_size=4),
        lambda p: gated([0.1], [p], family_size=4),
    ],
)
@pytest.mark.parametrize("p", [np.nan, -1e-9, 1.0000001, np.inf])
def test_what_is_no_probability_is_refused(call, p):
    with pytest.raises(InputError, match=r"must lie in \[0, 1\]"):
        call(p)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bonferroni([0.1] * 5, 4), "there are 5 p-values"),
        (lambda: holm([0.1] * 5, 4), "declared in full"),
        (lambda: bonferroni([0.1], 0), "family_size 0"),
        (lambda: bonferroni([0.1], 2.0), "family_size 2.0"),
        (lambda: gated([0.1, 0.2, 0.3], [0.1, 0.2], family_size=9), "both p-values"),
        (lambda: gated([0.1, 0.2, 0.3], 0.1, family_size=9), "both p-values"),
    ],
)
def test_a_family_is_declared_in_full(call, message):
    with pytest.raises(InputError, match=message):
        call()


@seldom
@given(st.integers(0, 10**6), st.sampled_from([0.05, 0.3, 1.0, 20.0]), st.sampled_from([0.9, 0.95]))
def test_two_one_sided_tests_are_statsmodels(seed, margin, level):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(0.1, 1, 9), rng.normal(0, 1, 9)
    found = tost(paired_t(first - second, level=level), margin)
    assert found.p_value == pytest.approx(float(ttost_paired(first, second, -margin, margin)[0]), rel=1e-9, abs=1e-300)
    # The interval at twice the error lies within the margin exactly where the test rejects.
    expected = stats.ttest_1samp(first - second, 0).confidence_interval(2 * level - 1)
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=1e-11)
    assert found.level == pytest.approx(2 * level - 1)
    assert (found.p_value < 1 - level) == (-margin < found.low and found.high < margin)


def test_equivalence_uses_the_clusters_degrees():
    values, labels = np.random.default_rng(2).normal(0.1, 1, 40), np.arange(40) % 7
    robust = cluster_robust(values, labels)
    t = (robust.estimate - 0.8) / robust.standard_error, (robust.estimate + 0.8) / robust.standard_error
    expected = max(stats.t.cdf(t[0], 6), stats.t.sf(t[1], 6))
    assert tost(robust, 0.8).p_value == pytest.approx(expected, rel=1e-13)


def test_equivalence_never_follows_from_a_large_p():
    # A wide spread: no difference is seen, nor is equivalence.
    noisy = paired_t([-3.0, 2.9, -1.0, 1.2, 0.1])
    assert noisy.p_value > 0.9
    assert tost(noisy, 0.5).p_value > 0.25
    # A narrow one off zero: a difference is seen, and so is equivalence within 1.
    sharp = paired_t([0.20, 0.21, 0.19, 0.22])
    assert sharp.p_value < 0.001
    assert tost(sharp, 1.0).p_value < 0.001
    # An estimate beyond the margin is never equivalent.
    assert tost(sharp, 0.1).p_value > 0.5


def test_without_variation_equivalence_is_not_shown_either():
    for result in (paired_t([0.0] * 6), paired_t([0.1]), cluster_robust([1.0, 2.0], ["a", "a"])):
        found = tost(result, 100.0)
        assert (found.p_value, found.low, found.high, found.flags) == (None, None, None, result.flags)


@pytest.mark.parametrize("margin", [0.0, -1.0, np.nan, np.inf])
def test_a_margin_is_positive(margin):
    with pytest.raises(InputError, match="margin"):
        tost(paired_t([1.0, 2.0]), margin)


def test_an_interval_at_twice_the_error_needs_a_level_above_one_half():
    with pytest.raises(InputError, match=r"level 0\.5; more than 0\.5"):
        tost(paired_t([1.0, 2.0], level=0.5), 1.0)


@pytest.mark.parametrize(
    "result",
    [
        lambda: sign_flip([1, 2, -1]),
        lambda: mcnemar_exact(3, 4, n=20),
        lambda: cluster_bootstrap(np.arange(12.0), draws=50),
        lambda: crossed_bootstrap(np.random.default_rng(0).normal(size=(3, 12)), draws=50),
        lambda: sign_flip([1, 2, -1], method="monte-carlo", draws=50),
    ],
)
def test_equivalence_needs_degrees_of_freedom(result):
    with pytest.raises(InputError, match="needs a result of paired_t or cluster_robust"):
        tost(result(), 1.0)
