r"""Many real differences: a certified enclosure of the exact tail.

Adding an independent Gaussian h Z makes T smooth, and moves it by more than s h with probability Q(s) only:

.. math::

    P(T + h Z \ge t + s h) - Q(s) \le P(T \ge t) \le P(T + h Z \ge t - s h) / (1 - Q(s)).

Both outer probabilities are Fourier integrals whose integrand falls like a Gaussian of width 1/h. They are taken of the
law tilted to t, so that they keep their relative accuracy in the tail, by the trapezoidal rule, which converges
geometrically: what it folds over is bounded by Hoeffding. Rounding every difference to a lattice would do the same at a
worse price: Hoeffding's s for the rounding errors grows with the root of n, this one does not.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr
from scipy.stats import norm

from refsym_stats.signed_sums.tail import Tail

WIDTH = 4e-3
"""Relative width of the enclosure that is aimed at down to a probability of 1e-7; below, digits matter ever less."""

REACH = 8.6
"""Half a period in units of the root of the sum of squares: outside it lies 2 exp(-REACH^2 / 2) < 2e-16."""

FOLDED = 4e-16
"""What the window cuts off and folds over, against an integral of order 1 / (1 + tilt)."""

CUT = math.sqrt(80.0)
"""Where the Gaussian's transform ends, in units of 1/h: exp(-40)."""

BLOCK = 32
"""Nodes whose phases are turned together."""

FINEST = CUT * REACH / math.pi / 4_000_000
"""The h that needs four million nodes: some seconds."""

ROUNDING = 1e-10
"""Allowance, relative, for floating-point errors: products of n phases err by n 1e-16 where they matter."""


def upper_tail(differences: NDArray[np.float64], target: float) -> Tail:
    """P(T >= target) for T the signed sum of the differences.

    Parameters
    ----------
    differences : array [n]
        Positive.
    target : float
        Positive, below the largest sum.

    Returns
    -------
    Tail
        An enclosure, about `WIDTH` wide where that many nodes suffice.
    """
    # In units of the root of the sum of squares, the largest difference first: it tells nodes apart soonest.
    largest = float(differences.max())
    scale = largest * math.sqrt(math.fsum((differences / largest) ** 2))
    d = np.sort(differences)[::-1] / scale
    t = target / scale
    tilt = _tilt(d, t)
    # A normal guess of the tail's size, corrected by the tilted law's own scale.
    guess = min(_log_scale(d, tilt) - tilt * t - math.log(3 * (1 + tilt)), math.log(0.5))
    width = min(2.0, WIDTH * max(1.0, -6 - guess / math.log(10)))
    s = float(-norm.ppf(math.exp(max(guess, -700)) * width / 40))
    hazard = max(t, tilt) + 0.8
    h = max(width / (2 * s * hazard), FINEST)
    log_q = float(log_ndtr(-s))
    slip = s * h + 8 * np.finfo(float).eps * (t + 1)
    below = _smoothed(d, t + slip, h, tilt, -FOLDED) - ROUNDING
    above = _smoothed(d, t - slip, h, tilt, FOLDED) + ROUNDING
    log_low = below + math.log1p(-math.exp(log_q - below)) if below > log_q else -math.inf
    log_high = above - math.log1p(-math.exp(log_q))
    return Tail(log_low, min(log_high, 0.0))


def _tilt(d: NDArray[np.float64], t: float) -> float:
    """The theta that puts the tilted mean at t, or as large a one as keeps products representable."""

    def excess(theta: float) -> float:
        return float(d @ np.tanh(theta * d)) - t

    limit = 1.0
    while excess(limit) < 0 and limit * d[0] < 300:
        limit *= 2
    return limit if excess(limit) < 0 else float(brentq(excess, 0.0, limit, xtol=1e-12))


def _log_scale(d: NDArray[np.float64], theta: float) -> float:
    x = theta * d
    return math.fsum(x + np.log1p(np.exp(-2 * x)) - math.log(2))


def _smoothed(d: NDArray[np.float64], y: float, h: float, tilt: float, slack: float) -> float:
    """Log of P(T + h Z >= y), after `slack` is added to the tilted integral."""
    window = REACH + 9 * h
    step = math.pi / window
    blocks = int(CUT / h / step) // BLOCK + 1
    edges = np.linspace(0, blocks, 1 + min(blocks, 8 * (os.cpu_count() or 1))).astype(np.int64).tolist()
    turns = np.outer(d, step * np.arange(BLOCK))
    within = np.cos(turns), np.sin(turns)
    slope = np.tanh(tilt * d)

    def part(ends: tuple[int, int]) -> float:
        return float(_integral(d, slope, *within, y, h, tilt, window, step, *ends))

    with ThreadPoolExecutor() as pool:
        total = math.fsum(pool.map(part, pairwise(edges))) * step / math.pi + slack
    return _log_scale(d, tilt) + (tilt * h) ** 2 / 2 - tilt * y + math.log(max(total, 1e-300))


@numba.njit(cache=True, nogil=True)
def _integral(
    d: Any,
    slope: Any,
    cosines: Any,
    sines: Any,
    y: float,
    h: float,
    tilt: float,
    window: float,
    step: float,
    first: int,
    last: int,
) -> float:
    """Part of the trapezoidal sum of the tilted transform times that of exp(-tilt x) on [0, window].

    Nodes go by blocks: one cosine and sine a block and difference, turned to each node by the angle-sum rule.
    """
    total = 0.0
    real, imag = np.empty(BLOCK), np.empty(BLOCK)
    for block in range(first, last):
        start = block * BLOCK * step
        for k in range(BLOCK):
            u = start + k * step
            # The Gaussian's own transform, tilted, and the target's phase.
            size, angle = math.exp(-0.5 * (h * u) ** 2), u * (tilt * h * h - y)
            real[k], imag[k] = size * math.cos(angle), size * math.sin(angle)
        for i in range(d.shape[0]):
            c0, s0, t = math.cos(start * d[i]), math.sin(start * d[i]), slope[i]
            for k in range(BLOCK):
                c = c0 * cosines[i, k] - s0 * sines[i, k]
                s = t * (s0 * cosines[i, k] + c0 * sines[i, k])
                x = real[k]
                real[k] = x * c - imag[k] * s
                imag[k] = x * s + imag[k] * c
            if i % 8 == 7 and np.max(real * real + imag * imag) < 1e-44:
                real[:] = 0.0
                imag[:] = 0.0
                break
        for k in range(BLOCK):
            u = start + k * step
            # (1 - exp(-(tilt + i u) window)) / (tilt + i u): over [y, y + window].
            if u == 0.0 and tilt * window < 1e-8:
                total += 0.5 * real[k] * window
                continue
            end = math.exp(-tilt * window)
            top_real, top_imag = 1 - end * math.cos(u * window), end * math.sin(u * window)
            norm = tilt * tilt + u * u
            term = real[k] * (top_real * tilt + top_imag * u) - imag[k] * (top_imag * tilt - top_real * u)
            total += (0.5 if u == 0.0 else 1.0) * term / norm
    return total
