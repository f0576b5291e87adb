"""What hangs on the noise scale: the gaps in its units, and every number against it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from refsym.report.figures.canvas import (
    COLOURS,
    INK,
    MUTED,
    RULE,
    figure,
    label_ends,
    line,
    log_axis,
    percent,
    style,
    to_svg,
)
from refsym.report.numerals import share
from refsym.report.view import NAMES, POLICIES, View
from refsym.report.wording import estimates

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def gap_distribution(view: View) -> str:
    """Histogram of g / tau on a log axis; the ties at 0 have a bar of their own."""
    counts = view.gaps.numbers("count")
    low, high = view.gaps.numbers("low"), view.gaps.numbers("high")
    total = max(counts.sum(), 1.0)
    seen = np.flatnonzero((counts > 0) & (low > 0) & np.isfinite(high))
    first, last = (seen[0], seen[-1]) if seen.size else (1, 1)
    with style():
        drawing = figure(250)
        tie = drawing.add_axes((0.065, 0.22, 0.05, 0.64))
        axes = drawing.add_axes((0.135, 0.22, 0.80, 0.64), sharey=tie)
        tie.bar([0], [counts[0] / total], width=0.6, color=COLOURS["expansion_gap"])
        tie.set_xticks([0], ["ties\ng = 0"])
        tie.annotate(share(counts[0] / total), (0, counts[0] / total), ha="center", va="bottom", fontsize=11)
        tie.set_xlim(-0.6, 0.6)
        tie.grid(False, axis="x")
        if seen.size:
            shown = slice(first, last + 1)
            axes.bar(
                low[shown],
                counts[shown] / total,
                width=(high - low)[shown],
                align="edge",
                color=COLOURS["sigma"],
                edgecolor="none",
                alpha=0.75,
            )
            log_axis(axes, "x", [10.0**i for i in range(-4, 4)], lambda x: f"{x:g}")
            axes.set_xlim(low[first], max(high[last], 2.0))
        tie.set_ylim(0, 1.2 * max(float(counts.max() / total), 1e-3))
        axes.axvline(1.0, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
        below = counts[(np.arange(counts.size) == 0) | (high <= 1.0 + 1e-9)].sum() / total
        axes.annotate(
            f"{share(below)} of the gaps are below τ",
            (1.0, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(-6, -2),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize=11,
        )
        axes.tick_params(labelleft=False)
        axes.set_xlabel("gap at the cut in noise scales, g / τ")
        percent(tie.yaxis)
        return to_svg(
            drawing, "gaps", "Distribution of the gap at the cut in units of the noise scale; exact ties apart."
        )


def over_tau(view: View) -> str:
    """Errors, then every trigger's captured gain at both levels, against tau."""
    errors = view.by_tau.where(level="tile", value="identification", policy="sigma")
    with style():
        drawing = figure(350)
        boxes = [(left, 0.155, width, 0.62) for left, width in ((0.055, 0.19), (0.345, 0.215), (0.675, 0.215))]
        axes = drawing.add_axes(boxes[0])
        axes.set_title("Identification error", pad=34)
        curves = [
            (errors.numbers("kept_error"), "k kept", MUTED),
            (errors.numbers("expanded_error"), "ρk kept", INK),
        ]
        for y, _, colour in curves:
            axes.plot(errors.values("factor"), y, color=colour)
        axes.set_ylim(0, 1)
        _scales(axes, view)
        label_ends(axes, [(float(y[-1]), text, colour) for y, text, colour in curves if y.size])
        titles = {"identification": "Captured gain, identification", "output": "Captured gain, dropped mass"}
        for value, box in zip(view.values, boxes[1:], strict=False):
            axes = drawing.add_axes(box)
            axes.set_title(titles[value], pad=34)
            axes.axhline(0, color=RULE, linewidth=1.2)
            ends = []
            for policy in (p for p in reversed(POLICIES) if p != "random"):
                rows = view.by_tau.where(level="tile", value=value, policy=policy)
                captured = rows.numbers("captured")
                if not np.isfinite(captured).any():
                    continue
                line(axes, rows.values("factor"), captured, policy)
                ends.append((float(captured[np.isfinite(captured)][-1]), NAMES[policy], COLOURS[policy]))
            axes.set_ylim(-1, 1.05)
            _scales(axes, view)
            label_ends(axes, ends)
            if value == "output":
                axes.tick_params(labelleft=False)
        return to_svg(
            drawing,
            "over-tau",
            "Identification error and the captured gain of every trigger against the noise scale, with the two "
            "estimates marked.",
        )


def _scales(axes: Axes, view: View) -> None:
    factors = [f for f in view.by_tau.numbers("factor") if f > 0]
    ticks = [t for i in range(-6, 7) for t in (10.0**i, 3 * 10.0**i) if min(factors) <= t * 1.001 and t <= max(factors)]
    log_axis(axes, "x", ticks, lambda x: f"{x:g}")
    percent(axes.yaxis)
    axes.set_xlabel("τ / row-step estimate")
    marks = list(estimates(view))
    used = view.summary["tau_over_row_step"]
    if view.settings["estimator"] == "given" and used is not None:
        marks.append(("given", used))
    previous = -math.inf
    for name, factor in sorted(marks, key=lambda at: at[1]):
        mine = name == view.settings["estimator"]
        axes.axvline(factor, color=INK, linewidth=1.4 if mine else 0.8, linestyle="-" if mine else (0, (2, 2)))
        close = math.log(factor / previous) < 2.0 if previous > 0 else False
        axes.annotate(
            f"{name}, used" if mine else name,
            (factor, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(0, 16 if close else 3),
            textcoords="offset points",
            ha="center",
            fontsize=10.5,
            color=INK,
        )
        previous = factor
