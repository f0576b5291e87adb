"""What is compared: a value an item, from its observations under every partition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from refsym_stats.divergence import kl_divergence, mean_pairwise_jsd
from refsym_stats.errors import InputError
from refsym_stats.panel import Panel, panels
from refsym_stats.records import Records


@dataclass(frozen=True)
class ItemValues:
    """An endpoint's value for every arm, seed and item: `numerators / denominator`.

    Counts stay integers: their differences lie on a lattice, where sign-flip tests are exact.

    Attributes
    ----------
    numerators : array [A, S, n]
        int64 for counts, float64 otherwise.
    denominator : int
    """

    numerators: NDArray[Any]
    denominator: int = 1

    def scaled(self, arm: int, scale: float = 1.0) -> NDArray[np.float64]:
        """Return one arm's values [S, n] times a scale."""
        return np.asarray(self.numerators[arm] * (scale / self.denominator), dtype=np.float64)

    def means(self) -> NDArray[np.float64]:
        """Mean over items [A, S]."""
        return np.asarray(self.numerators.mean(axis=-1) / self.denominator)


Reference = NDArray[Any]
"""What an endpoint compares with: answers [S, n] or distributions [S, n, m] of the reference arm."""


@dataclass(frozen=True)
class Endpoint:
    """What is measured, how it is printed, and what it needs.

    Attributes
    ----------
    name, title, unit : str
    scale : float
        From the value to the unit: 100 for percentage points.
    better : int
        1 where larger is better, -1 where smaller is.
    needs : str
        The panel's array that it reads.
    of : callable
        Panel and reference to `ItemValues`.
    partitions : int
        The least number of partitions it makes sense with.
    """

    name: str
    title: str
    unit: str
    scale: float
    better: int
    needs: str
    of: Callable[[Panel, Reference | None], ItemValues]
    partitions: int = 1
    reference: bool = False


def _accuracy(panel: Panel, reference: Reference | None) -> ItemValues:
    return ItemValues(np.asarray(_of(panel.correct).sum(axis=-1), dtype=np.int64), len(panel.partitions))


def _robust(panel: Panel, reference: Reference | None) -> ItemValues:
    return ItemValues(np.asarray(_of(panel.correct).all(axis=-1), dtype=np.int64))


def _consistency(panel: Panel, reference: Reference | None) -> ItemValues:
    answers = _of(panel.answer)
    return ItemValues(np.asarray((answers == answers[..., :1]).all(axis=-1), dtype=np.int64))


def _score(panel: Panel, reference: Reference | None) -> ItemValues:
    return ItemValues(np.asarray(_of(panel.score).mean(axis=-1)))


def _jsd(panel: Panel, reference: Reference | None) -> ItemValues:
    return ItemValues(mean_pairwise_jsd(_of(panel.probabilities)))


def _kl(panel: Panel, reference: Reference | None) -> ItemValues:
    divergence = kl_divergence(_of(reference)[None, :, :, None, :], _of(panel.probabilities))
    return ItemValues(np.asarray(divergence.mean(axis=-1)))


def _flips(panel: Panel, reference: Reference | None) -> ItemValues:
    changed = _of(panel.answer) != _of(reference)[None, :, :, None]
    return ItemValues(np.asarray(changed.sum(axis=-1), dtype=np.int64), len(panel.partitions))


def _of(array: NDArray[Any] | None) -> NDArray[Any]:
    assert array is not None  # `item_values` asks for what an endpoint needs first
    return array


ENDPOINTS = {
    endpoint.name: endpoint
    for endpoint in (
        Endpoint("accuracy", "Mean accuracy", "pp", 100, 1, "correct", _accuracy),
        Endpoint("robust_accuracy", "Robust accuracy", "pp", 100, 1, "correct", _robust, partitions=2),
        Endpoint("jsd", "Pairwise JSD", "nats", 1, -1, "probabilities", _jsd, partitions=2),
        Endpoint("consistency", "Consistency", "pp", 100, 1, "answer", _consistency, partitions=2),
        Endpoint("score", "Mean score", "", 1, 1, "score", _score),
        Endpoint("kl", "KL to the reference", "nats", 1, -1, "probabilities", _kl, reference=True),
        Endpoint("flips", "Answers that differ from the reference", "pp", 100, -1, "answer", _flips, reference=True),
    )
}
"""Endpoints with a value an item, by name."""

NEEDS = {
    "correct": "a column 'correct' (0 or 1), or a threshold on 'score' in the plan",
    "score": "a column 'score'",
    "answer": "a column 'answer'",
    "probabilities": "columns p_0, p_1, ...",
}


def item_values(panel: Panel, endpoint: Endpoint, reference: Reference | None = None) -> ItemValues:
    """Value every item of a complete panel.

    Raises
    ------
    InputError
        The panel lacks what the endpoint needs, or an observation is absent.
    """
    if getattr(panel, endpoint.needs) is None:
        raise InputError(f"{endpoint.name} in {panel.name} needs {NEEDS[endpoint.needs]}")
    if len(panel.partitions) < endpoint.partitions:
        raise InputError(f"{endpoint.name} in {panel.name} needs {endpoint.partitions} partitions, there is one")
    if endpoint.reference and reference is None:
        raise InputError(f"{endpoint.name} in {panel.name} needs a reference in the plan: arm, budget, partition")
    if not panel.complete.all():
        raise InputError(
            f"{panel.name}: {int((~panel.complete).sum())} items lack observations; declare how to treat them"
        )
    return endpoint.of(panel, reference)


def applicable(panel: Panel) -> list[Endpoint]:
    """Endpoints without a reference that this panel can give."""
    return [
        endpoint
        for endpoint in ENDPOINTS.values()
        if not endpoint.reference
        and getattr(panel, endpoint.needs) is not None
        and len(panel.partitions) >= endpoint.partitions
    ]


def least_accuracy(panel: Panel) -> NDArray[np.float64]:
    """Return the least of the partitions' accuracies, [A, S]: no mean over items, so without an item-level test."""
    return np.asarray(_of(panel.correct).mean(axis=2).min(axis=-1))


def robust_accuracy(records: Records) -> pd.DataFrame:
    """Share of items answered correctly under every partition, by benchmark, budget, arm and seed (RS 4.4).

    Returns
    -------
    DataFrame
        `benchmark, budget, arm, seed, n, value`.

    Raises
    ------
    InputError
        Without `correct`, with one partition, or with absent observations.
    """
    return _by_seed(records, lambda panel: item_values(panel, ENDPOINTS["robust_accuracy"]).means())


def pairwise_jsd(records: Records) -> pd.DataFrame:
    """Mean pairwise Jensen-Shannon divergence across partitions in nats, by benchmark, budget, arm and seed (RS I.2).

    Returns
    -------
    DataFrame
        `benchmark, budget, arm, seed, n, value`.

    Raises
    ------
    InputError
        Without probabilities, with one partition, or with absent observations.
    """
    return _by_seed(records, lambda panel: item_values(panel, ENDPOINTS["jsd"]).means())


def worst_partition(records: Records) -> pd.DataFrame:
    """Accuracy on the worst partition, by benchmark, budget, arm and seed.

    Returns
    -------
    DataFrame
        `benchmark, budget, arm, seed, n, value`.

    Raises
    ------
    InputError
        Without `correct`, with one partition, or with absent observations.
    """

    def least(panel: Panel) -> NDArray[np.float64]:
        item_values(panel, ENDPOINTS["robust_accuracy"])  # raises where the worst of the partitions means nothing
        return least_accuracy(panel)

    return _by_seed(records, least)


def _by_seed(records: Records, means: Callable[[Panel], NDArray[np.float64]]) -> pd.DataFrame:
    rows = [
        {"benchmark": panel.benchmark, "budget": panel.budget, "arm": arm, "seed": seed, "n": len(panel.items)}
        | {"value": value}
        for panel in panels(records).values()
        for arm, line in zip(panel.arms, means(panel), strict=True)
        for seed, value in zip(panel.seeds, line.tolist(), strict=True)
    ]
    return pd.DataFrame(rows)
