"""Samples of a scenario, drawn in batches."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from refsym_stats.calibration.laws import LAWS, given_shared
from refsym_stats.calibration.sample import Sample
from refsym_stats.calibration.scenario import Scenario

Array = NDArray[np.float64]

BATCH = 4_000_000
"""Differences that are held at once."""


def samples(
    scenario: Scenario, replications: int, *, draws: int = 999, seed: int = 0, level: float = 0.95
) -> Iterator[list[tuple[Sample, Sample]]]:
    """Yield batches of replications: a pair of samples a contrast, the second with seed shifts that cancel.

    Both are made of the same random numbers. Where seeds shift nothing they are one and the same.
    """
    n, groups = _slots(scenario)
    batch = max(1, BATCH // (n * scenario.seeds * len(scenario.laws)))
    name = int.from_bytes(hashlib.sha256(scenario.name.encode()).digest()[:4], "big")
    for number, first in enumerate(range(0, replications, batch)):
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(name, number)))
        count = min(batch, replications - first)
        yield _draw(
            scenario, count, groups, generator, {"draws": draws, "seed": int(generator.integers(2**31)), "level": level}
        )


def _slots(scenario: Scenario) -> tuple[int, NDArray[np.int64]]:
    """Items that there is room for, and their clusters."""
    sizes = np.full(len(scenario.sizes), LINKED[1]) if scenario.linked else np.array(scenario.sizes)
    return int(sizes.sum()), np.repeat(np.arange(len(sizes)), sizes)


LINKED = 2, 10
"""Sizes of clusters whose size goes with their mean, equally likely."""

LINK = 0.2
"""Mean difference of an item of a large cluster; in a small one -10/2 of it, so that the items' mean is zero."""

SAME_ENDPOINT, SAME_COMPARATOR = 0.5, -0.5
"""Correlations of a family's latent normals: an arm in common, and two endpoints of one comparison."""


def _draw(
    scenario: Scenario, count: int, codes: NDArray[np.int64], generator: np.random.Generator, settings: dict[str, Any]
) -> list[tuple[Sample, Sample]]:
    contrasts, seeds, n = len(scenario.laws), scenario.seeds, len(codes)
    groups = len(scenario.sizes)
    mixing = np.linalg.cholesky(_correlation(contrasts))

    def normals(*shape: int) -> Array:
        plain = generator.standard_normal((contrasts, count, *shape))
        return plain if contrasts == 1 else np.einsum("kl,l...->k...", mixing, plain)

    shifts = normals(seeds)
    parts = normals(groups), normals(n), normals(seeds, n)
    uniform = generator.random((count, seeds, n)) if scenario.room else np.zeros((count, 1, 1))
    present, means = np.ones((count, n), bool), np.zeros((count, n))
    if scenario.linked:
        sizes = generator.choice(LINKED, (count, groups))
        slot = np.arange(n) % LINKED[1]
        present = slot < sizes[:, codes]
        means = np.where(sizes == LINKED[1], LINK, -LINK * LINKED[1] / LINKED[0])[:, codes]
    out = []
    for k, law in enumerate(scenario.laws):
        make = _binary if law == "binary" else _real
        truth = scenario.truth(law)
        spread, bound = scenario.seed_spread * scenario.standard_error(law), scenario.bound(law)
        moved = np.clip(spread * shifts[k], -bound, bound)
        pieces = parts[0][k][:, codes], parts[1][k], parts[2][k]

        def sample(
            moved: Array, *, make: Any = make, law: str = law, pieces: Any = pieces, truth: float = truth
        ) -> Sample:
            values, same_items = make(scenario, law, truth, moved, pieces, uniform, means)
            values *= present[:, None]
            return Sample(
                values,
                codes,
                present,
                truth,
                truth + moved.mean(axis=1),
                (same_items * present).sum(axis=1) / present.sum(axis=1),
                np.full(count, truth),
                **settings,
            )

        drawn = sample(moved)
        cancelled = sample(moved - moved.mean(axis=1, keepdims=True)) if spread else drawn
        out.append((drawn, cancelled))
    return out


def _correlation(contrasts: int) -> Array:
    """Of two endpoints against contrasts / 2 comparators."""
    if contrasts == 1:
        return np.eye(1)
    comparators = contrasts // 2
    shared = np.full((comparators, comparators), SAME_ENDPOINT) + (1 - SAME_ENDPOINT) * np.eye(comparators)
    return np.asarray(np.kron([[1.0, SAME_COMPARATOR], [SAME_COMPARATOR, 1.0]], shared), dtype=np.float64)


def _real(
    scenario: Scenario, law: str, truth: float, moved: Array, parts: Any, uniform: Array, means: Array
) -> tuple[Array, Array]:
    """Differences [R, S, n] that add up standardised parts, and their means given cluster and item [R, n]."""
    cluster, item, rest = (LAWS[law](part) for part in parts)
    kept = means + truth + math.sqrt(scenario.cluster_share) * cluster + math.sqrt(scenario.item_share) * item
    return kept[:, None] + math.sqrt(scenario.rest) * rest + moved[:, :, None], kept


def _binary(
    scenario: Scenario, law: str, truth: float, moved: Array, parts: Any, uniform: Array, means: Array
) -> tuple[NDArray[Any], Array]:
    """Differences in {-1, 0, 1}: a latent normal's tails, thinned to move a seed's mean by exactly its shift.

    With a the share of gains and b that of losses, a gain is kept with probability (1 + shift / 2a) / (1 + room) and a
    loss with (1 - shift / 2b) / (1 + room): linear in the shift, so that the mean over seeds is known as well.
    """
    up, down = (scenario.discordance + truth) / 2, (scenario.discordance - truth) / 2
    more = 1 + scenario.room
    shared = math.sqrt(scenario.cluster_share) * parts[0] + math.sqrt(scenario.item_share) * parts[1]
    latent = shared[:, None] + math.sqrt(scenario.rest) * parts[2]
    shift = moved[:, :, None]
    gains = (latent > ndtri(1 - up * more)) & (uniform * more <= 1 + shift / (2 * up))
    losses = (latent < ndtri(down * more)) & (uniform * more <= 1 - shift / (2 * down))
    return gains.astype(np.int64) - losses, given_shared(shared, up * more, down * more, scenario.rest) / more
