"""From a drawing to SVG that can stand beside others in one page: same input, same bytes."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 1080
"""Of every figure, in px: matplotlib's SVG has 72 units an inch, so a font size is a size in px."""

INK, MUTED, RULE, PAPER = "#1b1b1a", "#6b6b68", "#d9d8d3", "#fdfdfb"

COLOURS = {
    "sigma": "#0072b2",
    "gap": "#e69f00",
    "expansion_gap": "#d55e00",
    "score_mass": "#009e73",
    "best_value": "#1b1b1b",
    "best_mass": "#cc79a7",
    "random": "#8a8a87",
}
"""Okabe and Ito's palette: distinct for the colour-blind."""

DASHES = {
    "sigma": "-",
    "gap": (0, (6, 1.5)),
    "expansion_gap": (0, (4, 1.5, 1, 1.5)),
    "score_mass": (0, (2, 1.5)),
    "best_value": "-",
    "best_mass": (0, (8, 2)),
    "random": "-",
}
"""Distinct in grey print as well."""

# A page may recolour these for the dark; anything else in a figure keeps its colour.
_VARIABLES = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    PAPER: "var(--paper)",
    **{colour: f"var(--{name.replace('_', '-')})" for name, colour in COLOURS.items()},
}

# Any: matplotlib types every setting by its literal name.
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "refsym",
    "text.parse_math": False,
    "path.simplify": False,
    "font.size": 12,
    "axes.titlesize": 12.5,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.titlepad": 8,
    "axes.titley": 1.0,  # given, it need not be searched for among the ticks
    "axes.labelsize": 12,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.edgecolor": MUTED,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "hatch.color": RULE,
    "hatch.linewidth": 1.0,
    "grid.color": RULE,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
}


@contextmanager
def style() -> Iterator[None]:
    """Our settings over matplotlib's defaults, whatever the user's own are."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def figure(height: float) -> Figure:
    """An empty figure of the page's width and of this height in px."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
    FigureCanvasSVG(drawing)
    return drawing


def to_svg(drawing: Figure, name: str, title: str) -> str:
    """The drawing as an <svg> element; its ids begin with ``name``, unique in the page."""
    out = io.StringIO()
    drawing.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<style .*?</style>", "", svg, flags=re.DOTALL)  # inline, it would style the whole page
    used = set(re.findall(r"(?:href=\"#|url\(#)([^\")]+)", svg))
    svg = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", svg)
    svg = re.sub(r"(href=\"#|url\(#)", rf"\g<1>{name}-", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    view_box = re.search(r'viewBox="[^"]+"', svg)
    assert view_box is not None
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {view_box[0]} '
        f'role="img" aria-labelledby="{name}-title"><title id="{name}-title">{html.escape(title)}</title>'
    )
    return re.sub(r"\n+", "\n", opening + svg[svg.index(">") + 1 :]).strip()


def standalone(svg: str) -> str:
    """The element as a file: on white, its colours and letters no longer the page's."""
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(variable, colour)
    letters = '<style>svg { font-family: "DejaVu Sans", Verdana, sans-serif }</style>'
    ground = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return svg.replace("</title>", f"</title>{letters}{ground}", 1) + "\n"


def line(axes: Axes, x: Any, y: Any, policy: str, **options: Any) -> None:
    """A policy's curve in its colour and dashes, the router's heavier."""
    width = 2.6 if policy == "sigma" else 1.6
    axes.plot(x, y, color=COLOURS[policy], linestyle=DASHES[policy], linewidth=width, **options)


def strokes(axes: Axes, x: Any, low: Any, high: Any, **options: Any) -> None:
    """Vertical strokes as one broken line: one path in the SVG instead of thousands."""
    gap = np.full(np.shape(x), np.nan)
    axes.plot(np.stack([x, x, gap], axis=1).ravel(), np.stack([low, high, gap], axis=1).ravel(), **options)


def dots(axes: Axes, x: Any, y: Any, size: float, colour: str) -> None:
    """Dots as strokes without length under round caps."""
    strokes(axes, x, y, y, color=colour, linewidth=size, solid_capstyle="round")


def mark(axes: Axes, x: float, text: str, *, at: float = 1.0) -> None:
    """A vertical line at a chosen value, labelled at a height in parts of the axes."""
    axes.axvline(x, color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
    axes.annotate(
        text,
        (x, at),
        xycoords=("data", "axes fraction"),
        xytext=(4, -3),
        textcoords="offset points",
        va="top",
        fontsize=11,
        color=INK,
    )


def label_ends(axes: Axes, labels: list[tuple[float, str, str]]) -> None:
    """Label curves right of the axes at their last values (y, text, colour), pushed apart until legible."""
    low, high = axes.get_ylim()
    height = axes.get_window_extent().height
    step = 14.0 / height
    wanted = sorted(((y - low) / (high - low), text, colour) for y, text, colour in labels if np.isfinite(y))
    places: list[float] = []
    for y, _, _ in wanted:
        places.append(max(min(max(y, 0.0), 1.0), places[-1] + step if places else 0.0))
    excess = max(0.0, places[-1] - 1.0) if places else 0.0
    for i in range(len(places) - 1, -1, -1):
        ceiling = 1.0 if i == len(places) - 1 else places[i + 1] - step
        places[i] = min(places[i], ceiling) if excess else places[i]
    for (_, text, colour), place in zip(wanted, places, strict=True):
        axes.annotate(
            text,
            (1.0, place),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=11,
            color=colour,
            annotation_clip=False,
        )


def log_axis(axes: Axes, which: Literal["x", "y"], ticks: Sequence[float], show: Callable[[float], str]) -> None:
    """A log axis with these ticks alone; matplotlib's own would be slow and set in mathematics."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis = axes.xaxis if which == "x" else axes.yaxis
    axes.set(**{f"{which}scale": "log"})
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: show(value)))


def percent_label(value: float) -> str:
    """A tick of a share, in percent."""
    return f"{100 * value:.10g}%".replace("-", "−")


def percent(axis: Any) -> None:
    """Tick labels in percent of a share."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda value, _: percent_label(value)))
