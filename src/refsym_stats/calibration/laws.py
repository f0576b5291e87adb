"""Laws of the parts that a difference is made of: standardised, from a standard normal; binary ones by its tails."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import t as student

Array = NDArray[np.float64]


def _lognormal(z: Array) -> Array:
    return np.asarray((np.exp(z) - math.exp(0.5)) / math.sqrt((math.e - 1) * math.e))


LAWS: dict[str, Callable[[Array], Array]] = {
    "binary": lambda z: z,
    "normal": lambda z: z,
    # (z + 1)^2: skewness 2.2, excess kurtosis 6.7.
    "skewed": lambda z: ((z + 1) ** 2 - 2) / math.sqrt(6),
    # Student's t with 3 degrees of freedom: symmetric, no fourth moment.
    "heavy": lambda z: student.ppf(ndtr(z), 3) / math.sqrt(3),
    "lognormal": _lognormal,
}
"""From a standard normal to a standardised part."""


def given_shared(shared: Array, up: float, down: float, rest: float) -> Array:
    """E[D | the shared part of the latent normal] for P(D = 1) = up and P(D = -1) = down."""
    scale = math.sqrt(rest)
    return np.asarray(ndtr((shared - ndtri(1 - up)) / scale) - ndtr((ndtri(down) - shared) / scale))


def shared_variance(up: float, down: float, share: float) -> float:
    """Variance of E[D | shared part of the latent normal], by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    means = given_shared(math.sqrt(share) * nodes, up, down, 1 - share)
    return float(weights @ (means - (up - down)) ** 2 / weights.sum())
