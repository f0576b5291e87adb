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

from refsym_stats.arguments import finite, fraction, whole
from refsym_stats.categories import Categories
from refsym_stats.clusters import balanced, cluster_sums
from refsym_stats.errors import InputError
from refsym_stats.result import Flag, Number, Result
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
    lines = finite(differences)[..., None, :]
    return _bootstrap(lines, clusters, "cluster bootstrap", None, level, method, draws, seed, workers)


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
    return _bootstrap(values, clusters, "crossed bootstrap", values.shape[-2], level, method, draws, seed, workers)


def _bootstrap(
    values: NDArray[Any],
    clusters: Any,
    name: str,
    seeds: int | None,
    level: float,
    method: str,
    draws: int,
    seed: int,
    workers: int | None,
) -> Result:
    """Resample differences [..., S, n] over clusters, and over seeds too where there are any."""
    level, draws, seed = fraction(level), whole(draws, "draws", 2), whole(seed, "seed", 0)
    if method not in ("percentile", "basic"):
        raise InputError(f"method {method!r}: one of percentile, basic")
    totals, shape = cluster_sums(values, clusters), values.shape[:-2]
    sizes, (count, n), groups = totals.sizes, values.shape[-2:], len(totals.sizes)
    sums = totals.sums.reshape(-1, count, groups)
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
    largest = np.abs(values).reshape(len(sums), -1).max(axis=1)
    still = np.array([balanced(sums[c], sizes, estimates[c], largest[c]) for c in range(len(sums))])
    flags = [Flag.NO_VARIATION] if still.any() else []
    flags += [Flag.FEW_UNITS] if groups < FEW else []
    if still.all():
        return Result(**fixed, flags=tuple(flags))
    found = _resampled(sums, sizes, draws, seed, seeds is not None, workers)
    # In units of the largest value, so that squares neither overflow nor vanish.
    units = np.where(still, 1.0, largest)
    error = (found / units).std(axis=0, ddof=1) * units
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2], axis=0)
    if method == "basic":
        low, high = 2 * estimates - high, 2 * estimates - low
    if still.any():
        error, low, high = (np.where(still, np.nan, part) for part in (error, low, high))
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
    centred = [_centred(lines, sizes) for lines in sums]
    signs = np.array([_orientation(x, sizes) for x in centred])
    oriented = sums * signs[:, None, None]
    if crossed:
        oriented = oriented[:, _seed_order([sign * x for sign, x in zip(signs, centred, strict=True)], sizes)]
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


def _centred(sums: NDArray[Any], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Deviations of sums [S, G] from the mean difference, in units of the largest."""
    deviations = sums - sizes * (math.fsum(sums.reshape(-1)) / (len(sums) * int(sizes.sum())))
    return np.asarray(deviations / (np.abs(deviations).max() or 1.0))


def _orientation(deviations: NDArray[np.float64], sizes: NDArray[np.int64]) -> int:
    """Sign of the skewness, or of the next odd moment: swapping the arms mirrors the draws, a constant leaves them."""
    weights = sizes / sizes.max()
    for x in (deviations.mean(axis=0), deviations):
        for moment in (x**3, weights * x, weights * x**3, x**5):
            total = math.fsum(moment.reshape(-1))
            if abs(total) > 1e-9 * moment.size:
                return 1 if total > 0 else -1
    return 1


def _seed_order(family: list[NDArray[np.float64]], sizes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Order the seeds of deviations [S, G] a contrast by their moments, not by where they stand."""
    keys = []
    for x in family:
        pooled = x.mean(axis=0)
        moments = (x, x**2, x * pooled, x * pooled**2, x**2 * pooled, x * (sizes / sizes.max()))
        # Rounded, so that a constant added to every difference orders equal seeds alike.
        keys += [np.round(moment.mean(axis=1), 11) for moment in moments]
    return np.lexsort(keys[::-1])
