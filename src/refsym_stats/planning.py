"""What a design can see: its power, and the smallest effect it detects, by simulation from a pilot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from refsym_stats.arguments import finite, fraction, whole
from refsym_stats.categories import Categories
from refsym_stats.clusters import balanced, cluster_sums
from refsym_stats.errors import InputError
from refsym_stats.streams import draw


@dataclass(frozen=True)
class Design:
    """A planned study, simulated from a pilot.

    Attributes
    ----------
    thresholds : array [draws]
        For each simulated study the smallest effect that it would have found, in the differences' units.
    clusters, seeds : int
        Planned; one seed where seeds are not a unit.
    family_size : int
    level : float
    """

    thresholds: NDArray[np.float64]
    clusters: int
    seeds: int
    family_size: int
    level: float

    def power(self, effect: float) -> tuple[float, float]:
        """Probability of finding an effect of this size in its own direction, and its Monte Carlo standard error."""
        if not effect > 0:
            raise InputError(f"effect {effect}: a positive size")
        share = float((self.thresholds <= effect).mean())
        return share, math.sqrt(share * (1 - share) / len(self.thresholds))

    def smallest_detectable(self, power: float = 0.8) -> float:
        """Return the effect that is found with this probability."""
        return float(np.quantile(self.thresholds, fraction(power, "power")))


def design(
    pilot: Any,
    clusters: Any = None,
    *,
    planned_clusters: int | None = None,
    planned_seeds: int | None = None,
    family_size: int = 1,
    level: float = 0.95,
    draws: int = 4_000,
    seed: int = 0,
) -> Design:
    r"""Simulate a planned study from a pilot's paired differences.

    A simulated study resamples the pilot's clusters, centred at zero, as many as planned, and tests with the
    cluster-robust t at the two-sided level 1 - (1 - level) / family_size. With seeds it also adds to each seed a normal
    deviation with the pilot's variance between seeds and asks the seeds' t-test too (RS I.2's gate). Since an effect
    only shifts the differences, one set of studies serves every effect.

    Parameters
    ----------
    pilot : array [n] or [seeds, n]
        Differences of the pilot's items.
    clusters : array [n] of labels, optional
    planned_clusters, planned_seeds : int, optional
        As in the pilot by default.
    family_size : int
        Contrasts that share the error rate, by Bonferroni.
    level : float
    draws, seed : int

    Raises
    ------
    InputError
        The pilot has fewer than two clusters or no variation, or seeds are planned that it does not have.
    """
    values = finite(pilot, "pilot").astype(np.float64)
    if values.ndim > 2:
        raise InputError(f"design: a pilot [n] or [seeds, n] is needed, got shape {values.shape}")
    lines = np.atleast_2d(values)
    totals = cluster_sums(lines.mean(axis=0), clusters)
    groups, n = len(totals.sizes), lines.shape[1]
    if groups < 2:
        raise InputError("design: the pilot has one cluster; the variation between clusters cannot be seen")
    count = whole(groups if planned_clusters is None else planned_clusters, "planned_clusters", 2)
    seeds = whole(len(lines) if planned_seeds is None else planned_seeds, "planned_seeds")
    if seeds > 1 and len(lines) < 2:
        raise InputError("design: the pilot has one seed; the variation between seeds cannot be seen")
    mean = math.fsum(totals.sums) / n
    if balanced(totals.sums, totals.sizes, mean, float(np.abs(values).max())):
        raise InputError("design: the pilot's differences do not vary between clusters")
    # Resampled clusters vary less than the pilot's by the factor (G - 1) / G.
    centred = (totals.sums - totals.sizes * mean) * math.sqrt(groups / (groups - 1))
    sizes = totals.sizes.astype(np.float64)
    moments = np.vstack([centred**2, centred * sizes, sizes**2, centred, sizes])
    categories = Categories.of(moments, count)
    spread = float(lines.mean(axis=1).std(ddof=1)) if seeds > 1 else 0.0
    alpha = (1 - fraction(level)) / whole(family_size, "family_size") / 2
    needed = float(student.isf(alpha, count - 1)), float(student.isf(alpha, max(seeds - 1, 1)))

    def work(generator: np.random.Generator, size: int) -> NDArray[np.float64]:
        squares, products, sizes2, sums, items = categories.sums(generator, size).T
        mean = sums / items
        error = np.sqrt(np.maximum(count / (count - 1) * (squares - 2 * mean * products + mean**2 * sizes2), 0)) / items
        if seeds == 1:
            return np.asarray(needed[0] * error - mean)
        between = spread * generator.standard_normal((size, seeds))
        mean = mean + between.mean(axis=1)
        seed_error = between.std(axis=1, ddof=1) / math.sqrt(seeds)
        return np.asarray(np.maximum(needed[0] * error, needed[1] * seed_error) - mean)

    return Design(draw(whole(draws, "draws"), whole(seed, "seed", 0), work), count, seeds, family_size, level)
