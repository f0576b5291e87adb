"""Which candidates a trigger policy expands: the D = ceil(q T) smallest of its priority (UG D.2)."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from refsym_theory.errors import InputError

_TOO_LONG = re.compile(r".{65}|.*[eE][+-]?0*[1-9]\d\d", re.DOTALL)  # 1e999999999 would fill the memory with digits


def exact_decimal(value: str | float | Fraction, name: str) -> Fraction:
    """The number as it was written: 0.55 is 11/20, not the float beside it.

    Raises
    ------
    InputError
        If it is not a finite decimal, or one of absurd length or exponent.
    """
    if isinstance(value, Fraction):
        return value
    text = str(value)
    try:
        if not _TOO_LONG.match(text):
            return Fraction(text)
    except (ValueError, ZeroDivisionError):
        pass
    raise InputError(f"{name} must be a decimal number, not {text[:64]!r}")


def decimal_text(value: Fraction) -> str:
    """The number as one would write it: 0.4, 2, or 1/3 where no short decimal is exact."""
    if value.denominator == 1:
        return str(value.numerator)
    short = repr(float(value))
    return short if Fraction(short) == value else str(value)


def triggered_count(q: Fraction, tiles: int) -> int:
    """D = ceil(q T), in exact arithmetic: in floats 0.55 * 100 would round up to 56."""
    return -((-q.numerator * tiles) // q.denominator)


def trigger_order(priority: NDArray[np.float64]) -> NDArray[np.int64]:
    """Tiles from the first to be expanded to the last: smallest ``priority`` first, ties to the lower index."""
    return np.argsort(priority, axis=-1, kind="stable")
