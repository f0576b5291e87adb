"""Absent observations: refused, left out by item, or counted as wrong; and what any of that could hide."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from refsym_stats.endpoints import Endpoint, item_values
from refsym_stats.errors import InputError, names
from refsym_stats.panel import Panel


@dataclass(frozen=True)
class Absent:
    """What a panel lacks.

    Attributes
    ----------
    where : str
    rule : str
    items : int
        Items that some arm, seed or partition lacks.
    of : int
        Items in all.
    by_arm : dict of str to tuple of str
        The items that each arm lacks, wholly or in part.
    given_up : tuple of str
        What the rule "wrong" leaves unused: "answer", "probabilities".
    """

    where: str
    rule: str
    items: int
    of: int
    by_arm: dict[str, tuple[str, ...]]
    given_up: tuple[str, ...] = ()


def settled(panel: Panel, rule: str) -> tuple[Panel, Absent | None]:
    """Apply the plan's rule to a panel, and say what it lacks.

    Raises
    ------
    InputError
        Something is absent and the rule is "error"; nothing is complete; or "wrong" without `correct`.
    """
    if panel.complete.all():
        return panel, None
    lacking = np.asarray(~panel.present.all(axis=(1, 3)))
    by_arm = {
        arm: tuple(panel.items[i] for i in np.flatnonzero(lacking[a]))
        for a, arm in enumerate(panel.arms)
        if lacking[a].any()
    }
    absent = Absent(panel.name, rule, int((~panel.complete).sum()), len(panel.items), by_arm)
    if rule == "error":
        parts = [f"arm {arm} lacks {len(items)} ({names(items, 3)})" for arm, items in by_arm.items()]
        axes = [name for name in ("seeds", "partitions") if len(getattr(panel, name)) > 1]
        where = f", in some or all {' and '.join(axes)}" if axes else ""
        raise InputError(
            f"{panel.name}: of {len(panel.items)} items, {'; '.join(parts)}{where}; complete the records, or declare "
            'missing = "complete-items" or "wrong" in the plan'
        )
    if rule == "complete-items":
        if not panel.complete.any():
            raise InputError(f"{panel.name}: no item is complete in every arm, seed and partition")
        return panel.of_items(panel.complete), absent
    if panel.correct is None:
        raise InputError(f"{panel.name}: missing = \"wrong\" needs 'correct'; a score has no wrong value")
    # An absent answer is no answer and an absent distribution no distribution: neither has a wrong value.
    given_up = tuple(name for name in ("answer", "probabilities") if getattr(panel, name) is not None)
    filled = replace(panel, present=np.ones_like(panel.present), answer=None, probabilities=None)
    return filled, replace(absent, given_up=given_up)


def bounds(panel: Panel, endpoint: Endpoint, arm: str, comparator: str) -> tuple[float, float] | None:
    """Least and largest mean difference, whatever the absent answers were; None without a binary outcome."""
    if endpoint.needs != "correct" or panel.correct is None:
        return None
    a, c = panel.arm(arm), panel.arm(comparator)
    ends = []
    for arm_right in (0, 1):
        correct = panel.correct.copy()
        for place, right in ((a, arm_right), (c, 1 - arm_right)):
            correct[place][~panel.present[place]] = right
        filled = replace(panel, correct=correct, present=np.ones_like(panel.present))
        means = item_values(filled, endpoint).means()
        ends.append(float((means[a] - means[c]).mean()))
    return ends[0], ends[1]
