"""The record of an audit to one self-contained HTML page, and to Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refsym.report.environment import environment

KIND, FORMAT = "refsym audit", 1
MARKS = {"cannot be": "✗", "agrees within rounding": "≈", "not recomputable": "?", "agrees": "✓"}
CLASSES = {
    "cannot be": "refuted",
    "agrees within rounding": "supported",
    "not recomputable": "open",
    "agrees": "verified",
}


def render_audit(record: Mapping[str, Any]) -> str:
    """Render the record as one HTML page without references to anything outside it.

    Raises
    ------
    ValueError
        The record is of another kind or format.
    """
    _demand(record)
    return (
        environment()
        .get_template("audit.html")
        .render(record=record, marks=MARKS, classes=CLASSES, of=_of, summary=summary, total=_total(record))
    )


def audit_markdown(record: Mapping[str, Any]) -> str:
    """Render the record as Markdown: what cannot be with its arithmetic, then every check in a table."""
    _demand(record)
    lines = ["# Audit of printed numbers", ""]
    for entry in record["audits"]:
        lines += [f"## {_line(entry['title'])}", "", f"{summary(entry['counts'])}.", ""]
        for finding in _of(entry, "cannot be"):
            why = f" ({_line(finding['why'])})" if finding["why"] else ""
            lines.append(
                f"- **{_line(finding['place'])}**: {_line(finding['printed'])}. {_line(finding['arithmetic'])}{why}"
            )
        lines += ["", "| check | place | printed | computed | verdict |", "| --- | --- | --- | --- | --- |"]
        lines += [
            "| " + " | ".join(_line(finding[name]) for name in ("id", "place", "printed", "computed", "verdict")) + " |"
            for finding in entry["findings"]
        ]
        lines += ["", f"Numbers as typed in: SHA-256 {entry['sha256']}.", ""]
    return "\n".join(lines)


def summary(counts: Mapping[str, int]) -> str:
    """The verdicts in one line."""
    agree = counts["agrees"] + counts["agrees within rounding"]
    parts = [
        f"{_total_of(counts)} checks: {agree} agree ({counts['agrees within rounding']} of them within rounding only)"
    ]
    return ", ".join([*parts, f"{counts['cannot be']} cannot be", f"{counts['not recomputable']} not recomputable"])


def _demand(record: Mapping[str, Any]) -> None:
    if record.get("kind") != KIND or record.get("format") != FORMAT:
        raise ValueError(f"not the record of an audit of format {FORMAT}")


def _total(record: Mapping[str, Any]) -> int:
    return _total_of(record["counts"])


def _total_of(counts: Mapping[str, int]) -> int:
    return sum(counts.values())


def _of(entry: Mapping[str, Any], verdict: str) -> list[Mapping[str, Any]]:
    return [finding for finding in entry["findings"] if finding["verdict"] == verdict]


def _line(text: str) -> str:
    """One line, without characters that Markdown would read."""
    plain = " ".join(str(text).split())
    return "".join(f"\\{c}" if c in "\\`*_<>[]#|" else c for c in plain)
