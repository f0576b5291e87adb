"""Accuracy of every arm on every partition, with intervals."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import numpy as np

from refsym.report.comparison.places import where
from refsym.report.figures.canvas import INK, figure, style, to_svg
from refsym.report.figures.palette import colour
from refsym_stats.records import CONSTANT

Row = Mapping[str, Any]
COLUMNS, MOST = 3, 12


def partitions(record: Row) -> str | None:
    """Small multiples, one a benchmark and budget; at most `MOST`."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in record["partitions"]:
        found.setdefault((row["benchmark"], row["budget"]), []).append(row)
    chosen = list(found.items())[:MOST]
    if not chosen:
        return None
    arms = list(dict.fromkeys(row["arm"] for row in record["partitions"]))
    kinds = max(len({row["partition"] for row in rows}) for _, rows in chosen)
    lines = -(-len(chosen) // COLUMNS)
    height = 70 + kinds * (12 * len(arms) + 12)
    with style():
        drawing = figure(lines * height)
        for i, ((benchmark, budget), rows) in enumerate(chosen):
            line, column = divmod(i, COLUMNS)
            box = (0.085 + column * 0.31, 1 - (line + 1 - 44 / height) / lines, 0.235, (1 - 76 / height) / lines)
            axes = drawing.add_axes(box)
            _panel(axes, rows, arms)
            axes.set_title(textwrap.shorten(where(benchmark, [budget]), 40, placeholder="..."))
        return to_svg(drawing, "partitions", "Accuracy in percent of every arm on every partition, with intervals.")


def _panel(axes: Any, rows: list[Row], arms: list[str]) -> None:
    names = list(dict.fromkeys(row["partition"] for row in rows))
    step = 0.72 / max(len(arms), 1)
    for row in rows:
        y = -names.index(row["partition"]) + 0.36 - step * (arms.index(row["arm"]) + 0.5)
        shade = colour(arms.index(row["arm"]))
        if row["low"] is not None:
            axes.plot([row["low"], row["high"]], [y, y], color=shade, linewidth=1.6)
        axes.plot([row["mean"]], [y], "o", color=shade, markersize=5)
    axes.set_yticks(-np.arange(len(names)), [name if name != CONSTANT else "" for name in names])
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.set_ylim(-len(names) + 0.5, 0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("accuracy, %")
