"""Library answers that are wrong without saying so. A canary that stops singing: read what leans on it again."""

import numpy as np
import pytest
from mpmath import iv, mp, mpf
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr

from refsym_theory.selection.containment import containment_error


def test_quad_misses_a_narrow_peak_and_claims_no_error():
    """Why integrals here are enclosed, or placed where the integrand lives."""
    value, error = quad(lambda x: np.exp(-((x - 0.3) ** 2) / 2e-8), -50, 50)
    assert value == error == 0.0
    sharp = containment_error(np.array([1.0, 1.0 - 1e-9, -60.0]), 1, 1, 1e-4)
    assert abs(float(sharp) - 0.5) < 1e-5


def test_log_of_a_normal_probability_loses_its_tail():
    with mp.workdps(40):
        truth = mp.log(1 - mp.erfc(8 / mp.sqrt(2)) / 2)
        assert abs(mpf(float(np.log(ndtr(8.0)))) / truth - 1) > 0.05
        assert abs(mpf(float(log_ndtr(8.0))) / truth - 1) < 1e-12


def test_a_difference_of_normal_probabilities_cancels():
    assert ndtr(9.0) - ndtr(8.5) == 0.0
    assert ndtr(-8.5) - ndtr(-9.0) > 0.0


def test_mpmath_intervals_do_not_always_enclose():
    """Why ball arithmetic is python-flint's: `mpmath.iv` loses the exponential of small numbers."""
    flint = pytest.importorskip("flint")
    point = mpf(2) ** -34
    low, high = (mp.make_mpf(end) for end in iv.exp(iv.mpf(point))._mpi_)
    with mp.workdps(60):
        assert not low <= mp.exp(point) <= high
    ball = (flint.arb(1) / 2**34).exp()
    third_term = flint.arb(1) / 2**69
    assert ball.overlaps(1 + flint.arb(1) / 2**34 + third_term)


def test_a_ball_is_not_equal_to_itself():
    flint = pytest.importorskip("flint")
    third = flint.arb(1) / 3
    assert (third == third) is False
    assert not (third > third)
    assert not (third <= third)


def test_sums_of_halves_round_to_even():
    """Why a trigger count is a ceiling of an exact fraction: floats and rounding modes disagree."""
    assert round(3.5) == 4
    assert round(2.5) == 2
    assert np.ceil(0.55 * 100) == 56
