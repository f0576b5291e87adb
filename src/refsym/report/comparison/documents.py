"""The tables of a comparison in Markdown, and in LaTeX with booktabs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from refsym.report.comparison import sentences
from refsym.report.comparison.tables import Table, arms, effects, transitions

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "≤": r"$\leq$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "→": r"$\to$",
    "–": "--",
    "\u202f": r"\,",
}
_SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def all_tables(record: Mapping[str, Any]) -> list[Table]:
    """The tables in the order of the page."""
    planned, others, moved = record["contrasts"], record["exploratory"], transitions(record)
    found = [effects(record, planned, "Planned contrasts.")] if planned else []
    found += [arms(record)] + ([moved] if moved else [])
    return found + ([effects(record, others, "Exploratory contrasts: not planned, not adjusted.")] if others else [])


def comparison_markdown(record: Mapping[str, Any]) -> str:
    """Render the record as Markdown: what it says, its cautions, its tables, its inputs."""
    lines = [f"# {_line(record['title'])}", "", sentences.headline(record), ""]
    lines += [f"- {_line(sentence)}" for sentence in sentences.findings(record)]
    notes = [*sentences.cautions(record), *sentences.absences(record), *record["notes"]]
    if notes:
        lines += ["", "Read with it:", "", *(f"- {_line(note)}" for note in notes)]
    for table in all_tables(record):
        lines += ["", f"**{_line(table.caption)}**", ""]
        lines.append("| " + " | ".join(map(_line, table.head)) + " |")
        lines.append("| " + " | ".join("---" if i < table.labels else "---:" for i in range(len(table.head))) + " |")
        for i, row in enumerate(table.rows):
            cells = [f"**{_line(cell)}**" if (i, j) in table.bold else _line(cell) for j, cell in enumerate(row)]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", *map(_line, _inputs(record)), ""])


def comparison_latex(record: Mapping[str, Any]) -> str:
    """Render the record's tables as LaTeX tables (packages booktabs; UTF-8)."""
    lines = [f"% {' '.join(line.split())}" for line in _inputs(record)]
    for table in all_tables(record):
        columns = "l" * table.labels + "r" * (len(table.head) - table.labels)
        lines += ["", r"\begin{table}", r"\centering", rf"\caption{{{_latex(table.caption)}}}"]
        lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        lines += [" & ".join(map(_latex, table.head)) + r" \\", r"\midrule"]
        for i, row in enumerate(table.rows):
            cells = [
                rf"\textbf{{{_latex(cell)}}}" if (i, j) in table.bold else _latex(cell) for j, cell in enumerate(row)
            ]
            lines.append(" & ".join(cells) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    return "\n".join(lines) + "\n"


def _inputs(record: Mapping[str, Any]) -> list[str]:
    settings, plan = record["plan"]["inference"], record["plan"]["sha256"]
    return [
        f"Plan: SHA-256 {plan}" if plan else "Plan: none, everything is exploratory",
        *(f"Records {source['path']}: SHA-256 {source['sha256']}" for source in record["sources"]),
        f"Level {settings['level']:g}, {settings['draws']} draws, random seed {settings['random_seed']}.",
    ]


def _line(text: str) -> str:
    """One line: a label from the data may hold a break, or look like markup."""
    return re.sub(r"([\\`*_<>\[\]#|])", r"\\\1", " ".join(str(text).split()))


def _latex(text: str) -> str:
    plain = " ".join(str(text).split())
    escaped = "".join(_LATEX.get(character, character) for character in plain)
    return re.sub("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: f"$^{{{found[0].translate(_SUPERSCRIPT)}}}$", escaped)
