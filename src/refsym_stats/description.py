"""Every arm by itself: its endpoints, its accuracy on each partition, its seeds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from refsym_stats.endpoints import ENDPOINTS, applicable, item_values, least_accuracy
from refsym_stats.intervals import cluster_robust
from refsym_stats.panel import Panel
from refsym_stats.plan import Inference

WORST = "worst_partition"
"""The endpoint that is no mean over items: the least of the partitions' accuracies."""


@dataclass(frozen=True)
class Description:
    """Tables of arms, in the endpoints' printed units.

    Attributes
    ----------
    arms : DataFrame
        A row a benchmark, budget, arm and endpoint: `mean` over seeds, its `sd` over seeds, a cluster-robust interval
        `low`, `high` over items (None for the worst partition), `n`, `clusters`, `seeds`.
    partitions : DataFrame
        The same for accuracy on each partition.
    seeds : DataFrame
        A row a benchmark, budget, arm, endpoint and seed: its `value`.
    """

    arms: pd.DataFrame
    partitions: pd.DataFrame
    seeds: pd.DataFrame


def described_endpoints() -> list[dict[str, Any]]:
    """Name, title, unit and better direction of what arms are described by, in the order of a table."""
    found = [{"name": e.name, "title": e.title, "unit": e.unit, "better": e.better} for e in ENDPOINTS.values()]
    after = [entry["name"] for entry in found].index("robust_accuracy") + 1
    return [*found[:after], {"name": WORST, "title": "Worst partition", "unit": "pp", "better": 1}, *found[after:]]


def described(panels: Mapping[tuple[str, str], Panel], settings: Inference) -> Description:
    """Describe every arm of complete panels."""
    arms: list[dict[str, Any]] = []
    partitions: list[dict[str, Any]] = []
    seeds: list[dict[str, Any]] = []
    for panel in panels.values():
        for a, arm in enumerate(panel.arms):
            place = {"benchmark": panel.benchmark, "budget": panel.budget, "arm": arm}
            for name, lines in _endpoints(panel, a):
                by_seed = lines.mean(axis=1)
                arms.append(place | {"endpoint": name} | _mean(panel, lines, settings))
                seeds += _by_seed(panel, place | {"endpoint": name}, by_seed)
            if panel.correct is None:
                continue
            right = panel.correct[a] * 100.0
            partitions += [
                place | {"partition": partition} | _mean(panel, right[:, :, p], settings)
                for p, partition in enumerate(panel.partitions)
            ]
            if len(panel.partitions) > 1:
                worst = least_accuracy(panel)[a] * 100
                row = place | {"endpoint": WORST}
                counts = _counts(panel, settings)
                arms.append(row | {"mean": float(worst.mean()), "sd": _sd(worst), "low": None, "high": None} | counts)
                seeds += _by_seed(panel, row, worst)
    return Description(pd.DataFrame(arms), pd.DataFrame(partitions), pd.DataFrame(seeds))


def _endpoints(panel: Panel, arm: int) -> list[tuple[str, NDArray[np.float64]]]:
    """Item values [S, n] of one arm, in printed units."""
    return [(found.name, item_values(panel, found).scaled(arm, found.scale)) for found in applicable(panel)]


def _mean(panel: Panel, lines: NDArray[np.float64], settings: Inference) -> dict[str, Any]:
    found = cluster_robust(lines.mean(axis=0), panel.units(settings.cluster), level=settings.level)
    values = {"mean": found.estimate, "sd": _sd(lines.mean(axis=1)), "low": found.low, "high": found.high}
    return values | _counts(panel, settings)


def _counts(panel: Panel, settings: Inference) -> dict[str, int]:
    return {"n": len(panel.items), "clusters": len(set(panel.units(settings.cluster))), "seeds": len(panel.seeds)}


def _sd(values: NDArray[np.float64]) -> float | None:
    return float(values.std(ddof=1)) if len(values) > 1 else None


def _by_seed(panel: Panel, row: dict[str, str], values: NDArray[np.float64]) -> list[dict[str, Any]]:
    return [row | {"seed": seed, "value": value} for seed, value in zip(panel.seeds, values.tolist(), strict=True)]
