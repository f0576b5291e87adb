"""A plan and records to results: every planned contrast with its tests, and all others as exploratory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.absence import Absent, bounds, settled
from refsym_stats.bootstrap import cluster_bootstrap, crossed_bootstrap
from refsym_stats.description import Description, described
from refsym_stats.endpoints import (
    ENDPOINTS,
    Endpoint,
    ItemValues,
    applicable,
    item_values,
    transitions,
)
from refsym_stats.errors import InputError, names
from refsym_stats.intervals import cluster_robust, paired_t
from refsym_stats.mcnemar import mcnemar_exact
from refsym_stats.multiplicity import bonferroni, holm, tost
from refsym_stats.panel import Panel, panels
from refsym_stats.plan import Contrast, Plan
from refsym_stats.planning import design
from refsym_stats.randomization import sign_flip
from refsym_stats.records import Records
from refsym_stats.result import Flag, Number, Result

Progress = Callable[[int, int], None]


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


@dataclass(frozen=True)
class Comparison:
    """What `compare` found.

    Attributes
    ----------
    plan : Plan
    contrasts : tuple of Compared
        Planned, in the plan's order.
    exploratory : tuple of Compared
        Every other pair of arms in every endpoint that the records allow.
    description : Description
        Every arm by itself.
    absent : tuple of Absent
    unplanned : tuple of str
        What the records hold that the plan does not name.
    """

    plan: Plan
    contrasts: tuple[Compared, ...]
    exploratory: tuple[Compared, ...]
    description: Description
    absent: tuple[Absent, ...]
    unplanned: tuple[str, ...]
    own_clusters: bool


def compare(records: Records, plan: Plan, progress: Progress | None = None) -> Comparison:
    """Carry out a plan.

    Parameters
    ----------
    records : Records
    plan : Plan
        `Plan.explore` for none: then every contrast is exploratory.
    progress : callable, optional
        Called with (contrasts done, contrasts in all).

    Raises
    ------
    InputError
        The plan names what the records lack, seeds are units and there is one, or observations are absent and the plan
        declares no rule.
    """
    found = panels(_with_threshold(records, plan), plan.arms or None)
    ready: dict[tuple[str, str], Panel] = {}
    lacking: list[Absent] = []
    for key, panel in found.items():
        ready[key], absent = settled(panel, plan.reading.missing)
        lacking += [absent] if absent else []
    if plan.inference.seed == "seed":
        for panel in ready.values():
            if len(panel.seeds) == 1:
                raise InputError(f'{panel.name}: one seed, but the plan has seeds as units; set [units] seed = "none"')
    study = _Study(plan, found, ready, _reference(plan, ready))
    planned = [(study.placed(contrast), family.name) for family in plan.families for contrast in family.contrasts]
    others = study.others([contrast for contrast, _ in planned])
    ticks = count(1)

    def tick() -> None:
        if progress is not None:
            progress(next(ticks), len(planned) + len(others))

    contrasts = study.compared(planned, tick)
    exploratory = study.compared([(contrast, None) for contrast in others], tick)
    return Comparison(
        plan,
        _adjusted(plan, contrasts),
        tuple(exploratory),
        described(ready, plan.inference),
        tuple(lacking),
        _unplanned(records, plan),
        records.own_clusters,
    )


def _with_threshold(records: Records, plan: Plan) -> Records:
    threshold, frame = plan.reading.threshold, records.frame
    if threshold is None:
        return records
    if "score" not in frame:
        raise InputError("the plan has a threshold, but the records have no 'score'")
    if "correct" in frame:
        raise InputError("the plan has a threshold, but the records have 'correct' already")
    return replace(records, frame=frame.assign(correct=(frame["score"] >= threshold).astype(np.int8)))


def _unplanned(records: Records, plan: Plan) -> tuple[str, ...]:
    if not plan.arms:
        return ()
    return tuple(arm for arm in records.frame["arm"].cat.categories if arm not in plan.arms)


def _reference(plan: Plan, ready: dict[tuple[str, str], Panel]) -> dict[str, tuple[Panel, int, int]]:
    """The reference arm's panel, place and partition, by benchmark."""
    wanted, out = plan.reference, {}
    if wanted is None:
        return {}
    for (benchmark, budget), panel in ready.items():
        if wanted.budget in (None, budget):
            if benchmark in out:
                raise InputError(f"reference: {panel.name} and another budget fit; name its budget")
            partition = wanted.partition or panel.partitions[0]
            if partition not in panel.partitions or (wanted.partition is None and len(panel.partitions) > 1):
                raise InputError(f"reference: name its partition, one of {names(panel.partitions)}")
            out[benchmark] = panel, panel.arm(wanted.arm), panel.partitions.index(partition)
    if not out:
        raise InputError(f"reference: no records with budget {wanted.budget}")
    return out


@dataclass(frozen=True)
class _Study:
    """The plan over panels: where each contrast finds its differences."""

    plan: Plan
    raw: dict[tuple[str, str], Panel]
    ready: dict[tuple[str, str], Panel]
    references: dict[str, tuple[Panel, int, int]]

    def placed(self, contrast: Contrast) -> Contrast:
        """Fill in the only benchmark and budget where the plan leaves them out."""
        benchmark = contrast.benchmark or self._only("benchmark", {key[0] for key in self.ready})
        known = [budget for name, budget in self.ready if name == benchmark]
        if not known:
            raise InputError(f"no records of benchmark {benchmark}; there are {names({key[0] for key in self.ready})}")
        budgets = contrast.budgets or (self._only("budget", set(known)),)
        if absent := [budget for budget in budgets if budget not in known]:
            raise InputError(f"no records of benchmark {benchmark} at budget {names(absent)}; there are {names(known)}")
        for budget in budgets:
            for arm in (contrast.arm, contrast.comparator):
                if not self.raw[benchmark, budget].present[self.raw[benchmark, budget].arm(arm)].any():
                    raise InputError(f"arm {arm} has no records in {self.raw[benchmark, budget].name}")
        return replace(contrast, benchmark=benchmark, budgets=budgets)

    @staticmethod
    def _only(name: str, found: set[str]) -> str:
        if len(found) > 1:
            raise InputError(f"a contrast names no {name}, and the records have {names(sorted(found))}")
        return next(iter(found))

    def others(self, planned: Sequence[Contrast]) -> list[Contrast]:
        """Every pair of arms in every endpoint, benchmark and budget that the plan does not compare."""
        taken = {(c.endpoint, frozenset((c.arm, c.comparator)), c.benchmark, c.budgets) for c in planned}
        return [
            Contrast(endpoint.name, arm, comparator, benchmark, (budget,))
            for (benchmark, budget), panel in self.ready.items()
            for endpoint in applicable(panel)
            for comparator, arm in combinations(panel.arms, 2)
            if (endpoint.name, frozenset((arm, comparator)), benchmark, (budget,)) not in taken
        ]

    def values(self, contrast: Contrast) -> tuple[Panel, ItemValues]:
        """Item values over the contrast's budgets, averaged within the item, and the first budget's panel."""
        assert contrast.benchmark is not None
        endpoint = ENDPOINTS[contrast.endpoint]
        found = [self.ready[contrast.benchmark, budget] for budget in contrast.budgets]
        first = found[0]
        for panel in found[1:]:
            if (panel.items, panel.seeds) != (first.items, first.seeds):
                raise InputError(f"{panel.name} and {first.name} differ in items or seeds; they cannot be averaged")
        parts = [item_values(panel, endpoint, self._of_reference(panel, endpoint)) for panel in found]
        if len({part.denominator for part in parts}) > 1:
            raise InputError(f"{contrast.endpoint}: the budgets {names(contrast.budgets)} differ in their partitions")
        total = sum(part.numerators for part in parts[1:]) + parts[0].numerators
        return first, ItemValues(total, parts[0].denominator * len(parts))

    def _of_reference(self, panel: Panel, endpoint: Endpoint) -> NDArray[Any] | None:
        if not endpoint.reference:
            return None
        if panel.benchmark not in self.references:
            raise InputError(f"{endpoint.name} in {panel.name} needs a [reference] in the plan")
        source, arm, partition = self.references[panel.benchmark]
        if (source.items, source.seeds) != (panel.items, panel.seeds):
            raise InputError(f"reference {source.name} and {panel.name} differ in items or seeds")
        array = getattr(source, endpoint.needs)
        return None if array is None else np.asarray(array[arm, :, :, partition])

    def compared(self, wanted: Sequence[tuple[Contrast, str | None]], tick: Callable[[], None]) -> list[Compared]:
        """Compare; contrasts over the same items share their bootstrap draws."""
        groups: dict[tuple[str | None, tuple[str, ...]], list[int]] = {}
        for i, (contrast, _) in enumerate(wanted):
            groups.setdefault((contrast.benchmark, contrast.budgets), []).append(i)
        out: dict[int, Compared] = {}
        for members in groups.values():
            chosen = [wanted[i] for i in members]
            by_endpoint = {contrast.endpoint: self.values(contrast) for contrast, _ in chosen}
            valued = [by_endpoint[contrast.endpoint] for contrast, _ in chosen]
            panel = valued[0][0]
            clusters = panel.clusters if self.plan.inference.cluster == "cluster" else panel.items
            differences = [self._difference(contrast, *v) for (contrast, _), v in zip(chosen, valued, strict=True)]
            intervals = self._intervals(differences, [v.denominator for _, v in valued], clusters)
            for k, i in enumerate(members):
                contrast, family = chosen[k]
                out[i] = self._one(contrast, family, panel, valued[k][1], differences[k], clusters, intervals.at(k))
                tick()
        return [out[i] for i in range(len(wanted))]

    @staticmethod
    def _difference(contrast: Contrast, panel: Panel, values: ItemValues) -> NDArray[Any]:
        return np.asarray(
            values.numerators[panel.arm(contrast.arm)] - values.numerators[panel.arm(contrast.comparator)]
        )

    def _intervals(self, differences: list[NDArray[Any]], denominators: list[int], clusters: tuple[str, ...]) -> Result:
        settings = self.plan.inference
        stacked = np.stack([d / denominator for d, denominator in zip(differences, denominators, strict=True)])
        keywords: dict[str, Any] = {"level": settings.level, "draws": settings.draws, "seed": settings.random_seed}
        if settings.seed == "seed":
            return crossed_bootstrap(stacked, clusters, **keywords)
        return cluster_bootstrap(stacked.mean(axis=1), clusters, **keywords)

    def _one(
        self,
        contrast: Contrast,
        family: str | None,
        panel: Panel,
        values: ItemValues,
        difference: NDArray[Any],
        clusters: tuple[str, ...],
        interval: Result,
    ) -> Compared:
        settings, endpoint = self.plan.inference, ENDPOINTS[contrast.endpoint]
        factor = endpoint.scale / values.denominator
        against = str(contrast.alternative)
        source = sign_flip(difference.sum(axis=0), clusters=clusters, alternative=against)
        source = replace(source, estimate=float(difference.mean()) * factor)
        averaged = difference.mean(axis=0) * factor
        robust = cluster_robust(averaged, clusters, level=settings.level, alternative=against)
        by_seed = difference.mean(axis=1) * factor
        seed = None
        if settings.seed == "seed":
            seed = paired_t(by_seed, level=settings.level, alternative=against)
        p = source.p_value
        if seed is not None and p is not None:
            p = max(p, seed.p_value) if seed.p_value is not None else (1.0 if Flag.ALL_ZERO in source.flags else None)
        arm, comparator = panel.arm(contrast.arm), panel.arm(contrast.comparator)
        means = values.means() * endpoint.scale
        binary = len(panel.seeds) == 1 and values.denominator == 1 and endpoint.needs in ("correct", "answer")
        mcnemar = None
        if binary:
            up, down = int((difference > 0).sum()), int((difference < 0).sum())
            mcnemar = mcnemar_exact(up, down, n=difference.size, alternative=against, level=settings.level)
        planned = family is not None
        return Compared(
            contrast=contrast,
            endpoint=endpoint,
            family=family,
            interval=_scaled(interval, endpoint.scale),
            source=source,
            robust=robust,
            seed=seed,
            mcnemar=mcnemar,
            equivalence=_equivalence(contrast, robust, seed),
            p=p,
            adjusted=None,
            detectable=self._detectable(difference * factor, clusters, family) if planned else None,
            bounds=self._bounds(contrast, endpoint) if planned else None,
            transitions=self._transitions(contrast, panel) if endpoint.needs == "correct" else None,
            by_seed=tuple(
                (name, float(means[comparator, s]), float(means[arm, s])) for s, name in enumerate(panel.seeds)
            ),
        )

    def _bounds(self, contrast: Contrast, endpoint: Endpoint) -> tuple[float, float] | None:
        assert contrast.benchmark is not None
        raw = [self.raw[contrast.benchmark, budget] for budget in contrast.budgets]
        if all(panel.complete.all() for panel in raw):
            return None
        found = [bounds(panel, endpoint, contrast.arm, contrast.comparator) for panel in raw]
        known = [ends for ends in found if ends is not None]
        if len(known) < len(found):
            return None
        low, high = np.mean(known, axis=0) * endpoint.scale
        return float(low), float(high)

    def _transitions(self, contrast: Contrast, panel: Panel) -> dict[str, int] | None:
        if len(contrast.budgets) > 1 or panel.correct is None:
            return None
        pair = panel.arm(contrast.comparator), panel.arm(contrast.arm)
        answers = None if panel.answer is None else (panel.answer[pair[0]], panel.answer[pair[1]])
        return transitions(panel.correct[pair[0]], panel.correct[pair[1]], answers)

    def _detectable(self, difference: NDArray[Any], clusters: tuple[str, ...], family: str | None) -> float | None:
        size = next(entry.size for entry in self.plan.families if entry.name == family)
        pilot = difference if self.plan.inference.seed == "seed" else difference.mean(axis=0)
        settings = self.plan.inference
        try:
            found = design(pilot, clusters, family_size=size, level=settings.level, seed=settings.random_seed)
        except InputError:  # one cluster, or no variation: nothing to simulate from
            return None
        return found.smallest_detectable()


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


def _adjusted(plan: Plan, contrasts: Sequence[Compared]) -> tuple[Compared, ...]:
    out = list(contrasts)
    for family in plan.families:
        members = [i for i, result in enumerate(out) if result.family == family.name and result.p is not None]
        adjust = bonferroni if family.correction == "bonferroni" else holm
        values = adjust([out[i].p for i in members], family.size)
        for i, value in zip(members, values.tolist(), strict=True):
            out[i] = replace(out[i], adjusted=value)
    return tuple(out)
