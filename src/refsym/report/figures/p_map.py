"""Many contrasts at a glance: sign and size of the p-value in a grid."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from refsym.report.comparison.numbers import p_equals, p_value
from refsym.report.comparison.places import where_of as where
from refsym.report.figures.canvas import COLOURS, INK, MUTED, RULE, figure, style, to_svg

Row = Mapping[str, Any]
_BANDS = ((0.001, 0.75), (0.01, 0.5), (0.05, 0.25))
"""p below, and the opacity that shows it."""

MOST_ROWS, MOST_COLUMNS = 60, 10


def p_map(record: Row) -> str | None:
    """Rows: where and what; columns: which arms. None for fewer than six contrasts."""
    rows = [*record["contrasts"], *record["exploratory"]]
    if len(rows) < 6:
        return None
    places = list(dict.fromkeys(map(where, rows)))
    ordered = sorted(rows, key=lambda row: places.index(where(row)))
    lines = list(dict.fromkeys((where(row), row["title"]) for row in ordered))[:MOST_ROWS]
    columns = list(dict.fromkeys(frozenset((row["arm"], row["comparator"])) for row in rows))[:MOST_COLUMNS]
    names = {frozenset((row["arm"], row["comparator"])): f"{row['arm']} − {row['comparator']}" for row in rows[::-1]}
    height = 26 * len(lines) + 60
    with style():
        drawing = figure(height)
        axes = drawing.add_axes((0.30, 8 / height, 0.68, 1 - 56 / height))
        for row in rows:
            at, pair = (where(row), row["title"]), frozenset((row["arm"], row["comparator"]))
            if at in lines and pair in columns:
                # A column has one orientation; a contrast planned the other way round is turned.
                turned = names[pair] != f"{row['arm']} − {row['comparator']}"
                _cell(axes, columns.index(pair), lines.index(at), row, -1 if turned else 1)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.set_xticks(range(len(columns)), [textwrap.shorten(names[c], 34, placeholder="...") for c in columns])
        axes.set_yticks(
            range(len(lines)), [textwrap.shorten(f"{at}: {title}", 46, placeholder="...") for at, title in lines]
        )
        axes.xaxis.tick_top()
        axes.tick_params(length=0, labelcolor=INK)
        axes.grid(visible=False)
        for spine in axes.spines.values():
            spine.set_visible(False)
        return to_svg(
            drawing,
            "p-map",
            "P-values of all contrasts, unadjusted: blue where the first arm is better, orange where it is worse.",
        )


def _cell(axes: Any, x: int, y: int, row: Row, sign: int) -> None:
    from matplotlib.patches import Rectangle

    p, gain = row["p"], sign * row["estimate"] * row["better"]
    opacity = next((shade for limit, shade in _BANDS if p is not None and p < limit), 0.0)
    shade = COLOURS["sigma"] if gain > 0 else COLOURS["expansion_gap"]
    planned = row["family"] is not None
    axes.add_patch(Rectangle((x - 0.48, y - 0.44), 0.96, 0.88, facecolor=shade, alpha=opacity, linewidth=0))
    edge, width = (INK, 1.6) if planned else (RULE, 0.6)
    axes.add_patch(Rectangle((x - 0.48, y - 0.44), 0.96, 0.88, fill=False, edgecolor=edge, linewidth=width))
    difference = sign * row["estimate"]
    mark = "+" if difference > 0 else ("−" if difference < 0 else "0")
    axes.text(
        x, y, f"{mark}  {p_equals(p_value(p))}", ha="center", va="center", fontsize=11, color=INK if opacity else MUTED
    )
