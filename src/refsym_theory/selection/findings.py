"""From tallies to the tables of a certificate: means, regrets, captured gains."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from refsym_theory.selection.containment import TOLERANCE
from refsym_theory.selection.noise import has_noise
from refsym_theory.selection.plan import Plan
from refsym_theory.selection.policies import LEVELS, POLICIES
from refsym_theory.selection.regret import ClosedForm
from refsym_theory.selection.tally import GAP_EDGES, Sampled, Setting, Tally

Float = NDArray[np.float64]

VALUES = ("identification", "output")
"""What expansion is worth: V* under the posterior, or the softmax mass that it regains."""


@dataclass(frozen=True)
class _Pool:
    """Sums over shards at one setting and level.

    `weights` are the (tile, head) pairs behind each value: identification is averaged over the heads with noise,
    output over all. `before` is the mean error and dropped mass before any expansion.
    """

    weights: tuple[int, int]
    before: tuple[float, float]
    gains: Float  # [policies, values, Q], over all groups
    expanded: Float  # [Q], share of all pairs that is expanded: D of T, not q

    @classmethod
    def of(cls, settings: Sequence[Setting], level: int) -> _Pool:
        weights = (
            sum(s.tiles * int(s.noisy.sum()) for s in settings),
            sum(s.tiles * s.noisy.size for s in settings),
        )
        errors, dropped = (sum(float(getattr(s, name).sum()) for s in settings) for name in ("kept_error", "dropped"))
        gains = np.sum([s.gains[level].sum(axis=2) for s in settings], axis=0)
        expanded = np.sum([s.expansions[level] for s in settings], axis=0) / weights[1]
        return cls(weights, (_mean(errors, weights[0]), _mean(dropped, weights[1])), gains, expanded)

    def blocks(self, plan: Plan, k: int, at: int = 0) -> float:
        """Blocks kept on average."""
        return k + (plan.expanded(k) - k) * float(self.expanded[at])

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
    """1 - regret / random regret; None where random regret is so small that numerical error could show in the ratio."""
    return 1.0 - regret / random_regret if random_regret > 100 * TOLERANCE else None


def policy_rows(
    settings: Sequence[Setting], at: int, with_mass: bool, plan: Plan, k: int, **labels: Any
) -> Iterator[dict[str, Any]]:
    """A row a (level, value, policy): regret, captured gain, the error or dropped mass left, the blocks it costs."""
    for number, level in enumerate(LEVELS):
        pool = _Pool.of(settings, number)
        for value, policy in _judged(with_mass):
            yield {
                **labels,
                "level": level,
                "value": VALUES[value],
                "policy": policy,
                "regret": pool.regret(policy, value, at),
                "captured": pool.captured(policy, value, at),
                "risk": pool.left(policy, value, at),
                "average_blocks": pool.blocks(plan, k, at),
            }


def _judged(with_mass: bool) -> Iterator[tuple[int, str]]:
    """Values and policies that the dump can speak of."""
    for value in range(2 if with_mass else 1):
        for policy in POLICIES:
            if with_mass or policy != "best_mass":
                yield value, policy


def means(settings: Sequence[Setting], with_mass: bool) -> dict[str, Any]:
    """Means per (tile, head) of the errors and of the dropped mass, before and after expanding everything.

    `regret_bound` bounds the mean regret of the heads' own sigma triggers, from pairs of scores alone.
    """
    pool = _Pool.of(settings, 0)
    expanded = sum(float(s.expanded_error.sum()) for s in settings)
    left = sum(float((s.dropped - s.regained).sum()) for s in settings)
    return {
        "tiles": pool.weights[1],
        "kept_error": pool.before[0],
        "expanded_error": _mean(expanded, pool.weights[0]),
        "regret_bound": _mean(sum(float(s.regret_bound.sum()) for s in settings), pool.weights[0]),
        "dropped_mass": pool.before[1] if with_mass else None,
        "dropped_mass_expanded": _mean(left, pool.weights[1]) if with_mass else None,
    }


def risk_curve(plan: Plan, everything: Sequence[Tally], with_mass: bool) -> Iterator[dict[str, Any]]:
    """Mean error, or dropped mass, per (tile, head) that is left at each q; q = 0 and 1 have regret 0."""
    for number, level in enumerate(LEVELS):
        pool = _Pool.of([t.chosen for t in everything], number)
        for value, policy in _judged(with_mass):
            for at, q in enumerate(plan.q_grid):
                risk = pool.left(policy, value, at)
                yield {
                    "q": float(q),
                    "level": level,
                    "value": VALUES[value],
                    "policy": policy,
                    "risk": risk,
                    "average_blocks": pool.blocks(plan, plan.k, at),
                }


def gap_distribution(everything: Sequence[Tally]) -> pd.DataFrame:
    """Counts of g / tau over all (layer, head, tile), the tie atom g = 0 first."""
    counts = sum((t.gap_counts.sum(axis=0) for t in everything), np.zeros(GAP_EDGES.size - 1, dtype=np.int64))
    ties = sum(int(t.ties.sum()) for t in everything)
    return pd.DataFrame(
        {
            "low": [0.0, *GAP_EDGES[:-1].tolist()],
            "high": [0.0, *GAP_EDGES[1:-1].tolist(), None],
            "count": [ties, *counts.tolist()],
        }
    )


def summary(
    plan: Plan,
    scales: dict[int, tuple[Float, Float]],
    chosen: dict[int, Float],
    everything: Sequence[Tally],
    by_tau: Sequence[dict[str, Any]],
    with_mass: bool,
) -> dict[str, Any]:
    """The headline numbers, at the tile rule where a rule is meant."""
    settings = [t.chosen for t in everything]
    averages = means(settings, with_mass)
    pool = _Pool.of(settings, LEVELS.index("tile"))
    at = plan.q_grid.index(plan.q)
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
        **averages,
        "pairs_with_noise": pool.weights[0],
        "sequences": len(frozenset[int]().union(*(t.examples for t in everything))),
        "error_sigma": pool.left("sigma", 0, at),
        "error_best": pool.left("best_value", 0, at),
        "error_random": pool.left("random", 0, at),
        "captured_identification": pool.captured("sigma", 0, at),
        "captured_output": pool.captured("sigma", 1, at) if with_mass else None,
        "captured_over_tau_lowest": min(over_tau, default=None),
        "captured_over_tau_highest": max(over_tau, default=None),
        "tie_share": _mean(tied, pool.weights[0]),
        "split_half_over_row_step": _median(split_half, row_step),
        "tau_over_row_step": _median(tau, row_step),
        "average_blocks": pool.blocks(plan, plan.k, at),
        "expanded_share": float(pool.expanded[at]),
        "forced_least": min(t.forced[0] for t in everything),
        "forced_most": max(t.forced[1] for t in everything),
        "constant_sigma_share": sum(t.single for t in everything) / pool.weights[1],
        "numerical_error": max(t.numerical_error for t in everything),
        "integrals": sum(t.integrals for t in everything),
    }
    sampled = [t.sampled for t in everything if t.sampled is not None]
    if sampled:
        pairs = pool.weights[0]
        out["sampled_kept_error"] = _mean(sum(float(s.kept_error.sum()) for s in sampled), pairs)
        out["sampled_kept_error_se"] = _mean(math.sqrt(sum(float(s.kept_variance.sum()) for s in sampled)), pairs)
        number = LEVELS.index("tile")
        sigma, random, plugin, split = (
            _mean(sum(float(getattr(s, name)[number].sum()) for s in sampled), pairs)
            for name in ("sigma", "random", "best_plugin", "best_split")
        )
        out["sampled_captured_plugin"] = captured_gain(plugin - sigma, plugin - random)
        out["sampled_captured_split"] = captured_gain(split - sigma, split - random)
    return out


def _median(numerator: Float, denominator: Float) -> float | None:
    use = np.isfinite(numerator) & np.isfinite(denominator) & (denominator > 0)
    return float(np.median(numerator[use] / denominator[use])) if use.any() else None


def cells(
    scales: dict[int, tuple[Float, Float]],
    chosen: dict[int, Float],
    tallies: Mapping[int, Tally | None],
    at: int,
) -> Iterator[dict[str, Any]]:
    """A row a (layer, head), None where there is nothing to say, with a note why."""
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
            elif not has_noise(chosen[layer][head]):
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
        "regret_bound": float(found.chosen.regret_bound[head]) / tiles,
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
