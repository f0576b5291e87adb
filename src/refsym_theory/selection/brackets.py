"""Bounds on expansion values and regret from pairs of scores: no integral, no assumption on the spacings.

Proved as claims OWN.PAIRS and OWN.TRIGGER.
"""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from refsym_theory.errors import InputError
from refsym_theory.selection.tiles import checked_tiles

Float = NDArray[np.float64]
Int = NDArray[np.int64]

_NEGLIGIBLE = 1e-18
"""A pair sum below this is not refined: what follows is bounded by it."""


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _wrong_order(gap: float, tau: float) -> float:
    """V-bar: probability that two blocks whose scores differ by `gap` are truly in the other order."""
    return 0.5 * math.erfc(gap / (2.0 * tau))


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _miss_bound(scores: Float, size: int, k: int, kept: int, tau: float) -> float:
    """Upper bound on E_kept: over dropped j the least, over k <= a <= kept, of the sum over i < a / (a - k + 1)."""
    total = 0.0
    for j in range(kept, size):
        pairs = 0.0
        least = np.inf
        for i in range(kept):
            pairs += _wrong_order(scores[i] - scores[j], tau)
            if i >= k - 1:
                least = min(least, pairs / (i - k + 2))
        total += least
        if total >= 1.0:
            return 1.0
        if pairs < _NEGLIGIBLE:  # every later j lies lower still
            return min(1.0, total + (size - 1 - j) * least)
    return total


@numba.njit(cache=True, nogil=True, error_model="numpy")
def sorted_brackets(scores: Float, sizes: Int, k: Int, expanded: Int, tau: Float, out: Float) -> None:
    """Lower and upper bound on V* of tiles whose scores are sorted, into `out` [2, T]; tau [T] is positive.

    `scores` is [T, N] descending in the first ``sizes[t]`` entries of each row, with 1 <= k < expanded <= sizes.
    """
    for t in range(sizes.size):
        row, size, noise = scores[t], sizes[t], tau[t]
        certain = 0.0 if k[t] >= size else _wrong_order(row[k[t] - 1] - row[k[t]], noise)
        out[0, t] = max(0.0, certain - _miss_bound(row, size, k[t], expanded[t], noise))
        out[1, t] = _miss_bound(row, size, k[t], k[t], noise)


def value_brackets(
    scores: ArrayLike, k: ArrayLike, expanded: ArrayLike, tau: ArrayLike, *, valid: ArrayLike | None = None
) -> tuple[Float, Float]:
    """Bounds L <= V* <= U on the expansion value of tiles, from pairs of scores alone.

    U = min(1, sum over i < k <= j of V-bar(s_i - s_j)) and L = V-bar(g) - (the same kind of bound on E_m), at least 0,
    with V-bar(d) = erfc(d / (2 tau)) / 2. No spacing is assumed (UG's A1); many near ties make them trivial: 0 and 1.

    Parameters
    ----------
    scores
        [..., N] free block scores in any order.
    k, expanded
        Free ranks kept, and kept after expansion; integers or [...]; 1 <= k < expanded.
    tau
        Noise scale, positive; scalar or [...].
    valid
        [..., N] which entries are blocks; all by default.

    Returns
    -------
    lower, upper
        [...] each; both up to rounding, about 1e-15 of their size.

    Raises
    ------
    InputError
        Sizes that do not fit, a score that is not finite, or tau not positive.
    """
    tiles = checked_tiles(scores, k, expanded, tau, valid)
    if ((tiles.k < 1) | (tiles.kept <= tiles.k) | (tiles.kept > tiles.sizes)).any():
        raise InputError("brackets: needs 1 <= k < expanded <= the number of blocks")
    out = np.empty((2, tiles.sizes.size))
    sorted_brackets(tiles.scores, tiles.sizes, tiles.k, tiles.kept, tiles.tau, out)
    return out[0].reshape(tiles.shape), out[1].reshape(tiles.shape)


def trigger_bound(lower: ArrayLike, upper: ArrayLike, chosen: ArrayLike) -> float:
    """Upper bound on the regret of any trigger, from bounds on its tiles' values.

    With D of T tiles chosen and n = min(D, T - D): 1/T times the sum over j < n of the j-th largest upper bound outside
    less the j-th smallest lower bound inside, where that is positive. Values at U outside and at L inside attain it, so
    that no smaller bound knows L and U alone; with L = U = V* it is the regret itself.

    Parameters
    ----------
    lower, upper
        [T] bounds on V*.
    chosen
        [T] true for the tiles that the trigger expands.
    """
    low, high, inside = np.asarray(lower, float), np.asarray(upper, float), np.asarray(chosen, bool)
    if not (low.shape == high.shape == inside.shape and low.ndim == 1 and low.size):
        raise InputError("trigger bound: lower, upper and chosen must be [T] with T at least 1")
    if not (low <= high).all():
        raise InputError("trigger bound: lower must not exceed upper, and neither may be NaN")
    pairs = min(int(inside.sum()), int((~inside).sum()))
    left_out = np.sort(high[~inside])[::-1][:pairs]
    expanded = np.sort(low[inside])[:pairs]
    return float(np.maximum(left_out - expanded, 0.0).sum() / low.size)
