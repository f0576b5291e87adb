"""Sign assignments drawn at random, eight signs a look-up."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from refsym_stats.streams import draw


def at_least(differences: NDArray[Any], two_sided: bool, draws: int, seed: int, *, workers: int | None = None) -> int:
    """How many of `draws` random sign assignments have a sum as large as the differences' own.

    Differences are taken to 2^-60 of their total, and sums within that rounding of the target count: the p-value is
    never too small for want of digits. Integers are exact.

    Parameters
    ----------
    differences : array [n]
        Not zero, with their signs. Their order does not matter.
    two_sided : bool
        Compare absolute sums.
    """
    sizes = np.sort(np.abs(differences))[::-1]
    if sizes.dtype.kind in "iu":
        whole, goal, slack = sizes.astype(np.int64), int(differences.sum()), 0
    else:
        shift = 60 - math.frexp(math.fsum(sizes))[1]
        whole = np.rint(np.ldexp(sizes, shift)).astype(np.int64)
        goal, slack = math.floor(math.ldexp(math.fsum(differences), shift)), len(whole)
    goal = (abs(goal) if two_sided else goal) - slack
    table = _table(np.pad(whole, (0, -len(whole) % 8)))

    def work(generator: np.random.Generator, size: int) -> NDArray[np.float64]:
        signs = generator.integers(0, 256, (size, len(table)), dtype=np.uint8)
        return np.asarray(_reached(signs, table, goal, two_sided))

    return int(draw(draws, seed, work, workers=workers).sum())


def _table(whole: NDArray[np.int64]) -> NDArray[np.int64]:
    """The signed sum of each eight differences for each of the 256 sign patterns, [n / 8, 256]."""
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    return np.asarray(whole.reshape(-1, 8) @ (2 * bits - 1).T)


@numba.njit(cache=True, nogil=True)
def _reached(signs: Any, table: Any, goal: int, two_sided: bool) -> Any:
    out = np.zeros(signs.shape[0])
    for b in range(signs.shape[0]):
        total = 0
        for i in range(signs.shape[1]):
            total += table[i, signs[b, i]]
        out[b] = total >= goal or (two_sided and -total >= goal)
    return out
