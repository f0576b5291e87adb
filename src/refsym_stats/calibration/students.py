"""Student's intervals and tests of many replications at once: `paired_t` and `cluster_robust`, row by row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Student:
    """Student's intervals and two-sided p-values of many replications; NaN where they are undefined."""

    estimate: Array
    error: Array
    degrees: Array
    low: Array
    high: Array
    p_value: Array

    @classmethod
    def of(cls, estimate: Array, error: Array, degrees: Array, level: float) -> Student:
        """From an estimate, its standard error (NaN where undefined) and the degrees of freedom."""
        degrees = np.broadcast_to(degrees, estimate.shape)
        needed = {d: float(student.ppf((1 + level) / 2, d)) for d in np.unique(degrees) if d > 0}
        half = np.array([needed.get(d, math.nan) for d in degrees]) * error
        p = np.asarray(2 * student.sf(np.abs(estimate / error), degrees))
        return cls(estimate, error, degrees, estimate - half, estimate + half, p)


def paired_t_batch(rates: Array, level: float = 0.95) -> Student:
    """`paired_t` of each row of differences [R, S]."""
    seeds = rates.shape[1]
    estimate = rates.mean(axis=1)
    squares = ((rates - estimate[:, None]) ** 2).sum(axis=1)
    moving = np.ptp(rates, axis=1) > 0
    error = np.where(moving, np.sqrt(squares / max(seeds - 1, 1) / seeds), np.nan)
    return Student.of(estimate, error, np.array(seeds - 1.0), level)


def cluster_robust_batch(sums: Array, sizes: NDArray[Any], largest: Array, level: float = 0.95) -> Student:
    """`cluster_robust` of each row of cluster sums [R, G] over cluster sizes [R, G], 0 for a cluster that is absent.

    `largest` [R] is the largest difference of an item in size: what `cluster_robust` judges rounding by.
    """
    n, groups = sizes.sum(axis=1), (sizes > 0).sum(axis=1).astype(np.float64)
    estimate = sums.sum(axis=1) / n
    residuals = sums - sizes * estimate[:, None]
    still = np.abs(residuals).max(axis=1) <= np.finfo(float).eps * n * largest
    inflation = groups / np.maximum(groups - 1, 1)
    error = np.where(still | (groups < 2), np.nan, np.sqrt(inflation * (residuals**2).sum(axis=1)) / n)
    return Student.of(estimate, error, groups - 1, level)
