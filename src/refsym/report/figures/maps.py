"""Layer x head maps of regret and captured gain at both levels, a row for the tile rule under each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from refsym.report.figures.canvas import MUTED, PAPER, RULE, WIDTH, figure, style, to_svg
from refsym.report.numerals import gain, share
from refsym.report.view import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

_COLUMNS = {"identification": ("regret", "captured"), "output": ("mass_regret", "captured_mass")}
_WORDS = {"identification": "identification error", "output": "dropped mass"}
CLIP = 1.0
"""Captured gains outside -CLIP .. CLIP take the scale's end colours."""
_UPPER = 98.0


def maps(view: View) -> str:
    """Four maps that share their axes (two without masses)."""
    layers = sorted(set(view.cells.values("layer")))
    heads = sorted(set(view.cells.values("head")))
    strip = max(1, round(len(heads) / 9))  # rows that the tile rule takes up, enough to be seen
    rows = max(110.0, min(13.0 * (len(heads) + strip), 330.0))
    top, between, bottom, left, gutter = 42.0, 64.0, 44.0, 66.0, 60.0
    height = top + 2 * rows + between + bottom
    width = (WIDTH - left - gutter - 10.0) / 2
    with style():
        drawing = figure(height)
        for column, value in enumerate(view.values):
            for row, (name, tile_name) in enumerate(zip(_COLUMNS[value], ("regret", "captured"), strict=True)):
                x = left + column * (width + gutter)
                y = height - top - rows - row * (rows + between)
                axes = drawing.add_axes((x / WIDTH, y / height, width / WIDTH, rows / height))
                tile = np.repeat(_tile_rule(view, value, tile_name, layers), strip, axis=0)
                image = _draw(axes, _grid(view, name, layers, heads), tile, diverging=row == 1)
                scale = drawing.add_axes(((x + width - 138) / WIDTH, (y + rows + 12) / height, 90 / WIDTH, 9 / height))
                _scale(scale, image, diverging=row == 1)
                axes.set_title(f"{'Captured gain' if row else 'Regret'}, {_WORDS[value]}", pad=10)
                _ticks(axes, layers, heads, strip)
                if column == 0:
                    axes.set_ylabel("head", color=MUTED)
                if row == 1:
                    axes.set_xlabel("layer", color=MUTED)
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


def _draw(axes: Axes, grid: NDArray[np.float64], tile: NDArray[np.float64], *, diverging: bool) -> AxesImage:
    known = grid[np.isfinite(grid)]
    if diverging:
        colours, low, high = "RdBu", -CLIP, CLIP
    else:
        high = max(float(np.percentile(known, _UPPER)) if known.size else 0.0, 1e-6)
        colours, low = "YlGnBu", 0.0
    axes.grid(False)
    axes.patch.set(facecolor="none", hatch="////", edgecolor=RULE, linewidth=0)
    values = np.ma.masked_invalid(np.concatenate([grid, tile]))
    image = axes.imshow(values, cmap=colours, vmin=low, vmax=high, aspect="auto", interpolation="none")
    axes.axhline(len(grid) - 0.5, color=PAPER, linewidth=4)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return image


def _scale(axes: Axes, image: AxesImage, *, diverging: bool) -> None:
    """The map's colours from end to end, with the values at the ends."""
    low, high = image.get_clim()
    axes.imshow(np.linspace(low, high, 64)[None], cmap=image.get_cmap(), aspect="auto", interpolation="none")
    axes.set_axis_off()
    ends = (f"≤ {gain(low)}", gain(high)) if diverging else ("0", f"≥ {share(high)}")
    for x, text, side, shift in ((0.0, ends[0], "right", -5), (1.0, ends[1], "left", 5)):
        axes.annotate(
            text.replace(".0%", "%"),
            (x, 0.5),
            xycoords="axes fraction",
            xytext=(shift, 0),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=10.5,
            color=MUTED,
        )


def _ticks(axes: Axes, layers: list[int], heads: list[int], strip: int) -> None:
    columns = range(0, len(layers), -(-len(layers) // 16))
    axes.set_xticks(columns, [str(layers[i]) for i in columns])
    rows = list(range(0, len(heads), -(-len(heads) // 12)))
    axes.set_yticks([*rows, len(heads) + (strip - 1) / 2], [*(str(heads[i]) for i in rows), "tile rule"])
    axes.tick_params(length=0)
