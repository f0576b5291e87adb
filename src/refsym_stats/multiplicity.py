"""Adjusted p-values over a family whose size was declared, and equivalence within a margin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from refsym_stats.errors import InputError
from refsym_stats.result import Result, whole


def bonferroni(p: Any, family_size: int) -> NDArray[np.float64]:
    """Adjust p-values: min(1, m p), m the declared size of the family (RS D.2).

    Raises
    ------
    InputError
        A p-value lies outside [0, 1], or there are more of them than the family has.
    """
    values, size = _family(p, family_size)
    return np.minimum(values * size, 1.0)


def holm(p: Any, family_size: int) -> NDArray[np.float64]:
    """Adjust p-values by Holm's step-down procedure over a declared family.

    Members of the family whose p-value is not given count as 1.

    Raises
    ------
    InputError
        A p-value lies outside [0, 1], or there are more of them than the family has.
    """
    values, size = _family(p, family_size)
    order = np.argsort(values, axis=None, kind="stable")
    adjusted = np.empty(values.size)
    steps = values.reshape(-1)[order] * (size - np.arange(values.size))
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted.reshape(values.shape)


def gated(p_source: Any, p_seed: Any, *, family_size: int) -> NDArray[np.float64]:
    """Adjust the larger of two p-values: min(1, m max(p_source, p_seed)) (RS I.2).

    Both conditional tests must pass: the test over sources given the checkpoints, and over seeds given the items.

    Raises
    ------
    InputError
        A p-value lies outside [0, 1], there are more of them than the family has, or they do not come in pairs.
    """
    source, seed = _family(p_source, family_size)[0], _family(p_seed, family_size)[0]
    if source.shape != seed.shape:
        raise InputError(f"gated: each contrast needs both p-values, got shapes {source.shape} and {seed.shape}")
    return bonferroni(np.maximum(source, seed), family_size)


def tost(result: Result, margin: float) -> Result:
    """Test equivalence within a declared margin: two one-sided t-tests on an estimate with a standard error.

    Parameters
    ----------
    result : Result
        Of `paired_t` or `cluster_robust`.
    margin : float
        In the estimate's units, positive. The null is |effect| >= margin; a small p says that the arms differ by less.

    Returns
    -------
    Result
        With the larger of the two p-values, and the interval at twice that error: level 1 - 2 (1 - level). No p-value
        where the result has no standard error: without variation nothing is shown.

    Raises
    ------
    InputError
        The margin is not positive and finite, or the result is of a method without degrees of freedom.
    """
    if not (np.isfinite(margin) and margin > 0):
        raise InputError(f"margin {margin}: a positive number in the endpoint's units")
    units = result.clusters or result.seeds
    if result.draws is not None or units is None or result.estimate is None or result.level is None:
        raise InputError(f"tost: needs a result of paired_t or cluster_robust, got {result.method}")
    name = f"two one-sided tests, margin {margin:g}"
    if result.standard_error is None:
        return replace(result, method=name, p_value=None)
    estimate, error, degrees = float(result.estimate), float(result.standard_error), units - 1
    p = max(student.sf((estimate + margin) / error, degrees), student.cdf((estimate - margin) / error, degrees))
    half = float(student.ppf(result.level, degrees)) * error
    return replace(
        result,
        method=name,
        low=estimate - half,
        high=estimate + half,
        level=2 * result.level - 1,
        p_value=float(p),
        alternative=None,
    )


def _family(p: Any, family_size: int) -> tuple[NDArray[np.float64], int]:
    size = whole(family_size, "family_size")
    values = np.asarray(p, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError(f"p-values: all must lie in [0, 1], got {values[~((values >= 0) & (values <= 1))].flat[0]}")
    if values.size > size:
        raise InputError(f"family_size {size}: there are {values.size} p-values; a family is declared in full")
    return values, size
