"""Dump in, certificate out: how risky the top-k cut is, and what the trigger policies gain (UG appendix D)."""

from __future__ import annotations

import math
import platform
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, fields
from fractions import Fraction
from importlib.metadata import version
from typing import Any

import numba
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from refsym_theory.errors import InputError
from refsym_theory.selection import findings
from refsym_theory.selection.containment import TOLERANCE
from refsym_theory.selection.dump_record import settings_json
from refsym_theory.selection.noise import Estimator, has_noise, noise_scale
from refsym_theory.selection.plan import Plan, fitted_plan
from refsym_theory.selection.score_dump import ScoreDump
from refsym_theory.selection.tally import Tally, Task, merged, tally
from refsym_theory.selection.trigger import decimal_text

Float = NDArray[np.float64]

FORMAT = 1
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
    plan = fitted_plan(dump, k, rho, q, k_grid, tau_factors, draws, seed)
    scales = _noise_scales(dump)
    chosen = {layer: _chosen_scale(pair, tau, estimator) for layer, pair in scales.items()}
    if not any(has_noise(t).any() for t in chosen.values()):
        raise InputError(f"{dump.path}: tau is zero or unmeasured in every head; give one with --tau")
    # Many shards share the threads among them, a few big ones each use all: no thread waits for another's heads.
    threads = numba.get_num_threads() if executor is None else 1
    apart = threads > 1 and len(dump.entries) >= 2 * threads
    tasks = [
        Task(
            root=dump.path.absolute() if executor else dump.path,  # a worker may stand in another folder
            entry=entry,
            with_mass=dump.settings.with_mass,
            plan=plan,
            tau=chosen[entry.layer],
            row_step=scales[entry.layer][0],
            threads=1 if apart else threads,
        )
        for entry in dump.entries
    ]
    if progress is not None:
        progress(0, len(tasks))
    tallies: dict[int, Tally | None] = dict.fromkeys((entry.layer for entry in dump.entries), None)
    for done, (task, result) in enumerate(
        zip(tasks, _run(tasks, executor, threads if apart else 1), strict=True), start=1
    ):
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


def _run(tasks: Sequence[Task], executor: Executor | None, threads: int) -> Iterator[Tally | None]:
    """Results in the order of the tasks, a bounded number of them in flight."""
    if executor is None and threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            yield from _run(tasks, pool, 1)
        return
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


def _assemble(
    dump: ScoreDump,
    settings: dict[str, Any],
    plan: Plan,
    scales: dict[int, tuple[Float, Float]],
    chosen: dict[int, Float],
    tallies: Mapping[int, Tally | None],
) -> Certificate:
    everything = [t for _, t in sorted(tallies.items()) if t is not None]
    with_mass = dump.settings.with_mass
    at = plan.q_grid.index(plan.q)
    layers: list[dict[str, Any]] = []
    for layer, found in sorted(tallies.items()):
        if found is None:
            layers.append(
                dict.fromkeys(("level", "value", "policy", "regret", "captured", "risk", "average_blocks"))
                | {"layer": layer}
            )
        else:
            rows = findings.policy_rows([found.chosen], at, with_mass, plan, plan.k, layer=layer)
            layers.extend(row for row in rows if row["level"] != "head")
    by_tau: list[dict[str, Any]] = []
    for i, factor in enumerate(plan.tau_factors):
        same = [t.by_tau[i] for t in everything]
        by_tau.extend(
            findings.policy_rows(same, 0, with_mass, plan, plan.k, factor=factor, **findings.means(same, with_mass))
        )
    by_k: list[dict[str, Any]] = []
    for i, k in enumerate(plan.k_grid):
        same = [t.by_k[i] for t in everything if t.by_k[i].tiles]
        means = findings.means(same, with_mass)
        for row in findings.policy_rows(same, 0, with_mass, plan, k, **means):
            by_k.append({"k": k, "expanded": plan.expanded(k), **row})
    policies = list(findings.policy_rows([t.chosen for t in everything], at, with_mass, plan, plan.k))
    return Certificate(
        settings=settings,
        source=_source(dump),
        versions={"python": platform.python_version(), **{name: version(name) for name in _PACKAGES}},
        summary=findings.summary(plan, scales, chosen, everything, by_tau, with_mass),
        cells=pd.DataFrame(findings.cells(scales, chosen, tallies, at)),
        layers=pd.DataFrame(layers),
        policies=pd.DataFrame(policies),
        by_tau=pd.DataFrame(by_tau),
        by_k=pd.DataFrame(by_k),
        by_q=pd.DataFrame(findings.risk_curve(plan, everything, with_mass)),
        gap_distribution=findings.gap_distribution(everything),
        notes=tuple(_notes(dump, chosen, tallies, plan)),
    )


def _source(dump: ScoreDump) -> dict[str, Any]:
    made = settings_json(dump.settings)
    versions = made.pop("versions")
    return {
        **made,
        "layers": len({entry.layer for entry in dump.entries}),
        "shards": len(dump.entries),
        "index_sha256": dump.index_sha256,
        "made_with": versions,
    }


def _notes(dump: ScoreDump, chosen: dict[int, Float], tallies: Mapping[int, Tally | None], plan: Plan) -> Iterator[str]:
    empty = [layer for layer, found in sorted(tallies.items()) if found is None]
    if empty:
        yield (
            f"No tile of layer {_listed(empty)} sees more than rho*k = {plan.expanded(plan.k)} blocks: "
            "nothing to certify there."
        )
    silent = [f"{layer}.{head}" for layer in sorted(chosen) for head in np.flatnonzero(~has_noise(chosen[layer]))]
    if silent:
        yield f"Noise is zero or unmeasured in head {_listed(silent)} (layer.head): nothing is counted there."
        yield "Such heads still take part in the cell rule, where a trigger may spend expansions on them."
    single = sum(t.single for t in tallies.values() if t is not None)
    pairs = sum(t.chosen.tiles * t.chosen.noisy.size for t in tallies.values() if t is not None)
    if single:
        yield (
            f"{100 * single / pairs:.0f} % of the (tile, head) pairs keep a single free block besides the forced ones: "
            "sigma is 1 there whatever the scores, so among them sigma triggers the earliest tiles; use a larger k."
        )
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
