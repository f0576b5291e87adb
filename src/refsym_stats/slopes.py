"""How an endpoint changes over rates, seed by seed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.arguments import finite
from refsym_stats.errors import InputError


def rate_slopes(values: Any, rates: Any) -> NDArray[np.float64]:
    """Least-squares slope of each seed's values over the rates (RS G.1, H.4): what `paired_t` then tests.

    Parameters
    ----------
    values : array [seeds, rates]
    rates : array [rates]
        What the slope is over: give log rates for slopes per natural-log unit.

    Raises
    ------
    InputError
        A value is not finite, the shapes do not fit, or all rates are equal.
    """
    lines, at = finite(values, "values").astype(np.float64), finite(rates, "rates").astype(np.float64)
    if lines.ndim != 2 or at.shape != lines.shape[1:]:
        raise InputError(
            f"rate_slopes: values [seeds, rates] and rates [rates] are needed, got {lines.shape}, {at.shape}"
        )
    centred = at - at.mean()
    if not np.ptp(at) > 0:
        raise InputError("rate_slopes: all rates are equal; a slope needs two")
    return np.asarray(lines @ centred / (centred @ centred))
