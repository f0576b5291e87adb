"""Colours of arms: the page's own, in the order in which the arms come."""

from __future__ import annotations

from refsym.report.figures.canvas import COLOURS

_ORDER = ("random", "gap", "sigma", "score_mass", "expansion_gap", "best_mass", "best_value")


def colour(place: int) -> str:
    """The colour of the arm at a place; they come round after seven."""
    return COLOURS[_ORDER[place % len(_ORDER)]]


def variable(place: int) -> str:
    """The same as a CSS variable, for a key outside the figure."""
    return f"var(--{_ORDER[place % len(_ORDER)].replace('_', '-')})"
