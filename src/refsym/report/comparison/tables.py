"""The tables of a comparison, as text in cells: the same for the page, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from refsym.report.comparison.numbers import interval, p_of, p_value, value
from refsym.report.numerals import NONE, count

Row = Mapping[str, Any]

ENDPOINT_NAMES = {
    "accuracy": ("Mean accuracy", "pp", 1),
    "robust_accuracy": ("Robust accuracy", "pp", 1),
    "worst_partition": ("Worst partition", "pp", 1),
    "consistency": ("Consistency", "pp", 1),
    "jsd": ("JSD", "nats", -1),
    "score": ("Mean score", "", 1),
}


@dataclass(frozen=True)
class Table:
    """A caption, a head, and rows of cells; the first `labels` columns are words."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int
    bold: frozenset[tuple[int, int]] = frozenset()


def effects(record: Row, rows: Sequence[Row], caption: str) -> Table:
    """Paired effects, as RS table 3: difference, interval, both p-values, the adjusted one."""
    adjusted = any(row["adjusted"] is not None for row in rows)
    with_seed = any(row["seed"] is not None for row in rows)
    head = ["Where", "Arm − comparator", "Endpoint", "Difference", f"{_percent(record)} interval", "p, sources"]
    head += ["p, seeds"] if with_seed else []
    head += ["Adjusted p"] if adjusted else []
    head += ["n", "Clusters", "Seeds", "Least p"]
    cells = []
    for row in rows:
        line = [where(row), f"{row['arm']} − {row['comparator']}", row["title"]]
        unit = f" {row['unit']}" if row["unit"] else ""
        line += [value(row["estimate"], row["unit"], signed=True) + unit, interval(row["interval"], row["unit"])]
        line += [p_of(row["source"])] + ([p_of(row["seed"])] if with_seed else [])
        line += [p_value(row["adjusted"])] if adjusted else []
        line += [count(row["robust"]["n"]), count(row["robust"]["clusters"]), str(len(row["by_seed"]))]
        line += [p_value(row["source"].get("minimum_p"))]
        cells.append(tuple(line))
    return Table(caption, tuple(head), tuple(cells), 3)


def arms(record: Row) -> Table:
    """Every arm at every budget, as RS table 2: mean and standard deviation over seeds, the best in bold."""
    found: dict[tuple[str, str], dict[str, dict[str, Row]]] = {}
    for row in record["arms"]:
        found.setdefault((row["benchmark"], row["budget"]), {}).setdefault(row["arm"], {})[row["endpoint"]] = row
    endpoints = [name for name in ENDPOINT_NAMES if any(row["endpoint"] == name for row in record["arms"])]
    cells: list[tuple[str, ...]] = []
    bold: set[tuple[int, int]] = set()
    for (benchmark, budget), by_arm in found.items():
        first = len(cells)
        for arm, by_endpoint in by_arm.items():
            cells.append(
                (_where(benchmark, [budget]), arm, *(_mean(by_endpoint.get(name), name) for name in endpoints))
            )
        for column, name in enumerate(endpoints, 2):
            means = [by_endpoint.get(name, {}).get("mean") for by_endpoint in by_arm.values()]
            known = [mean for mean in means if mean is not None]
            if len(known) > 1 and max(known) > min(known):
                best = max(known) if ENDPOINT_NAMES[name][2] > 0 else min(known)
                bold |= {(first + i, column) for i, mean in enumerate(means) if mean == best}
    head = ["Where", "Arm"] + [f"{ENDPOINT_NAMES[n][0]} {'↑' if ENDPOINT_NAMES[n][2] > 0 else '↓'}" for n in endpoints]
    seeds = max((row["seeds"] for row in record["arms"]), default=1)
    spread = f"means ± sample SD over {seeds} seeds" if seeds > 1 else "one seed"
    caption = f"Every arm: {spread}. Accuracies in %, JSD in nats. Bold: the best mean, tested or not."
    return Table(caption, tuple(head), tuple(cells), 2, frozenset(bold))


def transitions(record: Row) -> Table | None:
    """What becomes of each answer from the comparator to the arm, as RS table 1."""
    rows = [
        row
        for row in (*record["contrasts"], *record["exploratory"])
        if row["transitions"] and row["endpoint"] == "accuracy"
    ]
    rows = rows or [row for row in record["contrasts"] if row["transitions"]]
    if not rows:
        return None
    kinds = list(rows[0]["transitions"])
    seen, cells = set(), []
    for row in rows:
        key = (row["benchmark"], tuple(row["budgets"]), row["arm"], row["comparator"])
        if key not in seen:
            seen.add(key)
            counts = [row["transitions"].get(kind) for kind in kinds]
            total = sum(n or 0 for n in counts)
            changed = sum(
                n or 0
                for kind, n in row["transitions"].items()
                if kind not in ("C to C", "W to W, same answer", "W to W")
            )
            cells.append(
                (
                    where(row),
                    f"{row['comparator']} → {row['arm']}",
                    *(NONE if n is None else count(n) for n in counts),
                    count(changed),
                    count(total),
                )
            )
    head = ("Where", "From → to", *kinds, "Changed", "All")
    caption = "Answers from the comparator to the arm, over items, seeds and partitions; C correct, W wrong."
    return Table(caption, head, tuple(cells), 2)


def where(row: Row) -> str:
    """Benchmark and budget of a contrast in one cell."""
    return _where(row["benchmark"], row["budgets"])


def _where(benchmark: str, budgets: Sequence[str]) -> str:
    known = [budget for budget in budgets if budget != "-"]
    parts = ([benchmark] if benchmark != "-" else []) + ([f"budget {'+'.join(known)}"] if known else [])
    return ", ".join(parts) or "all"


def _mean(row: Row | None, endpoint: str) -> str:
    if row is None or row["mean"] is None:
        return NONE
    unit = ENDPOINT_NAMES[endpoint][1]
    spread = "" if row["sd"] is None else f" ± {value(row['sd'], unit)}"
    return value(row["mean"], unit) + spread


def _percent(record: Row) -> str:
    return f"{100 * record['plan']['inference']['level']:g} %"
