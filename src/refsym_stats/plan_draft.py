"""A plan to start from: what the records hold, written down with comments, to be edited before results are seen."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence

from refsym_stats.endpoints import applicable
from refsym_stats.panel import Panel, panels
from refsym_stats.plan import Reading
from refsym_stats.records import CONSTANT, Records


def draft(records: Records, reading: Reading) -> str:
    """Write a commented plan.toml for records: the last arm against each other one, at the first budget.

    Parameters
    ----------
    records : Records
    reading : Reading
        How they were read; written down, so that the plan reads them the same way.

    Returns
    -------
    str
        TOML that `Plan.read` accepts. Which arm, which endpoints and which budget are primary is yours to decide.
    """
    found = panels(records)
    benchmarks = list(dict.fromkeys(benchmark for benchmark, _ in found))
    first = [next(panel for (name, _), panel in found.items() if name == benchmark) for benchmark in benchmarks]
    seeds = max(len(panel.seeds) for panel in found.values())
    lines = [
        "# A plan for `refsym compare`. Edit it before you see results: contrasts that are not in it are exploratory.",
        "format = 1",
        'title = "Comparison"',
        "",
        *_reading(reading),
        "[units]",
        '# What is resampled and flipped together: "cluster" (the source of an item) or "item".',
        f'cluster = "{"item" if records.own_clusters else "cluster"}"'
        + ("  # the records have no cluster column" if records.own_clusters else ""),
        '# "seed": training seeds are units too, and a contrast takes the larger of two p-values. "none": averaged.',
        f'seed = "{"seed" if seeds > 1 else "none"}"  # the records have {seeds}',
        "",
        "[inference]",
        "level = 0.95",
        "draws = 20000",
        "random_seed = 0",
        'alternative = "two-sided"  # or "greater", "less": of arm minus comparator',
        "",
    ]
    for panel in first:
        lines += _family(panel, [budget for benchmark, budget in found if benchmark == panel.benchmark])
    text = "\n".join(lines)
    tomllib.loads(text)
    return text


def _reading(reading: Reading) -> list[str]:
    lines = [
        "[read]",
        '# An item that an arm lacks: "error", "complete-items" (leave it out of all arms) or "wrong".',
        f"missing = {_text(reading.missing)}",
    ]
    for name in ("format", "filter", "metric", "normalise", "threshold"):
        value = getattr(reading, name)
        if value is not None:
            lines.append(f"{name} = {_text(value) if isinstance(value, str) else value}")
    if reading.order_paired:
        lines.append("order_paired = true")
    for name, table in (("columns", reading.columns), ("grades", reading.grades)):
        if table:
            inside = ", ".join(f"{_text(key)} = {_text(v) if isinstance(v, str) else v}" for key, v in table.items())
            lines.append(f"{name} = {{ {inside} }}")
    return [*lines, ""]


def _family(panel: Panel, budgets: Sequence[str]) -> list[str]:
    """One family: the last arm against each of the others, in the endpoints that come first."""
    endpoints = [endpoint.name for endpoint in applicable(panel)]
    robust = [name for name in ("robust_accuracy", "jsd") if name in endpoints]
    chosen = robust or endpoints[:1]
    *others, arm = panel.arms
    size = len(chosen) * max(1, len(others))
    lines = [
        "# A family shares one error rate. `size` counts its contrasts, now and later: declare it, do not fit it.",
        "[[family]]",
        f"name = {_text(panel.benchmark if panel.benchmark != CONSTANT else 'primary')}",
        f"size = {size}",
        'correction = "bonferroni"  # or "holm"',
        "",
        "[[family.contrast]]  # stands for every combination of its endpoints and comparators",
        f"# Endpoints of these records: {', '.join(endpoints)}; with a [reference], kl and flips.",
        f"endpoint = [{', '.join(map(_text, chosen))}]",
        f"arm = {_text(arm)}",
        f"comparator = [{', '.join(map(_text, others or [arm]))}]",
    ]
    if not others:
        lines.insert(0, "# These records have one arm: give the files of two, or a table with an arm column.")
    if panel.benchmark != CONSTANT:
        lines.append(f"benchmark = {_text(panel.benchmark)}")
    if panel.budget != CONSTANT:
        lines.append(f"budget = {_text(budgets[0])}  # of {', '.join(budgets)}; a list is averaged within the item")
    return [
        *lines,
        "# margin = 1.0  # equivalence margin in the endpoint's printed unit (pp, nats): adds two one-sided tests",
        "",
    ]


def _text(value: str) -> str:
    """Write a TOML string: JSON's escapes are TOML's, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
