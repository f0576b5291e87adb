"""Adjusted p-values over a family whose size was declared."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.arguments import whole
from refsym_stats.errors import InputError


def bonferroni(p: Any, family_size: int) -> NDArray[np.float64]:
    """Adjust p-values: min(1, m p), m the declared size of the family (RS D.2).

    Raises
    ------
    InputError
        A p-value lies outside [0, 1], or there are more of them than the family has.
    """
    values, size = _family(p, family_size)
    return np.minimum(values * size, 1.0)


def holm(p: Any, family_size: int) -> NDArray[np.float64]:
    """Adjust p-values by Holm's step-down procedure over a declared family.

    Members of the family whose p-value is not given count as 1.

    Raises
    ------
    InputError
        A p-value lies outside [0, 1], or there are more of them than the family has.
    """
    values, size = _family(p, family_size)
    order = np.argsort(values, axis=None, kind="stable")
    adjusted = np.empty(values.size)
    steps = values.reshape(-1)[order] * (size - np.arange(values.size))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted.reshape(values.shape)


def gated(p_source: Any, p_seed: Any, *, family_size: int) -> NDArray[np.float64]:
    """Adjust the larger of two p-values: min(1, m max(p_source, p_seed)) (RS I.2).

    Both conditional tests must pass: the test over sources given the checkpoints, and over seeds given the items.

    Raises
    ------
    InputError
        A p-value lies outside [0, 1], there are more of them than the family has, or they do not come in pairs.
    """
    source, seed = _family(p_source, family_size)[0], _family(p_seed, family_size)[0]
    if source.shape != seed.shape:
        raise InputError(f"gated: each contrast needs both p-values, got shapes {source.shape} and {seed.shape}")
    return bonferroni(np.maximum(source, seed), family_size)


def _family(p: Any, family_size: int) -> tuple[NDArray[np.float64], int]:
    size = whole(family_size, "family_size")
    values = np.asarray(p, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError(f"p-values: all must lie in [0, 1], got {values[~((values >= 0) & (values <= 1))].flat[0]}")
    if values.size > size:
        raise InputError(f"family_size {size}: there are {values.size} p-values; a family is declared in full")
    return values, size
