"""Which claims rest on which: border by where the statement comes from, fill by verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 140, 26, 46, 9, 6
MARKS = {"verified": "✓", "supported": "≈", "refuted": "✗", "open": "?"}


def dependencies(claims: Sequence[Mapping[str, Any]]) -> Markup:
    """Draw the claims that use others or are used, as an <svg> element; each box links to its card."""
    used = {name for claim in claims for name in claim["uses"]}
    shown = {claim["id"]: claim for claim in claims if claim["uses"] or claim["id"] in used}
    places = _places(shown)
    width = 2 * MARGIN + max((x for x, _ in places.values()), default=0) + BOX_WIDTH
    height = 2 * MARGIN + max((y for _, y in places.values()), default=0) + BOX_HEIGHT
    edges = [_edge(places[other], places[name]) for name, claim in shown.items() for other in claim["uses"]]
    boxes = [_box(claim, *places[name]) for name, claim in shown.items()]
    return Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" class="graph" viewBox="0 0 {} {}" width="{}" height="{}" role="img" '
        'aria-labelledby="graph-title"><title id="graph-title">Which claims rest on which</title>{}{}</svg>'
    ).format(width, height, width, height, Markup("").join(edges), Markup("").join(boxes))


def _places(claims: Mapping[str, Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """Left to right by the longest chain below a claim; within a column by the mean height of what it uses."""
    ranks: dict[str, int] = {}

    def rank(name: str) -> int:
        if name not in ranks:
            ranks[name] = 1 + max((rank(other) for other in claims[name]["uses"]), default=-1)
        return ranks[name]

    columns: dict[int, list[str]] = defaultdict(list)
    for name in claims:
        columns[rank(name)].append(name)
    heights: dict[str, float] = {}
    for column in sorted(columns):
        names = columns[column]

        def wanted(name: str) -> float:
            below = [heights[other] for other in claims[name]["uses"]]
            return sum(below) / len(below) if below else float("inf")

        if column:
            names.sort(key=wanted)
        floor = 0.0
        for name in names:
            ideal = wanted(name)
            heights[name] = max(floor, ideal if ideal != float("inf") else floor)
            floor = heights[name] + BOX_HEIGHT + GAP_Y
    return {name: (ranks[name] * (BOX_WIDTH + GAP_X), heights[name]) for name in claims}


def _edge(start: tuple[float, float], end: tuple[float, float]) -> Markup:
    x1, y1 = start[0] + MARGIN + BOX_WIDTH, start[1] + MARGIN + BOX_HEIGHT / 2
    x2, y2 = end[0] + MARGIN, end[1] + MARGIN + BOX_HEIGHT / 2
    bend = GAP_X / 2
    path = f"M{x1:g} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2:g} {y2:g}"
    return Markup('<path class="edge" d="{}"/>').format(path)


def _box(claim: Mapping[str, Any], x: float, y: float) -> Markup:
    family = claim["id"].split(".")[0].lower()
    return Markup(
        '<a href="#{}"><title>{}</title><rect class="box {} {}" x="{:g}" y="{:g}" width="{}" height="{}" rx="4"/>'
        '<text x="{:g}" y="{:g}">{} {}</text></a>'
    ).format(
        claim["id"],
        f"{claim['title']}: {claim['verdict']}",
        family,
        claim["verdict"],
        x + MARGIN,
        y + MARGIN,
        BOX_WIDTH,
        BOX_HEIGHT,
        x + MARGIN + 8,
        y + MARGIN + 17,
        MARKS[claim["verdict"]],
        claim["id"],
    )
