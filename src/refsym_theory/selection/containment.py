"""Probability that a kept set misses a true top-k block (UG appendix D.2, equation 19).

Posterior: mu_b ~ N(s_b, tau^2), independent over the free visible blocks of a tile. The kept set is the first
``m`` blocks of the sorted scores, ``m >= k``. It misses a true top-k block exactly when the largest excluded mu,
x, is beaten by at most k - 1 kept ones, so that

    E_m = integral of F'(x) C(x) dx,   F(x) = prod over excluded b of Phi((x - s_b) / tau),
                                       C(x) = P(#{kept b : mu_b > x} <= k - 1),

where the count is Poisson-binomial. The integral is one-dimensional and its integrand is entire: the trapezoid
rule converges geometrically, and what it still lacks is read off the integrand's own spectrum.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from refsym_theory.errors import InputError
from refsym_theory.selection.tiles import Tiles, checked_tiles

Float = NDArray[np.float64]
Int = NDArray[np.int64]

TOLERANCE = 1e-9
"""Absolute error promised for an exact containment error."""

_STEP = 3.0 / 32.0  # node spacing of one grid, in units of tau; exact in binary
_ORDERS = 9  # Taylor terms about a table entry, written out below; half a bin on, the next is below 1e-13 a block
_REACH = 8.0  # Phi(-8) = 6e-16: beyond it a comparison counts as certain
_REACH_STEPS = int(_REACH / _STEP) + 1
_TABLE_HALF = 280  # tabulated arguments: -26 .. 26
_TAIL = 5e-11  # mass left outside the nodes, at either end
_NOTHING = 1e-14  # a probability that no sum here can notice
_ALIAS = 2e-10  # estimated discretisation error below which a tile is done
_ROUNDING = 1e-15  # error a block may add in log F: tables, Taylor remainder, sums
_GRIDS = 16  # at most so many interleaved grids: the finest step is _STEP / 16
_CERTAIN = 8.0  # in tau: Phi(-8 / sqrt 2) = 8e-9
_PIECE = 64  # tiles that a thread takes at once
_SAMPLES = 1 << 17  # normals held at once
_PERIOD = 16  # node values are summed by index modulo this, for the spectral check


def _derivative_tables() -> tuple[Float, Float]:
    """Derivatives of log Phi (orders 0 to _ORDERS) and of Phi (0 to _ORDERS - 1) at multiples of the step."""
    x = np.arange(-_TABLE_HALF, _TABLE_HALF + 1) * _STEP
    density = np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi)
    # Below -10 a block makes F < 1e-23; its huge derivatives would only invite overflow.
    hazard = [np.where(x >= -10.0, density / special.ndtr(np.maximum(x, -10.0)), 0.0)]
    for n in range(_ORDERS - 1):
        # h = phi / Phi obeys h' = -h (x + h); this is its n-th derivative.
        following = -x * hazard[n] - (n * hazard[n - 1] if n else 0.0)
        for i in range(n + 1):
            following = following - special.comb(n, i) * hazard[i] * hazard[n - i]
        hazard.append(following)
    log_phi = np.stack([special.log_ndtr(x), *hazard])
    hermite = [density * (-1.0) ** p * special.eval_hermitenorm(p, x) for p in range(_ORDERS - 1)]
    phi = np.stack([special.ndtr(x), *hermite])
    return log_phi, phi


_LOG_PHI, _PHI = _derivative_tables()

# Phi(x - s)^r <= _TAIL at x = s + _FLOOR[i], r = 2^i: where r blocks at s or above leave F no mass.
_FLOOR = special.ndtri_exp(np.log(_TAIL) / 2.0 ** np.arange(20))


def _jit(function: Any) -> Any:
    """Compile with the settings all kernels share; `contract` lets a product and a sum become one."""
    settings: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract"}}
    try:
        return numba.njit(cache=True, **settings)(function)
    except RuntimeError:  # a read-only installation without a writable home: compile in every process
        return numba.njit(**settings)(function)


@_jit
def _four_at_once(below: Float, b: int, step: Float) -> None:
    """Law of how many of the comparisons b .. b + 3 come out above, into `step` [5, nodes]."""
    q0, q1, q2, q3 = below[b], below[b + 1], below[b + 2], below[b + 3]
    s0, s1, s2, s3, s4 = step[0], step[1], step[2], step[3], step[4]
    for j in range(q0.size):
        none, both = q0[j] * q1[j], (1.0 - q0[j]) * (1.0 - q1[j])
        one = q0[j] * (1.0 - q1[j]) + q1[j] * (1.0 - q0[j])
        none_, both_ = q2[j] * q3[j], (1.0 - q2[j]) * (1.0 - q3[j])
        one_ = q2[j] * (1.0 - q3[j]) + q3[j] * (1.0 - q2[j])
        s0[j] = none * none_
        s1[j] = none * one_ + one * none_
        s2[j] = none * both_ + one * one_ + both * none_
        s3[j] = one * both_ + both * one_
        s4[j] = both * both_


@_jit
def _convolve(old: Float, step: Float, last: int, new: Float) -> None:
    """Law of a count with four more comparisons, rows 4 .. `last`; on its own so that LLVM vectorises it."""
    for c in range(4, last + 1):
        for j in range(old.shape[1]):
            # The floor adds nothing and keeps far tails out of the slow subnormal range.
            new[c, j] = old[c, j] * step[0, j] + (
                old[c - 1, j] * step[1, j]
                + (old[c - 2, j] * step[2, j] + (old[c - 3, j] * step[3, j] + (old[c - 4, j] * step[4, j] + 1e-100)))
            )


@_jit
def _count_at_most(below: Float, limit: int, out: Float) -> None:
    """P(#{above} <= limit) of independent comparisons with P(below) = `below` [size, nodes], into `out` [nodes].

    Poisson-binomial in two halves, joined by one cumulative sum; `size` is a multiple of 8.
    """
    size, nodes = below.shape
    half = size // 2
    highest = min(limit, half)
    laws = np.zeros((2, 2, highest + 5, nodes))  # [half, old or new]; the first four rows stand for negative counts
    step = np.empty((5, nodes))
    first, second = laws[0, 0], laws[1, 0]
    for part in range(2):
        old, new = laws[part, 0], laws[part, 1]
        old[4] = 1.0
        for b in range(0, half, 4):
            _four_at_once(below, part * half + b, step)
            _convolve(old, step, min(b + 4, highest) + 4, new)
            old, new = new, old
        if part == 0:
            first = old
        else:
            second = old
    for c in range(5, highest + 5):
        for j in range(nodes):
            second[c, j] += second[c - 1, j]
    out[:] = 0.0
    for c in range(highest + 1):
        rest = min(limit - c, highest)
        for j in range(nodes):
            out[j] += first[c + 4, j] * second[rest + 4, j]


@_jit
def _undecided(below: Float, enough: int, short: int, f: Float) -> tuple[int, int, float]:
    """Nodes between which the count is worth computing, and the width of the count's transition.

    F C is nothing before those nodes, C is one after them.

    C = 1 - P(#above >= `enough`) = P(#below >= `short`); the Chernoff bound P(X >= a) <= exp(a - mean) (mean / a)^a
    holds for both counts, and F and C only grow.
    """
    nodes = f.size
    mean = np.zeros(nodes)
    for b in range(below.shape[0]):
        for j in range(nodes):
            mean[j] += below[b, j]
    near = 0
    while near < nodes:
        bound = 1.0
        if mean[near] < short:
            bound = np.exp(short - mean[near]) * (mean[near] / short) ** short
        if f[near] * bound > _NOTHING:
            break
        near += 1
    far = nodes
    while far > near:
        above = below.shape[0] - mean[far - 1]
        if above >= enough or np.exp(enough - above) * (above / enough) ** enough > _NOTHING:
            break
        far -= 1
    middle = 1
    while middle < nodes - 1 and below.shape[0] - mean[middle] > enough - 0.5:
        middle += 1
    variance, slope = 0.0, (mean[middle + 1] - mean[middle - 1]) / (2.0 * _STEP) if middle < nodes - 1 else 0.0
    for b in range(below.shape[0]):
        variance += below[b, middle] * (1.0 - below[b, middle])
    width = np.sqrt(variance) / slope if slope > 0.0 else np.inf
    return near, far, width


@_jit
def _window(scores: Float, k: int, kept: int, floor: Float) -> tuple[float, float]:
    """Bounds outside which the integrand holds at most _TAIL; `scores` [n] descending, in units of tau.

    Above: 1 - F(x) <= sum of Phi(s_b - x). Below, F C is at most either factor: r excluded blocks at s or above
    bound F by Phi(x - s)^r; and C needs i of the first k - 1 + i kept blocks below x, of which there are
    binomial(k - 1 + i, i) choices.
    """
    excluded = scores[kept:]
    close = 1
    while close < excluded.size and excluded[close] > excluded[0] - _REACH:
        close += 1
    high = excluded[0] + np.sqrt(2.0 * np.log(close / (2.0 * _TAIL)))
    low = excluded[0] + floor[0]
    i, r = 1, 2
    while r <= excluded.size and i < floor.size:
        low = max(low, excluded[r - 1] + floor[i])
        i, r = i + 1, r * 2
    i, choices = 1, np.log(k)
    while i <= kept - k + 1:
        # Phi(-z) <= exp(-z^2 / 2) / 2 for z >= 0.
        depth = (choices - np.log(_TAIL)) / i - np.log(2.0)
        low = max(low, scores[k - 2 + i] - np.sqrt(2.0 * max(depth, 0.0)))
        i += 1
        choices += np.log((k - 1.0 + i) / i)
    return low, high


@_jit
def _grid_sums(
    scores: Float, k: int, kept: int, shift: float, log_phi: Float, phi: Float, floor: Float, sums: Float
) -> float:
    """Sum F'(x) C(x) over the nodes x = _STEP * j - shift, by j modulo _PERIOD, into `sums`.

    Returns the width of C's transition as a standard deviation; infinite where C has none to speak of.

    `scores` [n] are descending, in units of tau, relative to the largest excluded one.
    """
    sums[:] = 0.0
    low, high = _window(scores, k, kept, floor)
    start = int(np.floor((low + shift) / _STEP))
    nodes = int(np.ceil((high + shift) / _STEP)) - start + 1
    if nodes < 3:
        return np.inf
    # Excluded blocks as Taylor moments about bins two steps wide: log F is then a short table convolution.
    log_f = np.zeros(nodes)
    slope = np.zeros(nodes)
    moment = np.zeros(_ORDERS)
    b = kept
    while b < scores.size and scores[b] > low - _REACH:
        bin_ = int(np.rint((scores[b] + shift) / (2.0 * _STEP)))
        moment[:] = 0.0
        while b < scores.size and int(np.rint((scores[b] + shift) / (2.0 * _STEP))) == bin_:
            delta = 2.0 * _STEP * bin_ - (scores[b] + shift)
            term = 1.0
            for p in range(_ORDERS):
                moment[p] += term
                term *= delta / (p + 1.0)
            b += 1
        m0, m1, m2, m3, m4, m5, m6, m7, m8 = moment
        # Further above than _REACH the bin no longer matters; unsigned indices spare the loop a wrap-around test.
        reach = np.uint64(min(nodes, max(0, 2 * bin_ + _REACH_STEPS - start)))
        base = np.uint64(start - 2 * bin_ + _TABLE_HALF)
        for j in range(reach):
            i = base + j
            t1, t2, t3, t4 = log_phi[1, i], log_phi[2, i], log_phi[3, i], log_phi[4, i]
            t5, t6, t7, t8 = log_phi[5, i], log_phi[6, i], log_phi[7, i], log_phi[8, i]
            log_f[j] += (
                m0 * log_phi[0, i] + m1 * t1 + m2 * t2 + m3 * t3 + m4 * t4 + m5 * t5 + m6 * t6 + m7 * t7 + m8 * t8
            )
            slope[j] += (
                m0 * t1 + m1 * t2 + m2 * t3 + m3 * t4 + m4 * t5 + m5 * t6 + m6 * t7 + m7 * t8 + m8 * log_phi[9, i]
            )
    # Kept blocks: certain above, then uncertain, then certain below.
    first = 0
    while first < kept and scores[first] > high + _REACH:
        first += 1
    last = first
    while last < kept and scores[last] > low - _REACH:
        last += 1
    below = np.empty((last - first, nodes))
    for b in range(first, last):
        at = int(np.rint((scores[b] + shift) / _STEP))
        d = at * _STEP - (scores[b] + shift)
        d2, d3, d4 = d * d / 2.0, d * d * d / 6.0, d * d * d * d / 24.0
        d5, d6, d7, d8 = d4 * d / 5.0, d4 * d * d / 30.0, d4 * d3 / 35.0, d4 * d4 / 70.0
        base = np.uint64(start - at + _TABLE_HALF)
        for j in range(np.uint64(nodes)):
            i = base + j
            below[b - first, j] = (
                phi[0, i]
                + d * phi[1, i]
                + d2 * phi[2, i]
                + d3 * phi[3, i]
                + d4 * phi[4, i]
                + d5 * phi[5, i]
                + d6 * phi[6, i]
                + d7 * phi[7, i]
                + d8 * phi[8, i]
            )
    for j in range(nodes):
        log_f[j] = np.exp(log_f[j])
    count = np.ones(nodes)
    width = np.inf
    if kept == k:  # the count falls short as soon as one kept block does
        if first + below.shape[0] == kept:
            for b in range(kept - first):
                for j in range(nodes):
                    count[j] *= 1.0 - below[b, j]
            for j in range(nodes):
                count[j] = 1.0 - count[j]
    elif first >= k:
        count[:] = 0.0
    elif below.shape[0] >= k - first:  # else even all of them leave the count at k - 1
        near, far, width = _undecided(below, k - first, kept - k + 1 - (kept - last), log_f)
        count[:near] = 0.0
        if near < far:
            certain = -below.shape[0] % 8  # comparisons that are below for sure fill up the eights
            open_ = np.ones((below.shape[0] + certain, far - near))
            open_[: below.shape[0]] = below[:, near:far]
            _count_at_most(open_, k - 1 - first, count[near:far])
    for j in range(nodes):
        sums[(start + j) & (_PERIOD - 1)] += log_f[j] * slope[j] * count[j]
    return width


@_jit
def _aliasing(sums: Float, grids: int, blocks: int, width: float) -> float:
    """Estimate the trapezoid error of `grids` interleaved grids from the spectrum of their node values.

    The error is twice the integrand's Fourier amplitude at the sampling frequency. The amplitude at 7 sixteenths of
    it is carried on at the slowest of three declines a sixteenth: as last measured; as of the extreme of `blocks`
    tied blocks, exp(-pi^2 nu / sqrt(2 log blocks)); as of a transition of standard deviation `width`. The last two
    stand for a small sharp part that a large smooth one still hides; they are taken at 3/4 for safety.
    """
    stride = _GRIDS // grids
    amplitude = np.empty(3)
    for i in range(3):
        real, imaginary = 0.0, 0.0
        for grid in range(grids):
            for residue in range(_PERIOD):
                angle = 2.0 * np.pi / 16.0 * ((5 + i) * (residue * grids - grid) % 16)
                real += sums[grid * stride, residue] * np.cos(angle)
                imaginary += sums[grid * stride, residue] * np.sin(angle)
        amplitude[i] = np.hypot(real, imaginary) * _STEP / grids
    largest = max(amplitude[1], amplitude[2])
    if largest <= 0.1 * _ALIAS:
        return float(2.0 * largest)
    decline = amplitude[1] / amplitude[0]
    last = max(amplitude[2], amplitude[1] * decline)  # the former may sit in a zero of two interfering parts
    measured = max(amplitude[2] / amplitude[1], decline)
    frequency = grids / _STEP
    extreme = np.exp(-0.75 * np.pi**2 * frequency / np.sqrt(2.0 * np.log(max(blocks, 2))) / 16.0)
    transition = np.exp(-0.75 * 0.5 * (2.0 * np.pi * width * frequency) ** 2 * (1.0 - 49.0 / 256.0) / 9.0)
    return float(2.0 * last * min(1.0, max(measured, extreme, transition)) ** 9)


@_jit
def _containment(
    scores: Float, k: int, kept: int, tau: float, log_phi: Float, phi: Float, floor: Float
) -> tuple[float, float]:
    """E_m of one tile, and the estimated absolute error; `scores` [n] descending."""
    n = scores.size
    if kept >= n:
        return 0.0, 0.0
    units = (scores - scores[kept]) / tau
    sums = np.empty((_GRIDS, _PERIOD))
    grids, width = 1, np.inf
    while True:
        for grid in range(grids):
            if grids == 1 or grid % 2 == 1:  # the even ones are there from the coarser step
                shift = _STEP * grid / grids
                width = _grid_sums(units, k, kept, shift, log_phi, phi, floor, sums[grid * (_GRIDS // grids)])
        error = _aliasing(sums, grids, max(kept, n - kept), width)
        if error <= _ALIAS or grids == _GRIDS:
            break
        grids *= 2
    total = 0.0
    for grid in range(grids):
        total += np.sum(sums[grid * (_GRIDS // grids)])
    return min(max(total * _STEP / grids, 0.0), 1.0), error + 2.0 * _TAIL + _ROUNDING * n


@_jit
def _evaluate(
    scores: Float,
    sizes: Int,
    row: Int,
    k: Int,
    kept: Int,
    tau: Float,
    log_phi: Float,
    phi: Float,
    floor: Float,
    values: Float,
    errors: Float,
) -> None:
    for i in range(row.size):
        t = row[i]
        values[i], errors[i] = _containment(scores[t, : sizes[t]], k[i], kept[i], tau[i], log_phi, phi, floor)


def exact_errors(
    scores: Float, sizes: Int, row: Int, k: Int, kept: Int, tau: Float, *, threads: int = 1
) -> tuple[Float, Float]:
    """E_m of each question asked of sorted tiles, and the estimated absolute numerical error of each.

    Parameters
    ----------
    scores
        [T, N] float64, each row descending in its first ``sizes[t]`` entries; the rest is not read.
    sizes
        [T] int64: free visible blocks of each tile.
    row, k, kept, tau
        [J] questions: which tile, free ranks that count as true top, size of the kept set, noise scale.
    threads
        The kernel lets go of Python's lock; the values do not depend on how many share the work.
    """
    values = np.empty(row.size)
    errors = np.empty(row.size)

    def part(piece: slice) -> None:
        questions = (row[piece], k[piece], kept[piece], tau[piece])
        _evaluate(scores, sizes, *questions, _LOG_PHI, _PHI, _FLOOR, values[piece], errors[piece])

    if threads == 1 or row.size < 2 * _PIECE:
        part(slice(None))
    else:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(part, [slice(start, start + _PIECE) for start in range(0, row.size, _PIECE)]))
    return values, errors


@_jit
def _fill_normals(stream: np.random.Generator, out: Float) -> None:
    """What ``stream.standard_normal(out=out)`` writes, number for number; numba inlines it, which halves the time."""
    for d in range(out.shape[0]):
        for b in range(out.shape[1]):
            out[d, b] = stream.standard_normal()


@_jit
def _count_misses(draws: Float, scores: Float, k: int, kept: int, tau: float, first: int, last: int) -> int:
    """In how many of the standard normal `draws[first:last]` the kept set misses a true top-k block."""
    misses = 0
    n = scores.size
    for d in range(first, last):
        largest = -np.inf
        for b in range(kept, n):
            largest = max(largest, scores[b] + tau * draws[d, b])
        above = 0
        for b in range(kept):
            above += scores[b] + tau * draws[d, b] > largest
        misses += above < k
    return misses


def sampled_misses(scores: Float, k: int, kept: tuple[int, ...], tau: float, draws: int, seed: int) -> Int:
    """Misses of one tile's kept sets among `draws` samples of the posterior, first half and second half apart.

    The stream of random numbers is a function of the seed and of the tile's scores alone: the same tile gets the
    same answer in whatever batch, order, thread or worker it stands. All kept sets see the same samples.

    Parameters
    ----------
    scores
        [n] float64, descending.

    Returns
    -------
    [len(kept), 2] int64: misses in the first ``draws - draws // 2`` samples, and in the rest.
    """
    content = np.frombuffer(blake2b(scores.tobytes(), digest_size=16).digest(), dtype="<u4")
    stream = np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, *content.tolist()])))
    # Blocks further than _CERTAIN from the cut are where they seem, but for a chance below 1e-8 a pair: the top
    # ones beat every block below the cut, the bottom ones are beaten by every block above it.
    if k < scores.size:
        first = int(np.count_nonzero(scores[:k] > scores[k] + _CERTAIN * tau))
        last = max(k, *kept, int(np.count_nonzero(scores >= scores[k - 1] - _CERTAIN * tau)))
        scores, k, kept = scores[first:last], k - first, tuple(m - first for m in kept)
    misses = np.zeros((len(kept), 2), dtype=np.int64)
    half = draws - draws // 2
    batch = max(1, min(draws, _SAMPLES // max(1, scores.size)))
    buffer = np.empty((batch, scores.size))
    for start in range(0, draws, batch):
        size = min(batch, draws - start)
        _fill_normals(stream, buffer[:size])
        middle = min(max(half - start, 0), size)
        for i, m in enumerate(kept):
            if m < scores.size:
                misses[i, 0] += _count_misses(buffer, scores, k, m, tau, 0, middle)
                misses[i, 1] += _count_misses(buffer, scores, k, m, tau, middle, size)
    return misses


@dataclass(frozen=True)
class ContainmentEstimate:
    """Monte Carlo estimate of a containment error.

    Attributes
    ----------
    estimate
        [...] share of draws in which the kept set missed a true top-k block; unbiased.
    standard_error
        [...] binomial standard error of `estimate`.
    draws, seed
        What it was sampled with.
    """

    estimate: Float
    standard_error: Float
    draws: int
    seed: int


def _tiles(scores: ArrayLike, k: ArrayLike, kept: ArrayLike, tau: ArrayLike, valid: ArrayLike | None) -> Tiles:
    tiles = checked_tiles(scores, k, kept, tau, valid)
    if (tiles.k < 1).any() or (tiles.kept < tiles.k).any():
        raise InputError("need 1 <= k <= kept (free ranks)")
    return tiles


def containment_error(
    scores: ArrayLike, k: ArrayLike, kept: ArrayLike, tau: ArrayLike, *, valid: ArrayLike | None = None
) -> Float:
    """Probability that the ``kept`` best-scored blocks miss a true top-k block: the exact integral.

    E_m of UG D.2 (the per-tile identification error of equation 19) for m = ``kept``; absolute error below
    `TOLERANCE`.

    Parameters
    ----------
    scores
        [..., N_B] observed scores of the free blocks, in any order.
    k, kept
        Free ranks (forced blocks already taken off), scalars or [...]; 1 <= k <= kept.
    tau
        Standard deviation of the score noise, in the units of the scores; scalar or [...].
    valid
        [..., N_B] bool: which blocks exist, for tiles of different sizes. All, if not given.

    Returns
    -------
    [...] float64 in [0, 1]; 0 where every block is kept.

    Raises
    ------
    InputError
        For a score that is not finite, tau <= 0, or ranks out of order.
    ArithmeticError
        If the checked error estimate stays above `TOLERANCE` at the finest step.
    """
    tiles = _tiles(scores, k, kept, tau, valid)
    rows = np.arange(tiles.sizes.size)
    questions = (rows, tiles.k, tiles.kept, tiles.tau)
    values, errors = exact_errors(tiles.scores, tiles.sizes, *questions, threads=numba.get_num_threads())
    if not (errors <= TOLERANCE).all():
        raise ArithmeticError(f"quadrature did not reach {TOLERANCE}: estimated error {np.max(errors):.2g}")
    return values.reshape(tiles.shape)


def containment_error_mc(
    scores: ArrayLike,
    k: ArrayLike,
    kept: ArrayLike,
    tau: ArrayLike,
    draws: int,
    seed: int,
    *,
    valid: ArrayLike | None = None,
) -> ContainmentEstimate:
    """Probability that the ``kept`` best-scored blocks miss a true top-k block, by sampling the posterior.

    UG D.4 step 4. Arguments as in `containment_error`; ``draws`` samples a tile, from ``seed``. The answer of a
    tile depends on its own scores and the seed only, never on its place in the array.
    """
    if not isinstance(draws, int) or draws < 1:
        raise InputError(f"draws must be a whole number from 1, not {draws!r}")
    if not isinstance(seed, int) or seed < 0:
        raise InputError(f"seed must be a whole number from 0, not {seed!r}")
    tiles = _tiles(scores, k, kept, tau, valid)
    misses = [
        sampled_misses(row[:size], int(kt), (int(mt),), float(t), draws, seed).sum()
        for row, size, kt, mt, t in zip(tiles.scores, tiles.sizes, tiles.k, tiles.kept, tiles.tau, strict=True)
    ]
    estimate = (np.array(misses, dtype=np.float64) / draws).reshape(tiles.shape)
    return ContainmentEstimate(estimate, np.sqrt(estimate * (1.0 - estimate) / draws), draws, seed)
