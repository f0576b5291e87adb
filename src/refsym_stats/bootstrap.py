r"""Bootstrap over clusters, and over clusters crossed with seeds.

One algorithm, exact in law and bounded in memory. Resampling G clusters with replacement is a multinomial count of each
distinct contribution. Contributions that many clusters share get binomial counts, whatever their number; the clusters
that are left are drawn one by one. Categories stand in an order that neither rows, labels, units nor a constant added
to every difference change, and a family of contrasts is read from the same draws.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.categories import Categories
from refsym_stats.clusters import cluster_sums
from refsym_stats.errors import InputError
from refsym_stats.result import Flag, Number, Result, finite, fraction, whole
from refsym_stats.streams import draw

FEW = 10


def cluster_bootstrap(
    differences: Any,
    clusters: Any = None,
    *,
    level: float = 0.95,
    method: str = "percentile",
    draws: int = 20_000,
    seed: int = 0,
    workers: int | None = None,
) -> Result:
    """Interval of the question-weighted mean difference by resampling clusters (RS D.1).

    Parameters
    ----------
    differences : array [..., n]
        One difference an item; leading axes are contrasts of one family, which share their draws.
    clusters : array [n] of labels, optional
        The source of each item; without it each item is its own cluster.
    level : float
    method : {"percentile", "basic"}
        Of the draws' quantiles: as they are, or reflected at the estimate.
    draws, seed : int
        The same seed gives the same interval, whatever the row order, the labels and the number of workers.
    workers : int, optional
        Threads; all CPUs by default.

    Returns
    -------
    Result
        `standard_error` is the draws' standard deviation. None of both, and a flag, with one cluster or no variation.

    Raises
    ------
    InputError
        No values, a value is not finite, clusters that do not fit, or a setting out of range.
    """
    values = finite(differences)
    totals = cluster_sums(values, clusters)
    flat = totals.sums.reshape(-1, len(totals.sizes))
    return _bootstrap(
        flat[:, None, :],
        totals.sizes,
        values.shape[:-1],
        "cluster bootstrap",
        None,
        level,
        method,
        draws,
        seed,
        workers,
    )


def crossed_bootstrap(
    differences: Any,
    clusters: Any = None,
    *,
    level: float = 0.95,
    method: str = "percentile",
    draws: int = 20_000,
    seed: int = 0,
    workers: int | None = None,
) -> Result:
    """Interval of the mean difference by resampling clusters and, independently, seeds (RS I.2).

    Parameters
    ----------
    differences : array [..., seeds, n]
        One difference an item and training seed.
    clusters, level, method, draws, seed, workers
        As for `cluster_bootstrap`.

    Returns
    -------
    Result
        As of `cluster_bootstrap`; with one seed a flag and no interval: its variation cannot be resampled.

    Raises
    ------
    InputError
        No values, no seed axis, a value is not finite, clusters that do not fit, or a setting out of range.
    """
    values = finite(differences)
    if values.ndim < 2:
        raise InputError(f"crossed_bootstrap: differences need axes (..., seeds, items), got shape {values.shape}")
    totals = cluster_sums(values, clusters)
    flat = totals.sums.reshape(-1, *totals.sums.shape[-2:])
    return _bootstrap(
        flat,
        totals.sizes,
        values.shape[:-2],
        "crossed bootstrap",
        values.shape[-2],
        level,
        method,
        draws,
        seed,
        workers,
    )


def _bootstrap(
    sums: NDArray[Any],
    sizes: NDArray[np.int64],
    shape: tuple[int, ...],
    name: str,
    seeds: int | None,
    level: float,
    method: str,
    draws: int,
    seed: int,
    workers: int | None,
) -> Result:
    """Resample sums [C, S, G] over clusters, and over seeds too where there are any."""
    level, draws, seed = fraction(level), whole(draws, "draws"), whole(seed, "seed", 0)
    if method not in ("percentile", "basic"):
        raise InputError(f"method {method!r}: one of percentile, basic")
    contrasts, count, groups = sums.shape
    n = int(sizes.sum())
    estimates = np.array([math.fsum(row.reshape(-1)) for row in sums]) / (n * count)
    fixed = {
        "method": f"{name}, {method}",
        "n": n,
        "estimate": _shaped(estimates, shape),
        "level": level,
        "clusters": groups,
        "seeds": seeds,
        "draws": draws,
        "seed": seed,
    }
    if groups == 1 or seeds == 1:
        return Result(**fixed, flags=(Flag.ONE_UNIT,))
    found = _resampled(sums, sizes, draws, seed, seeds is not None, workers)
    error = found.std(axis=0, ddof=1) if draws > 1 else np.full(contrasts, np.nan)
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)
    if method == "basic":
        low, high = 2 * estimates - high, 2 * estimates - low
    still = np.ptp(found, axis=0) <= 1e-14 * np.maximum(1.0, np.abs(estimates))
    flags = [Flag.FEW_UNITS] if groups < FEW else []
    if still.all():
        return Result(**fixed, flags=(Flag.NO_VARIATION, *flags))
    if still.any():
        error, low, high = (np.where(still, np.nan, part) for part in (error, low, high))
        flags.append(Flag.NO_VARIATION)
    return Result(
        **fixed,
        standard_error=_shaped(error, shape),
        low=_shaped(low, shape),
        high=_shaped(high, shape),
        flags=tuple(flags),
    )


def _shaped(values: NDArray[np.float64], shape: tuple[int, ...]) -> Number:
    return values.reshape(shape) if shape else float(values[0])


def _resampled(
    sums: NDArray[Any], sizes: NDArray[np.int64], draws: int, seed: int, crossed: bool, workers: int | None
) -> NDArray[np.float64]:
    """Means [draws, C] of resampled clusters, oriented back to the contrasts' own signs."""
    contrasts, count, groups = sums.shape
    signs = np.array([_orientation(row.sum(axis=0), sizes) for row in sums])
    oriented = sums * signs[:, None, None]
    if crossed:
        oriented = np.stack([row[_seed_order(row)] for row in oriented])
    columns = np.vstack([oriented.reshape(-1, groups), sizes[None]]).astype(np.float64)
    categories = Categories.of(columns)

    def work(generator: np.random.Generator, size: int) -> NDArray[np.float64]:
        drawn = categories.sums(generator, size)
        per_seed = drawn[:, :-1].reshape(size, contrasts, count)
        if not crossed:
            means: NDArray[np.float64] = per_seed[:, :, 0] / drawn[:, -1:]
            return means
        weights = generator.multinomial(count, np.full(count, 1 / count), size)
        crossed_sums = np.einsum("bcs,bs->bc", per_seed, weights.astype(np.float64))
        return np.asarray(crossed_sums / (count * drawn[:, -1:]))

    means = draw(draws, seed, work, workers=workers)
    return np.asarray(means * signs)


def _orientation(sums: NDArray[Any], sizes: NDArray[np.int64]) -> int:
    """Sign of the skewness: swapping the arms mirrors the draws, adding a constant leaves them."""
    centred = sums - sizes * (math.fsum(sums) / int(sizes.sum()))
    scale = float(np.abs(centred).max())
    if scale == 0:
        return 1
    skewness = math.fsum((centred / scale) ** 3)
    return -1 if skewness < -1e-9 * len(sums) else 1


def _seed_order(sums: NDArray[Any]) -> NDArray[np.intp]:
    """Order seeds [S, G] by what they contribute, not by where they stand."""
    ranked = np.sort(sums, axis=1)
    return np.lexsort((*ranked.T[:: max(1, ranked.shape[1] // 16)], ranked.sum(axis=1)))
