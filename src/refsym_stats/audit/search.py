"""Can rounded inputs give a printed value? Settled by a witness or by excluding every box; never by sampling alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from refsym_stats.audit.enclosure import Enclosure

Box = dict[str, Enclosure]
Evaluate = Callable[[Mapping[str, Enclosure]], Enclosure]

_BOXES = 3000
_HALVINGS = 60


@dataclass(frozen=True)
class Settled:
    """The answer: a witness, an exclusion, or neither within the work allowed.

    Attributes
    ----------
    witness : dict or None
        One point of the box whose value lies in the target, checked there.
    excluded : bool
        No point's value does.
    """

    witness: dict[str, Fraction] | None
    excluded: bool


def settle(evaluate: Evaluate, box: Box, target: Enclosure) -> Settled:
    """Look for a point of a box whose value lies in a target.

    Branch and bound: a part of the box is dropped only where its enclosure misses the target; what is left is halved.
    A witness counts only if the value there, enclosed, lies inside the target.
    """
    parts = [box]
    for _ in range(_BOXES):
        if not parts:
            return Settled(None, True)
        part = parts.pop(0)
        if evaluate(part).misses(target):
            continue
        witness = _witness(evaluate, part, target)
        if witness is not None:
            return Settled(witness, False)
        widest = max(part, key=lambda name: _width(part[name], box[name]), default=None)
        if widest is None or part[widest].exact:
            # A point whose enclosure straddles the target's end: floats cannot settle it.
            return Settled(None, False)
        span = part[widest]
        parts.append(part | {widest: Enclosure(span.low, span.middle)})
        parts.append(part | {widest: Enclosure(span.middle, span.high)})
    return Settled(None, not parts)


def _width(part: Enclosure, whole: Enclosure) -> Fraction:
    return Fraction(0) if whole.exact else (part.high - part.low) / (whole.high - whole.low)


def _witness(evaluate: Evaluate, box: Box, target: Enclosure) -> dict[str, Fraction] | None:
    middle = {name: span.middle for name, span in box.items()}
    ends = [middle, _climbed(evaluate, box, middle, 1), _climbed(evaluate, box, middle, -1)]
    for point in ends:
        if _at(evaluate, point).within(target):
            return point
    below = next((p for p in ends if _at(evaluate, p).high < target.low), None)
    above = next((p for p in ends if _at(evaluate, p).low > target.high), None)
    if below is None or above is None:
        return None
    for _ in range(_HALVINGS):
        between = {name: (below[name] + above[name]) / 2 for name in box}
        found = _at(evaluate, between)
        if found.within(target):
            return between
        if found.middle < target.middle:
            below = between
        else:
            above = between
    return None


def _climbed(evaluate: Evaluate, box: Box, start: dict[str, Fraction], side: int) -> dict[str, Fraction]:
    """Move each number to the end that raises (or lowers) the value: an extreme where the function is monotone."""
    point = dict(start)
    for name, span in box.items():
        if span.exact:
            continue
        tries = [point | {name: end} for end in (span.low, span.high)]
        point = max(tries, key=lambda p: side * _at(evaluate, p).middle)
    return point


def _at(evaluate: Evaluate, point: Mapping[str, Fraction]) -> Enclosure:
    return evaluate({name: Enclosure.point(value) for name, value in point.items()})
