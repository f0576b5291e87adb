"""McNemar's exact test of paired binary outcomes, and the interval of their difference."""

from __future__ import annotations

import math
from typing import Any

from scipy.optimize import brentq
from scipy.special import betainc, betaln
from scipy.stats import norm
from scipy.stats import t as student

from refsym_stats.arguments import fraction, whole
from refsym_stats.errors import InputError
from refsym_stats.result import LEAST_LOG, Alternative, Flag, Result


def mcnemar_exact(
    gains: int,
    losses: int,
    *,
    n: int | None = None,
    alternative: str = "two-sided",
    mid_p: bool = False,
    interval: str = "score",
    level: float = 0.95,
) -> Result:
    """Test that gains and losses are equally likely, given how many pairs disagree (RS D.1).

    Parameters
    ----------
    gains, losses : int
        Items that only the arm, only the comparator, answers correctly.
    n : int, optional
        All paired items. With it the result holds the difference (gains - losses) / n and its interval.
    alternative : {"two-sided", "greater", "less"}
        Two-sided: twice the smaller tail, at most 1; 1 when nothing is discordant.
    mid_p : bool
        Count half the probability of the observed value: no longer exact, closer to its size.
    interval : {"score", "t"}
        "score": Tango's, which inverts the score test; stays inside [-1, 1] and is not empty without discordance.
        "t": mean plus or minus t of the n differences, as RS prints it.
    level : float
        Of the interval.

    Raises
    ------
    InputError
        A count is negative or no integer, or there are fewer items than discordant pairs.
    """
    up, down = whole(gains, "gains", 0), whole(losses, "losses", 0)
    against, discordant = Alternative.of(alternative), up + down
    fewer = {Alternative.TWO_SIDED: min(up, down), Alternative.GREATER: down, Alternative.LESS: up}[against]
    sides = 2 if against is Alternative.TWO_SIDED else 1
    p, log_p = _p_value(fewer, discordant, sides, mid_p)
    fixed: dict[str, Any] = {
        "method": "McNemar, mid-p" if mid_p else "McNemar, exact",
        "p_value": p,
        "log10_p": log_p / math.log(10),
        "minimum_p": _p_value(0, discordant, sides, mid_p)[0],
        "alternative": against,
        "flags": ((Flag.NO_DISCORDANT,) if discordant == 0 else ()) + ((Flag.UNDERFLOW,) if log_p < LEAST_LOG else ()),
    }
    if n is None:
        return Result(**fixed, n=discordant)
    items, level = whole(n, "n"), fraction(level)
    if discordant > items:
        raise InputError(f"n {items}: fewer items than the {discordant} discordant pairs")
    if interval not in ("score", "t"):
        raise InputError(f"interval {interval!r}: one of score, t")
    estimate = (up - down) / items
    error, low, high = None, None, None
    if interval == "score":
        low, high = _tango(up, down, items, level)
    elif items == 1 or items in (up, down) or not discordant:
        fixed["flags"] += (Flag.ONE_UNIT if items == 1 else Flag.NO_VARIATION,)
    else:
        error = math.sqrt(((up + down) - (up - down) ** 2 / items) / (items - 1) / items)
        half = float(student.ppf((1 + level) / 2, items - 1)) * error
        low, high = estimate - half, estimate + half
    return Result(**fixed, n=items, estimate=estimate, standard_error=error, low=low, high=high, level=level)


def _p_value(fewer: int, n: int, sides: int, mid_p: bool) -> tuple[float, float]:
    """P(X <= fewer), X binomial over n fair coins, times the sides; and its logarithm, which does not underflow."""
    if n == 0:
        return 1.0, 0.0
    p = min(1.0, sides * (_tail(fewer, n) - (0.5 * _mass(fewer, n) if mid_p else 0.0)))
    if p >= math.exp(LEAST_LOG):
        return p, math.log(p)
    term, total, k = 1.0, 0.5 if mid_p else 1.0, fewer
    # Each term over the one before it; far out, the ratios are well below one.
    while k and term > 1e-17:
        term *= k / (n - k + 1)
        total, k = total + term, k - 1
    return math.exp(LEAST_LOG), math.log(sides * total) + _log_mass(fewer, n)


def _tail(k: int, n: int) -> float:
    """P(X <= k) for X binomial over n fair coins: a regularised incomplete beta function, without powers of 2."""
    return 1.0 if k >= n else float(betainc(n - k, k + 1, 0.5))


def _mass(k: int, n: int) -> float:
    return math.exp(_log_mass(k, n))


def _log_mass(k: int, n: int) -> float:
    return -math.log(n + 1) - float(betaln(n - k + 1, k + 1)) - n * math.log(2)


def _tango(up: int, down: int, n: int, level: float) -> tuple[float, float]:
    """Differences that the score test does not reject (Tango 1998, equations 8 to 10)."""
    z = float(norm.ppf((1 + level) / 2))

    def statistic(delta: float) -> Any:
        # The maximum-likelihood share of losses at that difference solves 2n x^2 + b x + c = 0.
        b = -up - down + (2 * n - up + down) * delta
        c = -down * delta * (1 - delta)
        share = (math.sqrt(max(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
        variance = n * (2 * share + delta * (1 - delta))
        excess = up - down - n * delta
        return excess / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, excess)

    estimate = (up - down) / n
    low = -1.0 if up == 0 and down == n else _root(lambda d: statistic(d) - z, -1.0, estimate)
    high = 1.0 if down == 0 and up == n else _root(lambda d: statistic(d) + z, estimate, 1.0)
    return low, high


def _root(function: Any, low: float, high: float) -> float:
    inside = 1e-14
    left, right = low + inside, high - inside
    return float(brentq(function, left, right, xtol=1e-15, rtol=1e-14)) if left < right else (low + high) / 2
