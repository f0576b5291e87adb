"""The tables of a comparison, as text in cells: the same for the page, Markdown and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from refsym.report.comparison.numbers import interval, p_of, p_value, value
from refsym.report.comparison.places import where, where_of
from refsym.report.numerals import NONE, count

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """A caption, a head, and rows of cells; the first `labels` columns are words."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int
    bold: frozenset[tuple[int, int]] = frozenset()


def effects(record: Row, rows: Sequence[Row], caption: str) -> Table:
    """Paired effects, as RS table 3: difference, interval, both p-values, the adjusted one, and their counts."""
    one_place = len({where_of(row) for row in rows}) == 1
    columns: list[tuple[str, list[str]]] = [] if one_place else [("Where", [where_of(row) for row in rows])]
    columns += [
        ("Arm − comparator", [f"{row['arm']} − {row['comparator']}" for row in rows]),
        ("Endpoint", [row["title"] for row in rows]),
        ("Difference", [_with_unit(row) for row in rows]),
        (f"{_percent(record)} interval", [interval(row["interval"], row["unit"]) for row in rows]),
        ("p, sources", [p_of(row["source"]) for row in rows]),
    ]
    labels = len(columns) - 3
    if any(row["seed"] is not None for row in rows):
        columns.append(("p, seeds", [p_of(row["seed"]) for row in rows]))
    if any(row["adjusted"] is not None for row in rows):
        columns.append(("Adjusted p", [p_value(row["adjusted"]) for row in rows]))
    columns += [
        ("Least p", [p_value(row["source"].get("minimum_p")) for row in rows]),
        ("n / clusters / seeds", [_counts(row) for row in rows]),
    ]
    head, cells = tuple(name for name, _ in columns), tuple(zip(*(column for _, column in columns), strict=True))
    place = (
        f" {where_of(rows[0])[0].upper()}{where_of(rows[0])[1:]}." if one_place and where_of(rows[0]) != "all" else ""
    )
    return Table((caption + place).strip(), head, cells, labels)


def _counts(row: Row) -> str:
    return f"{count(row['robust']['n'])} / {count(row['robust']['clusters'])} / {len(row['by_seed'])}"


def _with_unit(row: Row) -> str:
    return f"{value(row['estimate'], row['unit'], signed=True)} {row['unit']}".strip()


def arms(record: Row) -> Table:
    """Every arm at every budget, as RS table 2: mean and standard deviation over seeds, the best in bold."""
    found: dict[tuple[str, str], dict[str, dict[str, Row]]] = {}
    for row in record["arms"]:
        found.setdefault((row["benchmark"], row["budget"]), {}).setdefault(row["arm"], {})[row["endpoint"]] = row
    present = {row["endpoint"] for row in record["arms"]}
    endpoints = [endpoint for endpoint in record["endpoints"] if endpoint["name"] in present]
    cells: list[tuple[str, ...]] = []
    bold: set[tuple[int, int]] = set()
    for (benchmark, budget), by_arm in found.items():
        first = len(cells)
        for arm, by_endpoint in by_arm.items():
            cells.append(
                (where(benchmark, [budget]), arm, *(_mean(by_endpoint.get(e["name"]), e["unit"]) for e in endpoints))
            )
        for column, endpoint in enumerate(endpoints, 2):
            means = [by_endpoint.get(endpoint["name"], {}).get("mean") for by_endpoint in by_arm.values()]
            known = [mean for mean in means if mean is not None]
            if len(known) > 1 and max(known) > min(known):
                best = max(known) if endpoint["better"] > 0 else min(known)
                bold |= {(first + i, column) for i, mean in enumerate(means) if mean == best}
    head = ["Where", "Arm"] + [f"{e['title']} {'↑' if e['better'] > 0 else '↓'}" for e in endpoints]
    seeds = max((row["seeds"] for row in record["arms"]), default=1)
    spread = f"means ± sample SD over {seeds} seeds" if seeds > 1 else "one seed"
    units = {"pp": "%", "nats": "nats"}
    known_units = "; ".join(f"{e['title']} in {units[e['unit']]}" for e in endpoints if e["unit"] in units)
    caption = f"Every arm: {spread}. {known_units}{'. ' * bool(known_units)}Bold: the best mean, tested or not."
    return Table(caption, tuple(head), tuple(cells), 2, frozenset(bold))


UNCHANGED = ("C to C", "W to W", "W to W, same answer")


def transitions(record: Row) -> Table | None:
    """What becomes of each answer from the comparator to the arm, as RS table 1."""
    found: dict[tuple[str, str], Mapping[str, int]] = {}
    for row in (*record["contrasts"], *record["exploratory"]):
        if row["transitions"]:
            found.setdefault((where_of(row), f"{row['comparator']} → {row['arm']}"), row["transitions"])
    if not found:
        return None
    kinds = list(dict.fromkeys(kind for counts in found.values() for kind in counts))
    cells = []
    for (at, pair), counts in found.items():
        changed = sum(number for kind, number in counts.items() if kind not in UNCHANGED)
        shown = [count(counts[kind]) if kind in counts else NONE for kind in kinds]
        cells.append((at, pair, *shown, count(changed), count(sum(counts.values()))))
    head = ("Where", "From → to", *kinds, "Changed", "All")
    caption = "Answers from the comparator to the arm, over items, seeds and partitions; C correct, W wrong."
    return Table(caption, head, tuple(cells), 2)


def _mean(row: Row | None, unit: str) -> str:
    if row is None or row["mean"] is None:
        return NONE
    spread = "" if row["sd"] is None else f" ± {value(row['sd'], unit)}"
    return value(row["mean"], unit) + spread


def _percent(record: Row) -> str:
    return f"{100 * record['plan']['inference']['level']:g} %"
