"""What a comparison says in words: only what was tested, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from refsym.report.comparison.numbers import interval, p_of, p_value, value

Row = Mapping[str, Any]

FLAGS = {
    "ONE_UNIT": "one unit only: its variation cannot be estimated",
    "NO_VARIATION": "every unit has the same difference: an identity in the sample, not a measured certainty",
    "NO_DISCORDANT": "no discordant pair: the arms agree on every item",
    "ALL_ZERO": "every difference is zero",
    "FEW_UNITS": "fewer than 10 clusters: the bootstrap interval is too short",
    "UNDERFLOW": "the p-value is below what a float holds",
    "NOT_SETTLED": "the exact p-value is known to lie in an interval only",
    "ROUNDED_FRACTIONS": "differences look like rounded fractions, whose ties are broken by rounding",
}


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
    count = sum(resolved(record, row) for row in rows)
    rest = f" {_many(others, 'other contrast')} {'is' if others == 1 else 'are'} exploratory." if others else ""
    verb = "resolves" if count == 1 else "resolve"
    level = f"at the {100 * alpha(record):g} % level of the family"
    return f"{count} of {_many(len(rows), 'planned contrast')} {verb} {level}.{rest}"


def findings(record: Row) -> list[str]:
    """One sentence a planned contrast."""
    return [finding(record, row) for row in record["contrasts"]]


def finding(record: Row, row: Row) -> str:
    """The difference, its interval, its adjusted p-value, and what that says."""
    unit = f" {row['unit']}" if row["unit"] else ""
    start = (
        f"{row['title']}{place(row)}, {row['arm']} minus {row['comparator']}: "
        f"{value(row['estimate'], row['unit'], signed=True)}{unit} {interval(row['interval'], row['unit'])}"
    )
    return f"{start}, {_verdict(record, row)}{_equivalent(record, row)}"


def place(row: Row) -> str:
    """Benchmark and budget, where the records have them."""
    parts = [row["benchmark"]] if row["benchmark"] != "-" else []
    budgets = [budget for budget in row["budgets"] if budget != "-"]
    parts += [f"budget {', '.join(budgets)}"] if budgets else []
    return f" ({', '.join(parts)})" if parts else ""


def _verdict(record: Row, row: Row) -> str:
    if row["adjusted"] is None:
        reasons = [FLAGS[flag] for name in ("source", "seed") for flag in (row[name] or {}).get("flags", ())]
        return f"no p-value ({'; '.join(dict.fromkeys(reasons)) or 'undefined'})."
    said = f"adjusted p {p_value(row['adjusted'])}"
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
        return f" Equivalence within {margin} cannot be tested: {FLAGS[test['flags'][0]]}."
    shown = "shown" if test["p_value"] <= alpha(record) else "not shown"
    return f" Equivalence within {margin}: {shown} (two one-sided tests, p {p_value(test['p_value'])}, not adjusted)."


def tests(row: Row) -> str:
    """How a contrast's p-value came about, with counts."""
    source, seed = row["source"], row["seed"]
    least = f"least attainable {p_value(source['minimum_p'])}"
    said = f"{row['alternative']} {source['method']} over {source['clusters']} clusters p {p_of(source)} ({least})"
    return said + (f"; paired t over {seed['seeds']} seeds p {p_of(seed)}" if seed is not None else "")


def absences(record: Row) -> list[str]:
    """What was absent, and what the plan made of it."""
    rules = {"complete-items": "left out of every arm", "wrong": "counted as wrong"}
    out = []
    for absent in record["absent"]:
        arms = "; ".join(f"{arm} lacks {len(items)} ({_some(items)})" for arm, items in absent["by_arm"].items())
        count = f"{absent['items']} of {absent['of']} items lack observations"
        out.append(f"{absent['where']}: {count} and are {rules[absent['rule']]}: {arms}.")
    return out


def cautions(record: Row) -> list[str]:
    """What a reader has to know before believing a number."""
    out = []
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
        arms = ", ".join(record["unplanned_arms"])
        out.append(f"Arms in the records that the plan does not name, and which are not compared: {arms}.")
    parts = [row[name] or {} for row in record["contrasts"] for name in ("interval", "source", "seed")]
    flags = dict.fromkeys(flag for part in parts for flag in part.get("flags", ()))
    return out + [f"{FLAGS[flag][0].upper()}{FLAGS[flag][1:]}." for flag in flags]


def _seeds(record: Row) -> int:
    return max((row["seeds"] for row in record["arms"]), default=1)


def _some(items: Sequence[str], limit: int = 5) -> str:
    return ", ".join(items[:limit]) + (f" and {len(items) - limit} more" if len(items) > limit else "")


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")
