"""Planned contrasts as a forest plot: one panel a unit, zero marked, margins shaded."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from refsym.report.comparison.numbers import p_equals, p_value
from refsym.report.comparison.places import aside
from refsym.report.comparison.sentences import resolved
from refsym.report.figures.canvas import COLOURS, INK, MUTED, RULE, WIDTH, figure, style, to_svg

Row = Mapping[str, Any]
_ROW, _LEFT, _RIGHT = 34, 0.36, 0.14


def forest(record: Row) -> str | None:
    """Differences with their intervals; filled where the contrast resolves in its family."""
    units: dict[str, list[Row]] = {}
    for row in record["contrasts"]:
        units.setdefault(row["unit"], []).append(row)
    if not units:
        return None
    heights = [_ROW * len(rows) + 66 for rows in units.values()]
    with style():
        drawing = figure(sum(heights))
        top = sum(heights)
        for (unit, rows), height in zip(units.items(), heights, strict=True):
            top -= height
            box = (_LEFT, (top + 42) / sum(heights), 1 - _LEFT - _RIGHT, (height - 60) / sum(heights))
            _panel(drawing.add_axes(box), record, unit, rows)
        return to_svg(drawing, "forest", "Forest plot of the planned contrasts: difference with interval, by endpoint.")


def _panel(axes: Any, record: Row, unit: str, rows: Sequence[Row]) -> None:
    places = np.arange(len(rows))[::-1]
    axes.axvline(0, color=INK, linewidth=0.9)
    margins = {row["margin"] for row in rows if row["margin"] is not None}
    if len(margins) == 1:
        margin = next(iter(margins))
        axes.axvspan(-margin, margin, color=RULE, alpha=0.5, linewidth=0)
    for y, row in zip(places, rows, strict=True):
        found = resolved(record, row)
        colour = COLOURS["sigma"] if found else MUTED
        if row["interval"].get("low") is not None:
            axes.plot([row["interval"]["low"], row["interval"]["high"]], [y, y], color=colour, linewidth=2.4)
        face = colour if found else "#fdfdfb"
        axes.plot([row["estimate"]], [y], "o", color=colour, markersize=8, markerfacecolor=face, markeredgewidth=1.8)
        axes.annotate(
            p_equals(p_value(row["adjusted"])),
            (1.0, y),
            xycoords=("axes fraction", "data"),
            xytext=(10, 0),
            textcoords="offset points",
            va="center",
            color=INK if found else MUTED,
            annotation_clip=False,
        )
    axes.set_yticks(places, [_label(row) for row in rows])
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"difference{f', {unit}' if unit else ''}")
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, -0.05 * (high - low)), max(high, 0.05 * (high - low)))


def _label(row: Row) -> str:
    text = f"{row['title']}, {row['arm']} − {row['comparator']}{aside(row)}"
    return textwrap.shorten(text, int(_LEFT * WIDTH / 6.6), placeholder=" ...")
