"""Power by simulation against the noncentral t, and against studies simulated one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower

from refsym_stats import InputError, cluster_robust, design

NORMAL = stats.norm.ppf((np.arange(3000) + 0.5) / 3000)
"""A pilot that is as normal as 3,000 items can be."""


def own_direction(effect, nobs, alpha):
    return TTestPower().power(effect, nobs, alpha / 2, alternative="larger")


@pytest.mark.parametrize(("nobs", "effect"), [(10, 1.0), (40, 0.4), (200, 0.2)])
@pytest.mark.parametrize("family", [1, 54])
def test_power_of_independent_items_is_that_of_the_noncentral_t(nobs, effect, family):
    found = design(NORMAL, planned_clusters=nobs, family_size=family, draws=8_000)
    expected = own_direction(effect, nobs, 0.05 / family)
    power, error = found.power(effect)
    assert error == pytest.approx(np.sqrt(power * (1 - power) / 8_000))
    # Four standard errors; the pilot's tails are cut at 3.6 sigma, which moves the power by less than 0.003.
    assert abs(power - expected) < 4 * np.sqrt(expected * (1 - expected) / 8_000) + 0.003


def test_the_smallest_detectable_effect_is_where_the_power_is():
    found = design(NORMAL, planned_clusters=50)
    for power in (0.5, 0.8, 0.95):
        effect = found.smallest_detectable(power)
        assert found.power(effect)[0] == pytest.approx(power, abs=1 / 4000)
        expected = TTestPower().solve_power(nobs=50, alpha=0.025, power=power, alternative="larger")
        # The quantile's own error: 0.0063 over the density of power in the effect, about 2.
        assert effect == pytest.approx(expected, abs=0.015)


def test_unequal_clusters_are_as_studies_simulated_one_by_one():
    rng = np.random.default_rng(0)
    sizes = rng.integers(1, 8, 25)
    labels = np.repeat(np.arange(25), sizes)
    pilot = rng.normal(size=25)[labels] + rng.normal(size=len(labels))
    effect, planned, draws = 0.75, 15, 3_000
    power, _ = design(pilot, labels, planned_clusters=planned, draws=draws).power(effect)
    # The same law by hand: resample clusters of the pilot centred at zero, widened by G / (G - 1), then test.
    centred = (pilot - pilot.mean()) * np.sqrt(25 / 24)
    members = [np.flatnonzero(labels == g) for g in range(25)]
    hits = 0
    for _ in range(draws):
        chosen = rng.integers(0, 25, planned)
        study = np.concatenate([centred[members[g]] for g in chosen]) + effect
        groups = np.repeat(np.arange(planned), sizes[chosen])
        hits += cluster_robust(study, groups).low > 0
    # Two samples of 3,000: four standard errors of their difference.
    assert abs(power - hits / draws) < 4 * np.sqrt(2 * power * (1 - power) / draws)


def test_seeds_gate_the_power():
    rng = np.random.default_rng(1)
    items, seeds = NORMAL[::6], np.array([-0.5, 0.1, 0.4, -0.2, 0.2])
    pilot = items + seeds[:, None] + 0.01 * rng.normal(size=(5, len(items)))
    alone = design(pilot, planned_seeds=1)
    few, many = design(pilot, planned_seeds=3), design(pilot, planned_seeds=40)
    effect = 0.3
    assert few.power(effect)[0] < many.power(effect)[0] < alone.power(effect)[0]
    # Items are many: what is left is the seeds' own t-test, with the pilot's variance between seeds.
    spread = seeds.std(ddof=1)
    for planned in (3, 5, 8):
        at = design(pilot, planned_clusters=20_000, planned_seeds=planned, draws=4_000)
        expected = own_direction(0.5 / spread, planned, 0.05)
        assert abs(at.power(0.5)[0] - expected) < 4 * np.sqrt(expected * (1 - expected) / 4_000) + 0.01


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.integers(0, 10**6))
def test_power_grows_with_effects_and_clusters_and_falls_with_the_family(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    pilot, labels = rng.normal(size=n), rng.integers(0, 6, n)
    labels[:2] = 0, 1
    one = design(pilot, labels, draws=512)
    effects = [one.power(e)[0] for e in (0.01, 0.1, 0.5, 2.0, 50.0)]
    assert effects == sorted(effects)
    assert effects[-1] > 0.9
    # The same draws, so that these hold draw by draw.
    family = design(pilot, labels, draws=512, family_size=10)
    wider = design(pilot, labels, draws=512, level=0.99)
    assert (family.thresholds >= one.thresholds).all()
    assert (wider.thresholds >= one.thresholds).all()
    more = design(pilot, labels, draws=512, planned_clusters=200)
    assert more.smallest_detectable() < one.smallest_detectable()


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from([1e-150, 1e-12, 1e-3, 1e6]))
def test_units_scale_and_the_pilots_mean_does_not_matter(seed, scale):
    rng = np.random.default_rng(seed)
    pilot, labels = rng.integers(-4, 5, 30), np.arange(30) // 3
    if np.ptp(np.bincount(labels, weights=pilot)) == 0:
        return
    one = design(pilot, labels, draws=300)
    assert design(pilot * scale, labels, draws=300).thresholds / scale == pytest.approx(one.thresholds, abs=1e-9)
    assert design(pilot + 1000, labels, draws=300).thresholds == pytest.approx(one.thresholds, abs=1e-9)
    order = rng.permutation(30)
    assert np.array_equal(design(pilot[order], labels[order] + 5, draws=300).thresholds, one.thresholds)
    assert np.array_equal(design(pilot, labels, draws=600).thresholds[:300], one.thresholds)


def test_seeds_that_agree_cost_no_power():
    pilot = np.tile(NORMAL[::30], (3, 1))
    assert np.array_equal(design(pilot).thresholds >= design(pilot, planned_seeds=1).thresholds, [True] * 4000)
    assert design(pilot).smallest_detectable() == pytest.approx(design(pilot, planned_seeds=1).smallest_detectable())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: design([1.0, 2.0, 3.0], ["a"] * 3), "one cluster"),
        (lambda: design([0.1, 0.1, 0.1]), "do not vary"),
        (lambda: design([0.1, 0.2, 0.3, 0.3, 0.2, 0.1], [0, 0, 0, 1, 1, 1]), "do not vary between clusters"),
        (lambda: design([1.0, 2.0], planned_seeds=5), "one seed"),
        (lambda: design(np.ones((2, 2, 2))), "shape"),
        (lambda: design([1.0, 2.0], planned_clusters=1), "planned_clusters 1"),
        (lambda: design([1.0, 2.0], planned_clusters=0), "planned_clusters 0"),
        (lambda: design(np.eye(3), planned_seeds=0), "planned_seeds 0"),
        (lambda: design([1.0, 2.0], family_size=0), "family_size 0"),
        (lambda: design([1.0, np.nan]), "pilot: value 2 is nan"),
        (lambda: design([1.0, 2.0]).power(0.0), "effect 0.0"),
        (lambda: design([1.0, 2.0]).power(np.nan), "effect nan"),
        (lambda: design([1.0, 2.0]).smallest_detectable(1.0), "power 1.0"),
    ],
)
def test_bad_designs_are_one_clear_line(call, message):
    with pytest.raises(InputError, match=message):
        call()
