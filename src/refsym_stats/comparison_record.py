"""A comparison as plain data: what comparison.json holds, and all that a report is rendered from."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.metadata import version
from typing import Any

import pandas as pd

from refsym_stats.comparison import Comparison
from refsym_stats.contrasts import Compared
from refsym_stats.description import described_endpoints
from refsym_stats.records import Records
from refsym_stats.result import Flag, Result

KIND, FORMAT = "refsym comparison", 1


def record(comparison: Comparison, records: Records) -> dict[str, Any]:
    """Write a comparison down with every setting, version and input hash; finite numbers and None only.

    Parameters
    ----------
    comparison : Comparison
    records : Records
        What it was computed from.
    """
    plan = comparison.plan
    return {
        "kind": KIND,
        "format": FORMAT,
        "title": plan.title,
        "plan": {
            "sha256": plan.sha256,
            "reading": asdict(plan.reading),
            "inference": asdict(plan.inference),
            "reference": None if plan.reference is None else asdict(plan.reference),
            "families": [
                {
                    "name": family.name,
                    "size": family.size,
                    "correction": family.correction,
                    "held": len(family.contrasts),
                }
                for family in plan.families
            ],
        },
        "sources": [asdict(source) for source in records.sources],
        "notes": list(records.notes),
        "own_clusters": comparison.own_clusters,
        "unplanned_arms": list(comparison.unplanned),
        "absent": [asdict(absent) for absent in comparison.absent],
        "contrasts": [_contrast(found) for found in comparison.contrasts],
        "exploratory": [_contrast(found) for found in comparison.exploratory],
        "endpoints": described_endpoints(),
        "flags": {flag.name: str(flag) for flag in Flag},
        "arms": _rows(comparison.description.arms),
        "partitions": _rows(comparison.description.partitions),
        "seeds": _rows(comparison.description.seeds),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("refsym", "numpy", "scipy", "pandas", "numba")},
    }


def contrast_table(comparison: Comparison) -> pd.DataFrame:
    """One flat row a contrast, planned ones first: what contrasts.csv and contrasts.parquet hold."""
    return pd.DataFrame([_flat(found) for found in (*comparison.contrasts, *comparison.exploratory)])


def _contrast(found: Compared) -> dict[str, Any]:
    endpoint = found.endpoint
    return {
        "family": found.family,
        "benchmark": found.contrast.benchmark,
        "budgets": list(found.contrast.budgets),
        "endpoint": endpoint.name,
        "title": endpoint.title,
        "unit": endpoint.unit,
        "better": endpoint.better,
        "arm": found.contrast.arm,
        "comparator": found.contrast.comparator,
        "margin": found.contrast.margin,
        "alternative": found.contrast.alternative,
        "estimate": found.estimate,
        "p": found.p,
        "adjusted": found.adjusted,
        "detectable": found.detectable,
        "bounds": found.bounds,
        "transitions": found.transitions,
        "by_seed": [{"seed": seed, "comparator": before, "arm": after} for seed, before, after in found.by_seed],
    } | {
        name: _result(getattr(found, name))
        for name in ("interval", "source", "robust", "seed", "mcnemar", "equivalence")
    }


def _result(result: Result | None) -> dict[str, Any] | None:
    if result is None:
        return None
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    return {
        name: [flag.name for flag in value] if name == "flags" else _plain(value)
        for name, value in values.items()
        if value is not None
    }


def _flat(found: Compared) -> dict[str, Any]:
    row = _contrast(found)
    interval, source, seed = row["interval"], row["source"], row["seed"] or {}
    return {
        "planned": found.family is not None,
        "family": row["family"],
        "benchmark": row["benchmark"],
        "budget": "+".join(row["budgets"]),
        "endpoint": row["endpoint"],
        "unit": row["unit"],
        "arm": row["arm"],
        "comparator": row["comparator"],
        "difference": row["estimate"],
        "low": interval.get("low"),
        "high": interval.get("high"),
        "level": interval.get("level"),
        "interval_method": interval["method"],
        "draws": interval.get("draws"),
        "random_seed": interval.get("seed"),
        "n": row["robust"]["n"],
        "clusters": row["robust"]["clusters"],
        "seeds": len(row["by_seed"]),
        "p_source": source.get("p_value"),
        "p_source_method": source["method"],
        "p_source_minimum": source.get("minimum_p"),
        "p_seed": seed.get("p_value"),
        "p": row["p"],
        "p_adjusted": row["adjusted"],
        "p_equivalence": (row["equivalence"] or {}).get("p_value"),
        "margin": row["margin"],
        "detectable": row["detectable"],
        "flags": "; ".join(sorted({flag for name in ("interval", "source") for flag in row[name]["flags"]})),
    }


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    found: Sequence[dict[Any, Any]] = frame.to_dict("records")
    return [{str(name): _plain(value) for name, value in row.items()} for row in found]


def _plain(value: Any) -> Any:
    """Numbers that JSON can hold: what is not finite is None."""
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
