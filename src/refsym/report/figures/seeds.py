"""Every seed's line from comparator to arm."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from refsym.report.figures.canvas import COLOURS, INK, MUTED, figure, style, to_svg

Row = Mapping[str, Any]
COLUMNS, MOST = 4, 12


def seeds(record: Row) -> str | None:
    """One panel a planned contrast, at most `MOST`; None with one seed."""
    rows = [row for row in record["contrasts"] if len(row["by_seed"]) > 1][:MOST]
    if not rows:
        return None
    lines = -(-len(rows) // COLUMNS)
    with style():
        drawing = figure(lines * 250)
        for i, row in enumerate(rows):
            line, column = divmod(i, COLUMNS)
            axes = drawing.add_axes((0.055 + column * 0.245, 1 - (line + 0.83) / lines, 0.165, 0.62 / lines))
            for pair in row["by_seed"]:
                gain = row["better"] * (pair["arm"] - pair["comparator"])
                shade = MUTED if gain == 0 else COLOURS["sigma" if gain > 0 else "expansion_gap"]
                axes.plot([0, 1], [pair["comparator"], pair["arm"]], "o-", color=shade, markersize=4.5)
            axes.set_xlim(-0.25, 1.25)
            axes.set_xticks(
                [0, 1], [textwrap.shorten(row[name], 14, placeholder="...") for name in ("comparator", "arm")]
            )
            axes.tick_params(axis="x", length=0, labelcolor=INK)
            axes.grid(visible=False, axis="x")
            unit = f", {row['unit'].replace('pp', '%')}" if row["unit"] else ""
            axes.set_title(textwrap.shorten(f"{row['title']}{unit}", 30, placeholder="..."))
        return to_svg(drawing, "seeds", "Mean of every training seed under the comparator and under the arm.")
