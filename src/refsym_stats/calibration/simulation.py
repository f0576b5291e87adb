"""Procedures tried on scenarios: how often intervals cover and tests reject."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from refsym_stats.arguments import fraction, whole
from refsym_stats.calibration.drawing import samples
from refsym_stats.calibration.laws import LAWS
from refsym_stats.calibration.methods import FAMILIES, METHODS, known_p
from refsym_stats.calibration.sample import BOTH, ENUMERATED, SOURCES, Sample
from refsym_stats.calibration.scenario import Scenario
from refsym_stats.calibration.verdicts import COVERAGE, FAMILY, Tally, verdict, wilson
from refsym_stats.errors import InputError

CLIP = 3.0
"""Standard deviations of the seeds' shifts that a binary law must have room for; a normal's rest changes nothing."""


def simulate(
    scenarios: Iterable[Scenario], *, replications: int = 2_000, draws: int = 999, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Try procedures on data of known effects.

    Parameters
    ----------
    scenarios : iterable of Scenario
    replications : int
        Of each scenario, times its `times`.
    draws : int
        Of each bootstrap and each Monte Carlo test.
    seed : int
        A scenario's numbers depend on it and on the scenario's name, not on what else is run.
    level : float
        Of the intervals; tests are at 1 - level.

    Returns
    -------
    DataFrame
        A row a scenario, method and target: settings, `hits` of `count` (intervals that cover, or tests that reject),
        `share` with its Wilson interval `low`, `high`, how many were `undefined`, how many intervals lay `below` and
        `above` the truth, their mean `width`, and the `verdict`. An undefined answer covers, and rejects nothing.

    Raises
    ------
    InputError
        A setting out of range, an unknown law or method, or seeds that shift a single seed.
    """
    replications, draws = whole(replications, "replications"), whole(draws, "draws")
    seed, level = whole(seed, "seed", 0), fraction(level)
    found = [_one(scenario, replications, draws, seed, level) for scenario in scenarios]
    if not found:
        raise InputError("simulate: no scenario")
    return pd.concat(found, ignore_index=True)


def _one(scenario: Scenario, replications: int, draws: int, seed: int, level: float) -> pd.DataFrame:
    _demand(scenario)
    tallies: dict[tuple[str, str, str], Tally] = {}
    for batch in samples(scenario, replications * scenario.times, draws=draws, seed=seed, level=level):
        (_family if len(batch) > 1 else _single)(scenario, batch, tallies)
    return pd.DataFrame([_row(scenario, key, tally, draws, seed, level) for key, tally in tallies.items()])


def _demand(scenario: Scenario) -> None:
    known = FAMILIES if len(scenario.laws) > 1 else METHODS
    for method in scenario.methods:
        if method not in known:
            raise InputError(f"{scenario.name}: unknown method {method!r}; one of {'; '.join(known)}")
    for law in scenario.laws:
        if law not in LAWS:
            raise InputError(f"{scenario.name}: unknown law {law!r}; one of {', '.join(LAWS)}")
    if scenario.seed_spread and scenario.seeds == 1:
        raise InputError(f"{scenario.name}: one seed cannot be told from its shift; give more seeds")
    if scenario.rest < 1e-9 or min(scenario.cluster_share, scenario.item_share) < 0:
        raise InputError(f"{scenario.name}: shares of clusters and items must leave something for the rest")
    if scenario.effect == 0 and any(method.startswith("equivalence") for method in scenario.methods):
        raise InputError(f"{scenario.name}: equivalence is tried with the true effect as its margin; give an effect")
    if "binary" in scenario.laws and scenario.linked:
        raise InputError(f"{scenario.name}: a mean that goes with the size needs a real-valued law")
    if "binary" in scenario.laws and not abs(scenario.truth("binary")) < scenario.discordance < 1 / (1 + scenario.room):
        raise InputError(
            f"{scenario.name}: discordance {scenario.discordance:g} must lie between the effect and "
            f"{1 / (1 + scenario.room):.3g}"
        )
    for law in scenario.laws:
        if scenario.seed_spread and scenario.bound(law) < CLIP * scenario.seed_spread * scenario.standard_error(law):
            raise InputError(f"{scenario.name}: seeds shift more than the discordance has room for; give more of it")


def _targets(scenario: Scenario, targets: tuple[str, ...]) -> tuple[str, ...]:
    return targets if scenario.seeds > 1 else (SOURCES,)


def _single(scenario: Scenario, batch: list[tuple[Sample, Sample]], tallies: dict[tuple[str, str, str], Tally]) -> None:
    for name in scenario.methods:
        method = METHODS[name]
        answers: dict[int, Any] = {}
        for target in _targets(scenario, method.targets):
            tally = tallies.setdefault((name, method.kind, target), Tally())
            sample = _facing(batch[0], target, method.kind)
            if id(sample) not in answers:
                answers[id(sample)] = method.run(sample)
            if method.kind == COVERAGE:
                low, high = answers[id(sample)]
                tally.interval(low, high, sample.target(target))
            else:
                tally.test(answers[id(sample)], sample.level)


def _facing(pair: tuple[Sample, Sample], target: str, kind: str) -> Sample:
    """The sample on which a null hypothesis about this target is true: with the same seeds, shifts that cancel."""
    sample, cancelled = pair
    if kind == COVERAGE or target == BOTH:
        return sample
    return cancelled if target == SOURCES else replace(sample, asked=sample.same_items)


def _family(scenario: Scenario, batch: list[tuple[Sample, Sample]], tallies: dict[tuple[str, str, str], Tally]) -> None:
    drawn = [sample for sample, _ in batch]
    source = np.stack([sample.flips for sample in drawn], axis=1)
    seeds = np.stack([known_p(sample.over_seeds.p_value) for sample in drawn], axis=1)
    for name in scenario.methods:
        tally = tallies.setdefault((name, FAMILY, BOTH), Tally())
        tally.test(FAMILIES[name](source, seeds).min(axis=1), drawn[0].level)


def _row(
    scenario: Scenario, key: tuple[str, str, str], tally: Tally, draws: int, seed: int, level: float
) -> dict[str, Any]:
    name, kind, target = key
    nominal = level if kind == COVERAGE else round(1 - level, 12)
    low, high = wilson(tally.hits, tally.count)
    widths = np.concatenate(tally.widths) if tally.widths else np.empty(0)
    return {
        "scenario": scenario.name,
        "group": scenario.group,
        "law": " and ".join(dict.fromkeys(scenario.laws)),
        "contrasts": len(scenario.laws),
        "items": math.nan if scenario.linked else float(sum(scenario.sizes)),
        "clusters": len(scenario.sizes),
        "seeds": scenario.seeds,
        "cluster_share": scenario.cluster_share,
        "item_share": scenario.item_share,
        "seed_spread": scenario.seed_spread,
        "effect": scenario.effect,
        "truth": scenario.truth(scenario.laws[0]),
        "standard_error": math.nan if scenario.linked else scenario.standard_error(scenario.laws[0]),
        "method": name,
        "kind": kind,
        "target": target,
        "nominal": nominal,
        "count": tally.count,
        "hits": tally.hits,
        "share": tally.hits / tally.count,
        "low": low,
        "high": high,
        "verdict": verdict(kind, tally.hits, tally.count, nominal),
        "undefined": tally.undefined,
        "below": tally.below,
        "above": tally.above,
        "width": float(widths.mean()) if widths.size else math.nan,
        "draws": draws if _draws(scenario, name) else 0,
        "seed": seed,
    }


def _draws(scenario: Scenario, name: str) -> bool:
    """Whether a method draws here: bootstraps do, sign flips of many real numbers do."""
    units = sum(scenario.sizes) if name.endswith("items") else len(scenario.sizes)
    flips = ("flip" in name or name.startswith("gate")) and units > ENUMERATED
    return "bootstrap" in name or (flips and set(scenario.laws) != {"binary"})
