"""A plan over panels: where each contrast finds its differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.absence import bounds
from refsym_stats.endpoints import ENDPOINTS, Endpoint, ItemValues, applicable, item_values
from refsym_stats.errors import InputError, names
from refsym_stats.paired_answers import transitions
from refsym_stats.panel import Panel
from refsym_stats.plan import Contrast, Plan
from refsym_stats.records import CONSTANT

Key = tuple[str, str]
"""Benchmark and budget."""


@dataclass(frozen=True, eq=False)
class Differences:
    """What a contrast compares: arm minus comparator on every item.

    Attributes
    ----------
    panel : Panel
        Of the contrast's first budget.
    values : ItemValues
        Of all arms, averaged over the contrast's budgets.
    numerators : array [S, n]
        Integers for counts; over `values.denominator` they are the differences.
    clusters : tuple of str
        What is resampled together, one label an item.
    """

    panel: Panel
    values: ItemValues
    numerators: NDArray[Any]
    clusters: tuple[str, ...]

    @cached_property
    def plain(self) -> NDArray[np.float64]:
        """Differences [S, n] in the endpoint's own unit."""
        return np.asarray(self.numerators / self.values.denominator, dtype=np.float64)


@dataclass(frozen=True)
class Study:
    """The plan, the panels as they were found, and as the plan's rule for absent observations left them."""

    plan: Plan
    raw: Mapping[Key, Panel]
    ready: Mapping[Key, Panel]

    def placed(self, contrast: Contrast) -> Contrast:
        """Fill in the only benchmark and budget where the plan leaves them out.

        Raises
        ------
        InputError
            There are several, or no records of what the contrast names.
        """
        benchmark = contrast.benchmark or _only("benchmark", {key[0] for key in self.ready})
        known = [budget for name, budget in self.ready if name == benchmark]
        if not known:
            others = list(dict.fromkeys(name for name, _ in self.ready))
            raise InputError(f"no records of benchmark {benchmark}; {_known('benchmark', others)}")
        budgets = contrast.budgets or (_only("budget", set(known)),)
        if absent := [budget for budget in budgets if budget not in known]:
            place = "" if benchmark == CONSTANT else f" of benchmark {benchmark}"
            raise InputError(f"no records{place} at budget {names(absent)}; {_known('budget', known)}")
        for budget in budgets:
            panel = self.raw[benchmark, budget]
            for arm in (contrast.arm, contrast.comparator):
                if not panel.present[panel.arm(arm)].any():
                    raise InputError(f"arm {arm} has no records in {panel.name}")
        return replace(contrast, benchmark=benchmark, budgets=budgets)

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

    def differences(self, contrasts: Sequence[Contrast]) -> list[Differences]:
        """Differences of placed contrasts that share benchmark and budgets; each endpoint is valued once.

        Raises
        ------
        InputError
            An endpoint lacks what it needs, or the budgets differ in items, seeds or partitions.
        """
        valued = {contrast.endpoint: self._values(contrast) for contrast in contrasts}
        out = []
        for contrast in contrasts:
            panel, values = valued[contrast.endpoint]
            arm, comparator = (values.numerators[panel.arm(name)] for name in (contrast.arm, contrast.comparator))
            out.append(Differences(panel, values, arm - comparator, panel.units(self.plan.inference.cluster)))
        return out

    def bounds(self, contrast: Contrast) -> tuple[float, float] | None:
        """Least and largest difference in printed units, whatever the absent observations were; None if none are."""
        raw = [self.raw[key] for key in _keys(contrast)]
        if all(panel.complete.all() for panel in raw):
            return None
        endpoint = ENDPOINTS[contrast.endpoint]
        found = [bounds(panel, endpoint, contrast.arm, contrast.comparator) for panel in raw]
        known = [ends for ends in found if ends is not None]
        if len(known) < len(found):
            return None
        low, high = np.mean(known, axis=0) * endpoint.scale
        return float(low), float(high)

    def transitions(self, contrast: Contrast) -> dict[str, int] | None:
        """Transitions from the comparator's answers to the arm's; None for other endpoints and several budgets."""
        if len(contrast.budgets) > 1 or ENDPOINTS[contrast.endpoint].needs != "correct":
            return None
        panel = self.ready[_keys(contrast)[0]]
        if panel.correct is None:
            return None
        pair = panel.arm(contrast.comparator), panel.arm(contrast.arm)
        answers = None if panel.answer is None else (panel.answer[pair[0]], panel.answer[pair[1]])
        return transitions(panel.correct[pair[0]], panel.correct[pair[1]], answers)

    def _values(self, contrast: Contrast) -> tuple[Panel, ItemValues]:
        """Item values over the contrast's budgets, averaged within the item, and the first budget's panel."""
        endpoint = ENDPOINTS[contrast.endpoint]
        found = [self.ready[key] for key in _keys(contrast)]
        first = found[0]
        for panel in found[1:]:
            if (panel.items, panel.seeds) != (first.items, first.seeds):
                raise InputError(f"{panel.name} and {first.name} differ in items or seeds; they cannot be averaged")
        for key, panel in zip(_keys(contrast), found, strict=True):
            if getattr(panel, endpoint.needs) is None and getattr(self.raw[key], endpoint.needs) is not None:
                raise InputError(
                    f'{endpoint.name} in {panel.name}: missing = "wrong" makes absent observations wrong, which says '
                    'nothing of their answers and probabilities; declare missing = "complete-items", or leave '
                    f"{endpoint.name} out"
                )
        parts = [item_values(panel, endpoint, self._of_reference(panel, endpoint)) for panel in found]
        if len({part.denominator for part in parts}) > 1:
            raise InputError(f"{contrast.endpoint}: the budgets {names(contrast.budgets)} differ in their partitions")
        total = sum(part.numerators for part in parts[1:]) + parts[0].numerators
        return first, ItemValues(total, parts[0].denominator * len(parts))

    def _of_reference(self, panel: Panel, endpoint: Endpoint) -> NDArray[Any] | None:
        if not endpoint.reference:
            return None
        if panel.benchmark not in self._references:
            raise InputError(f"{endpoint.name} in {panel.name} needs a [reference] in the plan")
        source, arm, partition = self._references[panel.benchmark]
        if (source.items, source.seeds) != (panel.items, panel.seeds):
            raise InputError(f"reference {source.name} and {panel.name} differ in items or seeds")
        array = getattr(source, endpoint.needs)
        return None if array is None else np.asarray(array[arm, :, :, partition])

    @cached_property
    def _references(self) -> dict[str, tuple[Panel, int, int]]:
        """The reference's panel, arm and partition, by benchmark."""
        wanted = self.plan.reference
        out: dict[str, tuple[Panel, int, int]] = {}
        if wanted is None:
            return out
        for (benchmark, budget), panel in self.ready.items():
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


def _keys(contrast: Contrast) -> list[Key]:
    assert contrast.benchmark is not None  # `placed` filled it in
    return [(contrast.benchmark, budget) for budget in contrast.budgets]


def _known(name: str, found: list[str]) -> str:
    return f"the records have no {name} column" if found == [CONSTANT] else f"there are {names(found)}"


def _only(name: str, found: set[str]) -> str:
    if len(found) > 1:
        raise InputError(f"a contrast names no {name}, and the records have {names(sorted(found))}")
    return next(iter(found))
