"""A plan and records to results: every planned contrast with its tests, and all others as exploratory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from refsym_stats.absence import Absent, settled
from refsym_stats.contrasts import Compared, compared
from refsym_stats.description import Description, described
from refsym_stats.errors import InputError
from refsym_stats.multiplicity import bonferroni, holm
from refsym_stats.panel import Panel, panels
from refsym_stats.plan import Plan
from refsym_stats.records import Records
from refsym_stats.study import Study

Progress = Callable[[int, int], None]


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
        Arms of the records that the plan does not name.
    own_clusters : bool
        The records have no cluster column: each item is its own.
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
    found = panels(_with_threshold(records, plan), plan.arms or None, plan.arms_on)
    ready: dict[tuple[str, str], Panel] = {}
    lacking: list[Absent] = []
    for key, panel in found.items():
        ready[key], absent = settled(panel, plan.reading.missing)
        lacking += [absent] if absent else []
    if plan.inference.seed == "seed":
        for panel in ready.values():
            if len(panel.seeds) == 1:
                raise InputError(f'{panel.name}: one seed, but the plan has seeds as units; set [units] seed = "none"')
    study = Study(plan, found, ready)
    planned = [(study.placed(contrast), family.name) for family in plan.families for contrast in family.contrasts]
    others = study.others([contrast for contrast, _ in planned])
    ticks = count(1)

    def tick() -> None:
        if progress is not None:
            progress(next(ticks), len(planned) + len(others))

    contrasts = compared(study, planned, tick)
    exploratory = compared(study, [(contrast, None) for contrast in others], tick)
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


def _adjusted(plan: Plan, contrasts: Sequence[Compared]) -> tuple[Compared, ...]:
    out = list(contrasts)
    for family in plan.families:
        members = [i for i, result in enumerate(out) if result.family == family.name and result.p is not None]
        adjust = bonferroni if family.correction == "bonferroni" else holm
        values = adjust([out[i].p for i in members], family.size)
        for i, value in zip(members, values.tolist(), strict=True):
            out[i] = replace(out[i], adjusted=value)
    return tuple(out)
