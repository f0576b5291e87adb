"""Expansion values, Lemma 1's constants and the closed form against mpmath and against exact regrets."""

from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from refsym_theory.errors import InputError
from refsym_theory.selection.containment import containment_error
from refsym_theory.selection.margins import margins
from refsym_theory.selection.regret import chi, closed_form_bound, expansion_value, pooled_form
from refsym_theory.selection.trigger import trigger_order, triggered_count


def test_expansion_value_is_the_difference_and_never_negative():
    s = np.random.default_rng(0).normal(size=(20, 30))
    value = expansion_value(s, 4, 8, 0.3)
    difference = containment_error(s, 4, 4, 0.3) - containment_error(s, 4, 8, 0.3)
    assert np.array_equal(value, np.maximum(difference, 0))
    assert (expansion_value(s, 4, 8, 1e-6) >= 0).all()


@pytest.mark.parametrize("d", [0.01, 0.3, 1.0, 2.0, 5.0, 40.0])
def test_chi_is_its_series(d):
    expected = mp.fsum((m + 1) * mp.exp(-(m**2) * mp.mpf(d) ** 2 / 4) for m in range(1, int(20 / d) + 2))
    assert abs(chi(d) - float(expected)) <= 1e-12 * float(expected)
    if d >= 2:
        assert chi(d) <= 2.2 * np.exp(-(d**2) / 4)


def test_chi_bounds_its_series_where_it_is_not_summed():
    for d in (9e-4, 1e-5):
        # The series against its integral: terms differ from it by at most the largest one.
        rate = d * d / 4
        integral = 0.5 / rate + np.sqrt(np.pi / rate) / 2
        exact = float(np.sum((np.arange(1, 4e6) + 1) * np.exp(-rate * np.arange(1, 4e6) ** 2)))
        assert exact <= chi(d) if d > 1e-4 else integral <= chi(d)
        assert chi(d) <= integral + 2 / d + 3
    assert chi(0.0) == np.inf


def spaced(rng, tiles, n, k, floor, ratio):
    """Tiles that satisfy (A1) with `floor` and have spreads within a small band: cutoff gaps vary."""
    spacing = floor * (1 + rng.random((tiles, n - 1)))
    spacing[:, k - 1] = ratio * rng.random(tiles)
    return np.concatenate([np.zeros((tiles, 1)), -np.cumsum(spacing, axis=1)], axis=1)


@given(st.integers(0, 10**6), st.integers(2, 14), st.sampled_from(["0.1", "0.25", "0.4", "0.77"]))
@settings(derandomize=True, deadline=None, max_examples=150)
def test_the_bound_holds_against_exact_regrets(seed, tiles, q):
    rng = np.random.default_rng(seed)
    k, m, n = 3, 6, 12
    scores = spaced(rng, tiles, n, k, float(rng.uniform(0, 6)), float(rng.uniform(0.1, 4)))
    sizes, kept, expanded = np.full(tiles, n), np.full(tiles, k), np.full(tiles, m)
    found = margins(scores, sizes, kept, expanded)
    form = closed_form_bound(found.gap, found.spread, found.sigma, found.spacing, extra=m - k, tau=1.0, q=q)
    value = expansion_value(scores, k, m, 1.0)
    triggered = triggered_count(Fraction(q), tiles)
    best = np.sort(value)[::-1][:triggered].sum()
    regret = (best - value[trigger_order(found.sigma)[:triggered]].sum()) / tiles
    assert regret <= form.bound + 1e-9
    # Lemma 1 at its own floor: V-bar(g) <= E_k <= V-bar(g) (1 + chi).
    v_bar = special.ndtr(-found.gap / np.sqrt(2.0))
    error = containment_error(scores, k, k, 1.0)
    floor = found.spacing.min()
    assert (v_bar <= error + 1e-9).all()
    assert (error <= v_bar * (1 + chi(floor)) + 1e-9).all()


def test_the_printed_factor_is_false():
    """UG equation 24 prints min(q, 1 - q), but D = ceil(q T) tiles are triggered: two tiles, q = 0.1 refute it."""
    wide = -np.array([0.0, 152.0, 157.0, 165.0, 173.0])  # g = 5, r = 157: smallest sigma, hardly at risk
    narrow = -np.array([0.0, 8.0, 8.3, 16.3, 24.3])  # g = 0.3, r = 8.3: at risk, not triggered
    scores = np.stack([wide, narrow])
    found = margins(scores, np.full(2, 5), np.full(2, 2), np.full(2, 4))
    form = closed_form_bound(found.gap, found.spread, found.sigma, found.spacing, extra=2, tau=1.0, q="0.1")
    value = expansion_value(scores, 2, 4, 1.0)
    assert trigger_order(found.sigma)[0] == 0
    assert form.violating == 0
    assert form.beta < 1
    regret = (value[1] - value[0]) / 2
    assert regret > 0.2 > 0.1 * form.cost  # as printed
    assert regret <= form.bound == 0.5 * form.cost  # with min(D, T - D) / T


def test_parts_of_the_closed_form():
    gap, spread = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 1.1, 0.9, 1.0])
    form = closed_form_bound(gap, spread, gap / spread, np.full(4, 30.0), extra=8, tau=0.5, q="0.5")
    assert (form.tiles, form.triggered) == (4, 2)
    assert form.spread_mean == pytest.approx(1.0, abs=1e-15)
    assert form.beta == pytest.approx(0.1, abs=1e-12)
    assert form.spread_cv == pytest.approx(np.std(spread), abs=1e-12)
    assert form.spread_cv <= form.beta
    assert form.gamma == pytest.approx(np.sort(gap / spread)[1], abs=1e-15)
    assert form.delta_2 == 30.0
    assert form.violating == 0.0
    assert form.chi == pytest.approx(0.0, abs=1e-300)
    z = form.gamma * 0.9 / (np.sqrt(2) * 0.5)
    band = np.sqrt(2) * 0.1 * form.gamma / 0.5 * np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    assert form.branch == "band"
    assert form.cost == pytest.approx(band, rel=1e-9)
    assert form.bound == pytest.approx(0.5 * band, rel=1e-9)
    assert form.band_mass == 0.25


def test_ties_leave_the_trivial_branch():
    form = closed_form_bound(np.zeros(5), np.zeros(5), np.zeros(5), np.zeros(5), extra=2, tau=1.0, q="0.4")
    assert form.delta_2 == 0.0
    assert form.chi == np.inf
    assert (form.branch, form.cost, form.bound) == ("one", 1.0, 2 / 5)


def test_a_wide_spread_switches_the_band_off():
    """beta >= 1 breaks (A2): the band term must not be used, however small it is."""
    gap = np.array([0.1, 0.1, 0.1])
    form = closed_form_bound(gap, [0.1, 0.1, 9.0], gap, np.full(3, 99.0), extra=5, tau=1e-3, q="0.4")
    assert form.beta >= 1
    assert form.branch == "half"


def test_tiles_below_the_floor_are_paid_for():
    """Nine tiles with a high floor and one tied: the bound uses the floor and adds the tenth."""
    gap, spread = np.full(10, 0.5), np.full(10, 10.0)
    floor = np.array([0.0] + [50.0] * 9)
    form = closed_form_bound(gap, spread, gap / spread, floor, extra=5, tau=0.1, q="0.4")
    assert form.delta_2 == 50.0
    assert form.violating == 0.1
    assert form.bound == pytest.approx(0.1 + 0.4 * form.cost)


@pytest.mark.parametrize(("d", "extra"), [(2.6, 1), (2.1, 2), (2.4, 1)])
def test_epsilon_is_that_of_the_lemma(d, extra):
    """epsilon = chi + (1 + chi) exp(-(extra Delta_2 / tau)^2 / 4), where every term of it shows."""
    tau = 0.3
    form = closed_form_bound(
        np.full(4, 0.1), np.ones(4), np.full(4, 0.1), np.full(4, d * tau), extra=extra, tau=tau, q="0.5"
    )
    assert form.delta_2 == d * tau
    series = mp.fsum((m + 1) * mp.exp(-(m**2) * mp.mpf(d) ** 2 / 4) for m in range(1, 40))
    expected = series + (1 + series) * mp.exp(-((extra * mp.mpf(d)) ** 2) / 4)
    assert form.epsilon == pytest.approx(float(expected), rel=1e-12)
    assert abs(float(expected - series * (1 + mp.exp(-((extra * mp.mpf(d)) ** 2) / 4)))) > 0.01
    # beta = 0: the band term is nothing, and the cost is epsilon itself or (1 + epsilon) / 2.
    assert form.cost == pytest.approx(min(float(expected), (1 + float(expected)) / 2), rel=1e-12)
    assert form.bound == pytest.approx(form.cost / 2, rel=1e-12)


def test_pooled_parts_are_weighted_by_tiles():
    rng = np.random.default_rng(4)
    forms = []
    for tiles, tau in ((4, 0.3), (11, 0.4), (2, 0.1)):
        spread = 1 + 0.1 * rng.random(tiles)
        gap = 0.2 * rng.random(tiles)
        forms.append(closed_form_bound(gap, spread, gap / spread, 1 + rng.random(tiles), extra=2, tau=tau, q="0.3"))
    both = pooled_form(pooled_form(forms[0], forms[1]), forms[2])
    assert both.tiles == 17
    assert both.triggered == 2 + 4 + 1
    parts = "bound cost delta_2 violating spacing_low spacing_median spacing_high chi epsilon spread_mean beta"
    for name in f"{parts} spread_cv gamma band_mass".split():
        values = [getattr(form, name) for form in forms]
        expected = (4 * values[0] + 11 * values[1] + 2 * values[2]) / 17
        assert getattr(both, name) == pytest.approx(expected, rel=1e-13), name
    unweighted = sum(form.bound for form in forms) / 3
    assert abs(both.bound - unweighted) > 1e-3
    assert set(both.branch.split("/")) == {form.branch for form in forms}


@pytest.mark.parametrize("tau", [0.0, -1.0, np.nan, np.inf])
def test_tau_must_be_positive(tau):
    with pytest.raises(InputError, match="tau"):
        closed_form_bound([1.0], [1.0], [1.0], [1.0], extra=1, tau=tau, q="0.4")


def test_no_tile_is_refused():
    with pytest.raises(InputError, match="no eligible tile"):
        closed_form_bound([], [], [], [], extra=1, tau=1.0, q="0.4")
