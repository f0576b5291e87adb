"""Tests and intervals over enclosures: exact where counts decide, padded where floats compute."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from scipy.special import ndtr, stdtr, stdtrit

from refsym_stats.audit.enclosure import Enclosure, padded, square_root
from refsym_stats.errors import InputError
from refsym_stats.mcnemar import mcnemar_exact

_EXACT_PAIRS = 4000
"""Up to so many discordant pairs tails are summed as integers."""


def mcnemar(gains: Enclosure, losses: Enclosure) -> Enclosure:
    """Exact two-sided McNemar p: twice the smaller tail of fair coins, at most 1; 1 when nothing is discordant.

    Raises
    ------
    InputError
        Gains or losses are no exact count.
    """
    up, down = count(gains, "gains"), count(losses, "losses")
    if up + down > _EXACT_PAIRS:
        return padded(float(mcnemar_exact(up, down).p_value or 0.0))
    return Enclosure.point(two_sided(up, down))


def sign_test(gains: Enclosure, losses: Enclosure) -> Enclosure:
    """One-sided exact sign test: the chance of at least so many gains among the discordant pairs.

    Raises
    ------
    InputError
        Gains or losses are no exact count.
    """
    up, down = count(gains, "gains"), count(losses, "losses")
    if up + down > _EXACT_PAIRS:
        return padded(float(mcnemar_exact(up, down, alternative="greater").p_value or 0.0))
    return Enclosure.point(one_sided(up, down))


def two_sided(gains: int, losses: int) -> Fraction:
    """Exact two-sided McNemar p of counts."""
    small = min(gains, losses)
    return min(Fraction(1), 2 * _tail(small, gains + losses))


def one_sided(gains: int, losses: int) -> Fraction:
    """Exact one-sided sign-test p of counts, against more gains than losses."""
    return _tail(losses, gains + losses)


def paired_low(gains: Enclosure, losses: Enclosure, n: Enclosure) -> Enclosure:
    """Lower end of the 95% t interval of a paired difference, n - 1 degrees, as a fraction (RS D.1, table 10)."""
    return _paired(gains, losses, n, -1)


def paired_high(gains: Enclosure, losses: Enclosure, n: Enclosure) -> Enclosure:
    """Upper end of the 95% t interval of a paired difference, n - 1 degrees, as a fraction (RS D.1, table 10)."""
    return _paired(gains, losses, n, 1)


def t_p(ratio: Enclosure, degrees: Enclosure) -> Enclosure:
    """Two-sided p of a Student ratio, estimate over standard error; it falls as the ratio leaves zero."""
    df, size = count(degrees, "degrees of freedom", 1), abs(ratio)
    return Enclosure(_t_tail(size.high, df).low, min(Fraction(1), _t_tail(size.low, df).high))


def t_quantile(level: Enclosure, degrees: Enclosure) -> Enclosure:
    """Quantile of Student's t, such as t_quantile(0.975, n - 1)."""
    df = count(degrees, "degrees of freedom", 1)
    if not (level.exact and 0 < level.low < 1):
        raise InputError(f"a quantile's level is {level}; an exact number between 0 and 1 is needed")
    return _quantile(level.low, df)


def normal_p(ratio: Enclosure) -> Enclosure:
    """Two-sided p of a normal ratio."""
    size = abs(ratio)
    low, high = (padded(2 * float(ndtr(-float(end)))) for end in (size.high, size.low))
    return Enclosure(low.low, min(Fraction(1), high.high))


def count(number: Enclosure, what: str, least: int = 0) -> int:
    """Return an exact integer.

    Raises
    ------
    InputError
        The number was rounded, is no integer, or is too small.
    """
    if not number.exact or number.low.denominator != 1 or number.low < least:
        raise InputError(f"{what} is {number}; an exact integer of at least {least} is needed")
    return int(number.low)


def _paired(gains: Enclosure, losses: Enclosure, n: Enclosure, side: int) -> Enclosure:
    up, down, items = count(gains, "gains"), count(losses, "losses"), count(n, "n", 2)
    if up + down > items:
        raise InputError(f"{up} gains and {down} losses are more than n = {items}")
    net = Fraction(up - down)
    variance = (up + down - net**2 / items) / (items - 1) / items
    half = _quantile(Fraction(39, 40), items - 1) * square_root(Enclosure.point(variance))
    return Enclosure.point(net / items) + Enclosure.point(side) * half


@lru_cache(maxsize=4096)
def _quantile(level: Fraction, df: int) -> Enclosure:
    return padded(float(stdtrit(df, float(level))))


def _t_tail(size: Fraction, df: int) -> Enclosure:
    return padded(2 * float(stdtr(df, -float(size))))


@lru_cache(maxsize=65536)
def _tail(k: int, n: int) -> Fraction:
    """P(X <= k) for X binomial over n fair coins."""
    term, total = 1, 0
    for i in range(k + 1):
        total += term
        term = term * (n - i) // (i + 1)
    return Fraction(total, 2**n)
