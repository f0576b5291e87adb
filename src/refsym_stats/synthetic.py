"""Records of the deployment study's shape (RS 4.4, I), made with effects that are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, softmax

ARMS = ("standard", "count", "measure")
PARTITIONS = ("uniform", "motion", "entropy", "keyframe")
BUDGETS = ("16", "8", "4", "2")
OPTIONS = 4


@dataclass(frozen=True)
class Law:
    """How many partitions an arm answers correctly: P(all), P(at least one), uniform between.

    Attributes
    ----------
    robust, any : float
        Probabilities that every partition, and that some partition, is right.
    noise : float
        Spread of the option logits between partitions.
    """

    robust: float
    any: float
    noise: float

    @property
    def accuracy(self) -> float:
        """Expected mean accuracy over P partitions: in between, 1 ... P - 1 are right equally often."""
        return self.robust + (self.any - self.robust) / 2


LAWS = {
    "16": dict.fromkeys(ARMS, Law(0.668, 0.668, 0.0)),
    "8": {"standard": Law(0.565, 0.718, 0.45), "count": Law(0.564, 0.729, 0.50), "measure": Law(0.578, 0.722, 0.45)},
    "4": {"standard": Law(0.531, 0.695, 0.50), "count": Law(0.525, 0.723, 0.58), "measure": Law(0.534, 0.713, 0.54)},
    "2": {"standard": Law(0.516, 0.634, 0.40), "count": Law(0.505, 0.660, 0.52), "measure": Law(0.505, 0.660, 0.50)},
}
"""Known effects by budget; at 16 the arms coincide, at 8 measure and standard have the same noise."""


def deployment(
    seed: int = 0, *, items: int = 2489, clusters: int = 2290, seeds: int = 5, seed_spread: float = 0.004
) -> pd.DataFrame:
    """Make records: 2,489 items of 2,290 clusters, 5 seeds, 4 partitions, 3 arms, 4 budgets: 597,360 rows.

    An item's difficulty is one latent normal that its cluster, its training seed and its arm share in parts, so that
    arms are paired, items of one source depend on each other, and each seed shifts every arm's law by a normal of
    standard deviation `seed_spread`. Marginally each arm's law is `LAWS`.

    Returns
    -------
    DataFrame
        The design's record table, `p_0` ... `p_3` and `answer` included.
    """
    random = np.random.default_rng(seed)
    cluster = np.concatenate([np.arange(clusters), random.integers(0, clusters, items - clusters)])
    gold = random.integers(0, OPTIONS, items)
    base = random.normal(0, 1, (items, OPTIONS))
    shared = 0.5 * random.normal(size=clusters)[cluster] + np.sqrt(0.75) * random.normal(size=items)
    frames = []
    for s in range(seeds):
        by_seed = np.sqrt(0.8) * shared + np.sqrt(0.2) * random.normal(size=items)
        drift = random.normal(0, seed_spread, len(ARMS))
        own = {arm: np.sqrt(0.93) * by_seed + np.sqrt(0.07) * random.normal(size=items) for arm in ARMS}
        turn = random.permuted(np.tile(np.arange(len(PARTITIONS)), (items, 1)), axis=1)
        for budget in BUDGETS:
            common = random.normal(size=(items, len(PARTITIONS), OPTIONS))
            for a, arm in enumerate(ARMS):
                law = LAWS[budget][arm]
                native = law.robust == law.any
                uniform = ndtr(by_seed if native else own[arm]) - (0.0 if native else drift[a])
                right = _right(uniform, law, turn)
                noise = common if native else 0.9 * common + np.sqrt(0.19) * random.normal(size=common.shape)
                frames.append(_rows(arm, s, budget, cluster, gold, right, base[:, None, :] + law.noise * noise))
    return pd.concat(frames, ignore_index=True)


def _right(uniform: NDArray[np.float64], law: Law, turn: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which partitions are right [n, P]: all below `robust`, none above `any`, 1 ... P - 1 in between."""
    count = len(PARTITIONS)
    between = (law.any - uniform) / max(law.any - law.robust, 1e-12)
    number = np.where(uniform < law.robust, count, np.clip(np.ceil(between * (count - 1)), 0, count - 1))
    number = np.where(uniform >= law.any, 0, number)
    return np.asarray(turn < number[:, None])


def _rows(
    arm: str,
    seed: int,
    budget: str,
    cluster: NDArray[np.int64],
    gold: NDArray[np.int64],
    right: NDArray[np.bool_],
    logits: NDArray[np.float64],
) -> pd.DataFrame:
    """One arm, seed and budget: the largest option probability is moved to where the answer has to be."""
    n, count = right.shape
    wrong = (gold[:, None] + 1 + np.argmax(np.delete(logits, 0, axis=2), axis=2)) % OPTIONS
    answer = np.where(right, gold[:, None], wrong)
    top = logits.argmax(axis=2)
    swapped = logits.copy()
    i, p = np.indices((n, count))
    swapped[i, p, top], swapped[i, p, answer] = logits[i, p, answer], logits[i, p, top]
    probabilities = softmax(swapped, axis=2).reshape(-1, OPTIONS)
    columns = {
        "benchmark": "synthetic",
        "arm": arm,
        "seed": seed,
        "item": np.repeat(np.arange(n), count),
        "cluster": np.repeat(cluster, count),
        "partition": np.tile(PARTITIONS, n),
        "budget": budget,
        "correct": right.reshape(-1).astype(np.int8),
        "answer": answer.reshape(-1),
    }
    return pd.DataFrame(columns | {f"p_{j}": probabilities[:, j] for j in range(OPTIONS)})
