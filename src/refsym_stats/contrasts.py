"""One contrast with every test that the plan asks of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from refsym_stats.bootstrap import cluster_bootstrap, crossed_bootstrap
from refsym_stats.endpoints import ENDPOINTS, Endpoint
from refsym_stats.equivalence import tost
from refsym_stats.errors import InputError
from refsym_stats.intervals import cluster_robust, paired_t
from refsym_stats.mcnemar import mcnemar_exact
from refsym_stats.plan import Contrast, Inference, Plan
from refsym_stats.planning import design
from refsym_stats.randomization import sign_flip
from refsym_stats.result import Flag, Number, Result
from refsym_stats.study import Differences, Study


@dataclass(frozen=True)
class Compared:
    """One contrast with everything that was computed of it.

    Differences are arm minus comparator, in the endpoint's own unit times `endpoint.scale` (percentage points, nats).

    Attributes
    ----------
    contrast : Contrast
        With its benchmark and budgets filled in.
    endpoint : Endpoint
    family : str, optional
        None: the contrast is not in the plan, and exploratory.
    interval : Result
        Bootstrap over clusters, crossed with seeds where they are units.
    source : Result
        Sign flip over clusters, seeds summed.
    robust : Result
        Cluster-robust t over items, seeds averaged.
    seed : Result, optional
        Paired t over seeds, items averaged.
    mcnemar : Result, optional
        With one seed and a binary outcome; it takes items as independent.
    equivalence : Result, optional
        Two one-sided tests with the planned margin: the larger of the source's and the seeds'.
    p : float, optional
        The larger of source's and seeds' p-values; None where one of them is undefined.
    adjusted : float, optional
        For the family; None for exploratory contrasts.
    detectable : float, optional
        The smallest effect that this design finds with probability 0.8 at the family's level.
    bounds : pair of float, optional
        Least and largest difference whatever the absent observations were.
    transitions : dict of str to int, optional
        From the comparator's answers to the arm's, over items, seeds and partitions.
    by_seed : tuple of (seed, comparator's mean, arm's mean)
    """

    contrast: Contrast
    endpoint: Endpoint
    family: str | None
    interval: Result
    source: Result
    robust: Result
    seed: Result | None
    mcnemar: Result | None
    equivalence: Result | None
    p: float | None
    adjusted: float | None
    detectable: float | None
    bounds: tuple[float, float] | None
    transitions: dict[str, int] | None
    by_seed: tuple[tuple[str, float, float], ...]

    @property
    def estimate(self) -> float:
        """The mean difference."""
        return float(self.robust.estimate or 0.0)


def compared(study: Study, wanted: Sequence[tuple[Contrast, str | None]], tick: Callable[[], None]) -> list[Compared]:
    """Test placed contrasts, each with its family's name; those over the same items share their bootstrap draws."""
    groups: dict[tuple[str | None, tuple[str, ...]], list[int]] = {}
    for i, (contrast, _) in enumerate(wanted):
        groups.setdefault((contrast.benchmark, contrast.budgets), []).append(i)
    out: dict[int, Compared] = {}
    for members in groups.values():
        found = study.differences([wanted[i][0] for i in members])
        intervals = _intervals(found, study.plan.inference)
        for k, i in enumerate(members):
            out[i] = _tested(study, *wanted[i], found[k], intervals.at(k))
            tick()
    return [out[i] for i in range(len(wanted))]


def _intervals(found: Sequence[Differences], settings: Inference) -> Result:
    stacked = np.stack([differences.plain for differences in found])
    keywords: dict[str, Any] = {"level": settings.level, "draws": settings.draws, "seed": settings.random_seed}
    if settings.seed == "seed":
        return crossed_bootstrap(stacked, found[0].clusters, **keywords)
    return cluster_bootstrap(stacked.mean(axis=1), found[0].clusters, **keywords)


def _tested(study: Study, contrast: Contrast, family: str | None, found: Differences, interval: Result) -> Compared:
    settings, endpoint = study.plan.inference, ENDPOINTS[contrast.endpoint]
    numerators, clusters, against = found.numerators, found.clusters, str(contrast.alternative)
    factor = endpoint.scale / found.values.denominator
    source = sign_flip(numerators.sum(axis=0), clusters=clusters, alternative=against)
    source = replace(source, estimate=float(numerators.mean()) * factor)
    robust = cluster_robust(numerators.mean(axis=0) * factor, clusters, level=settings.level, alternative=against)
    seed = None
    if settings.seed == "seed":
        seed = paired_t(numerators.mean(axis=1) * factor, level=settings.level, alternative=against)
    return Compared(
        contrast=contrast,
        endpoint=endpoint,
        family=family,
        interval=_scaled(interval, endpoint.scale),
        source=source,
        robust=robust,
        seed=seed,
        mcnemar=_mcnemar(contrast, endpoint, found, settings),
        equivalence=_equivalence(contrast, robust, seed),
        p=_larger(source, seed),
        adjusted=None,
        detectable=None if family is None else _detectable(study.plan, family, found, factor),
        bounds=None if family is None else study.bounds(contrast),
        transitions=study.transitions(contrast),
        by_seed=_by_seed(contrast, endpoint, found),
    )


def _larger(source: Result, seed: Result | None) -> float | None:
    """The gate of RS I.2 before its factor: the larger p-value; None where one is undefined.

    Differences that are all zero are as far from an effect as can be, though they leave the seeds' t-test undefined.
    """
    if seed is None or source.p_value is None:
        return source.p_value
    if seed.p_value is None:
        return 1.0 if Flag.ALL_ZERO in source.flags else None
    return max(source.p_value, seed.p_value)


def _mcnemar(contrast: Contrast, endpoint: Endpoint, found: Differences, settings: Inference) -> Result | None:
    """McNemar's test needs one binary outcome an item: one seed, one partition, one budget."""
    if len(found.numerators) > 1 or found.values.denominator > 1 or endpoint.needs not in ("correct", "answer"):
        return None
    up, down = int((found.numerators > 0).sum()), int((found.numerators < 0).sum())
    return mcnemar_exact(up, down, n=found.numerators.size, alternative=str(contrast.alternative), level=settings.level)


def _detectable(plan: Plan, family: str, found: Differences, factor: float) -> float | None:
    settings, size = plan.inference, next(entry.size for entry in plan.families if entry.name == family)
    pilot = found.numerators * factor
    try:
        planned = design(
            pilot if settings.seed == "seed" else pilot.mean(axis=0),
            found.clusters,
            family_size=size,
            level=settings.level,
            seed=settings.random_seed,
        )
    except InputError:  # one cluster, or no variation: nothing to simulate from
        return None
    return planned.smallest_detectable()


def _by_seed(contrast: Contrast, endpoint: Endpoint, found: Differences) -> tuple[tuple[str, float, float], ...]:
    means = found.values.means() * endpoint.scale
    before, after = (means[found.panel.arm(name)].tolist() for name in (contrast.comparator, contrast.arm))
    return tuple(zip(found.panel.seeds, before, after, strict=True))


def _scaled(result: Result, scale: float) -> Result:
    def times(value: Number | None) -> float | None:
        return None if value is None else float(value) * scale

    return replace(
        result,
        estimate=times(result.estimate),
        standard_error=times(result.standard_error),
        low=times(result.low),
        high=times(result.high),
    )


def _equivalence(contrast: Contrast, robust: Result, seed: Result | None) -> Result | None:
    if contrast.margin is None:
        return None
    found = [tost(result, contrast.margin) for result in (robust, seed) if result is not None]
    undefined = [result for result in found if result.p_value is None]
    return undefined[0] if undefined else max(found, key=lambda result: result.p_value or 0.0)
