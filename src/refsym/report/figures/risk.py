"""The risk curves, over q and over k, from which a reader chooses."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from refsym.report.figures.canvas import COLOURS, INK, MUTED, figure, label_ends, line, mark, percent, style, to_svg
from refsym.report.numerals import number
from refsym.report.view import NAMES, RUNTIME_POLICIES, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT = {"identification": "Identification error left", "output": "Dropped mass left"}
_BEST = {"identification": "best_value", "output": "best_mass"}
_BOXES = {"identification": 0.065, "output": 0.545}
_WIDTH = 0.345


def over_q(view: View, level: str) -> str:
    """What is left at each q above, and below how much of it is owed to the choice of tiles."""
    with style():
        drawing = figure(470)
        for value in view.values:
            above = drawing.add_axes((_BOXES[value], 0.58, _WIDTH, 0.36))
            below = drawing.add_axes((_BOXES[value], 0.10, _WIDTH, 0.36))
            random = view.by_q.where(level=level, value=value, policy="random")
            q, baseline = random.numbers("q"), random.numbers("risk")
            ends = []
            for policy in (*RUNTIME_POLICIES[1:], "random", _BEST[value], "sigma"):
                risk = view.by_q.where(level=level, value=value, policy=policy).numbers("risk")
                line(above, q, risk, policy)
                line(below, q, baseline - risk, policy)
                chosen = abs(q - view.q).argmin()
                ends.append((float((baseline - risk)[chosen]), NAMES[policy], COLOURS[policy]))
            above.set_title(_LEFT[value])
            below.set_title("Less than with random tiles, by")
            for axes in (above, below):
                axes.set_xlim(0, 1)
                percent(axes.yaxis)
                axes.axvline(view.q, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
            above.set_ylim(0, None)
            mark(above, view.q, f"q = {number(view.q)}")
            below.set_xlabel("q, the share of tiles expanded")
            label_ends(below, ends)
        return to_svg(
            drawing,
            f"over-q-{level}",
            f"Risk curves over the trigger fraction q at {level} level: error and dropped mass left by each trigger, "
            "and the difference from random tiles.",
        )


def over_k(view: View) -> str:
    """Error and dropped mass against k: the cut alone, with the router, and with everything expanded."""
    c = view.settings
    rho = Fraction(str(c["rho"]))
    with style():
        drawing = figure(330)
        for value, (before, after) in zip(
            view.values, (("kept_error", "expanded_error"), ("dropped_mass", "dropped_mass_expanded")), strict=False
        ):
            rows = view.by_k.where(level="tile", value=value, policy="sigma")
            k = rows.values("k")
            axes = drawing.add_axes((_BOXES[value], 0.20, _WIDTH, 0.70))
            curves = [
                (rows.numbers(before), "the cut alone", MUTED),
                (rows.numbers("risk"), NAMES["sigma"], COLOURS["sigma"]),
                (rows.numbers(after), "all expanded", INK),
            ]
            for y, _, colour in curves:
                axes.plot(k, y, "o-", color=colour, markersize=4, linewidth=2.6 if colour == COLOURS["sigma"] else 1.6)
            axes.set_title(_LEFT[value])
            axes.set_xscale("log")
            axes.set_ylim(0, None)
            _blocks(axes, k, rho, Fraction(str(c["q"])))
            percent(axes.yaxis)
            if k:
                mark(axes, c["k"], f"k = {c['k']}")
                label_ends(axes, [(float(y[-1]), text, colour) for y, text, colour in curves])
        return to_svg(
            drawing,
            "over-k",
            "Identification error and dropped mass against k, for the cut alone, with the sigma router, and with "
            "every tile expanded.",
        )


def _blocks(axes: Axes, k: list[int], rho: Fraction, q: Fraction) -> None:
    axes.minorticks_off()
    axes.set_xticks(k, [f"{kept}\n{number(float(kept * (1 + q * (rho - 1))))}" for kept in k])
    axes.set_xlabel("k; below it, the blocks kept on average with the router")
