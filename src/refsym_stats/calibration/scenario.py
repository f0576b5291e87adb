"""What is simulated: a law of differences, and what is tried on it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from refsym_stats.calibration.laws import shared_variance

ROOM = 0.8
"""How much more discordance than is kept a binary law draws, so that its seeds can move it."""


@dataclass(frozen=True)
class Scenario:
    """A law of differences and what is tried on it.

    Attributes
    ----------
    name, group : str
        The group is the question that several scenarios answer together.
    laws : tuple of {"binary", "normal", "skewed", "heavy", "lognormal"}
        One a contrast; several are a family of correlated contrasts.
    sizes : tuple of int
        Items of each cluster.
    methods : tuple of str
        Keys of `METHODS`, or of `FAMILIES` for a family.
    seeds : int
    cluster_share, item_share : float
        Parts of the variance (binary: of the latent normal's) that a cluster's items, an item's seeds, have in common.
    seed_spread, effect : float
        Standard deviation of the seeds' shifts, and the true mean, in standard errors over sources.
    discordance : float
        P(gain) + P(loss) of a binary difference.
    linked : bool
        Clusters have 2 or 10 items by chance and a mean that depends on it; the question-weighted mean is zero still.
    times : int
        Multiplies the replications where they are cheap.
    """

    name: str
    group: str
    laws: tuple[str, ...]
    sizes: tuple[int, ...]
    methods: tuple[str, ...]
    seeds: int = 1
    cluster_share: float = 0.2
    item_share: float = 0.4
    seed_spread: float = 0.0
    effect: float = 0.0
    discordance: float = 0.12
    linked: bool = False
    times: int = 1

    @property
    def room(self) -> float:
        """How much more discordance is drawn than is kept."""
        return ROOM if self.seed_spread else 0.0

    def bound(self, law: str) -> float:
        """Return the largest shift of a seed: half of a binary law's room, since cancelling may double it."""
        return self.room * (self.discordance - abs(self.truth(law))) / 2 if law == "binary" else math.inf

    @property
    def rest(self) -> float:
        """Part of the variance that nothing shares."""
        return 1 - self.cluster_share - self.item_share

    def truth(self, law: str) -> float:
        """Return the mean difference."""
        return self.effect * self.standard_error(law)

    def standard_error(self, law: str) -> float:
        """Standard deviation of the mean over seeds and items when sources are drawn anew and seeds shift nothing."""
        n, squares = sum(self.sizes), sum(size**2 for size in self.sizes)
        if law != "binary":
            variance, item, cluster = 1.0, self.cluster_share + self.item_share, self.cluster_share
        else:
            # At no effect; one of a few standard errors changes little. Thinning loosens what seeds share.
            half, more = self.discordance / 2, 1 + self.room
            variance = self.discordance
            item = shared_variance(half * more, half * more, self.cluster_share + self.item_share) / more**2
            cluster = shared_variance(half * more, half * more, self.cluster_share) / more**2
        one = variance / self.seeds + item * (self.seeds - 1) / self.seeds
        return math.sqrt(n * one + (squares - n) * cluster) / n
