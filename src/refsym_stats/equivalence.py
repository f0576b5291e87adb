"""Equivalence within a declared margin."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import t as student

from refsym_stats.errors import InputError
from refsym_stats.result import Result


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
        The margin is not positive and finite, the result is of a method without degrees of freedom, or its level is at
        most 0.5, which leaves no interval at twice that error.
    """
    if not (np.isfinite(margin) and margin > 0):
        raise InputError(f"margin {margin}: a positive number in the endpoint's units")
    units = result.clusters or result.seeds
    if result.draws is not None or units is None or result.estimate is None or result.level is None:
        raise InputError(f"tost: needs a result of paired_t or cluster_robust, got {result.method}")
    if result.level <= 0.5:
        raise InputError(f"tost: level {result.level:g}; more than 0.5 is needed")
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
