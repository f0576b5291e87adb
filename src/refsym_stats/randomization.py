"""The sign-flip test: exact where that can be done, else a certified enclosure or a sample; the result says which."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.arguments import finite, whole
from refsym_stats.clusters import cluster_sums
from refsym_stats.errors import InputError
from refsym_stats.result import LEAST_LOG, Alternative, Flag, Result
from refsym_stats.signed_sums import halves, lattice, sampling, smoothing
from refsym_stats.signed_sums.tail import Tail

METHODS = ("auto", "exact", "enclosure", "monte-carlo")
STATISTICS = ("sum", "ascents")

LATTICE_WORK = 300_000_000
"""Terms (frequencies times distinct values) up to which the lattice law is inverted: a few seconds."""

FINEST = 20
"""Binary digits after the point of differences that are read as integers."""

SETTLED = 1e-6
"""Relative width below which an enclosure is printed as one number."""

WIDE, FAR = 0.02, 1e-7
"""Relative width from which an enclosure is flagged, unless the p-value is below `FAR` anyway."""


def sign_flip(
    differences: Any,
    *,
    clusters: Any = None,
    statistic: str = "sum",
    alternative: str = "two-sided",
    method: str = "auto",
    draws: int = 20_000,
    seed: int = 0,
    workers: int | None = None,
) -> Result:
    r"""Test that the arms' labels are exchangeable within each unit (RS D.2, I.2).

    Under the null every difference keeps its size and takes either sign with probability one half, independently. The
    p-value is the share of all :math:`2^G` assignments whose statistic is at least as extreme as the observed one.

    Parameters
    ----------
    differences : array [n]
        One difference an item, or a unit. Give integers where they are integers: differences of `correct`, summed over
        seeds, never averaged, because an average in floats breaks ties that decide the p-value.
        For ``statistic="ascents"``: gains [units, ..., steps], a matrix a unit.
    clusters : array [n] of labels, optional
        Units whose items flip together; without it each item flips alone. Not for ascents, whose units are rows.
    statistic : {"sum", "ascents"}
        "ascents": strict increases between neighbours on the last axis, counted a unit and summed; reversing a unit's
        sign turns its ascents into descents, and ties stay ties (RS D.2).
    alternative : {"two-sided", "greater", "less"}
        RS's 9.3e-10 of thirty seeds is "greater": 2^-30. For ascents, two-sided measures from the midpoint
        of ascents and descents.
    method : {"auto", "exact", "enclosure", "monte-carlo"}
        "auto": exact for integers and, up to 50 units, for real numbers; else the certified enclosure.
    draws, seed, workers
        For Monte Carlo: (b + 1) / (draws + 1).

    Returns
    -------
    Result
        `p_value` (the upper end of an enclosure `p_low`, `p_high`), `log10_p`, and `minimum_p`, the smallest that the
        nonzero differences, or the draws, allow. `estimate` is the mean difference, or the mean ascents a unit.

    Raises
    ------
    InputError
        No values, a value is not finite, clusters that do not fit, a setting out of range, or "exact" asked for where
        it cannot be had.
    """
    against = Alternative.of(alternative)
    if method not in METHODS or statistic not in STATISTICS:
        unknown, known = (method, METHODS) if method not in METHODS else (statistic, STATISTICS)
        raise InputError(f"{unknown!r}: one of {', '.join(known)}")
    values = finite(differences)
    if statistic == "ascents":
        sums, n, estimate = _ascents(values, clusters)
    else:
        if values.ndim != 1:
            raise InputError(f"sign_flip: one axis of differences is needed, got shape {values.shape}")
        sums, n = cluster_sums(values, clusters).sums, len(values)
        estimate = math.fsum(values) / n
    flips = _integers(sums[sums != 0])
    fixed: dict[str, Any] = {"n": n, "estimate": estimate, "clusters": len(sums), "alternative": against}
    if not len(flips):
        return Result("sign flip, exact", **fixed, p_value=1.0, minimum_p=1.0, log10_p=0.0, flags=(Flag.ALL_ZERO,))
    least = Tail.of_assignments(len(flips) - (against is Alternative.TWO_SIDED))
    if method == "monte-carlo":
        draws, seed = whole(draws, "draws"), whole(seed, "seed", 0)
        oriented = -flips if against is Alternative.LESS else flips
        reached = sampling.at_least(oriented, against is Alternative.TWO_SIDED, draws, seed, workers=workers)
        return Result(
            "sign flip, Monte Carlo",
            **fixed,
            p_value=(reached + 1) / (draws + 1),
            minimum_p=max(least.high, 1 / (draws + 1)),
            draws=draws,
            seed=seed,
        )
    name, tail = _tail(flips, against, method)
    settled = tail.log_high - tail.log_low < SETTLED
    log_p = (tail.log_low + tail.log_high) / 2 if settled else tail.log_high
    flags = [Flag.UNDERFLOW] if log_p < LEAST_LOG else []
    if tail.log_high - tail.log_low > WIDE and tail.high > FAR:
        flags.append(Flag.NOT_SETTLED)
    if flips.dtype.kind == "f" and _rounded_fractions(flips):
        flags.append(Flag.ROUNDED_FRACTIONS)
    return Result(
        name,
        **fixed,
        p_value=math.exp(max(log_p, LEAST_LOG)),
        p_low=None if settled else tail.low,
        p_high=None if settled else tail.high,
        log10_p=float(log_p / math.log(10)),
        minimum_p=math.exp(max(least.log_high, LEAST_LOG)),
        flags=tuple(flags),
    )


def _integers(sums: NDArray[Any]) -> NDArray[Any]:
    """Differences on a coarse binary lattice as integers; others as they are."""
    if sums.dtype.kind in "iu":
        return sums
    scaled = np.ldexp(sums, FINEST)
    if not ((np.abs(scaled) < 2**62) & (scaled == np.rint(scaled))).all():
        return sums
    found = scaled.astype(np.int64)
    found //= max(1, np.gcd.reduce(found))
    # So that no sum of them overflows.
    return found if np.abs(found.astype(np.float64)).sum() < 2**53 else sums


def _rounded_fractions(sums: NDArray[np.float64]) -> bool:
    """Whether the differences are multiples of 1/2 ... 1/64 but for rounding, as averages over seeds are."""
    largest = float(np.abs(sums).max())

    def near(multiples: NDArray[np.float64]) -> bool:
        return bool((np.abs(multiples - np.rint(multiples)) <= 1e-12 * np.abs(multiples).max()).all())

    # Beyond 1e8 every float is near a fraction; below half a part all would be near zero.
    return largest < 1e8 and any(near(sums * parts) for parts in range(2, 65) if largest * parts > 0.5)


def _ascents(gains: NDArray[Any], clusters: Any) -> tuple[NDArray[Any], int, float]:
    """Ascents minus descents a unit: what flips with its sign; the rest of the count does not move."""
    if clusters is not None:
        raise InputError("sign_flip: ascents are counted a unit, the first axis; clusters do not apply")
    if gains.ndim < 2 or gains.shape[-1] < 2:
        raise InputError(f"sign_flip: ascents need gains [units, ..., steps], at least two steps, got {gains.shape}")
    neighbours = gains[..., 1:], gains[..., :-1]
    axes = tuple(range(1, gains.ndim))
    up = (neighbours[0] > neighbours[1]).sum(axis=axes, dtype=np.int64)
    down = (neighbours[0] < neighbours[1]).sum(axis=axes, dtype=np.int64)
    return up - down, len(gains), float(up.mean())


def _tail(flips: NDArray[Any], against: Alternative, method: str) -> tuple[str, Tail]:
    """The p-value of the alternative, from upper tails at or above zero."""
    if against is Alternative.LESS:
        return _tail(-flips, Alternative.GREATER, method)
    exactly = sum(halves.units(flips)) if len(flips) <= halves.MOST else 0
    observed = exactly or (int(flips.sum()) if flips.dtype.kind in "iu" else math.fsum(flips))
    if against is Alternative.TWO_SIDED:
        if observed == 0:
            return "sign flip, exact", Tail.exactly(1.0)
        name, tail = _upper(flips, method)
        return name, tail.doubled()
    if observed > 0:
        return _upper(flips, method)
    # P(T >= t) = 1 - P(T > -t) for t <= 0, T being symmetric.
    name, above = _upper(flips, method, strictly=True)
    return name, above.complement()


def _upper(flips: NDArray[Any], method: str, *, strictly: bool = False) -> tuple[str, Tail]:
    """P(T >= t), or P(T > t), for t the size of the observed sum."""
    if (flips > 0).all() or (flips < 0).all():
        return "sign flip, exact", Tail.never() if strictly else Tail.of_assignments(len(flips))
    if method != "enclosure":
        if flips.dtype.kind in "iu":
            values, counts = np.unique(np.abs(flips), return_counts=True)
            if lattice.frequencies(values, counts) * len(values) <= LATTICE_WORK:
                return "sign flip, exact", lattice.upper_tail(values, counts, abs(int(flips.sum())) + strictly)
        if halves.fits(flips):
            share = halves.upper_tail(flips, strictly=strictly)
            return "sign flip, exact", Tail.exactly(float(share)) if share else Tail.never()
    if method == "exact":
        raise InputError(
            f"sign_flip: {len(flips)} real differences have no exact p-value here (at most {halves.MOST}, of similar "
            "size); ask for 'enclosure' or 'monte-carlo', or give integers"
        )
    tail = smoothing.upper_tail(np.abs(flips).astype(np.float64), abs(math.fsum(flips)))
    # The observed assignment is one of 2^n.
    least = -math.inf if strictly else -len(flips) * math.log(2)
    return "sign flip, certified enclosure", Tail(max(tail.log_low, least), tail.log_high)
