"""Student intervals over independent units: seeds, or clusters of items."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from refsym_stats.arguments import finite, fraction
from refsym_stats.clusters import balanced, cluster_sums
from refsym_stats.errors import InputError
from refsym_stats.result import Alternative, Flag, Result


def paired_t(differences: Any, *, level: float = 0.95, alternative: str = "two-sided") -> Result:
    r"""Mean of paired differences with Student's interval and test (RS D.1).

    Each unit is one training seed: rates, budgets or items are averaged within the seed first.

    Parameters
    ----------
    differences : array [n]
        One difference a seed.
    level : float
        Of the interval: :math:`\bar d \pm t_{n-1} s_d / \sqrt n`.
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    Result
        With one seed, or without any variation, no standard error, interval or p-value: a flag instead.

    Raises
    ------
    InputError
        No values, not one axis, or a value is not finite.
    """
    values = _one_axis(finite(differences), "paired_t").astype(np.float64)
    n = len(values)
    # Exactly rounded sums, so that the order of the seeds changes no bit.
    estimate = math.fsum(values) / n
    flag = None if n > 1 and np.ptp(values) > 0 else (Flag.ONE_UNIT if n == 1 else Flag.NO_VARIATION)
    error = _norm(values - estimate) / math.sqrt(max(n - 1, 1) * n)
    return _student("paired t", estimate, error, n - 1, n, level, alternative, flag, seeds=n)


def cluster_robust(
    differences: Any, clusters: Any = None, *, level: float = 0.95, alternative: str = "two-sided"
) -> Result:
    r"""Mean of paired item differences with a cluster-robust interval and test (RS D.1).

    The variance is :math:`\frac{G}{G-1} \sum_g (S_g - n_g \bar d)^2 / n^2` for G clusters with sums S_g over n_g items,
    and the reference law t with G - 1 degrees of freedom.

    Parameters
    ----------
    differences : array [n]
        One difference an item.
    clusters : array [n] of labels, optional
        The source of each item; without it each item is its own cluster.
    level : float
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    Result
        With one cluster, or without any variation, no standard error, interval or p-value: a flag instead.

    Raises
    ------
    InputError
        No values, a value is not finite, or the clusters do not fit.
    """
    values = _one_axis(finite(differences), "cluster_robust")
    totals = cluster_sums(values, clusters)
    n, groups = len(values), len(totals.sizes)
    estimate = math.fsum(totals.sums) / n
    still = balanced(totals.sums, totals.sizes, estimate, float(np.abs(values).max()))
    flag = Flag.ONE_UNIT if groups == 1 else (Flag.NO_VARIATION if still else None)
    error = math.sqrt(groups / max(groups - 1, 1)) * _norm(totals.sums - totals.sizes * estimate) / n
    return _student("cluster-robust t", estimate, error, groups - 1, n, level, alternative, flag, clusters=groups)


def _norm(residuals: NDArray[np.float64]) -> float:
    """Root of the sum of squares, in units of the largest so that squares neither overflow nor vanish."""
    largest = float(np.abs(residuals).max())
    return largest * math.sqrt(math.fsum((residuals / largest) ** 2)) if largest else 0.0


def _student(
    method: str,
    estimate: float,
    error: float,
    degrees: int,
    n: int,
    level: float,
    alternative: str,
    flag: Flag | None,
    *,
    clusters: int | None = None,
    seeds: int | None = None,
) -> Result:
    level, against = fraction(level), Alternative.of(alternative)
    if flag is not None:
        return Result(
            method, n, estimate, level=level, alternative=against, clusters=clusters, seeds=seeds, flags=(flag,)
        )
    half = float(student.ppf((1 + level) / 2, degrees)) * error
    ratio = estimate / error
    tail = {
        Alternative.TWO_SIDED: 2 * student.sf(abs(ratio), degrees),
        Alternative.GREATER: student.sf(ratio, degrees),
        Alternative.LESS: student.cdf(ratio, degrees),
    }[against]
    return Result(
        method,
        n,
        estimate,
        error,
        estimate - half,
        estimate + half,
        level,
        p_value=float(tail),
        alternative=against,
        clusters=clusters,
        seeds=seeds,
    )


def _one_axis(values: Any, name: str) -> Any:
    if values.ndim != 1:
        raise InputError(f"{name}: one axis of differences is needed, got shape {values.shape}")
    return values
