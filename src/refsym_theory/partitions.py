"""Contiguous cells of a fine grid, and their masses (RS E.1, I.1): edges in, edges and masses out.

A partition of F fine cells into N is its N + 1 edges, integers from 0 to F; cell i holds fine cells
``edges[i] .. edges[i + 1] - 1``. The density decides which: constant (uniform), 1 + 8 |f| (activity),
1 + 8 d / mean d with d the change to the next fine cell (variation); change between frames (motion) or entropy of each
frame (entropy) as they are. Keyframes cut where the change is largest.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refsym_theory.errors import InputError

Float = NDArray[np.float64]
Int = NDArray[np.int64]

GAIN = 8.0
"""How much denser cells lie where the signal is active, RS E.1."""


def uniform_edges(fine: int, cells: int) -> Int:
    """Edges of cells that are equal up to one fine cell: int64 [cells + 1]."""
    _check(fine, cells)
    return np.arange(cells + 1, dtype=np.int64) * fine // cells


def activity(signal: ArrayLike) -> Float:
    """Density 1 + 8 |f| of a signal [..., F] (RS E.1)."""
    density: Float = 1.0 + GAIN * np.abs(np.asarray(signal, dtype=np.float64))
    return density


def variation(signal: ArrayLike) -> Float:
    """Density 1 + 8 d / mean d with d_j = |f_(j+1) - f_j|, circular, of a signal [..., F] (RS E.1).

    A constant signal has no variation: its density is 1.
    """
    f = np.asarray(signal, dtype=np.float64)
    change = np.abs(np.roll(f, -1, axis=-1) - f)
    mean = change.mean(axis=-1, keepdims=True)
    density: Float = 1.0 + GAIN * np.divide(change, mean, out=np.zeros_like(change), where=mean > 0)
    return density


def quantile_edges(density: ArrayLike, cells: int) -> Int:
    """Edges at the equal quantiles of a density, every cell at least one fine cell (RS E.1).

    Parameters
    ----------
    density : [..., F]
        Not negative, with a positive sum.
    cells : N, at most F

    Returns
    -------
    int64 [..., N + 1]
        Edge i is the number of fine cells whose cumulative sum stays below i / N of the total, moved as little as it
        takes to leave a fine cell to each.

    Raises
    ------
    InputError
        A density is negative, not finite or sums to nothing, or there are more cells than fine cells.
    """
    values = np.asarray(density, dtype=np.float64)
    fine = values.shape[-1]
    _check(fine, cells)
    total = values.cumsum(axis=-1)
    if not (np.isfinite(values).all() and (values >= 0).all() and (total[..., -1] > 0).all()):
        raise InputError("a density must be finite and not negative, and its sum positive")
    flat = total.reshape(-1, fine)
    steps = np.arange(1, cells)
    inner = np.stack([np.searchsorted(row, steps / cells * row[-1]) for row in flat]) if cells > 1 else flat[:, :0]
    # Each edge past the last, from the left; then none too far, from the right.
    inner = np.maximum.accumulate(inner.astype(np.int64) - steps, axis=-1).clip(min=0) + steps
    inner = np.minimum(inner, fine - cells + steps)
    ends = np.zeros((len(flat), 1), dtype=np.int64)
    return np.concatenate([ends, inner, ends + fine], axis=-1).reshape(*values.shape[:-1], cells + 1)


def peak_edges(change: ArrayLike, cells: int) -> Int:
    """Edges after the cells - 1 largest changes, ties to the left: keyframes (RS I.1, whose rule is not printed).

    Parameters
    ----------
    change : [F]
        Change from each fine cell to the next; the last is not used.

    Returns
    -------
    int64 [cells + 1]
    """
    values = np.asarray(change, dtype=np.float64)
    _check(len(values), cells)
    if not np.isfinite(values).all():
        raise InputError("changes must be finite")
    cuts = np.sort(np.argsort(-values[:-1], kind="stable")[: cells - 1]) + 1
    return np.concatenate([[0], cuts, [len(values)]]).astype(np.int64)


def masses(edges: ArrayLike) -> Float:
    """Share of the fine cells in each cell: float64 [..., N]."""
    borders = np.asarray(edges, dtype=np.int64)
    share: Float = np.diff(borders, axis=-1) / borders[..., -1:]
    return share


def cell_means(values: ArrayLike, edges: ArrayLike) -> Float:
    """Mean over each cell of fine values [..., F], or [F] for edges [..., N + 1]: float64 [..., N]."""
    borders = np.asarray(edges, dtype=np.int64)
    fine = np.broadcast_to(np.asarray(values, dtype=np.float64), (*borders.shape[:-1], int(borders.flat[-1])))
    rows = fine.reshape(-1, fine.shape[-1])
    starts = borders.reshape(len(rows), -1)[:, :-1] + fine.shape[-1] * np.arange(len(rows))[:, None]
    sums = np.add.reduceat(rows.ravel(), starts.ravel()).reshape(starts.shape)
    mean: Float = sums.reshape(*borders.shape[:-1], -1) / np.diff(borders, axis=-1)
    return mean


def spread(values: ArrayLike, edges: ArrayLike) -> Float:
    """Each cell's value at every one of its fine cells: [..., N] to float64 [..., F]."""
    borders = np.asarray(edges, dtype=np.int64)
    held = np.asarray(values, dtype=np.float64)
    lifted: Float = np.repeat(held.ravel(), np.diff(borders, axis=-1).ravel())
    return lifted.reshape(*borders.shape[:-1], -1)


def _check(fine: int, cells: int) -> None:
    if not 1 <= cells <= fine:
        raise InputError(f"{fine} fine cells make 1 to {fine} cells, not {cells}")
