"""Dump in, certificate out: how risky the top-k cut is, and what the trigger policies gain (UG appendix D)."""

from __future__ import annotations

import math
import platform
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass, fields
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numba
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from refsym_theory.errors import InputError
from refsym_theory.selection.containment import TOLERANCE
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.noise import Estimator, noise_scale
from refsym_theory.selection.policies import LEVELS, POLICIES
from refsym_theory.selection.regret import ClosedForm
from refsym_theory.selection.score_dump import ScoreDump
from refsym_theory.selection.tally import GAP_EDGES, Plan, Sampled, Setting, Tally, Task, eligible_tiles, merged, tally
from refsym_theory.selection.trigger import decimal_text, exact_decimal

Float = NDArray[np.float64]

FORMAT = 1
VALUES = ("identification", "output")
"""What expansion is worth: V* under the posterior, or the softmax mass that it regains."""

TAU_FACTORS = tuple(float(f) for f in np.geomspace(0.03, 2.0, 9))
_PACKAGES = ("refsym", "numpy", "scipy", "numba", "pandas")
_IN_FLIGHT = 16  # shards handed to an executor ahead of the one awaited


@dataclass(frozen=True)
class Certificate:
    """What `certify` found; every table is plain numbers, rendered elsewhere.

    "Per (tile, head)" means divided by tiles times heads: at head and cell level that is UG's 1/T, at tile level
    (where a tile gains the sum of its heads' values) it is UG's regret over the number of heads.

    Attributes
    ----------
    settings
        Every setting, as it was resolved.
    source
        The dump: model, scorer, prompts, and the index's SHA-256, which covers every shard.
    versions
        Of Python and of the libraries that the numbers depend on.
    summary
        The headline numbers.
    cells
        A row a (layer, head): noise scales, errors, regret and captured gain exactly, by Monte Carlo and in closed
        form with its parts, and the output level.
    layers
        A row a (layer, level, value, policy): regret and captured gain of the tile and the cell rule.
    policies
        The same over all layers, at all three levels.
    by_tau, by_k, by_q
        The same against the noise scale (as a multiple of row-step), k, and q.
    gap_distribution
        Counts of g / tau over all (layer, head, tile); the first row is the tie atom g = 0.
    notes
        What a reader must know: layers or heads left out and why, the sign of each bias.
    """

    settings: Mapping[str, Any]
    source: Mapping[str, Any]
    versions: Mapping[str, str]
    summary: Mapping[str, Any]
    cells: pd.DataFrame
    layers: pd.DataFrame
    policies: pd.DataFrame
    by_tau: pd.DataFrame
    by_k: pd.DataFrame
    by_q: pd.DataFrame
    gap_distribution: pd.DataFrame
    notes: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """Everything as strict JSON: tables by column, None where a number is undefined."""
        out: dict[str, Any] = {"format": FORMAT, "kind": "refsym certificate"}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, pd.DataFrame):
                value = {str(name): [_plain(v) for v in column.tolist()] for name, column in value.items()}
            out[field.name] = _plain(value)
        return out


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Fraction):
        return decimal_text(value)
    return None if value is pd.NA else value


def certify(
    dump: ScoreDump,
    k: int,
    rho: str | float | Fraction,
    q: str | float | Fraction,
    tau: float | None = None,
    *,
    estimator: Estimator = "split-half",
    k_grid: Sequence[int] | None = None,
    tau_factors: Sequence[float] = TAU_FACTORS,
    draws: int = 1000,
    seed: int = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Certificate:
    """Certify the top-k cut of a score dump.

    Parameters
    ----------
    dump
        An open dump; each shard's hash is checked as it is read, one head at a time.
    k
        Kept blocks, forced ones included; more than any tile's forced blocks.
    rho
        Expansion factor > 1 with rho * k an integer.
    q
        Trigger fraction in (0, 1), read as the exact decimal that was written.
    tau
        Noise scale in the units of the scores, for every head; estimated per (layer, head) if not given.
    estimator
        "split-half" or "row-step".
    k_grid
        Values of k for the curve over k; by default eight from k / 2 to 2 k where tiles allow.
    tau_factors
        Multiples of the row-step estimate for the curve over tau.
    draws, seed
        Monte Carlo samples a tile at the chosen (k, tau); no draws, no Monte Carlo.
    executor
        Any `concurrent.futures` executor; the shards are tallied there, one task each, with the same result. Here,
        over as many threads as numba may use, if not given.
    progress
        Called with (shards done, shards in all).

    Raises
    ------
    InputError
        For settings that do not fit the dump, no eligible tile anywhere, no head with noise, a damaged shard, or
        an executor whose workers died.
    ArithmeticError
        If an integral's checked error estimate exceeds `TOLERANCE`.
    """
    plan = _plan(dump, k, rho, q, k_grid, tau_factors, draws, seed)
    scales = _noise_scales(dump)
    chosen = {layer: _chosen_scale(pair, tau, estimator) for layer, pair in scales.items()}
    if not any((np.isfinite(t) & (t > 0)).any() for t in chosen.values()):
        raise InputError(f"{dump.path}: tau is zero or unmeasured in every head; give one with --tau")
    tasks = [
        Task(
            root=dump.path.absolute() if executor else dump.path,  # a worker may stand in another folder
            entry=entry,
            with_mass=dump.settings.with_mass,
            plan=plan,
            tau=chosen[entry.layer],
            row_step=scales[entry.layer][0],
            threads=numba.get_num_threads() if executor is None else 1,
        )
        for entry in dump.entries
    ]
    tallies: dict[int, Tally | None] = dict.fromkeys((entry.layer for entry in dump.entries), None)
    for done, (task, result) in enumerate(zip(tasks, _run(tasks, executor), strict=True), start=1):
        if result is not None:
            before = tallies[task.entry.layer]
            tallies[task.entry.layer] = result if before is None else merged(before, result)
            if not result.numerical_error <= TOLERANCE:
                raise ArithmeticError(
                    f"{task.entry.path}: estimated error {result.numerical_error:.2g} of an integral > {TOLERANCE}"
                )
        if progress is not None:
            progress(done, len(tasks))
    settings = {
        "k": plan.k,
        "rho": plan.rho,
        "expanded": plan.expanded(plan.k),
        "q": plan.q,
        "tau": tau,
        "estimator": "given" if tau is not None else estimator,
        "k_grid": plan.k_grid,
        "tau_factors": plan.tau_factors,
        "draws": draws,
        "seed": seed,
    }
    return _assemble(dump, settings, plan, scales, chosen, tallies)


def _run(tasks: Sequence[Task], executor: Executor | None) -> Iterator[Tally | None]:
    """Results in the order of the tasks, a bounded number of them in flight."""
    if executor is None:
        yield from map(tally, tasks)
        return
    waiting: deque[Future[Tally | None]] = deque()
    upcoming = iter(tasks)
    try:
        for task in upcoming:
            waiting.append(executor.submit(tally, task))
            if len(waiting) >= _IN_FLIGHT:
                break
        while waiting:
            yield waiting.popleft().result()
            following = next(upcoming, None)
            if following is not None:
                waiting.append(executor.submit(tally, following))
    except BrokenExecutor as error:
        raise InputError(
            "a worker process died (killed, or out of memory); nothing was written, run it again"
        ) from error
    except CancelledError as error:
        raise InputError(
            "the executor gave up the work (its cluster is gone); nothing was written, run it again"
        ) from error
    finally:
        for future in waiting:
            future.cancel()


def _plan(
    dump: ScoreDump,
    k: int,
    rho: str | float | Fraction,
    q: str | float | Fraction,
    k_grid: Sequence[int] | None,
    tau_factors: Sequence[float],
    draws: int,
    seed: int,
) -> Plan:
    factor, fraction = exact_decimal(rho, "rho"), exact_decimal(q, "q")
    if factor <= 1:
        raise InputError(f"rho must be more than 1, not {rho}")
    if not 0 < fraction < 1:
        raise InputError(f"q must lie strictly between 0 and 1, not {q}; the risk curve shows both ends")
    if draws < 0 or seed < 0:
        raise InputError("draws and seed must not be negative")
    if not all(math.isfinite(f) and f > 0 for f in tau_factors):
        raise InputError("tau_factors must be positive and finite")
    geometries = {entry.geometry for entry in dump.entries}
    counts = [_visible_and_forced(geometry) for geometry in geometries]
    most_forced = max(int(forced.max()) for _, forced in counts)
    step = factor.denominator
    least = (most_forced // step + 1) * step
    if k % step:
        lower = k - k % step
        near = " or ".join(f"k={c}" for c in sorted({max(lower, least), max(lower + step, least)}))
        raise InputError(f"rho*k = {float(factor * k):g} is not an integer; the nearest that are: {near}")
    if k <= most_forced:
        raise InputError(
            f"k={k} keeps no free block: up to {most_forced} blocks of a tile are forced; use k >= {least}"
        )
    if not _eligible(counts, factor, k):
        widest = max(int(visible.max()) for visible, _ in counts)
        raise InputError(
            f"no tile is eligible: the largest sees {widest} blocks, and rho*k = {int(factor * k)} must be fewer"
        )
    if k_grid is None:
        grid = _default_grid(counts, factor, k, most_forced)
    else:
        grid = tuple(sorted({*k_grid, k}))
        for other in grid:
            if other % step or other <= most_forced or not _eligible(counts, factor, other):
                raise InputError(f"k={other} in the curve over k does not fit (forced, rho*k, or no eligible tile)")
    q_grid = tuple(sorted({Fraction(i, 100) for i in range(101)} | {fraction}))
    return Plan(k, factor, fraction, grid, tuple(float(f) for f in tau_factors), q_grid, draws, seed)


def _visible_and_forced(geometry: LayerGeometry) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    first, diagonal, last = geometry.visible_range()
    return last - first + 1, last - diagonal + 1 + ((first == 0) & (diagonal > 0))


def _eligible(counts: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]], rho: Fraction, k: int) -> bool:
    expanded = int(rho * k)
    # The first comparison also keeps a number that no array can hold out of the second.
    return any(
        expanded < visible.max() and eligible_tiles(visible, forced, expanded).size for visible, forced in counts
    )


def _default_grid(
    counts: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], rho: Fraction, k: int, forced: int
) -> tuple[int, ...]:
    """Up to eight values from about k / 2 to 2 k that fit, k among them."""
    step = rho.denominator
    fit = [
        c for c in range(step, 2 * k + 1, step) if c > forced and 2 * c >= k and (c <= k or _eligible(counts, rho, c))
    ]
    wanted = np.geomspace(fit[0], fit[-1], 8)
    picked = {k, *(min(fit, key=lambda c: abs(math.log(c / w))) for w in wanted)}
    while len(picked) > 8:
        ordered = sorted(picked)
        gaps = {b: c / a for a, b, c in zip(ordered, ordered[1:], ordered[2:], strict=False) if b != k}
        picked.remove(min(gaps, key=lambda b: gaps[b]))
    return tuple(sorted(picked))


def _noise_scales(dump: ScoreDump) -> dict[int, tuple[Float, Float]]:
    """Row-step and split-half estimates [H] of each layer, pooled over the examples."""
    sums: dict[int, list[Float]] = {}
    for entry in dump.entries:
        with dump.shard(entry) as shard:
            parts = [shard.step_sq_sum, shard.step_count, shard.half_diff_sq_sum, shard.half_diff_count]
        found = [part.astype(np.float64) for part in parts]
        before = sums.get(entry.layer)
        if before is not None and before[0].size != found[0].size:
            raise InputError(
                f"{entry.path}: layer {entry.layer} has {found[0].size} heads here, {before[0].size} before"
            )
        sums[entry.layer] = found if before is None else [a + b for a, b in zip(before, found, strict=True)]
    return {layer: (noise_scale(s[0], s[1]), noise_scale(s[2], s[3])) for layer, s in sums.items()}


def _chosen_scale(pair: tuple[Float, Float], tau: float | None, estimator: Estimator) -> Float:
    if tau is None:
        return pair[0] if estimator == "row-step" else pair[1]
    if not (math.isfinite(tau) and tau > 0):
        raise InputError(f"tau must be positive and finite, not {tau}")
    return np.full(pair[0].shape, float(tau))


@dataclass(frozen=True)
class _Pool:
    """Sums over shards at one setting and level.

    `weights` are the (tile, head) pairs behind each value: identification is averaged over the heads with noise,
    output over all. `before` is the mean error and dropped mass before any expansion.
    """

    weights: tuple[int, int]
    before: tuple[float, float]
    gains: Float  # [policies, values, Q], over all groups

    @classmethod
    def of(cls, settings: Sequence[Setting], level: int) -> _Pool:
        weights = (
            sum(s.tiles * int(s.noisy.sum()) for s in settings),
            sum(s.tiles * s.noisy.size for s in settings),
        )
        errors, dropped = (sum(float(getattr(s, name).sum()) for s in settings) for name in ("kept_error", "dropped"))
        gains = np.sum([s.gains[level].sum(axis=2) for s in settings], axis=0)
        return cls(weights, (_mean(errors, weights[0]), _mean(dropped, weights[1])), gains)

    def gain(self, policy: str, value: int, at: int = 0) -> float:
        return _mean(float(self.gains[POLICIES.index(policy), value, at]), self.weights[value])

    def left(self, policy: str, value: int, at: int = 0) -> float:
        return self.before[value] - self.gain(policy, value, at)

    def regret(self, policy: str, value: int, at: int = 0) -> float:
        return self.gain(("best_value", "best_mass")[value], value, at) - self.gain(policy, value, at)

    def captured(self, policy: str, value: int, at: int = 0) -> float | None:
        return captured_gain(self.regret(policy, value, at), self.regret("random", value, at))


def _mean(total: float, weight: int) -> float:
    return total / weight if weight else math.nan


def captured_gain(regret: float, random_regret: float) -> float | None:
    """1 - regret / random regret; None where random regret is 0 to within the numerical error."""
    return 1.0 - regret / random_regret if random_regret > TOLERANCE else None


def _assemble(
    dump: ScoreDump,
    settings: dict[str, Any],
    plan: Plan,
    scales: dict[int, tuple[Float, Float]],
    chosen: dict[int, Float],
    tallies: Mapping[int, Tally | None],
) -> Certificate:
    layered = sorted(tallies.items())
    everything = [t for _, t in layered if t is not None]
    with_mass = dump.settings.with_mass
    values = range(2 if with_mass else 1)
    policies = [p for p in POLICIES if with_mass or p != "best_mass"]
    at = plan.q_grid.index(plan.q)

    def rows(settings_of: Sequence[Setting], index: int, **labels: Any) -> Iterator[dict[str, Any]]:
        for number, level in enumerate(LEVELS):
            pool = _Pool.of(settings_of, number)
            for value in values:
                for policy in policies:
                    yield {
                        **labels,
                        "level": level,
                        "value": VALUES[value],
                        "policy": policy,
                        "regret": pool.regret(policy, value, index),
                        "captured": pool.captured(policy, value, index),
                        "risk": pool.left(policy, value, index),
                    }

    notes = _notes(dump, chosen, tallies, plan)
    layers = pd.DataFrame(
        row
        for layer, found in layered
        for row in (
            rows([found.chosen], at, layer=layer)
            if found is not None
            else [
                {
                    "layer": layer,
                    "level": None,
                    "value": None,
                    "policy": None,
                    "regret": None,
                    "captured": None,
                    "risk": None,
                }
            ]
        )
        if row["level"] != "head"
    )
    by_tau: list[dict[str, Any]] = []
    for i, factor in enumerate(plan.tau_factors):
        at_factor = [t.by_tau[i] for t in everything]
        by_tau.extend(rows(at_factor, 0, factor=factor, **_means(at_factor, with_mass)))
    by_k: list[dict[str, Any]] = []
    for i, other in enumerate(plan.k_grid):
        at_k = [t.by_k[i] for t in everything if t.by_k[i].tiles]
        by_k.extend(rows(at_k, 0, k=other, expanded=plan.expanded(other), **_means(at_k, with_mass)))
    policy_rows = list(rows([t.chosen for t in everything], at))
    return Certificate(
        settings=settings,
        source=_source(dump),
        versions={"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}},
        summary=_summary(plan, scales, chosen, everything, policy_rows, by_tau, with_mass),
        cells=pd.DataFrame(_cells(scales, chosen, tallies, at)),
        layers=layers,
        policies=pd.DataFrame(policy_rows),
        by_tau=pd.DataFrame(by_tau),
        by_k=pd.DataFrame(by_k),
        by_q=pd.DataFrame(_risk_curve(plan, everything, values, policies)),
        gap_distribution=_gap_distribution(everything),
        notes=tuple(notes),
    )


def _source(dump: ScoreDump) -> dict[str, Any]:
    made = dump.settings
    return {
        "model": made.model,
        "revision": made.revision,
        "scorer": made.scorer,
        "block_m": made.block_m,
        "block_n": made.block_n,
        "with_mass": made.with_mass,
        "prompts": [{"tokens": p.tokens, "sha256": p.sha256} for p in made.prompts],
        "layers": len({entry.layer for entry in dump.entries}),
        "shards": len(dump.entries),
        "index_sha256": dump.index_sha256,
        "made_with": dict(made.versions),
    }


def _means(settings: Sequence[Setting], with_mass: bool) -> dict[str, Any]:
    """Means per (tile, head) of the errors and of the dropped mass, before and after expanding everything."""
    pool = _Pool.of(settings, 0)
    expanded = sum(float(s.expanded_error.sum()) for s in settings)
    left = sum(float((s.dropped - s.regained).sum()) for s in settings)
    return {
        "tiles": pool.weights[1],
        "kept_error": pool.before[0],
        "expanded_error": _mean(expanded, pool.weights[0]),
        "dropped_mass": pool.before[1] if with_mass else None,
        "dropped_mass_expanded": _mean(left, pool.weights[1]) if with_mass else None,
    }


def _risk_curve(
    plan: Plan, everything: Sequence[Tally], values: range, policies: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Mean error, or dropped mass, per (tile, head) that is left at each q; q = 0 and 1 have regret 0."""
    for number, level in enumerate(LEVELS):
        pool = _Pool.of([t.chosen for t in everything], number)
        for value in values:
            for policy in policies:
                for at, q in enumerate(plan.q_grid):
                    risk = pool.left(policy, value, at)
                    yield {"q": float(q), "level": level, "value": VALUES[value], "policy": policy, "risk": risk}


def _gap_distribution(everything: Sequence[Tally]) -> pd.DataFrame:
    counts = sum((t.gap_counts.sum(axis=0) for t in everything), np.zeros(GAP_EDGES.size - 1, dtype=np.int64))
    ties = sum(int(t.ties.sum()) for t in everything)
    return pd.DataFrame(
        {
            "low": [0.0, *GAP_EDGES[:-1].tolist()],
            "high": [0.0, *GAP_EDGES[1:-1].tolist(), None],
            "count": [ties, *counts.tolist()],
        }
    )


def _summary(
    plan: Plan,
    scales: dict[int, tuple[Float, Float]],
    chosen: dict[int, Float],
    everything: Sequence[Tally],
    policy_rows: Sequence[dict[str, Any]],
    by_tau: Sequence[dict[str, Any]],
    with_mass: bool,
) -> dict[str, Any]:
    settings = [t.chosen for t in everything]
    means = _means(settings, with_mass)
    pool = _Pool.of(settings, LEVELS.index("tile"))
    at = plan.q_grid.index(plan.q)
    captured = {(r["level"], r["value"], r["policy"]): r["captured"] for r in policy_rows}
    over_tau = [
        r["captured"]
        for r in by_tau
        if r["level"] == "tile"
        and r["value"] == "identification"
        and r["policy"] == "sigma"
        and r["captured"] is not None
    ]
    row_step = np.concatenate([scales[layer][0] for layer in sorted(scales)])
    split_half = np.concatenate([scales[layer][1] for layer in sorted(scales)])
    tau = np.concatenate([chosen[layer] for layer in sorted(chosen)])
    tied = sum(int(t.ties.sum()) for t in everything)
    out = {
        **means,
        "sequences": len(frozenset[int]().union(*(t.examples for t in everything))),
        "error_sigma": pool.left("sigma", 0, at),
        "error_best": pool.left("best_value", 0, at),
        "error_random": pool.left("random", 0, at),
        "captured_identification": captured["tile", "identification", "sigma"],
        "captured_output": captured.get(("tile", "output", "sigma")),
        "captured_over_tau_lowest": min(over_tau, default=None),
        "captured_over_tau_highest": max(over_tau, default=None),
        "tie_share": _mean(tied, pool.weights[0]),
        "split_half_over_row_step": _median(split_half, row_step),
        "tau_over_row_step": _median(tau, row_step),
        "average_blocks": float(plan.k * (1 + plan.q * (plan.rho - 1))),
        "numerical_error": max(t.numerical_error for t in everything),
        "integrals": sum(t.integrals for t in everything),
    }
    sampled = [t.sampled for t in everything if t.sampled is not None]
    if sampled:
        out["sampled_kept_error"] = float(sum(s.kept_error.sum() for s in sampled)) / pool.weights[0]
        out["sampled_kept_error_se"] = math.sqrt(sum(float(s.kept_variance.sum()) for s in sampled)) / pool.weights[0]
        number = LEVELS.index("tile")
        sigma, random, plugin, split = (
            float(sum(getattr(s, name)[number].sum() for s in sampled)) / pool.weights[0]
            for name in ("sigma", "random", "best_plugin", "best_split")
        )
        out["sampled_captured_plugin"] = captured_gain(plugin - sigma, plugin - random)
        out["sampled_captured_split"] = captured_gain(split - sigma, split - random)
    return out


def _median(numerator: Float, denominator: Float) -> float | None:
    use = np.isfinite(numerator) & np.isfinite(denominator) & (denominator > 0)
    return float(np.median(numerator[use] / denominator[use])) if use.any() else None


def _cells(
    scales: dict[int, tuple[Float, Float]],
    chosen: dict[int, Float],
    tallies: Mapping[int, Tally | None],
    at: int,
) -> Iterator[dict[str, Any]]:
    for layer, found in sorted(tallies.items()):
        for head in range(chosen[layer].size):
            row: dict[str, Any] = {
                "layer": layer,
                "head": head,
                "tau_row_step": scales[layer][0][head],
                "tau_split_half": scales[layer][1][head],
                "tau": chosen[layer][head],
                "tiles": 0 if found is None else found.chosen.tiles,
                "note": None,
            }
            if found is None:
                row["note"] = "no eligible tile"
            elif not (np.isfinite(chosen[layer][head]) and chosen[layer][head] > 0):
                row["note"] = "tau is zero or unmeasured"
            else:
                row |= _cell(found, head, at)
            if found is not None and found.value_radius is not None:
                row |= _output_cell(found, head, at, float(found.value_radius[head]))
            yield row


def _cell(found: Tally, head: int, at: int) -> dict[str, Any]:
    """Identification level of one (layer, head): exact, sampled and in closed form."""
    tiles = found.chosen.tiles
    gain = {p: float(found.chosen.gains[0][i, 0, head, at]) / tiles for i, p in enumerate(POLICIES)}
    regret, random_regret = gain["best_value"] - gain["sigma"], gain["best_value"] - gain["random"]
    close = np.searchsorted(GAP_EDGES, 1.0)
    out = {
        "kept_error": float(found.chosen.kept_error[head]) / tiles,
        "expanded_error": float(found.chosen.expanded_error[head]) / tiles,
        "regret": regret,
        "random_regret": random_regret,
        "captured": captured_gain(regret, random_regret),
        "tie_share": int(found.ties[head]) / tiles,
        "below_tau_share": int(found.ties[head] + found.gap_counts[head, :close].sum()) / tiles,
    }
    form = found.closed_forms[head]
    if form is not None:
        out |= _form_columns(form)
    if found.sampled is not None:
        out |= _sampled_columns(found.sampled, head, tiles)
    return out


def _sampled_columns(sampled: Sampled, head: int, tiles: int) -> dict[str, Any]:
    sigma, random, plugin, split = (
        float(getattr(sampled, name)[0][head]) / tiles for name in ("sigma", "random", "best_plugin", "best_split")
    )
    return {
        "sampled_kept_error": float(sampled.kept_error[head]) / tiles,
        "sampled_kept_error_se": math.sqrt(sampled.kept_variance[head]) / tiles,
        "sampled_expanded_error": float(sampled.expanded_error[head]) / tiles,
        "sampled_expanded_error_se": math.sqrt(sampled.expanded_variance[head]) / tiles,
        "sampled_regret_plugin": plugin - sigma,
        "sampled_regret_split": split - sigma,
        "sampled_captured_plugin": captured_gain(plugin - sigma, plugin - random),
        "sampled_captured_split": captured_gain(split - sigma, split - random),
    }


def _form_columns(form: ClosedForm) -> dict[str, Any]:
    return {
        "bound" if field.name == "bound" else f"bound_{field.name}": getattr(form, field.name)
        for field in fields(ClosedForm)
        if field.name not in ("triggered", "tiles")
    }


def _output_cell(found: Tally, head: int, at: int, radius: float) -> dict[str, Any]:
    """Output level of one (layer, head): what the cut drops of the dense softmax, whatever the noise."""
    tiles = found.chosen.tiles
    gain = {p: float(found.chosen.gains[0][i, 1, head, at]) / tiles for i, p in enumerate(POLICIES)}
    dropped = float(found.chosen.dropped[head]) / tiles
    expanded = float(found.chosen.dropped[head] - found.chosen.regained[head]) / tiles
    regret, random_regret = gain["best_mass"] - gain["sigma"], gain["best_mass"] - gain["random"]
    return {
        "dropped_mass": dropped,
        "dropped_mass_expanded": expanded,
        "mass_regret": regret,
        "random_mass_regret": random_regret,
        "captured_mass": captured_gain(regret, random_regret),
        "value_radius": radius,
        "output_error_bound": 2.0 * radius * dropped,
        "output_error_bound_sigma": 2.0 * radius * (dropped - gain["sigma"]),
        "output_error_bound_expanded": 2.0 * radius * expanded,
    }


def _notes(dump: ScoreDump, chosen: dict[int, Float], tallies: Mapping[int, Tally | None], plan: Plan) -> Iterator[str]:
    empty = [layer for layer, found in sorted(tallies.items()) if found is None]
    if empty:
        yield (
            f"No tile of layer {_listed(empty)} sees more than rho*k = {plan.expanded(plan.k)} blocks: "
            "nothing to certify there."
        )
    silent = [
        f"{layer}.{head}"
        for layer in sorted(chosen)
        for head in np.flatnonzero(~(np.isfinite(chosen[layer]) & (chosen[layer] > 0)))
    ]
    if silent:
        yield f"Noise is zero or unmeasured in head {_listed(silent)} (layer.head): nothing is counted there."
    if not dump.settings.with_mass:
        yield "The dump holds no softmax mass: nothing is said about the output."
    if plan.draws:
        yield (
            "Monte Carlo: errors and the value of a fixed trigger are unbiased; the best set chosen and valued on the "
            "same draws makes regret too large (plug-in), chosen on one half and valued on the other too small (split)."
        )


def _listed(items: Sequence[Any]) -> str:
    shown = ", ".join(str(item) for item in items[:12])
    return shown if len(items) <= 12 else f"{shown} and {len(items) - 12} more"
