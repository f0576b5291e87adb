"""The record of an audit to one self-contained HTML page, and to Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refsym.report.environment import environment
from refsym_stats.audit.record import FORMAT, KIND

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
    page = environment()
    page.filters |= {"signs": _signs, "sentence": _sentence}
    return page.get_template("audit.html").render(
        record=record, marks=MARKS, classes=CLASSES, of=_of, summary=summary, total=_total_of(record["counts"])
    )


def audit_markdown(record: Mapping[str, Any]) -> str:
    """Render the record as Markdown: what cannot be with its arithmetic, then every check in a table."""
    _demand(record)
    lines = ["# Audit of printed numbers", ""]
    for entry in record["audits"]:
        lines += [f"## {_line(entry['title'])}", "", f"{summary(entry['counts'])}.", ""]
        for finding in _of(entry, "cannot be"):
            place, printed, arithmetic = (_line(_signs(finding[name])) for name in ("place", "printed", "arithmetic"))
            why = f" {_line(_sentence(finding['why']))}" if finding["why"] else ""
            lines.append(f"- **{place}**: “{printed}”. {arithmetic}{why}")
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


def _total_of(counts: Mapping[str, int]) -> int:
    return sum(counts.values())


def _of(entry: Mapping[str, Any], verdict: str) -> list[Mapping[str, Any]]:
    return [finding for finding in entry["findings"] if finding["verdict"] == verdict]


SIGNS = {" <= ": " ≤ ", " >= ": " ≥ ", " == ": " = ", " != ": " ≠ ", " * ": " × ", " - ": " − "}


def _signs(text: str) -> str:
    """Operators as a reader writes them."""
    for typed, written in SIGNS.items():
        text = text.replace(typed, written)
    return text


def _sentence(text: str) -> str:
    """The text as a sentence: a capital at its start, a full stop at its end."""
    whole = text[:1].upper() + text[1:]
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."


def _line(text: str) -> str:
    """One line, without characters that Markdown would read."""
    plain = " ".join(str(text).split())
    return "".join(f"\\{c}" if c in "\\`*_<>[]#|" else c for c in plain)
