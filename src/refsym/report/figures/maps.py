"""Layer x head maps of regret and captured gain at both levels, a strip for the tile rule under each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from refsym.report.figures.canvas import MUTED, RULE, figure, percent, style, to_svg
from refsym.report.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS = {"identification": ("regret", "captured"), "output": ("mass_regret", "captured_mass")}
_WORDS = {"identification": "identification error", "output": "dropped mass"}
CLIP = 1.0
"""Captured gains outside -CLIP .. CLIP take the scale's end colours."""
_UPPER = 98.0


def maps(view: View) -> str:
    """Four maps that share their axes (two without masses)."""
    layers = sorted(set(view.cells.values("layer")))
    heads = sorted(set(view.cells.values("head")))
    rows = max(90.0, min(12.0 * len(heads), 300.0))
    strip, gap, top, bottom, left, right = 14.0, 6.0, 56.0, 46.0, 62.0, 12.0
    panel = rows + gap + strip
    between = 74.0
    height = top + 2 * panel + between + bottom
    with style():
        drawing = figure(height)
        width = (1080.0 - left - right - 66.0) / 2
        for column, value in enumerate(view.values):
            x = left + column * (width + 66.0)
            for row, (name, tile_name) in enumerate(zip(_COLUMNS[value], ("regret", "captured"), strict=True)):
                y = height - top - row * (panel + between) - rows
                box = (x / 1080, y / height, width / 1080, rows / height)
                below = (x / 1080, (y - gap - strip) / height, width / 1080, strip / height)
                axes = drawing.add_axes(box)
                under = drawing.add_axes(below)
                grid = _grid(view, name, layers, heads)
                tile = _tile_rule(view, value, tile_name, layers)
                _draw(drawing, axes, under, grid, tile, diverging=row == 1)
                what = "Captured gain of σ" if row else "Regret of σ"
                axes.set_title(f"{what}, {_WORDS[value]}", pad=10)
                _ticks(axes, under, layers, heads, outer=column == 0, last=row == 1)
        return to_svg(
            drawing,
            "maps",
            "Maps over layers and heads: regret and captured gain of the sigma trigger, by identification error "
            "and by dropped mass, with a strip for the rule that triggers a tile for all heads.",
        )


def _grid(view: View, name: str, layers: list[int], heads: list[int]) -> NDArray[np.float64]:
    out = np.full((len(heads), len(layers)), np.nan)
    rows, columns = view.cells.values("head"), view.cells.values("layer")
    for head, layer, value in zip(rows, columns, view.cells.numbers(name), strict=True):
        out[heads.index(head), layers.index(layer)] = value
    return out


def _tile_rule(view: View, value: str, name: str, layers: list[int]) -> NDArray[np.float64]:
    found = view.layers.where(level="tile", value=value, policy="sigma")
    by_layer = dict(zip(found.values("layer"), found.numbers(name), strict=True))
    return np.array([[by_layer.get(layer, np.nan) for layer in layers]])


def _draw(
    drawing: Figure,
    axes: Axes,
    under: Axes,
    grid: NDArray[np.float64],
    tile: NDArray[np.float64],
    *,
    diverging: bool,
) -> None:
    known = grid[np.isfinite(grid)]
    options: dict[str, Any] = {"aspect": "auto", "interpolation": "none"}
    if diverging:
        options |= {"cmap": "RdBu", "vmin": -CLIP, "vmax": CLIP}
        ticks, extend = [-1.0, 0.0, 1.0], "min"
    else:
        upper = max(float(np.percentile(known, _UPPER)) if known.size else 0.0, 1e-6)
        options |= {"cmap": "YlGnBu", "vmin": 0.0, "vmax": upper}
        ticks, extend = [0.0, upper], "max"
    for target, values in ((axes, grid), (under, tile)):
        target.grid(False)
        target.patch.set(facecolor="none", hatch="////", edgecolor=RULE, linewidth=0)
        image = target.imshow(np.ma.masked_invalid(values), **options)
        for spine in target.spines.values():
            spine.set(visible=True, edgecolor=RULE)
    bar = axes.inset_axes((0.74, 1.0, 0.22, 0.0), transform=axes.transAxes)
    box = axes.get_position()
    bar.remove()
    size = drawing.get_size_inches() * 72
    where = (box.x1 - 150 / size[0], box.y1 + 12 / size[1], 130 / size[0], 8 / size[1])
    bar = drawing.add_axes(where)
    scale = drawing.colorbar(image, cax=bar, orientation="horizontal", extend=extend, ticks=ticks)
    bar.xaxis.set_ticks_position("top")
    bar.tick_params(length=2, pad=1, labelsize=10)
    percent(scale.ax.xaxis, None if diverging else 2)
    scale.outline.set_visible(False)


def _ticks(axes: Axes, under: Axes, layers: list[int], heads: list[int], *, outer: bool, last: bool) -> None:
    step = -(-len(layers) // 16)
    places = range(0, len(layers), step)
    under.set_xticks(places, [str(layers[i]) for i in places])
    axes.set_xticks([])
    stride = -(-len(heads) // 12)
    rows = range(0, len(heads), stride)
    axes.set_yticks(rows, [str(heads[i]) for i in rows])
    under.set_yticks([0], ["tile rule"] if outer else [""])
    for target in (axes, under):
        target.tick_params(length=0)
    if outer:
        axes.set_ylabel("head", color=MUTED)
    if last:
        under.set_xlabel("layer", color=MUTED)
