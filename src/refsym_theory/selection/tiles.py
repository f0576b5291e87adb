"""Tiles as the public functions of this folder take them: any shape, any order, any raggedness."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refsym_theory.errors import InputError

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True)
class Tiles:
    """Arguments about tiles, checked: one row a tile, best score first, -inf behind its `sizes` blocks."""

    shape: tuple[int, ...]
    scores: Float
    sizes: Int
    k: Int
    kept: Int
    tau: Float


def checked_tiles(scores: ArrayLike, k: ArrayLike, kept: ArrayLike, tau: ArrayLike, valid: ArrayLike | None) -> Tiles:
    """Check and sort scores [..., N_B] with what is asked of each tile; the caller checks how the ranks stand.

    Raises
    ------
    InputError
        For an argument of the wrong kind or shape, a score that is not finite, or tau <= 0.
    """
    given = _array("scores", scores)
    if given.ndim == 0 or given.dtype.kind not in "fiu":
        raise InputError("scores must be an array of real numbers, blocks on the last axis")
    if given.dtype.kind in "iu" and given.size and np.abs(given.astype(object)).max() > 2**53:
        raise InputError("scores: an integer beyond 2^53 does not fit float64; rescale them")
    values = given.astype(np.float64)
    use = np.ones(values.shape, bool) if valid is None else _array("valid", valid)
    if use.dtype != bool or use.shape != values.shape:
        raise InputError(f"valid must be a boolean array of the scores' shape {values.shape}")
    if not np.isfinite(values[use]).all():
        where = tuple(int(i) for i in np.argwhere(use & ~np.isfinite(values))[0])
        raise InputError(f"scores{list(where)} is {values[where]}: scores must be finite; mark absent ones by valid=")
    lead = values.shape[:-1]
    questions = {}
    for name, question, kinds in (("k", k, "iu"), ("kept", kept, "iu"), ("tau", tau, "fiu")):
        array = _array(name, question)
        if array.dtype.kind not in kinds:
            raise InputError(f"{name} must be {'a positive number' if name == 'tau' else 'an integer number of ranks'}")
        try:
            questions[name] = np.broadcast_to(array, lead).reshape(-1)
        except ValueError:
            raise InputError(f"{name} has shape {array.shape}, which does not fit the tiles' {lead}") from None
    ranks, size = (questions[name].astype(np.int64) for name in ("k", "kept"))
    scale = questions["tau"].astype(np.float64)
    if not (np.isfinite(scale).all() and (scale > 0).all()):
        raise InputError("tau must be positive and finite")
    rows = np.where(use, values, -np.inf).reshape(math.prod(lead), values.shape[-1])
    ordered = np.ascontiguousarray(np.sort(rows, axis=-1)[:, ::-1])
    return Tiles(lead, ordered, use.reshape(rows.shape).sum(axis=-1), ranks, size, scale)


def _array(name: str, values: ArrayLike) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError:
        raise InputError(f"{name} must be an array, not a ragged list; see valid=") from None
