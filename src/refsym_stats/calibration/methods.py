"""The procedures as the simulation asks them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.bootstrap import cluster_bootstrap, crossed_bootstrap
from refsym_stats.calibration.sample import BOTH, SEEDS, SOURCES, Sample
from refsym_stats.calibration.students import Student, cluster_robust_batch
from refsym_stats.calibration.verdicts import COVERAGE, SIZE
from refsym_stats.equivalence import tost
from refsym_stats.mcnemar import mcnemar_exact
from refsym_stats.multiplicity import bonferroni, gated, holm
from refsym_stats.result import Result

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """A procedure as the simulation asks it.

    Attributes
    ----------
    kind : str
        COVERAGE or SIZE.
    targets : tuple of str
        What its answer is held against, where seeds are drawn; otherwise there are only new sources.
    run : callable
        Interval ends (low, high), or p-values, of a `Sample`.
    """

    kind: str
    targets: tuple[str, ...]
    run: Callable[[Sample], Any]


def _ends(found: Student) -> tuple[Array, Array]:
    return found.low, found.high


def _item_t(sample: Sample) -> tuple[Array, Array]:
    values = sample.totals / sample.differences.shape[1]
    return _ends(
        cluster_robust_batch(values, sample.present.astype(np.int64), np.abs(values).max(axis=1), sample.level)
    )


def _collected(sample: Sample, one: Callable[[NDArray[Any], NDArray[np.int64], int], Result]) -> tuple[Array, Array]:
    """Interval ends of a procedure that takes one replication at a time; NaN where it returns none."""
    out = np.full((2, len(sample.differences)), np.nan)
    for r, values, codes in sample.items():
        found = one(values, codes, sample.seed + r)
        if found.low is not None and found.high is not None:
            out[:, r] = found.low, found.high
    return out[0], out[1]


def _resampled(method: str) -> Callable[[Sample], tuple[Array, Array]]:
    def run(sample: Sample) -> tuple[Array, Array]:
        count = sample.differences.shape[1]

        def one(values: NDArray[Any], codes: NDArray[np.int64], seed: int) -> Result:
            return cluster_bootstrap(
                values.sum(axis=0), codes, level=sample.level, method=method, draws=sample.draws, seed=seed, workers=1
            )

        low, high = _collected(sample, one)
        return low / count, high / count

    return run


def _crossed(sample: Sample) -> tuple[Array, Array]:
    def one(values: NDArray[Any], codes: NDArray[np.int64], seed: int) -> Result:
        return crossed_bootstrap(values, codes, level=sample.level, draws=sample.draws, seed=seed, workers=1)

    return _collected(sample, one)


@cache
def _mcnemar(gains: int, losses: int, n: int, mid_p: bool, interval: str, level: float) -> tuple[float, float, float]:
    found = mcnemar_exact(gains, losses, n=n, mid_p=mid_p, interval=interval, level=level)
    low, high, p = (math.nan if v is None else float(v) for v in (found.low, found.high, found.p_value))
    return low, high, p


def _paired_counts(sample: Sample, mid_p: bool = False, interval: str = "score") -> Array:
    """Low, high and p [3, R] of McNemar's test."""
    values, n = sample.differences[:, 0], sample.differences.shape[2]
    counts = zip((values > 0).sum(axis=1).tolist(), (values < 0).sum(axis=1).tolist(), strict=True)
    return np.array([_mcnemar(up, down, n, mid_p, interval, sample.level) for up, down in counts]).T


def _equivalence(sample: Sample, found: Student, units: str) -> Array:
    """p-values of two one-sided tests whose margin is the true effect: every claim of equivalence is an error."""
    out = np.full(len(found.estimate), np.nan)
    for r in np.flatnonzero(np.isfinite(found.error)):
        count: dict[str, Any] = {units: int(found.degrees[r]) + 1}
        estimate, error = float(found.estimate[r]), float(found.error[r])
        p = tost(Result("", 1, estimate, error, level=sample.level, **count), abs(float(sample.asked[r]))).p_value
        out[r] = math.nan if p is None else p
    return out


def _gate(sample: Sample) -> Array:
    """RS I.2's p-value of one contrast."""
    pairs = zip(sample.flips, known_p(sample.over_seeds.p_value), strict=True)
    return np.array([float(gated(source, seed, family_size=1)) for source, seed in pairs])


def known_p(p: Array) -> Array:
    """An undefined p-value rejects nothing."""
    return np.where(np.isnan(p), 1.0, p)


_FIXED = (SOURCES, BOTH)
METHODS: dict[str, Method] = {
    "paired t over seeds": Method(COVERAGE, (SEEDS, SOURCES, BOTH), lambda s: _ends(s.over_seeds)),
    "cluster-robust t": Method(COVERAGE, _FIXED, lambda s: _ends(s.over_clusters)),
    "t over items": Method(COVERAGE, _FIXED, _item_t),
    "cluster bootstrap, percentile": Method(COVERAGE, _FIXED, _resampled("percentile")),
    "cluster bootstrap, basic": Method(COVERAGE, _FIXED, _resampled("basic")),
    "crossed bootstrap, percentile": Method(COVERAGE, _FIXED, _crossed),
    "sign flip over clusters": Method(SIZE, _FIXED, lambda s: s.flips),
    "sign flip over items": Method(SIZE, _FIXED, lambda s: s.flipped(clustered=False)),
    "gate": Method(SIZE, _FIXED, _gate),
    "McNemar, exact": Method(SIZE, (SOURCES,), lambda s: _paired_counts(s)[2]),
    "McNemar, mid-p": Method(SIZE, (SOURCES,), lambda s: _paired_counts(s, mid_p=True)[2]),
    "paired counts, score interval": Method(COVERAGE, (SOURCES,), lambda s: _paired_counts(s)[:2]),
    "paired counts, t interval": Method(COVERAGE, (SOURCES,), lambda s: _paired_counts(s, interval="t")[:2]),
    "equivalence, cluster-robust t": Method(SIZE, (SOURCES,), lambda s: _equivalence(s, s.over_clusters, "clusters")),
    "equivalence, paired t over seeds": Method(SIZE, (SEEDS, BOTH), lambda s: _equivalence(s, s.over_seeds, "seeds")),
}


def _adjusted(adjust: Callable[[Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda source, seed: np.array([adjust(p) for p in source])


FAMILIES: dict[str, Callable[[Array, Array], Array]] = {
    "sign flip, unadjusted": lambda source, seed: source,
    "sign flip, Bonferroni": _adjusted(lambda p: bonferroni(p, len(p))),
    "sign flip, Holm": _adjusted(lambda p: holm(p, len(p))),
    "paired t over seeds, Bonferroni": lambda source, seed: np.array([bonferroni(p, len(p)) for p in seed]),
    "gate, Bonferroni": lambda source, seed: np.array(
        [gated(a, b, family_size=len(a)) for a, b in zip(source, seed, strict=True)]
    ),
}
"""Adjusted p-values [R, contrasts] from those over sources and over seeds."""
