"""Checks of what the procedures are given: numbers, levels, counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.errors import InputError

LARGEST = 1e200
"""Size of a value from which sums and products could overflow."""


def finite(differences: Any, name: str = "differences") -> NDArray[Any]:
    """Return an array of finite numbers with at least one entry on its last axis.

    Raises
    ------
    InputError
        It is empty, not numeric, or holds NaN, infinity or a number beyond `LARGEST`.
    """
    array = np.asarray(differences)
    if array.dtype == bool:
        array = array.astype(np.int64)
    if array.dtype.kind not in "iuf":
        raise InputError(f"{name}: numbers are needed, got {array.dtype}")
    if array.ndim == 0 or array.size == 0:
        raise InputError(f"{name}: no values")
    if array.dtype.kind == "f" and not (within := np.abs(array) <= LARGEST).all():
        bad = int(np.flatnonzero(~within.reshape(-1))[0])
        raise InputError(f"{name}: value {bad + 1} is {array.reshape(-1)[bad]}; all must be finite, within {LARGEST:g}")
    return array


def fraction(level: float, name: str = "level") -> float:
    """Return a confidence level, or a power, strictly between 0 and 1.

    Raises
    ------
    InputError
        It is not.
    """
    if isinstance(level, bool) or not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise InputError(f"{name} {_shown(level)}: a number between 0 and 1, such as 0.95")
    return float(level)


def whole(value: Any, name: str, least: int = 1) -> int:
    """Return an integer of at least `least`.

    Raises
    ------
    InputError
        It is no integer, or smaller.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"{name} {_shown(value)}: an integer of at least {least}")
    return int(value)


def _shown(value: Any) -> str:
    """The value on one line, cut short: an array prints on several."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 40 else f"{text[:37]}..."
