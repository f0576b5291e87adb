"""Containment errors: mpmath at 40 digits, closed forms, brute force over samples, invariances, edges."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from refsym_theory.errors import InputError
from refsym_theory.selection import containment
from refsym_theory.selection.containment import (
    TOLERANCE,
    containment_error,
    containment_error_mc,
    exact_errors,
    sampled_misses,
)

TABLE = json.loads(Path(__file__).with_name("data").joinpath("containment.json").read_text())


def test_table_covers_what_it_promises():
    sizes = {len(c["scores"]) for c in TABLE}
    assert {5, 512} <= sizes
    assert {c["k"] for c in TABLE} >= {1, 64}
    assert any(c["m"] == 4 * c["k"] for c in TABLE)
    assert any(c["k"] == len(c["scores"]) - 1 for c in TABLE)
    assert len(TABLE) >= 150


def test_every_case_of_the_table_is_within_1e_9_of_mpmath():
    worst = 0.0
    for case in TABLE:
        found = containment_error(case["scores"], case["k"], case["m"], case["tau"])
        difference = abs(mp.mpf(float(found)) - mp.mpf(case["error"]))
        assert difference <= TOLERANCE, (case["shape"], len(case["scores"]), case["k"], case["m"], case["tau"])
        worst = max(worst, float(difference))
    assert worst > 0  # the comparison is of two numbers, not of one with itself


@pytest.mark.parametrize("number", range(0, len(TABLE), 29))
def test_table_agrees_with_another_mpmath_quadrature(number):
    """The table's own rule is checked by mpmath's adaptive tanh-sinh, on cases small enough for it."""
    case = TABLE[number]
    if len(case["scores"]) > 70:
        case = TABLE[number % 60]
    k, m, tau = case["k"], case["m"], mp.mpf(case["tau"])
    units = sorted((mp.mpf(s) / tau for s in case["scores"]), reverse=True)
    kept, excluded = units[:m], units[m:]

    def integrand(x):
        cdf = [mp.ncdf(x - s) for s in excluded]
        if min(cdf) == 0:
            return mp.mpf(0)
        slope = mp.fsum(mp.npdf(x - s) / c for s, c in zip(excluded, cdf, strict=True))
        law = [mp.mpf(1)]
        for s in kept:
            above = mp.ncdf(s - x)
            law = [
                (law[c] * (1 - above) if c < len(law) else 0) + (law[c - 1] * above if c else 0)
                for c in range(min(len(law) + 1, k))
            ]
        return mp.fprod(cdf) * slope * mp.fsum(law)

    with mp.workdps(20):
        top = excluded[0]
        expected = mp.quad(integrand, [top + d for d in (-9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9, 12)], maxdegree=6)
        assert abs(expected - mp.mpf(case["error"])) < mp.mpf("1e-12")


@given(st.integers(2, 80), st.data())
@settings(derandomize=True, deadline=None, max_examples=60)
def test_all_tied_is_hypergeometric(n, data):
    """All scores equal: the true top-k set is uniform, so E_m = 1 - C(m, k) / C(n, k)."""
    k = data.draw(st.integers(1, n - 1))
    m = data.draw(st.integers(k, n - 1))
    tau = data.draw(st.sampled_from([1e-6, 1.0, 1e9]))
    expected = 1.0 - np.exp(
        special.gammaln(m + 1) - special.gammaln(m - k + 1) - special.gammaln(n + 1) + special.gammaln(n - k + 1)
    )
    assert abs(containment_error(np.full(n, 3.25), k, m, tau) - expected) <= TOLERANCE


@given(st.floats(0, 30), st.floats(0.01, 10))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_two_blocks_have_a_closed_form(gap, tau):
    """One kept, one excluded: E_1 = Phi(-g / (sqrt 2 tau)), UG's V-bar."""
    expected = special.ndtr(-gap / (np.sqrt(2.0) * tau))
    assert abs(containment_error([gap, 0.0], 1, 1, tau) - expected) <= TOLERANCE


scores_k_m = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-50, 50), min_size=n, max_size=n), st.integers(1, n), st.integers(0, n), st.floats(0.05, 50)
    )
)


@given(scores_k_m)
@settings(derandomize=True, deadline=None, max_examples=120)
def test_invariances(drawn):
    scores, k, more, tau = drawn
    s = np.array(scores)
    m = min(k + more, s.size)
    base = containment_error(s, k, m, tau)
    assert 0.0 <= base <= 1.0
    rng = np.random.default_rng(0)
    assert abs(containment_error(rng.permutation(s), k, m, tau) - base) == 0.0
    assert abs(containment_error(s + 7.5, k, m, tau) - base) <= TOLERANCE
    assert abs(containment_error(s * 1e6, k, m, tau * 1e6) - base) <= TOLERANCE
    # Keeping more never misses more (UG Observation 1); asking for fewer neither.
    if m < s.size:
        assert containment_error(s, k, m + 1, tau) <= base + TOLERANCE
    if k > 1:
        assert containment_error(s, k - 1, m, tau) <= base + TOLERANCE


def test_mirror_identity():
    """The kept set misses a true top-k block iff the dropped one holds a true non-bottom block: m = k mirrors."""
    s = np.random.default_rng(3).normal(size=37)
    for k in (1, 9, 36):
        mirrored = containment_error(-s, s.size - k, s.size - k, 0.7)
        assert abs(containment_error(s, k, k, 0.7) - mirrored) <= TOLERANCE


def test_brute_force_over_samples():
    """An independent count: sort each sampled mu and compare sets; 5 standard errors of 40,000 draws."""
    rng = np.random.default_rng(7)
    s = np.sort(rng.normal(size=20))[::-1]
    mu = s + 0.4 * rng.normal(size=(40_000, 20))
    top = np.argsort(-mu, axis=1)[:, :5]
    for m in (5, 8, 12):
        miss = (top >= m).any(axis=1).mean()
        exact = float(containment_error(s, 5, m, 0.4))
        assert abs(miss - exact) <= 5 * np.sqrt(exact * (1 - exact) / 40_000)


def test_monte_carlo_agrees_with_exact_and_states_its_error():
    rng = np.random.default_rng(5)
    s = rng.normal(size=(60, 30))
    exact = containment_error(s, 6, 12, 0.5)
    found = containment_error_mc(s, 6, 12, 0.5, 4000, 11)
    z = (found.estimate - exact) / np.sqrt(exact * (1 - exact) / 4000)
    assert np.abs(z).max() < 4.5
    assert 0.7 < z.std() < 1.3


def test_monte_carlo_leaves_out_only_what_cannot_matter():
    """Far blocks are pruned; the estimate must still agree where the cut sits among them."""
    s = np.concatenate([np.linspace(100, 90, 5), np.linspace(1, -1, 12), np.linspace(-80, -90, 6)])
    exact = float(containment_error(s, 9, 12, 0.5))
    found = containment_error_mc(s, 9, 12, 0.5, 20_000, 1)
    assert 0 < exact < 1
    assert abs(float(found.estimate) - exact) <= 5 * np.sqrt(exact * (1 - exact) / 20_000)
    assert float(containment_error_mc(s, 5, 5, 0.5, 100, 1).estimate) == 0.0


def test_monte_carlo_does_not_depend_on_batch_order_or_threads():
    rng = np.random.default_rng(5)
    s = rng.normal(size=(12, 30))
    together = containment_error_mc(s, 6, 12, 0.5, 500, 3).estimate
    order = rng.permutation(12)
    assert np.array_equal(containment_error_mc(s[order], 6, 12, 0.5, 500, 3).estimate, together[order])
    assert np.array_equal([containment_error_mc(row, 6, 12, 0.5, 500, 3).estimate for row in s], together)
    ordered = -np.sort(-s)
    with ThreadPoolExecutor(4) as pool:
        threaded = list(pool.map(lambda row: sampled_misses(row, 6, (12,), 0.5, 500, 3).sum() / 500, ordered))
    assert np.array_equal(threaded, together)
    assert not np.array_equal(containment_error_mc(s, 6, 12, 0.5, 500, 4).estimate, together)


def test_normals_are_those_of_numpy():
    """The inlined generator writes numpy's own stream: the samples are a well-kept library's."""
    here, there = (np.random.Generator(np.random.SFC64(5)) for _ in range(2))
    out = np.empty((300, 41))
    containment._fill_normals(here, out)
    assert np.array_equal(out, there.standard_normal((300, 41)))


def test_monte_carlo_in_small_batches_is_the_same(monkeypatch):
    s = np.random.default_rng(5).normal(size=40)
    whole = containment_error_mc(s, 6, 12, 0.5, 999, 3).estimate
    monkeypatch.setattr(containment, "_SAMPLES", 40 * 7)
    assert containment_error_mc(s, 6, 12, 0.5, 999, 3).estimate == whole


def test_exact_values_do_not_depend_on_threads_or_neighbours(monkeypatch):
    monkeypatch.setattr(containment, "_PIECE", 7)
    rng = np.random.default_rng(2)
    s = -np.sort(-rng.normal(size=(40, 50)))
    args = (np.full(40, 50), np.arange(40), np.full(40, 5), np.full(40, 10), np.full(40, 0.3))
    parallel = exact_errors(s, *args, threads=3)[0]
    assert np.array_equal(parallel, exact_errors(s, *args)[0])
    assert np.array_equal(parallel, [containment_error(row, 5, 10, 0.3) for row in s])


def test_ragged_tiles_by_valid():
    rng = np.random.default_rng(9)
    s = rng.normal(size=(4, 20))
    valid = np.arange(20) < np.array([[20], [12], [7], [3]])
    s[~valid] = np.nan  # what is not valid is not read
    found = containment_error(s, 2, [3, 3, 5, 3], 0.4, valid=valid)
    for t, size in enumerate((20, 12, 7, 3)):
        assert found[t] == containment_error(s[t, :size], 2, [3, 3, 5, 3][t], 0.4)
    assert found[3] == 0.0  # everything kept


def test_leading_axes_and_broadcasting():
    s = np.random.default_rng(9).normal(size=(2, 3, 12))
    tau = np.array([0.1, 0.5, 2.0])
    found = containment_error(s, 3, 6, tau)
    assert found.shape == (2, 3)
    assert found[1, 2] == containment_error(s[1, 2], 3, 6, 2.0)
    assert containment_error(np.zeros((0, 12)), 3, 6, 1.0).shape == (0,)
    assert containment_error(np.zeros((3, 0)), 1, 1, 1.0).tolist() == [0.0] * 3  # no block, nothing to miss
    assert containment_error(np.zeros(0), 1, 1, 1.0) == 0.0
    assert containment_error_mc(np.zeros((3, 0)), 1, 1, 1.0, 5, 0).estimate.tolist() == [0.0] * 3


def test_the_error_estimate_sees_a_step_too_coarse():
    """300 tied blocks, 256 kept: one grid of 3/32 is off by more than the tolerance, and the estimate says so."""
    units = np.zeros(300)
    sums = np.zeros((containment._GRIDS, containment._PERIOD))
    tables = (containment._LOG_PHI, containment._PHI, containment._FLOOR)
    width = containment._grid_sums(units, 64, 256, 0.0, *tables, sums[0])
    exact = 1.0 - np.exp(special.gammaln(257) - special.gammaln(193) - special.gammaln(301) + special.gammaln(237))
    actual = abs(sums[0].sum() * containment._STEP - exact)
    estimate = containment._aliasing(sums, 1, 256, width)
    assert estimate >= actual
    assert estimate > containment._ALIAS
    assert 0.05 < width < 0.1  # sqrt(m p (1 - p)) / (m phi) of the rank statistic
    value, error = containment._containment(units, 64, 256, 1.0, *tables)
    assert abs(value - exact) <= error <= TOLERANCE


def node_sums(function, grids):
    """What `_grid_sums` leaves of a function: its values at _STEP * j - shift, by j modulo _PERIOD, a row a shift."""
    sums = np.zeros((containment._GRIDS, containment._PERIOD))
    j = np.arange(-2000, 2001)
    for grid in range(grids):
        x = containment._STEP * j - containment._STEP * grid / grids
        np.add.at(sums[grid * (containment._GRIDS // grids)], j % containment._PERIOD, function(x))
    return sums


def gaussian(x, deviation):
    return np.exp(-0.5 * (x / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


# A Gaussian this wide has 1e-8 to 1e-4 of its area at 5 to 7 sixteenths of the frequency, 1e-38 and less at all of it.
WIDE = {1: 0.2, 2: 0.1, 4: 0.05}


@pytest.mark.parametrize("grids", [1, 2, 4])
@pytest.mark.parametrize("part", [1e-7, 1e-6])
def test_a_small_sharp_transition_under_a_wide_part_is_reckoned_with(grids, part):
    """1e-7 of the area is 0.04 wide: the wide part hides it at 5 and 6 sixteenths, and its decline says nothing."""
    wide, narrow = WIDE[grids], 0.04 / grids
    sums = node_sums(lambda x: gaussian(x, wide) + part * gaussian(x, narrow), grids)
    error = abs(sums.sum() * containment._STEP / grids - (1 + part))
    assert error == pytest.approx(
        2 * part * math.exp(-2 * (math.pi * narrow * grids / containment._STEP) ** 2), rel=0.01
    )
    assert error > containment._ALIAS
    assert containment._aliasing(sums, grids, 2, narrow) >= error
    # Without the width it would be taken for done.
    assert containment._aliasing(sums, grids, 2, np.inf) < 0.1 * containment._ALIAS


@pytest.mark.parametrize("blocks", [100, 1600, 10**5])
def test_a_small_extreme_of_many_ties_under_a_wide_part_is_reckoned_with(blocks):
    """Gumbel's law stands for the largest of many ties: its amplitude is |Gamma(1 + 2 pi i nu b)|."""
    b = 1 / math.sqrt(2 * math.log(blocks))
    part, frequency = 1e-3, 1 / containment._STEP

    def gumbel(x):
        with np.errstate(over="ignore"):
            return np.exp(-x / b - np.exp(-x / b)) / b

    sums = node_sums(lambda x: gaussian(x, 0.2) + part * gumbel(x), 1)
    error = 2 * part * abs(complex(mp.gamma(mp.mpc(1, 2 * mp.pi * frequency * b))))
    estimate = containment._aliasing(sums, 1, blocks, np.inf)
    assert estimate >= error
    assert error > 1e-6 * estimate  # and no idle upper bound either
    # One tie has no extreme to speak of: what is measured then promises far too much.
    assert containment._aliasing(sums, 1, 1, np.inf) < error / 100


@pytest.mark.parametrize("size", [8, 16, 24, 40])
def test_the_count_is_poisson_binomial(size):
    """Against a convolution in exact rationals; all probabilities are sixteenths."""
    rng = np.random.default_rng(size)
    sixteenths = rng.integers(1, 16, (size, 5))
    sixteenths[:, 3] = rng.choice([0, 16], size)  # certain comparisons
    sixteenths[: size // 2, 4], sixteenths[size // 2 :, 4] = 16, 1  # halves unlike each other
    laws = []
    for node in range(5):
        law = [Fraction(1)]
        for i in sixteenths[:, node].tolist():
            below = Fraction(i, 16)
            law = [
                (law[c] * below if c < len(law) else 0) + (law[c - 1] * (1 - below) if c else 0)
                for c in range(len(law) + 1)
            ]
        laws.append(law)
    for limit in (0, 1, size // 2 - 1, size // 2, size // 2 + 1, size - 2, size - 1, size, size + 3):
        out = np.full(5, np.nan)
        containment._count_at_most(sixteenths / 16.0, limit, out)
        for node, law in enumerate(laws):
            expected = sum(law[: limit + 1])
            assert abs(Fraction(float(out[node])) - expected) < Fraction(1, 10**14), (limit, node)
            if limit == 0 and expected:
                assert out[node] == pytest.approx(float(expected), rel=1e-13)


def test_tables_of_derivatives_are_right():
    """Taylor coefficients of log Phi and Phi against mpmath; each order's error is that of its term, summed below."""
    half, step = containment._TABLE_HALF, containment._STEP
    with mp.workdps(40):
        for i in range(half - 96, half + 97, 16):
            x = mp.mpf((i - half) * step)
            for table, function, reach in (
                (containment._LOG_PHI, lambda z: mp.log(mp.ncdf(z)), step),
                (containment._PHI, mp.ncdf, step / 2),
            ):
                exact = mp.taylor(function, x, table.shape[0] - 1)
                for p, coefficient in enumerate(exact):
                    term = abs(float(table[p, i] - coefficient * mp.factorial(p))) * reach**p / float(mp.factorial(p))
                    assert term < 1e-14


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0, np.nan, 0.0], 1, 2, 1.0), r"scores\[1\] is nan"),
        (([1.0, np.inf, 0.0], 1, 2, 1.0), r"scores\[1\] is inf"),
        (([1.0, 0.0], 1, 1, 0.0), "tau must be positive"),
        (([1.0, 0.0], 1, 1, np.nan), "tau must be positive"),
        (([1.0, 0.0], 0, 1, 1.0), "1 <= k <= kept"),
        (([1.0, 0.0], 2, 1, 1.0), "1 <= k <= kept"),
        (([1.0, 0.0], 1.0, 1, 1.0), "k must be an integer"),
        (([2**53 + 1, 0], 1, 1, 1.0), "beyond 2"),
        ((["a", "b"], 1, 1, 1.0), "real numbers"),
        ((1.0, 1, 1, 1.0), "real numbers"),
        (([[1.0, 2.0], [1.0]], 1, 1, 1.0), "ragged"),
        (([1.0, 0.0], 1, 1, "x"), "tau must be a positive number"),
        (([[1.0, 0.0]], [1, 1], 1, 1.0), "k has shape"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(InputError, match=message):
        containment_error(*arguments)


def test_valid_must_fit():
    with pytest.raises(InputError, match="valid"):
        containment_error([1.0, 0.0], 1, 1, 1.0, valid=[1, 0])


def test_extreme_scales():
    """Scores near the ends of float64 neither overflow nor lose the answer."""
    assert containment_error([1e308, -1e308, 0.0], 1, 1, 1.0) == 0.0
    assert abs(containment_error([5e-324, 0.0], 1, 1, 1.0) - 0.5) <= TOLERANCE
    assert abs(containment_error([1e300, 0.0], 1, 1, 1e300) - special.ndtr(-1 / np.sqrt(2))) <= TOLERANCE
    assert abs(containment_error([1.0, 0.0], 1, 1, 1e308) - 0.5) <= TOLERANCE
    assert containment_error([1.0, 0.0], 1, 1, 5e-324) == 0.0
