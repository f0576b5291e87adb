"""Replications of one contrast, and the numbers that an interval of it can be asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.calibration.students import Student, cluster_robust_batch, paired_t_batch
from refsym_stats.randomization import sign_flip

Array = NDArray[np.float64]

SOURCES, SEEDS, BOTH = "new sources, same seeds", "same items, new seeds", "new sources, new seeds"

ENUMERATED = 20
"""Real differences up to which sign flips are enumerated here; `sign_flip` itself goes to 50."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Replications of one contrast.

    Attributes
    ----------
    differences : array [R, S, n]
        Integers for a binary law; 0 where an item is absent.
    codes : array [n]
        Cluster of each item, ascending from 0.
    present : array [R, n] of bool
    truth : float
        With new sources and new seeds.
    same_seeds, same_items : array [R]
        With the seeds, or the items, that the replication drew.
    asked : array [R]
        The effect that a test is told.
    draws, seed : int
        Of resampling.
    """

    differences: NDArray[Any]
    codes: NDArray[np.int64]
    present: NDArray[np.bool_]
    truth: float
    same_seeds: Array
    same_items: Array
    asked: Array
    draws: int
    seed: int
    level: float = 0.95

    def target(self, name: str) -> Array:
        """Return the number asked for in each replication."""
        fixed = {SOURCES: self.same_seeds, SEEDS: self.same_items}
        return fixed.get(name, np.full(len(self.differences), self.truth))

    @cached_property
    def totals(self) -> NDArray[Any]:
        """Sums over seeds [R, n]."""
        return np.asarray(self.differences.sum(axis=1))

    @cached_property
    def rates(self) -> Array:
        """Means of each seed [R, S]."""
        return np.asarray(self.differences.sum(axis=2) / self.present.sum(axis=1)[:, None])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Items of each cluster [R, G]."""
        return np.asarray(_within(self.present.astype(np.int64), self.codes))

    @cached_property
    def flips(self) -> Array:
        """p-values of the sign flip over clusters."""
        return self.flipped(clustered=True)

    def flipped(self, *, clustered: bool) -> Array:
        """Exact p-values for integers and few units; by Monte Carlo, as in RS, for many real numbers."""
        units = self.sizes.shape[1] if clustered else self.present.shape[1]
        method = "auto" if self.differences.dtype.kind == "i" or units <= ENUMERATED else "monte-carlo"
        out = np.empty(len(self.differences))
        for r, values, codes in self.items():
            found = sign_flip(
                values.sum(axis=0),
                clusters=codes if clustered else None,
                method=method,
                draws=self.draws,
                seed=self.seed + r,
                workers=1,
            )
            out[r] = found.p_value
        return out

    @cached_property
    def over_seeds(self) -> Student:
        """Student's results over seeds."""
        return paired_t_batch(self.rates, self.level)

    @cached_property
    def over_clusters(self) -> Student:
        """Cluster-robust results of the mean over seeds."""
        sums = _within(self.totals, self.codes) / self.differences.shape[1]
        largest = np.abs(self.totals).max(axis=1) / self.differences.shape[1]
        return cluster_robust_batch(sums, self.sizes, largest, self.level)

    def items(self) -> Iterator[tuple[int, NDArray[Any], NDArray[np.int64]]]:
        """Yield of each replication its number, its differences [S, n] and their clusters."""
        for r, here in enumerate(self.present):
            yield r, self.differences[r][:, here], self.codes[here]


def _within(values: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[Any]:
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return np.add.reduceat(values, starts, axis=-1)
