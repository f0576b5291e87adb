"""The risk curves, over q and over k, from which a reader chooses."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from refsym.report.figures.canvas import (
    COLOURS,
    INK,
    MUTED,
    figure,
    label_ends,
    line,
    log_axis,
    mark,
    percent,
    style,
    to_svg,
)
from refsym.report.numerals import blocks, setting
from refsym.report.view import NAMES, RUNTIME_POLICIES, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Float = NDArray[np.float64]

_LEFT = {"identification": "Identification error left", "output": "Dropped mass left"}
_BEST = {"identification": "best_value", "output": "best_mass"}
_BOXES = {"identification": 0.065, "output": 0.56}
_WIDTH = 0.335


def over_q(view: View) -> str:
    """Tile rule: what is left at each q above, and below how much of it is owed to the choice of tiles."""
    with style():
        drawing = figure(470)
        for value in view.values:
            above = drawing.add_axes((_BOXES[value], 0.58, _WIDTH, 0.36))
            for policy in (*_shown(value), "random"):
                curve = view.by_q.where(level="tile", value=value, policy=policy)
                line(above, curve.numbers("q"), curve.numbers("risk"), policy)
            above.set_title(_LEFT[value])
            above.set_ylim(0, None)
            percent(above.yaxis)
            _at_q(above, view)
            mark(above, view.q, f"q = {setting(view.q)}")
            below = drawing.add_axes((_BOXES[value], 0.10, _WIDTH, 0.36))
            _beside_random(below, view, "tile", value)
            below.set_title("of which gained over random tiles")
        return to_svg(
            drawing,
            "over-q",
            "Risk curves over the trigger fraction q, tile rule: error and dropped mass left by each trigger, "
            "and what each gains over random tiles.",
        )


def over_q_by_head(view: View) -> str:
    """What each trigger gains over random ones with a budget per head, and under the cell rule."""
    titles = {"identification": "identification error", "output": "dropped mass"}
    with style():
        drawing = figure(470)
        for value in view.values:
            for level, bottom, words in (("head", 0.58, "A budget per head"), ("cell", 0.10, "Cell rule")):
                axes = drawing.add_axes((_BOXES[value], bottom, _WIDTH, 0.36))
                _beside_random(axes, view, level, value)
                axes.set_title(f"{words}: {titles[value]} gained over random")
                if level == "head":
                    axes.set_xlabel("")
        return to_svg(
            drawing,
            "over-q-by-head",
            "What each trigger gains over random ones, over the trigger fraction q, with a budget per head and with "
            "every tile and head competing.",
        )


def _shown(value: str) -> tuple[str, ...]:
    return (*RUNTIME_POLICIES[1:], _BEST[value], "sigma")


def _beside_random(axes: Axes, view: View, level: str, value: str) -> None:
    random = view.by_q.where(level=level, value=value, policy="random")
    q, baseline = random.numbers("q"), random.numbers("risk")
    chosen = int(np.abs(q - view.q).argmin())
    ends = [(0.0, NAMES["random"], COLOURS["random"])]
    line(axes, q, np.zeros_like(q), "random")
    for policy in _shown(value):
        gained = baseline - view.by_q.where(level=level, value=value, policy=policy).numbers("risk")
        line(axes, q, gained, policy)
        ends.append((float(gained[chosen]), NAMES[policy], COLOURS[policy]))
    percent(axes.yaxis)
    _at_q(axes, view)
    axes.set_xlabel("q")
    label_ends(axes, ends)


def _at_q(axes: Axes, view: View) -> None:
    axes.set_xlim(0, 1)
    axes.axvline(view.q, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))


def over_k(view: View) -> str:
    """Error against k; dropped mass against the blocks kept, where a plain cut and a router at any k compare."""
    c = view.settings
    rho = Fraction(str(c["rho"]))
    with style():
        drawing = figure(330)
        rows = view.by_k.where(level="tile", value="identification", policy="sigma")
        k = rows.numbers("k")
        average = rows.numbers("average_blocks")
        labels = {kept: f"{kept:g}\n{blocks(cost)}" for kept, cost in zip(k, average, strict=True)}
        axes = drawing.add_axes((_BOXES["identification"], 0.20, _WIDTH, 0.70))
        _lines(
            axes,
            (k, rows.numbers("kept_error"), "the cut alone", MUTED),
            (k, rows.numbers("risk"), NAMES["sigma"], COLOURS["sigma"]),
            (k, rows.numbers("expanded_error"), "all expanded", INK),
        )
        axes.set_title(_LEFT["identification"])
        log_axis(axes, "x", k.tolist(), lambda kept: labels[kept])
        axes.set_xlabel("k; below it, the blocks kept on average with the router")
        mark(axes, c["k"], f"k = {c['k']}")
        if "output" in view.values:
            rows = view.by_k.where(level="tile", value="output", policy="sigma")
            plain = dict(zip(k * float(rho), rows.numbers("dropped_mass_expanded"), strict=True))
            plain |= dict(zip(k, rows.numbers("dropped_mass"), strict=True))
            sizes = np.array(sorted(plain))
            axes = drawing.add_axes((_BOXES["output"], 0.20, _WIDTH, 0.70))
            _lines(
                axes,
                (sizes, np.array([plain[size] for size in sizes]), "a plain cut", MUTED),
                (average, rows.numbers("risk"), NAMES["sigma"], COLOURS["sigma"]),
            )
            axes.set_title(_LEFT["output"])
            axes.set_xlabel("blocks kept a tile, on average")
            for cost in average[k == c["k"]]:
                mark(axes, cost, f"k = {c['k']}, q = {setting(view.q)}")
        return to_svg(
            drawing,
            "over-k",
            "Identification error against k, for the cut alone, with the sigma router, and with every tile expanded; "
            "dropped mass against the blocks kept, for a plain cut and for the router.",
        )


def _lines(axes: Axes, *curves: tuple[Float, Float, str, str]) -> None:
    """Curves (x, y, name, colour) with their points marked and their ends labelled."""
    for x, y, _, colour in curves:
        axes.plot(x, y, "o-", color=colour, markersize=4, linewidth=2.6 if colour == COLOURS["sigma"] else 1.6)
    axes.set_ylim(0, 1.1 * axes.get_ylim()[1])  # room for the mark's label
    percent(axes.yaxis)
    label_ends(axes, [(float(y[-1]), name, colour) for _, y, name, colour in curves if y.size])
