"""Few real differences: every sign assignment counted exactly, by meeting in the middle.

Differences are read as the binary fractions that they are, over one common unit, in two 62-bit limbs, or, where their
sizes lie too far apart, in integers of any length: sums are exact, so that ties are ties. The sums of each half are
built in order by merging, then paired by two pointers: 2^(n/2) steps in place of 2^n.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

MOST = 50
"""Differences beyond which the half sums do not fit into a few GB."""

WIDE_MOST = 36
"""Differences beyond which integers of any length take more than a second."""

LIMB = 62


def fits(differences: NDArray[Any]) -> bool:
    """Whether every sum of the differences is exact here."""
    return len(differences) <= WIDE_MOST or (len(differences) <= MOST and _narrow(units(differences)))


def _narrow(signed: list[int]) -> bool:
    return sum(map(abs, signed)) < 1 << (2 * LIMB - 2)


def units(differences: NDArray[Any]) -> list[int]:
    """Return the differences as exact integers over their common binary unit."""
    parts = [value.as_integer_ratio() for value in differences.tolist()]
    common = max(denominator for _, denominator in parts)
    return [numerator * (common // denominator) for numerator, denominator in parts]


def upper_tail(differences: NDArray[Any], *, strictly: bool = False) -> Fraction:
    """P(T >= t), or P(T > t), for t the size of the differences' own sum, as an exact fraction.

    Parameters
    ----------
    differences : array [n]
        Not zero, with their signs, and `fits`.
    """
    signed = units(differences)
    sizes = sorted(map(abs, signed), reverse=True)
    target = abs(sum(signed)) + strictly
    # Every other one, so that both halves have as many sums, over about the same range.
    if not _narrow(signed):
        return Fraction(_wide_pairs(_wide_sums(sizes[0::2]), _wide_sums(sizes[1::2]), target), 1 << len(sizes))
    high, low = divmod(target, 1 << LIMB)
    first, second = _sorted_sums(*_limbs(sizes[0::2])), _sorted_sums(*_limbs(sizes[1::2]))
    count = _pairs(first[0], first[1], second[0], second[1], high, low)
    return Fraction(int(count), 1 << len(sizes))


def _wide_sums(values: list[int]) -> list[int]:
    """All signed sums, ascending: sorting two sorted runs merges them."""
    sums = [0]
    for value in reversed(values):
        sums = sorted([total - value for total in sums] + [total + value for total in sums])
    return sums


def _wide_pairs(first: list[int], second: list[int], target: int) -> int:
    count, j = 0, len(second)
    for total in first:
        while j and total + second[j - 1] >= target:
            j -= 1
        count += len(second) - j
    return count


def _limbs(values: list[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    pairs = [divmod(value, 1 << LIMB) for value in values]
    return np.array([p[0] for p in pairs], np.int64), np.array([p[1] for p in pairs], np.int64)


@numba.njit(cache=True, nogil=True)
def _sorted_sums(high: Any, low: Any) -> Any:
    """All signed sums of the values, ascending, as two limbs (the lower one not negative)."""
    base = 1 << 62
    total_high, total_low = 0, 0
    for i in range(high.shape[0]):
        total_low += low[i]
        total_high += high[i] + (total_low >> 62)
        total_low &= base - 1
    size = 1
    from_high, from_low = np.empty(1, np.int64), np.empty(1, np.int64)
    # The lowest sum: minus the total.
    from_high[0] = -total_high - (1 if total_low else 0)
    from_low[0] = base - total_low if total_low else 0
    for i in range(high.shape[0] - 1, -1, -1):
        step_low = low[i] * 2
        step_high = high[i] * 2 + (step_low >> 62)
        step_low &= base - 1
        to_high, to_low = np.empty(2 * size, np.int64), np.empty(2 * size, np.int64)
        a, b = 0, 0
        for j in range(2 * size):
            take = b >= size
            if not take and a < size:
                raised_low = from_low[b] + step_low
                raised_high = from_high[b] + step_high + (raised_low >> 62)
                raised_low &= base - 1
                take = from_high[a] < raised_high or (from_high[a] == raised_high and from_low[a] <= raised_low)
            if take:
                to_high[j], to_low[j] = from_high[a], from_low[a]
                a += 1
            else:
                raised_low = from_low[b] + step_low
                to_high[j] = from_high[b] + step_high + (raised_low >> 62)
                to_low[j] = raised_low & (base - 1)
                b += 1
        from_high, from_low, size = to_high, to_low, 2 * size
    return from_high, from_low


@numba.njit(cache=True, nogil=True)
def _pairs(a_high: Any, a_low: Any, b_high: Any, b_low: Any, high: int, low: int) -> int:
    """Count pairs whose sum is at least the target."""
    base = 1 << 62
    count, j = 0, b_high.shape[0]
    for i in range(a_high.shape[0]):
        # As a grows, more of b's lower sums reach the target.
        while j > 0:
            total_low = a_low[i] + b_low[j - 1]
            total_high = a_high[i] + b_high[j - 1] + (total_low >> 62)
            total_low &= base - 1
            if total_high < high or (total_high == high and total_low < low):
                break
            j -= 1
        count += b_high.shape[0] - j
    return count
