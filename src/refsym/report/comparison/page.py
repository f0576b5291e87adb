"""A comparison's record to one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from refsym.report.comparison import sentences
from refsym.report.comparison.numbers import interval, p_equals, p_of, value
from refsym.report.comparison.places import aside
from refsym.report.comparison.tables import arms, effects, transitions
from refsym.report.environment import environment
from refsym.report.figures.forest import forest
from refsym.report.figures.p_map import p_map
from refsym.report.figures.palette import variable
from refsym.report.figures.partitions import partitions
from refsym.report.figures.seeds import seeds
from refsym_stats.comparison_record import FORMAT, KIND


def render_comparison(record: Mapping[str, Any]) -> str:
    """Render a comparison as one HTML page without references to anything outside it.

    Parameters
    ----------
    record
        What `refsym_stats.comparison_record.record` returns, or the same read back from comparison.json.

    Raises
    ------
    ValueError
        The record is of another kind or format.
    """
    if record.get("kind") != KIND or record.get("format") != FORMAT:
        raise ValueError(f"not the record of a comparison of format {FORMAT}")
    figures = {
        "forest": forest(record),
        "partitions": partitions(record),
        "seeds": seeds(record),
        "p_map": p_map(record),
    }
    page = environment()
    page.filters["joined"] = _joined
    return page.get_template("comparison.html").render(
        record=record,
        planned=sentences.planned(record),
        headline=sentences.headline(record),
        findings=[
            (row, sentences.resolved(record, row), sentences.finding(record, row)) for row in record["contrasts"]
        ],
        tests=sentences.tests,
        cautions=[*sentences.cautions(record), *sentences.absences(record)],
        alpha=sentences.alpha(record),
        cards=_cards(record),
        effects=effects(record, record["contrasts"], "") if record["contrasts"] else None,
        exploratory=effects(record, record["exploratory"], "") if record["exploratory"] else None,
        arms=arms(record),
        transitions=transitions(record),
        figures={name: svg and Markup(svg) for name, svg in figures.items()},
        key=[(arm, Markup(variable(i))) for i, arm in enumerate(_arm_names(record))],
        place=aside,
        rule=sentences.RULES[record["plan"]["reading"]["missing"]],
        p_equals=p_equals,
        value=value,
        interval=interval,
        p_of=p_of,
    )


GLUE = "\N{NO-BREAK SPACE}"


def _joined(text: str) -> str:
    """The text with numbers that no line break takes apart."""
    for apart in (" × ", "p = ", "p ≤ "):
        text = text.replace(apart, apart.replace(" ", GLUE))
    return text


def _arm_names(record: Mapping[str, Any]) -> list[str]:
    return list(dict.fromkeys(row["arm"] for row in record["partitions"]))


def _cards(record: Mapping[str, Any]) -> dict[str, int]:
    """Counts for the first screen; the largest where benchmarks differ."""
    rows = record["arms"]
    return {
        "items": max((row["n"] for row in rows), default=0),
        "clusters": max((row["clusters"] for row in rows), default=0),
        "seeds": max((row["seeds"] for row in rows), default=0),
        "rows": sum(source["rows"] for source in record["sources"]),
    }
