"""Exact numbers against Monte Carlo and against the closed form, a mark a (layer, head)."""

from __future__ import annotations

import numpy as np

from refsym.report.figures.canvas import (
    COLOURS,
    INK,
    MUTED,
    dots,
    figure,
    log_axis,
    percent,
    percent_label,
    strokes,
    style,
    to_svg,
)
from refsym.report.view import View

_FLOOR = 1e-5


def agreement(view: View) -> str:
    """Left: sampled minus exact error, with two standard errors. Right: regret, three ways, cells by exact regret."""
    cells = view.cells
    exact, sampled = cells.numbers("kept_error"), cells.numbers("sampled_kept_error")
    error = cells.numbers("sampled_kept_error_se")
    regret, bound, pairs = (cells.numbers(name) for name in ("regret", "bound", "regret_bound"))
    order = np.flatnonzero(np.isfinite(regret))
    order = order[np.argsort(-regret[order], kind="stable")]
    split, plugin = (cells.numbers(f"sampled_regret_{way}")[order] for way in ("split", "plugin"))
    with style():
        drawing = figure(330)
        left = drawing.add_axes((0.065, 0.16, 0.40, 0.72))
        left.set_title("Kept error: sampled minus exact")
        if np.isfinite(sampled).any():
            known = np.isfinite(sampled)
            x, difference, spread = exact[known], (sampled - exact)[known], 2 * error[known]
            strokes(
                left, x, difference - spread, difference + spread, color=COLOURS["sigma"], linewidth=0.8, alpha=0.55
            )
            dots(left, x, difference, 3, COLOURS["sigma"])
            percent(left.yaxis)
        else:
            left.text(0.5, 0.5, "no Monte Carlo was drawn", ha="center", transform=left.transAxes, color=MUTED)
            left.set_yticks([])
        left.axhline(0, color=INK, linewidth=0.9)
        left.set_xlabel("exact probability that the cut misses a truly best free block")
        left.set_xlim(-0.02, 1.02)
        percent(left.xaxis)

        right = drawing.add_axes((0.555, 0.16, 0.375, 0.72))
        right.set_title("Regret of σ: exact, sampled bracket, two bounds")
        rank = np.arange(order.size, dtype=np.float64)
        low, high = np.maximum(split, _FLOOR), np.maximum(plugin, _FLOOR)
        strokes(right, rank, low, high, color=COLOURS["sigma"], linewidth=1.2, alpha=0.5)
        dots(right, rank, np.maximum(bound[order], _FLOOR), 2.5, COLOURS["expansion_gap"])
        dots(right, rank, np.maximum(pairs[order], _FLOOR), 2.5, COLOURS["score_mass"])
        dots(right, rank, np.maximum(regret[order], _FLOOR), 2.5, INK)
        log_axis(right, "y", (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0), percent_label)
        right.set_ylim(_FLOOR, 1.3)
        right.set_xlabel("(layer, head), largest exact regret first")
        if order.size:
            ends = [(bound[order][-1] * 1.3, "closed form", COLOURS["expansion_gap"]), (0.02, "exact", INK)]
            ends += [(0.12, "pairs", COLOURS["score_mass"])]
            ends += [(0.004, "sampled", COLOURS["sigma"])] if np.isfinite(plugin).any() else []
            for y, text, colour in ends:
                right.annotate(
                    text,
                    (1.0, max(y, _FLOOR)),
                    xycoords=("axes fraction", "data"),
                    xytext=(5, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=11,
                    color=colour,
                    annotation_clip=False,
                )
        return to_svg(
            drawing,
            "agreement",
            "Left: sampled minus exact error of the cut with two standard errors, by exact error. "
            "Right: regret of the sigma trigger in every layer and head, exact, sampled and by two bounds.",
        )
