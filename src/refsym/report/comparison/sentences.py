"""What a comparison says in words: only what was tested, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from refsym.report.comparison.numbers import interval, p_equals, p_of, p_value, value
from refsym.report.comparison.places import aside
from refsym.report.numerals import count

Row = Mapping[str, Any]


def alpha(record: Row) -> float:
    """The family-wise error rate: one minus the level."""
    return round(1 - float(record["plan"]["inference"]["level"]), 12)


def resolved(record: Row, row: Row) -> bool:
    """Whether a planned contrast passes its family's threshold."""
    return row["adjusted"] is not None and row["adjusted"] <= alpha(record)


def planned(record: Row) -> bool:
    """Whether there was a plan."""
    return bool(record["plan"]["families"])


def headline(record: Row) -> str:
    """The first line."""
    others = len(record["exploratory"])
    if not planned(record):
        return f"No plan: {_many(others, 'contrast')}, all exploratory, none adjusted for how many there are."
    rows = record["contrasts"]
    passed = sum(resolved(record, row) for row in rows)
    rest = f" {_many(others, 'other contrast')} {'is' if others == 1 else 'are'} exploratory." if others else ""
    verb = "resolves" if passed == 1 else "resolve"
    level = f"at the {100 * alpha(record):g} % level of the family"
    return f"{passed} of {_many(len(rows), 'planned contrast')} {verb} {level}.{rest}"


def findings(record: Row) -> list[str]:
    """One sentence a planned contrast."""
    return [finding(record, row) for row in record["contrasts"]]


def finding(record: Row, row: Row) -> str:
    """The difference, its interval, its adjusted p-value, and what that says."""
    unit = f" {row['unit']}" if row["unit"] else ""
    start = (
        f"{row['title']}{aside(row)}, {row['arm']} minus {row['comparator']}: "
        f"{value(row['estimate'], row['unit'], signed=True)}{unit} {interval(row['interval'], row['unit'])}"
    )
    return f"{start}, {_verdict(record, row)}{_equivalent(record, row)}"


def _verdict(record: Row, row: Row) -> str:
    if row["adjusted"] is None:
        reasons = [record["flags"][flag] for name in ("source", "seed") for flag in (row[name] or {}).get("flags", ())]
        return f"no p-value ({'; '.join(dict.fromkeys(reasons)) or 'undefined'})."
    said = f"adjusted {p_equals(p_value(row['adjusted']))}"
    if not resolved(record, row):
        return f"{said}: not resolved, which is no evidence that they are equal."
    direction = "higher" if row["estimate"] > 0 else "lower"
    return f"{said}: {row['arm']} is {direction}{_judged(row)}."


def _judged(row: Row) -> str:
    if not row["better"] or row["unit"] == "":
        return ""
    return ", which is better" if row["better"] * row["estimate"] > 0 else ", which is worse"


def _equivalent(record: Row, row: Row) -> str:
    test = row["equivalence"]
    if test is None:
        return ""
    margin = f"±{row['margin']:g} {row['unit']}".strip()
    if test.get("p_value") is None:
        return f" Equivalence within {margin} cannot be tested: {record['flags'][test['flags'][0]]}."
    shown = "shown" if test["p_value"] <= alpha(record) else "not shown"
    p = p_equals(p_value(test["p_value"]))
    return f" Equivalence within {margin}: {shown} (two one-sided tests, {p}, not adjusted)."


def tests(row: Row) -> str:
    """How a contrast's p-value came about, with counts."""
    source, seed = row["source"], row["seed"]
    alternative = row["alternative"][0].upper() + row["alternative"][1:]
    least = p_value(source["minimum_p"])
    said = f"{alternative} {source['method']}, over {count(source['clusters'])} clusters: {p_equals(p_of(source))}"
    said += f" (least attainable {least})"
    return said + (f"; paired t over {seed['seeds']} seeds: {p_equals(p_of(seed))}" if seed is not None else "")


RULES = {
    "error": "would be an error; there are none",
    "complete-items": "left out of every arm",
    "wrong": "counted as wrong",
}
"""The plan's rule for absent observations, in words."""


def absences(record: Row) -> list[str]:
    """What was absent, and what the plan made of it."""
    out = []
    for absent in record["absent"]:
        arms = "; ".join(f"{arm} lacks {len(items)} ({_some(items)})" for arm, items in absent["by_arm"].items())
        lacking = f"{absent['items']} of {absent['of']} items lack observations"
        out.append(f"{absent['where']}: {lacking} and are {RULES[absent['rule']]}: {arms}.")
        if absent["given_up"]:
            unused = " and ".join({"answer": "answers"}.get(name, name) for name in absent["given_up"])
            out.append(f"{absent['where']}: {unused} are not used, for those of absent observations are not known.")
    return out


def cautions(record: Row) -> list[str]:
    """What a reader has to know before believing a number."""
    out = []
    arms = list(dict.fromkeys(row["arm"] for row in record["arms"]))
    if len(arms) == 1:
        out.append(f"The records hold one arm, {arms[0]}: give the files of two, or a table with an arm column.")
    if record["own_clusters"]:
        out.append(
            "The records have no cluster column: each item is its own cluster. If items share a source, intervals are "
            "too short and p-values too small."
        )
    if record["plan"]["inference"]["seed"] == "none" and _seeds(record) > 1:
        out.append("Seeds are averaged: what is said holds for these training runs, not for new ones.")
    if _seeds(record) == 1:
        out.append("One seed: nothing here speaks of another training run.")
    if record["unplanned_arms"]:
        others = ", ".join(record["unplanned_arms"])
        out.append(f"Arms in the records that the plan does not name, and which are not compared: {others}.")
    out += _flagged(record, record["contrasts"] if planned(record) else record["exploratory"])
    return out


def _flagged(record: Row, rows: Sequence[Row]) -> list[str]:
    """What is special about a result, and of which contrasts."""
    found: dict[str, list[str]] = {}
    for row in rows:
        flags = [flag for name in ("interval", "source", "seed") for flag in (row[name] or {}).get("flags", ())]
        for flag in dict.fromkeys(flags):
            found.setdefault(flag, []).append(f"{row['title']}{aside(row)} of {row['arm']} − {row['comparator']}")
    sentences = {flag: record["flags"][flag] for flag in found}
    return [f"{text[0].upper()}{text[1:]} ({_some(found[flag], 2)})." for flag, text in sentences.items()]


def _seeds(record: Row) -> int:
    return max((row["seeds"] for row in record["arms"]), default=1)


def _some(items: Sequence[str], limit: int = 5) -> str:
    return ", ".join(items[:limit]) + (f" and {len(items) - limit} more" if len(items) > limit else "")


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
