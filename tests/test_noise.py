"""The noise scale against a simulation whose noise is known, and at its edges."""

import numpy as np

from refsym_theory.selection.noise import noise_scale


def test_it_recovers_a_known_scale():
    """Differences of pairs with noise 0.7 each: 200,000 of them pin tau to 0.7 within 5 standard errors."""
    rng = np.random.default_rng(0)
    pairs = rng.normal(scale=0.7, size=(200_000, 2))
    found = noise_scale(((pairs[:, 0] - pairs[:, 1]) ** 2).sum(), len(pairs))
    assert abs(found - 0.7) < 5 * 0.7 / np.sqrt(2 * len(pairs))


def test_centring_costs_one_degree_of_freedom_a_tile():
    """split-half subtracts each tile's mean difference: with (blocks - 1) degrees it stays unbiased."""
    rng = np.random.default_rng(1)
    d = rng.normal(scale=0.7 * np.sqrt(2), size=(40_000, 3)) + rng.normal(scale=9, size=(40_000, 1))
    centred = d - d.mean(axis=1, keepdims=True)
    assert abs(noise_scale((centred**2).sum(), 2 * len(d)) - 0.7) < 0.01


def test_nothing_measured_is_nan_and_no_noise_is_zero():
    assert np.isnan(noise_scale([0.0, 0.0], [0, 0])).all()
    assert noise_scale(0.0, 5) == 0.0
    assert np.array_equal(noise_scale([8.0, 0.0], [4, 0]), [1.0, np.nan], equal_nan=True)
