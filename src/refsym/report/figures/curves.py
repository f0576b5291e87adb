"""Curves or points of a study in one set of axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from refsym.report.figures.canvas import COLOURS, DASHES, figure, style, to_svg
from refsym.report.numerals import number

HEIGHT = 380
MARKS = "osD^vPX"
SECOND = (0, (1, 1))
"""Dashes of the eighth curve on, which share the colours of the first ones."""


def curves(record: Mapping[str, Any], name: str) -> str:
    """Draw a figure of findings.json as SVG; ``name`` keeps its ids apart from others of the page."""
    with style():
        drawing = figure(HEIGHT)
        axes = drawing.add_axes((0.08, 0.16, 0.66, 0.74))
        looks = list(zip(COLOURS, MARKS, strict=True))
        for i, (label, (x, y)) in enumerate(record["curves"].items()):
            policy, mark = looks[i % len(looks)]
            line = "none" if record["points"] else DASHES[policy] if i < len(looks) else SECOND
            marker = mark if record["points"] or len(x) <= 40 else None
            here = np.array([x, y], dtype=np.float64)
            axes.plot(*here, color=COLOURS[policy], linestyle=line, marker=marker, markersize=4.5, label=label)
        if "x" in record["log"]:
            axes.set_xscale("log")
            places = sorted({x for xs, _ in record["curves"].values() for x in xs if x is not None})
            if len(places) <= 8:  # few settings: each has its tick
                axes.set_xticks(places, minor=False)
                axes.set_xticks([], minor=True)
            axes.xaxis.set_major_formatter(_plain)
        if "y" in record["log"]:
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(_plain)
            axes.yaxis.set_minor_formatter("")
        axes.set_xlabel(record["x"])
        axes.set_ylabel(record["y"])
        axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), frameon=False, fontsize=11)
        return to_svg(drawing, name, record["title"])


def _plain(value: float, _: float) -> str:
    return f"{value:,.0f}" if value >= 1 and value == round(value) else number(value)
