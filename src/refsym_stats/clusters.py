"""Sums over clusters that do not depend on the order of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from refsym_stats.errors import InputError, rows


@dataclass(frozen=True)
class ClusterSums:
    """What each cluster contributes.

    Attributes
    ----------
    sums : array [..., G]
        Sum of the differences over the cluster's items: int64 for integer differences, float64 otherwise.
    sizes : array [G] of int64
        Items in the cluster.
    """

    sums: NDArray[Any]
    sizes: NDArray[np.int64]


def balanced(sums: NDArray[Any], sizes: NDArray[np.int64], mean: float, largest: float) -> bool:
    """Whether sums [..., G] are the sizes times the mean, but for the rounding of values up to `largest`.

    Then nothing varies: neither a variance formula nor a resample has anything to go by.
    """
    rounding = np.finfo(float).eps * int(sizes.sum()) * largest
    return bool(np.abs(sums - sizes * mean).max() <= rounding)


def cluster_codes(clusters: Any, n: int) -> NDArray[np.int64]:
    """Number the clusters of `n` items from 0; without clusters each item is its own.

    Raises
    ------
    InputError
        There are not n labels, or one is missing.
    """
    if clusters is None:
        return np.arange(n)
    found = np.asarray(clusters)
    if found.shape != (n,):
        raise InputError(f"clusters: {n} labels are needed, one an item, got shape {found.shape}")
    codes = np.asarray(pd.factorize(found)[0], dtype=np.int64)
    if (codes < 0).any():
        raise InputError(f"clusters: missing in {rows(np.flatnonzero(codes < 0))}; every item needs its cluster")
    return codes


def cluster_sums(differences: NDArray[Any], clusters: Any) -> ClusterSums:
    """Sum differences [..., n] within clusters.

    Floats are added in order of value within each cluster, so that the order of the rows changes no bit.
    """
    n = differences.shape[-1]
    codes = cluster_codes(clusters, n)
    groups = int(codes.max()) + 1
    sizes = np.bincount(codes, minlength=groups)
    flat = differences.reshape(-1, n)
    if differences.dtype.kind in "iu":
        if np.abs(flat.astype(np.float64)).sum(axis=1).max() >= 2**53:
            raise InputError("differences: integers whose sum passes 2^53; divide them by their common factor")
        out: NDArray[Any] = np.empty((len(flat), groups), np.int64)
        for row, values in enumerate(flat):
            # float64 counts are exact below 2^53, and faster than np.add.at.
            out[row] = np.rint(np.bincount(codes, weights=values, minlength=groups)).astype(np.int64)
    else:
        out = np.empty((len(flat), groups))
        for row, values in enumerate(flat.astype(np.float64)):
            order = np.lexsort((values, codes))
            out[row] = np.add.reduceat(values[order], np.concatenate([[0], np.cumsum(sizes)[:-1]]))
    return ClusterSums(out.reshape(*differences.shape[:-1], groups), sizes)
