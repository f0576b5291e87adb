"""Divergences between option distributions, in nats."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from refsym_stats.errors import InputError
from refsym_stats.records import TOLERANCE


def kl_divergence(p: Any, q: Any) -> NDArray[np.float64]:
    """Kullback-Leibler divergence KL(p || q) over the last axis.

    Parameters
    ----------
    p, q : arrays [..., m]
        Distributions; 0 log 0 = 0. Infinite where q is 0 and p is not. Clipped at 0, so that rounding never makes it
        negative.

    Raises
    ------
    InputError
        A probability is negative or not finite, a distribution does not sum to one, or they are over different options.
    """
    return _kl(*_distributions(p, q))


def jensen_shannon(p: Any, q: Any) -> NDArray[np.float64]:
    """Jensen-Shannon divergence over the last axis, between 0 and log 2; not its square root.

    Parameters
    ----------
    p, q : arrays [..., m]
        Distributions; 0 log 0 = 0.

    Raises
    ------
    InputError
        A probability is negative or not finite, a distribution does not sum to one, or they are over different options.
    """
    return _jsd(*_distributions(p, q))


def mean_pairwise_jsd(p: Any) -> NDArray[np.float64]:
    """Mean Jensen-Shannon divergence over all pairs of partitions (RS I.2).

    Parameters
    ----------
    p : array [..., P, m]
        One distribution a partition, at least two.

    Raises
    ------
    InputError
        There are fewer than two partitions, a probability is negative or not finite, or a distribution does not sum to
        one.
    """
    (values,) = _distributions(p)
    if values.ndim < 2 or values.shape[-2] < 2:
        raise InputError(f"pairwise JSD needs two partitions or more, got shape {values.shape}")
    pairs = list(combinations(range(values.shape[-2]), 2))
    total = sum(_jsd(values[..., i, :], values[..., j, :]) for i, j in pairs)
    return np.asarray(total / len(pairs))


def _kl(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.maximum(rel_entr(p, q).sum(axis=-1), 0.0))


def _jsd(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    middle = (p + q) / 2
    return np.asarray(np.minimum((_kl(p, middle) + _kl(q, middle)) / 2, np.log(2)))


def _distributions(*given: Any) -> tuple[NDArray[np.float64], ...]:
    found = tuple(np.asarray(one, np.float64) for one in given)
    if len({one.shape[-1:] for one in found}) > 1:
        raise InputError(
            f"distributions over different options: shapes {' and '.join(str(one.shape) for one in found)}"
        )
    for one in found:
        # Written so that NaN fails.
        if one.ndim == 0 or not ((one >= 0).all() and (np.abs(one.sum(axis=-1) - 1) <= TOLERANCE).all()):
            raise InputError("distributions: probabilities of at least 0 that sum to one over the last axis are needed")
    return found
