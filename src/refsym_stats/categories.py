"""Resampled sums over clusters: the exact law of drawing them with replacement, at the cost of the distinct ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

SHARED = 64
"""Clusters from which a binomial count of their shared contribution is cheaper than drawing each."""

BATCH = 1 << 20
"""Clusters drawn one by one from one block of random words: 4 MB a thread."""


@dataclass(frozen=True)
class Categories:
    """Distinct contributions: those shared by many clusters with their shares, the others cluster by cluster.

    Attributes
    ----------
    shared : array [H, K]
    shares : array [H + 1]
        Probability of each, the last that of all the rest.
    rest : array [K, L]
    groups : int
        Clusters that a draw takes.
    """

    shared: NDArray[np.float64]
    shares: NDArray[np.float64]
    rest: NDArray[np.float64]
    groups: int

    @classmethod
    def of(cls, columns: NDArray[np.float64], groups: int | None = None) -> Categories:
        """Sort clusters [K, G] into categories, by the last row first; a draw takes `groups` of them, G by default."""
        ordered = columns[:, np.lexsort(columns)]
        edges = np.flatnonzero(np.any(ordered[:, 1:] != ordered[:, :-1], axis=0)) + 1
        starts = np.concatenate([[0], edges])
        counts = np.diff(np.concatenate([starts, [columns.shape[1]]]))
        many = counts >= SHARED
        rest = np.ascontiguousarray(ordered[:, ~np.repeat(many, counts)])
        shares = np.concatenate([counts[many], [rest.shape[1]]]) / columns.shape[1]
        return cls(np.ascontiguousarray(ordered[:, starts[many]].T), shares, rest, groups or columns.shape[1])

    def sums(self, generator: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Draw `size` times `groups` clusters: their column sums [size, K]."""
        counts = generator.multinomial(self.groups, self.shares, size)
        out = np.zeros((size, self.rest.shape[0]))
        _add_shared(counts, self.shared, out)
        length = self.rest.shape[1]
        if not length:
            return out
        step = max(4, BATCH // self.groups // 4 * 4)
        for first in range(0, size, step):
            balls = np.ascontiguousarray(counts[first : first + step, -1])
            # Two 32-bit numbers a word. Of 2^32 fewer than L are rejected: that many are expected, and 2,048 to spare.
            thrown = int(balls.sum())
            words = generator.bit_generator.random_raw((thrown + thrown * length // 2**32) // 2 + 1024)
            if not _add_rest(words, balls, self.rest, out[first : first + step]):
                raise RuntimeError("random numbers ran out")  # pragma: no cover
        return out


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _add_shared(counts: Any, shared: Any, out: Any) -> None:
    for b in range(counts.shape[0]):
        for h in range(shared.shape[0]):
            count = float(counts[b, h])
            for k in range(shared.shape[1]):
                out[b, k] += count * shared[h, k]


@numba.njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def _add_rest(words: Any, balls: Any, rest: Any, out: Any) -> bool:
    """Throw each draw's balls over L clusters, unbiased (Lemire 2019), and add up what they hit."""
    columns, length = rest.shape
    bound = np.uint64(length)
    threshold = np.uint64((2**32 - length) % length)
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    # Four draws at a time, a chunk being a multiple of four: `rest` is read once for all four.
    counts = np.empty((4, length), np.float64)
    at, upper = 0, False
    for first in range(0, balls.shape[0], 4):
        counts[:] = 0.0
        for b in range(first, first + 4):
            left = balls[b]
            while left:
                if at >= words.shape[0]:
                    return False
                word = words[at] >> half if upper else words[at] & low
                at += upper
                upper = not upper
                product = word * bound
                if (product & low) >= threshold:
                    counts[b - first, product >> half] += 1.0
                    left -= 1
        for k in range(columns):
            t0, t1, t2, t3 = 0.0, 0.0, 0.0, 0.0
            for i in range(length):
                x = rest[k, i]
                t0 += counts[0, i] * x
                t1 += counts[1, i] * x
                t2 += counts[2, i] * x
                t3 += counts[3, i] * x
            out[first, k] += t0
            out[first + 1, k] += t1
            out[first + 2, k] += t2
            out[first + 3, k] += t3
    return True
