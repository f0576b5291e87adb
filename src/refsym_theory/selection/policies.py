"""Trigger policies at three levels of aggregation, and what their expansions gain (UG D.2, equation 20)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from refsym_theory.selection.trigger import trigger_order, triggered_count

Float = NDArray[np.float64]
Int = NDArray[np.int64]

Level = Literal["head", "tile", "cell"]
LEVELS: tuple[Level, ...] = ("head", "tile", "cell")
"""Each head triggers its own tiles; a tile is triggered for all heads; every (tile, head) competes for itself."""

POLICIES = ("sigma", "gap", "expansion_gap", "score_mass", "best_mass", "best_value", "random")
"""Smallest sigma; smallest g; largest G; most score mass dropped; most softmax mass regained; largest V*; any."""


def units(values: Float, level: Level) -> Float:
    """Arrange [..., heads, tiles] as what one trigger chooses among: [..., groups, candidates].

    At tile level the heads are summed: a tile gains the sum of its heads' values. At cell level candidates run over
    tiles, then heads, so that ties go to the lower tile.
    """
    if level == "head":
        return values
    if level == "tile":
        summed: Float = values.sum(axis=-2, keepdims=True)
        return summed
    return np.swapaxes(values, -1, -2).reshape(*values.shape[:-2], 1, -1)


def gains(priority: Float, value: Float, level: Level, fractions: Sequence[Fraction]) -> Float:
    """Value that a policy's triggered candidates gain, at each trigger fraction.

    Parameters
    ----------
    priority
        [H, T]: what the policy ranks by, smallest first.
    value
        [V, H, T]: what expansion is worth.
    level
        What competes with what.
    fractions
        [Q] trigger fractions; D = ceil(q n) of a group's n candidates are triggered.

    Returns
    -------
    [V, groups, Q] float64: sums over the triggered candidates; groups = H at head level, else 1.
    """
    ranked = units(priority, level)
    if level == "tile":
        ranked = ranked / priority.shape[0]  # the head mean: two sums an ulp apart can be one mean, and a tie
    order = trigger_order(ranked)
    worth = np.take_along_axis(units(value, level), order[None], axis=-1)
    summed = np.concatenate([np.zeros((*worth.shape[:-1], 1)), np.cumsum(worth, axis=-1)], axis=-1)
    return summed[..., [triggered_count(q, order.shape[-1]) for q in fractions]]


def random_gains(value: Float, level: Level, fractions: Sequence[Fraction]) -> Float:
    """What D candidates drawn at random gain on average; shapes as in `gains`."""
    total = units(value, level)
    candidates = total.shape[-1]
    # No candidates at all where a short window leaves no tile eligible at a larger k.
    share = np.array([triggered_count(q, candidates) / max(candidates, 1) for q in fractions])
    average: Float = total.sum(axis=-1)[..., None] * share
    return average


def expansions(heads: int, tiles: int, level: Level, fractions: Sequence[Fraction]) -> Int:
    """How many (tile, head) pairs are expanded at each trigger fraction, [Q]: ceil makes it more than q of them."""
    groups, candidates, each = {"head": (heads, tiles, 1), "tile": (1, tiles, heads), "cell": (1, heads * tiles, 1)}[
        level
    ]
    return np.array([groups * triggered_count(q, candidates) * each for q in fractions], dtype=np.int64)
