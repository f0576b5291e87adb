r"""Integer differences: the exact tail, by inverting the tilted law's transform.

With X the sum of the v_i whose sign is plus, T = 2 X - R, R the sum of all v_i. Tilting by :math:`e^{\theta X}` moves
the mean of X to the target k, so that

.. math:: P(X \ge k) = e^{K(\theta) - \theta k} \sum_{j \ge 0} e^{-\theta j} \, \tilde P(X = k + j)

with a sum of order one however small the probability is: a plain transform loses everything below 1e-15. The tilted
law's transform is a product over the distinct values, and is summed over M frequencies. M need not reach R: Hoeffding's
bound keeps what M folds over below 1e-24 of the tilted mass.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from refsym_stats.signed_sums.tail import Tail

REACH = 6.0
"""Half a period in units of the root of the sum of squares: outside it lies 2 exp(-2 REACH^2) < 1e-30."""

LARGEST_TILT = 60.0


def frequencies(values: NDArray[np.int64], counts: NDArray[np.int64]) -> int:
    """How many frequencies the inversion needs: its cost is this times the number of distinct values."""
    total, spread = _total(values, counts), math.sqrt(float(np.dot(counts, values.astype(np.float64) ** 2)))
    return min(total + 1, math.ceil(2 * REACH * spread) + 2)


def upper_tail(values: NDArray[np.int64], counts: NDArray[np.int64], target: int) -> Tail:
    """P(T >= target) for T a signed sum of `counts[i]` copies of each `values[i]`.

    Parameters
    ----------
    values, counts : arrays [D] of int64
        Distinct, positive.
    target : int
        Positive, and not above the largest sum.

    Returns
    -------
    Tail
        Its ends differ by the bound on the rounding errors: relative 1e-12 to 1e-9.
    """
    step = int(np.gcd.reduce(values))
    total = _total(values, counts)
    k = -(-(target + total) // 2)
    values, total, k = values // step, total // step, -(-k // step)
    if k >= total:
        return Tail.of_assignments(int(counts.sum())) if k == total else Tail.never()
    period = frequencies(values, counts)
    window = total - k if period > total else period // 2
    tilt = _tilt(values, counts, k, total)
    weights = np.exp(-tilt * values)  # w with w / (1 + w) the tilted probability of a minus
    scaled, rounding = _inverted(values, counts, weights, k, period, window, tilt)
    relative = rounding / scaled if scaled > 0 else math.inf
    if not relative < 0.1:
        raise ArithmeticError("the sign-flip law on this lattice is not resolved")
    log_p = _log_scale(values, counts, tilt, total, k) + math.log(scaled)
    slack = relative + 4e-15 * max(1.0, abs(log_p))
    return Tail(log_p - slack, min(0.0, log_p + slack))


def _total(values: NDArray[np.int64], counts: NDArray[np.int64]) -> int:
    return sum(int(v) * int(c) for v, c in zip(values, counts, strict=True))


def _tilt(values: NDArray[np.int64], counts: NDArray[np.int64], k: int, total: int) -> float:
    """The theta that puts the tilted mean of X at k; any would be exact, this one is accurate."""
    v, c = values.astype(np.float64), counts.astype(np.float64)

    def excess(theta: float) -> float:
        # From the top, so that k next to the total keeps its digits.
        return (total - k) - float(np.dot(c, v / (1 + np.exp(np.minimum(theta * v, 700)))))

    if excess(0.0) >= 0:
        return 0.0
    if excess(LARGEST_TILT) <= 0:
        return LARGEST_TILT
    return float(brentq(excess, 0.0, LARGEST_TILT, xtol=1e-14, rtol=1e-12))


def _log_scale(values: NDArray[np.int64], counts: NDArray[np.int64], tilt: float, total: int, k: int) -> float:
    """K(theta) - theta k, written from the top: sum c (log(1 + w) - log 2) + theta (total - k)."""
    v, c, theta = (np.asarray(x, dtype=np.longdouble) for x in (values, counts, tilt))
    terms = c * (np.log1p(np.exp(-theta * v)) - np.log(np.longdouble(2)))
    return float(terms.sum() + theta * (total - k))


def _inverted(
    values: NDArray[np.int64],
    counts: NDArray[np.int64],
    weights: NDArray[np.float64],
    k: int,
    period: int,
    window: int,
    tilt: float,
) -> tuple[float, float]:
    """The sum over j of the tilted law, and a bound on its rounding error."""
    total = _total(values, counts)
    real, size = _sum(values, counts.astype(np.float64), weights, (total - k) % period, period, window, tilt)
    # Every term carries a phase of a few radians times the epsilon, and the logarithm of its size.
    return real / period, 2e-15 * 60 * size / period + 1e-24 * (window + 1)


@numba.njit(cache=True, nogil=True)
def _sum(values: Any, counts: Any, weights: Any, short: int, period: int, window: int, tilt: float) -> Any:
    """Sum the transform of the tilted law of Y = total - X at Y = short - j, over one period of frequencies."""
    real, size = 0.0, 0.0
    for m in range(period // 2 + 1):
        log_size, phase = 0.0, 0.0
        for i in range(values.shape[0]):
            # Products with m are reduced exactly, in integers.
            turn = (values[i] * m) % period
            if turn > period // 2:
                turn -= period
            angle = 2 * math.pi * turn / period
            w = weights[i]
            half = math.sin(angle / 2)
            share = w / (1 + w)
            ratio = 4 * share / (1 + w) * half * half
            if ratio >= 1.0:
                log_size = -math.inf
                break
            log_size += 0.5 * counts[i] * math.log1p(-ratio)
            if log_size < -80.0:
                break
            phase += counts[i] * math.atan2(w * math.sin(angle), 1 + w * math.cos(angle))
        if log_size < -80.0:
            continue
        turn = (short * m) % period
        phase -= 2 * math.pi * turn / period
        angle = 2 * math.pi * m / period
        # Sum over j of exp((i angle - tilt) j), j = 0 ... window.
        if m == 0 and tilt == 0.0:
            sum_real, sum_imag = window + 1.0, 0.0
        else:
            turn = ((window + 1) * m) % period
            last = math.exp(-tilt * (window + 1))
            end = 2 * math.pi * turn / period
            top_real, top_imag = 1 - last * math.cos(end), -last * math.sin(end)
            small = math.sin(angle / 2)
            # 1 - exp(-tilt + i angle), without cancellation near m = 0.
            low_real = -math.expm1(-tilt) + math.exp(-tilt) * 2 * small * small
            low_imag = -math.exp(-tilt) * math.sin(angle)
            norm = low_real * low_real + low_imag * low_imag
            sum_real = (top_real * low_real + top_imag * low_imag) / norm
            sum_imag = (top_imag * low_real - top_real * low_imag) / norm
        twice = 1.0 if m == 0 or 2 * m == period else 2.0
        absolute = twice * math.exp(log_size)
        real += absolute * (math.cos(phase) * sum_real - math.sin(phase) * sum_imag)
        size += absolute * math.hypot(sum_real, sum_imag) * (1.0 + 0.02 * abs(phase))
    return real, size
