"""One shard's part of a certificate: a pure function from files to sums that add up over the examples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from refsym_theory.selection.brackets import sorted_brackets, trigger_bound
from refsym_theory.selection.containment import exact_errors, sampled_misses
from refsym_theory.selection.margins import margins
from refsym_theory.selection.noise import has_noise
from refsym_theory.selection.plan import Plan, eligible_tiles
from refsym_theory.selection.policies import LEVELS, POLICIES, Level, expansions, gains, random_gains
from refsym_theory.selection.regret import ClosedForm, closed_form_bound, pooled_form
from refsym_theory.selection.score_dump import ShardEntry, ShardReader
from refsym_theory.selection.trigger import trigger_order, triggered_count

Float = NDArray[np.float64]
Int = NDArray[np.int64]

GAP_EDGES = np.concatenate([[0.0], np.geomspace(1e-4, 1e3, 57), [np.inf]])
"""Bin edges of g / tau: eight a decade; the tie atom g = 0 is counted apart."""

_CHUNK_ENTRIES = 1 << 20  # padded (tile, block) entries sorted at once


@dataclass(frozen=True)
class Task:
    """All that a worker needs to tally one shard; picklable.

    `tau` and `row_step` are [H]; NaN or zero where a head has no noise to speak of. `threads` share the heads: one
    in a pooled worker, which has its own core and no other.
    """

    root: Path
    entry: ShardEntry
    with_mass: bool
    plan: Plan
    tau: Float
    row_step: Float
    threads: int


@dataclass(frozen=True)
class Setting:
    """Sums at one (k, tau) over the T tiles of one shard.

    Attributes
    ----------
    tiles
        T.
    noisy
        [H] which heads have noise; the others add nothing to an error, and are not averaged over.
    kept_error, expanded_error
        [H] sums over tiles of E_k and E_{rho k}.
    regret_bound
        [H] T times the bound on the regret of each head's own sigma trigger that pairs of scores give, at the chosen q.
    dropped, regained
        [H] sums over tiles of the softmax mass dropped at k, and of the part that rho k regains.
    gains
        By level: [policies, values, groups, Q]; values are (V*) or (V*, regained mass).
    expansions
        By level: [Q] (tile, head) pairs that are expanded.
    """

    tiles: int
    noisy: NDArray[np.bool_]
    kept_error: Float
    expanded_error: Float
    regret_bound: Float
    dropped: Float
    regained: Float
    gains: tuple[Float, ...]
    expansions: tuple[Int, ...]


@dataclass(frozen=True)
class Sampled:
    """Monte Carlo sums at the chosen (k, tau).

    Attributes
    ----------
    kept_error, expanded_error
        [H] sums over tiles of the sampled errors.
    kept_variance, expanded_variance
        [H] sums over tiles of their sampling variances.
    sigma, random
        By level [groups]: sampled value of the sigma trigger's tiles, and of random ones; unbiased.
    best_plugin
        By level [groups]: best set chosen and valued on the same draws; biased upwards.
    best_split
        By level [groups]: best set chosen on one half and valued on the other, both ways; biased downwards.
    """

    kept_error: Float
    expanded_error: Float
    kept_variance: Float
    expanded_variance: Float
    sigma: tuple[Float, ...]
    random: tuple[Float, ...]
    best_plugin: tuple[Float, ...]
    best_split: tuple[Float, ...]


@dataclass(frozen=True)
class Tally:
    """What one shard contributes, or all shards of a layer together (`merged`).

    `chosen` is at (k, tau) with all of `q_grid`; `by_tau` at (k, factor * row_step) and `by_k` at (k', tau) have the
    chosen q alone. `gap_counts` [H, bins] counts g / tau, `ties` [H] the tiles with g = 0, `single` the (tile, head)
    pairs that keep one free block (sigma is 1 there, whatever the scores). `forced` is the least and the most forced
    blocks of a tile. `numerical_error` is the largest estimated error of any integral.
    """

    examples: frozenset[int]
    chosen: Setting
    by_tau: tuple[Setting, ...]
    by_k: tuple[Setting, ...]
    sampled: Sampled | None
    closed_forms: tuple[ClosedForm | None, ...]
    gap_counts: Int
    ties: Int
    single: int
    forced: tuple[int, int]
    value_radius: Float | None
    numerical_error: float
    integrals: int


@dataclass(frozen=True)
class _Cut:
    """Per-head arrays [H, T] at one k over its tiles."""

    kept: Int
    expanded: Int
    gap: Float
    expansion_gap: Float
    spread: Float
    sigma: Float
    spacing: Float
    score_mass: Float
    dropped: Float
    regained: Float

    @classmethod
    def empty(cls, heads: int, kept: Int, expanded: Int) -> _Cut:
        return cls(kept, expanded, *(np.zeros((heads, kept.size)) for _ in range(8)))


def tally(task: Task) -> Tally | None:
    """Everything that a certificate needs from one shard; None if no tile of it is eligible.

    Reads one head at a time, after checking the shard's hash.

    Raises
    ------
    ScoreDumpError
        The shard is damaged: hash, header, or a value that is not finite.
    """
    plan, entry = task.plan, task.entry
    heads = entry.geometry.heads
    with ShardReader(task.root, entry, with_mass=task.with_mass) as shard:
        shard.check_hash()
        visible = np.diff(shard.indptr)
        forced = np.bincount(shard.forced[:, 0], minlength=visible.size)
        tiles = {k: eligible_tiles(visible, forced, plan.expanded(k)) for k in {plan.k, *plan.k_grid}}
        if not tiles[plan.k].size:
            return None
        common = tiles[plan.k_grid[-1]]
        cuts = [_Cut.empty(heads, k - forced[common], plan.expanded(k) - forced[common]) for k in plan.k_grid]
        own = tiles[plan.k]
        chosen = _Cut.empty(heads, plan.k - forced[own], plan.expanded(plan.k) - forced[own])
        noisy = has_noise(task.tau)
        stepped = has_noise(task.row_step)
        errors = np.zeros((1 + len(plan.tau_factors), 2, heads, own.size))
        k_errors = np.zeros((len(plan.k_grid), 2, heads, common.size))
        brackets, k_brackets = np.zeros_like(errors), np.zeros_like(k_errors)
        misses = np.zeros((heads, own.size, 2, 2), dtype=np.int64)
        worst = np.zeros(heads)
        rows = _FreeRows(shard)

        def one_head(head: int) -> None:
            free = rows.of(head)
            scales = [task.tau[head] if noisy[head] else 0.0]
            scales += [f * task.row_step[head] if stepped[head] else 0.0 for f in plan.tau_factors]
            for part in rows.chunks(own):
                block = free.sorted(own[part])
                _measure(chosen, head, part, block)
                sizes = (chosen.kept[part], chosen.expanded[part])
                jobs = [(*sizes, tau) for tau in scales]
                worst[head] = max(worst[head], _errors(block, jobs, errors[:, :, head, part]))
                _brackets(block, jobs, brackets[:, :, head, part])
                if plan.draws and noisy[head]:
                    misses[head, part] = _misses(block, *sizes, scales[0], plan)
            for part in rows.chunks(common):
                block = free.sorted(common[part])
                jobs = []
                for cut in cuts:
                    _measure(cut, head, part, block)
                    jobs.append((cut.kept[part], cut.expanded[part], scales[0]))
                worst[head] = max(worst[head], _errors(block, jobs, k_errors[:, :, head, part]))
                _brackets(block, jobs, k_brackets[:, :, head, part])

        with ThreadPoolExecutor(task.threads) as pool:
            list(pool.map(one_head, range(heads)))
        radius = None if shard.value_radius is None else shard.value_radius.astype(np.float64)
    q_only = (plan.q,)
    with_mass = task.with_mass
    ratio = chosen.gap / np.where(noisy, task.tau, 1.0)[:, None]
    return Tally(
        examples=frozenset({entry.example}),
        chosen=_settings(chosen, errors[:1], brackets[:1], noisy, plan.q, plan.q_grid, with_mass)[0],
        by_tau=_settings(chosen, errors[1:], brackets[1:], stepped, plan.q, q_only, with_mass),
        by_k=tuple(
            _settings(cut, found[None], bounds[None], noisy, plan.q, q_only, with_mass)[0]
            for cut, found, bounds in zip(cuts, k_errors, k_brackets, strict=True)
        ),
        sampled=_sampled(chosen, misses, plan) if plan.draws else None,
        closed_forms=tuple(_closed_form(chosen, head, task.tau[head], plan, noisy[head]) for head in range(heads)),
        gap_counts=np.stack([np.histogram(row[row > 0], GAP_EDGES)[0] for row in ratio]) * noisy[:, None],
        ties=(chosen.gap == 0).sum(axis=1) * noisy,
        single=int((chosen.kept == 1).sum()) * heads,
        forced=(int(forced[own].min()), int(forced[own].max())),
        value_radius=radius,
        numerical_error=float(worst.max()),
        integrals=int(2 * (noisy.sum() + stepped.sum() * len(plan.tau_factors)) * own.size)
        + int(2 * noisy.sum() * len(cuts) * common.size),
    )


def merged(a: Tally, b: Tally) -> Tally:
    """Tally of two examples of one layer as one, so that memory does not grow with their number."""
    return Tally(
        examples=a.examples | b.examples,
        chosen=_added(a.chosen, b.chosen),
        by_tau=tuple(_added(x, y) for x, y in zip(a.by_tau, b.by_tau, strict=True)),
        by_k=tuple(_added(x, y) for x, y in zip(a.by_k, b.by_k, strict=True)),
        sampled=None if a.sampled is None or b.sampled is None else _added(a.sampled, b.sampled),
        closed_forms=tuple(
            None if x is None or y is None else pooled_form(x, y)
            for x, y in zip(a.closed_forms, b.closed_forms, strict=True)
        ),
        gap_counts=a.gap_counts + b.gap_counts,
        ties=a.ties + b.ties,
        single=a.single + b.single,
        forced=(min(a.forced[0], b.forced[0]), max(a.forced[1], b.forced[1])),
        value_radius=None
        if a.value_radius is None or b.value_radius is None
        else np.maximum(a.value_radius, b.value_radius),
        numerical_error=max(a.numerical_error, b.numerical_error),
        integrals=a.integrals + b.integrals,
    )


_Sums = TypeVar("_Sums", Setting, Sampled)


def _added(a: _Sums, b: _Sums) -> _Sums:
    total: dict[str, Any] = {}
    for field in fields(a):
        x, y = getattr(a, field.name), getattr(b, field.name)
        total[field.name] = tuple(p + q for p, q in zip(x, y, strict=True)) if isinstance(x, tuple) else x + y
    return replace(a, **total)


@dataclass(frozen=True)
class _Block:
    """Free blocks of some tiles of one head, best score first (ties to the lower block): rows padded to [T, N]."""

    scores: Float
    sizes: Int
    score_mass: Float
    mass: Float | None


class _FreeRows:
    """Reads a shard head by head; what all heads share stands here."""

    def __init__(self, shard: ShardReader) -> None:
        self._shard = shard
        self._lock = Lock()  # one file handle, several threads
        indptr, indices = shard.indptr, shard.indices
        free = np.ones(indices.size, dtype=bool)
        tile, block = shard.forced[:, 0], shard.forced[:, 1]
        free[indptr[tile] + block - indices[indptr[tile]]] = False  # a tile's visible blocks are one range
        self.free = np.flatnonzero(free)
        self.starts = np.searchsorted(self.free, indptr)
        geometry = shard.entry.geometry
        self._log_share = np.log(geometry.block_keys() / geometry.block_n)[indices]

    def chunks(self, tiles: Int) -> Iterator[slice]:
        """Slices of `tiles` that hold at most `_CHUNK_ENTRIES` padded entries."""
        width = int(np.diff(self.starts)[tiles].max(initial=1))
        step = max(1, _CHUNK_ENTRIES // width)
        for start in range(0, tiles.size, step):
            yield slice(start, min(start + step, tiles.size))

    def of(self, head: int) -> _HeadRows:
        """One head's scores, score masses and softmax masses."""
        shard = self._shard
        with self._lock:
            scores = shard.scores(head)
            mass = shard.mass(head) if shard.has_mass else None
        starts, counts = shard.indptr[:-1], np.diff(shard.indptr)
        # Softmax of the tile scores over all visible blocks; a partial block counts for its share of keys.
        logits = scores + self._log_share
        weights = np.exp(logits - np.repeat(np.maximum.reduceat(logits, starts), counts))
        weights /= np.repeat(np.add.reduceat(weights, starts), counts)
        return _HeadRows(self, scores, weights, mass)


@dataclass(frozen=True)
class _HeadRows:
    rows: _FreeRows
    scores: NDArray[np.float32]
    weights: Float
    mass: NDArray[np.float32] | None

    def sorted(self, tiles: Int) -> _Block:
        """The free blocks of the tiles, each tile's in descending order of score, ties to the lower block."""
        starts = self.rows.starts
        sizes = np.diff(starts)[tiles]
        rank = np.arange(sizes.max())
        present = rank < sizes[:, None]
        at = self.rows.free[np.where(present, starts[tiles][:, None] + rank, 0)]
        scores = np.where(present, self.scores[at], np.float32(-np.inf))
        order = np.argsort(-scores, axis=1, kind="stable")  # absent entries, -inf, come last
        at = np.take_along_axis(at, order, axis=1)
        return _Block(
            np.take_along_axis(scores, order, axis=1).astype(np.float64),
            sizes,
            np.where(present, self.weights[at], 0.0),
            None if self.mass is None else np.where(present, self.mass[at], np.float32(0)).astype(np.float64),
        )


def _measure(cut: _Cut, head: int, part: slice, block: _Block) -> None:
    """Margins and masses of some tiles of one head, into the arrays of `cut`."""
    kept, expanded = cut.kept[part], cut.expanded[part]
    found = margins(block.scores, block.sizes, kept, expanded)
    cut.gap[head, part], cut.expansion_gap[head, part] = found.gap, found.expansion_gap
    cut.spread[head, part], cut.sigma[head, part] = found.spread, found.sigma
    cut.spacing[head, part] = found.spacing
    rank = np.arange(block.scores.shape[1])
    below = rank >= kept[:, None]
    cut.score_mass[head, part] = np.where(below, block.score_mass, 0.0).sum(axis=1)
    if block.mass is not None:
        cut.dropped[head, part] = np.where(below, block.mass, 0.0).sum(axis=1)
        cut.regained[head, part] = np.where(below & (rank < expanded[:, None]), block.mass, 0.0).sum(axis=1)


def _errors(block: _Block, jobs: Sequence[tuple[Int, Int, float]], out: Float) -> float:
    """E_k and E_{rho k} of some tiles for each job (kept, expanded, tau) into `out` [jobs, 2, tiles].

    A job without noise leaves zeros. Returns the largest estimated numerical error.
    """
    live = [i for i, job in enumerate(jobs) if job[2] > 0]
    if not live or not block.sizes.size:
        return 0.0
    tiles = block.sizes.size
    row = np.tile(np.arange(tiles), 2 * len(live))
    k = np.concatenate([np.tile(jobs[i][0], 2) for i in live])
    size = np.concatenate([np.concatenate(jobs[i][:2]) for i in live])
    tau = np.repeat([jobs[i][2] for i in live], 2 * tiles)
    values, errors = exact_errors(block.scores, block.sizes, row, k, size, tau)
    out[live] = values.reshape(len(live), 2, tiles)
    return float(errors.max())


def _brackets(block: _Block, jobs: Sequence[tuple[Int, Int, float]], out: Float) -> None:
    """Bounds on V* of some tiles for each job (kept, expanded, tau) into `out` [jobs, 2, tiles]; 0 without noise."""
    for (kept, expanded, tau), found in zip(jobs, out, strict=True):
        if tau > 0 and block.sizes.size:
            sorted_brackets(block.scores, block.sizes, kept, expanded, np.full(kept.size, tau), found)


def _misses(block: _Block, kept: Int, expanded: Int, tau: float, plan: Plan) -> Int:
    """Sampled misses [tiles, (k, rho k), halves]; the draws of a tile depend on its scores and the seed alone."""
    return np.stack(
        [
            sampled_misses(block.scores[t, :size], int(k), (int(k), int(m)), tau, plan.draws, plan.seed)
            for t, (size, k, m) in enumerate(zip(block.sizes, kept, expanded, strict=True))
        ]
    )


def _settings(
    cut: _Cut,
    errors: Float,
    brackets: Float,
    noisy: NDArray[np.bool_],
    q: Fraction,
    fractions: tuple[Fraction, ...],
    with_mass: bool,
) -> tuple[Setting, ...]:
    """Sums at one k and several noise scales, errors and brackets [S, 2, H, T]; most policies rank alike at all."""
    scales, _, heads, tiles = errors.shape
    value = np.maximum(errors[:, 0] - errors[:, 1], 0.0)
    worth = np.stack([value, np.broadcast_to(cut.regained, value.shape)], axis=1) if with_mass else value[:, None]
    every = worth.reshape(math.prod(worth.shape[:2]), heads, tiles)
    fixed = {
        "sigma": cut.sigma,
        "gap": cut.gap,
        "expansion_gap": -cut.expansion_gap,
        "score_mass": -cut.score_mass,
        "best_mass": -cut.regained,
    }
    # At the accuracy that is promised: below it, rounding would decide the order.
    best = -np.round(value, 9)

    def by_policy(policy: str, level: Level) -> Float:
        if policy == "best_value":
            return np.stack([gains(best[s], worth[s], level, fractions) for s in range(scales)])
        random = policy == "random"
        gained = random_gains(every, level, fractions) if random else gains(fixed[policy], every, level, fractions)
        return gained.reshape(*worth.shape[:2], *gained.shape[1:])

    expanded = np.zeros((heads, tiles), dtype=bool)
    np.put_along_axis(expanded, trigger_order(cut.sigma)[:, : triggered_count(q, tiles)], True, axis=1)

    def regret_bounds(low: Float, high: Float) -> Float:
        rows = zip(low, high, expanded, strict=True)
        return np.array([tiles * trigger_bound(*row) if tiles else 0.0 for row in rows])

    by_level = [np.stack([by_policy(policy, level) for policy in POLICIES], axis=1) for level in LEVELS]
    return tuple(
        Setting(
            tiles=tiles,
            noisy=noisy,
            kept_error=errors[s, 0].sum(axis=1),
            expanded_error=errors[s, 1].sum(axis=1),
            regret_bound=regret_bounds(*brackets[s]),
            dropped=cut.dropped.sum(axis=1),
            regained=cut.regained.sum(axis=1),
            gains=tuple(gained[s] for gained in by_level),
            expansions=tuple(expansions(heads, tiles, level, fractions) for level in LEVELS),
        )
        for s in range(scales)
    )


def _sampled(cut: _Cut, misses: Int, plan: Plan) -> Sampled:
    halves = np.array([plan.draws - plan.draws // 2, plan.draws // 2])
    errors = misses.sum(axis=-1) / plan.draws  # [H, T, 2]
    variance = errors * (1.0 - errors) / plan.draws
    value = errors[..., 0] - errors[..., 1]
    half_values = [(misses[..., 0, i] - misses[..., 1, i]) / max(halves[i], 1) for i in range(2)]

    def best(choose: Float, worth: Float) -> tuple[Float, ...]:
        return tuple(gains(-choose, worth[None], level, (plan.q,))[0, :, 0] for level in LEVELS)

    crossed = zip(best(half_values[0], half_values[1]), best(half_values[1], half_values[0]), strict=True)
    return Sampled(
        kept_error=errors[..., 0].sum(axis=1),
        expanded_error=errors[..., 1].sum(axis=1),
        kept_variance=variance[..., 0].sum(axis=1),
        expanded_variance=variance[..., 1].sum(axis=1),
        sigma=tuple(gains(cut.sigma, value[None], level, (plan.q,))[0, :, 0] for level in LEVELS),
        random=tuple(random_gains(value[None], level, (plan.q,))[0, :, 0] for level in LEVELS),
        best_plugin=best(value, value),
        best_split=tuple((a + b) / 2.0 for a, b in crossed),
    )


def _closed_form(cut: _Cut, head: int, tau: float, plan: Plan, noisy: bool) -> ClosedForm | None:
    if not noisy:
        return None
    extra = plan.expanded(plan.k) - plan.k
    rows = (cut.gap[head], cut.spread[head], cut.sigma[head], cut.spacing[head])
    return closed_form_bound(*rows, extra=extra, tau=tau, q=plan.q)
