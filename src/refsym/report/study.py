"""The findings of a study to one self-contained HTML page, and to Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from refsym.report.environment import environment
from refsym.report.figures.curves import curves
from refsym.report.numerals import NONE, count, number
from refsym.study.findings import AGREES, DIFFERS, FAILS, FORMAT, HOLDS, INCOMPARABLE, KIND, MEASURED

MARKS = {AGREES: "✓", DIFFERS: "✗", INCOMPARABLE: "≁", HOLDS: "✓", FAILS: "✗", MEASURED: "○"}
CLASSES = {
    AGREES: "verified",
    HOLDS: "verified",
    DIFFERS: "refuted",
    FAILS: "refuted",
    INCOMPARABLE: "open",
    MEASURED: "supported",
}


def render_study(record: Mapping[str, Any], comparison: bool) -> str:
    """Render findings.json as one HTML page without references to anything outside it.

    Parameters
    ----------
    comparison
        Whether the report of planned contrasts stands beside it, to be named.

    Raises
    ------
    ValueError
        The record is of another kind or format.
    """
    _demand(record)
    figures = [(entry, Markup(curves(entry, f"figure{i}"))) for i, entry in enumerate(record["figures"])]
    page = environment()
    page.filters |= {"cell": cell, "found": found}
    return page.get_template("study.html").render(
        record=record, figures=figures, marks=MARKS, classes=CLASSES, comparison=comparison, counts=summary(record)
    )


def study_markdown(record: Mapping[str, Any], comparison: bool) -> str:
    """Render findings.json as Markdown."""
    _demand(record)
    lines = [f"# {_line(record['title'])}", "", *(f"{_line(text)}\n" for text in record["answer"])]
    if comparison:
        lines += ["The planned contrasts are in [tables.md](tables.md).", ""]
    lines += [f"**The paper.** {_line(record['paper'])}", "", f"**Here.** {_line(record['method'])}", ""]
    lines += [f"## Findings: {summary(record)}", ""]
    lines += [
        "| | Quantity | Source | Printed | Found | Interval | Verdict |",
        "| --- | --- | --- | ---: | ---: | --- | --- |",
    ]
    for entry in record["findings"]:
        words = " ".join(filter(None, (entry["incomparable"] or "", entry["note"])))
        verdict = entry["verdict"] + (f": {words}" if words else "")
        cells = (entry["quantity"], entry["source"], entry["printed"] or NONE, *found(entry), verdict)
        lines.append(f"| {MARKS[entry['verdict']]} | " + " | ".join(map(_line, cells)) + " |")
    for table in record["tables"]:
        lines += ["", f"## {_line(table['title'])}", "", "| " + " | ".join(map(_line, table["columns"])) + " |"]
        lines.append("| --- |" + " ---: |" * (len(table["columns"]) - 1))
        lines += ["| " + " | ".join(_line(cell(value)) for value in row) + " |" for row in table["rows"]]
        if table["note"]:
            lines += ["", _line(table["note"])]
    return "\n".join([*lines, "", f"Records: SHA-256 {record['records_sha256']}.", ""])


def summary(record: Mapping[str, Any]) -> str:
    """How often each verdict was reached."""
    return ", ".join(f"{n} {verdict}" for verdict, n in record["counts"].items() if n)


def found(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Our number, and our interval with what it is."""
    ours, printed = cell(entry["found"]), entry["printed"]
    if printed and isinstance(entry["found"], float) and "." in printed and "e" not in printed.lower():
        ours = f"{entry['found']:.{len(printed.rpartition('.')[2])}f}".replace("-", "−")  # as many places as printed
    if entry["low"] is None or entry["high"] is None:
        return ours, entry["interval"] or NONE
    return ours, f"[{number(entry['low'])}, {number(entry['high'])}] {entry['interval']}".strip()


def cell(value: Any) -> str:
    """A value of a table as text."""
    if value is None:
        return NONE
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    return number(value) if isinstance(value, float) else str(value)


def _demand(record: Mapping[str, Any]) -> None:
    if record.get("kind") != KIND or record.get("format") != FORMAT:
        raise ValueError(f"not the findings of a study of format {FORMAT}")


def _line(text: Any) -> str:
    """One line, without characters that Markdown would read."""
    plain = " ".join(str(text).split())
    return "".join(f"\\{c}" if c in "\\`*_<>[]#|" else c for c in plain)
