"""Divergences between option distributions, in nats."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from refsym_stats.errors import InputError


def kl_divergence(p: Any, q: Any) -> NDArray[np.float64]:
    """Kullback-Leibler divergence KL(p || q) over the last axis.

    Parameters
    ----------
    p, q : arrays [..., m]
        Distributions; 0 log 0 = 0. Infinite where q is 0 and p is not. Clipped at 0, so that rounding never makes it
        negative.
    """
    terms = rel_entr(np.asarray(p, np.float64), np.asarray(q, np.float64))
    return np.asarray(np.maximum(terms.sum(axis=-1), 0.0))


def jensen_shannon(p: Any, q: Any) -> NDArray[np.float64]:
    """Jensen-Shannon divergence over the last axis, between 0 and log 2; not its square root.

    Parameters
    ----------
    p, q : arrays [..., m]
        Distributions; 0 log 0 = 0.
    """
    first, second = np.asarray(p, np.float64), np.asarray(q, np.float64)
    middle = (first + second) / 2
    mean = (kl_divergence(first, middle) + kl_divergence(second, middle)) / 2
    return np.asarray(np.minimum(mean, np.log(2)))


def mean_pairwise_jsd(p: Any) -> NDArray[np.float64]:
    """Mean Jensen-Shannon divergence over all pairs of partitions (RS I.2).

    Parameters
    ----------
    p : array [..., P, m]
        One distribution a partition, at least two.

    Raises
    ------
    InputError
        There are fewer than two partitions.
    """
    values = np.asarray(p, np.float64)
    if values.ndim < 2 or values.shape[-2] < 2:
        raise InputError(f"pairwise JSD needs two partitions or more, got shape {values.shape}")
    pairs = list(combinations(range(values.shape[-2]), 2))
    total = sum(jensen_shannon(values[..., i, :], values[..., j, :]) for i, j in pairs)
    return np.asarray(total / len(pairs))
