"""Estimators of the noise scale tau from the sums that a score dump carries (UG D.4 step 3)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Float = NDArray[np.float64]
Estimator = Literal["split-half", "row-step"]


def has_noise(tau: ArrayLike) -> NDArray[np.bool_]:
    """Where a noise scale is measured and positive; elsewhere nothing can be said of errors."""
    scale = np.asarray(tau, dtype=np.float64)
    return np.isfinite(scale) & (scale > 0)


def noise_scale(square_sum: ArrayLike, count: ArrayLike) -> Float:
    """Standard deviation of the noise of one score, from squared differences of pairs of scores.

    A difference of two scores with independent noise of variance tau^2 each has variance 2 tau^2, so
    tau = sqrt(sum / (2 count)). With differences between adjacent rows this is UG's estimator, ``row-step``;
    with differences between a tile's even and odd rows, less their mean over the blocks, it is ``split-half``,
    which leaves out what all blocks share and so moves no rank.

    Parameters
    ----------
    square_sum, count
        [...] sum of squared differences, and the degrees of freedom behind it.

    Returns
    -------
    [...] float64; NaN where there was nothing to measure.
    """
    total, degrees = np.broadcast_arrays(np.asarray(square_sum, np.float64), np.asarray(count, np.float64))
    scale: Float = np.full(total.shape, np.nan)
    np.divide(total, 2.0 * degrees, out=scale, where=degrees > 0)
    return np.sqrt(scale, out=scale)
