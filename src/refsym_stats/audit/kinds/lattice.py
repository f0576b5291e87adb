"""Counts over n: what a printed share can stand for."""

from __future__ import annotations

import math
from fractions import Fraction

from refsym_stats.audit.enclosure import Enclosure, show
from refsym_stats.audit.fields import Fields
from refsym_stats.errors import InputError

SHOWN = 4
"""Values that are listed before a range is given."""


def scale_of(fields: Fields) -> Fraction:
    """100 for percentages, the rule; 1 for shares."""
    scale = fields.raw.get("scale", 100)
    if scale not in (1, 100) or isinstance(scale, bool):
        raise InputError(f"{fields.where}: scale is {scale!r}; 100 for percentages, 1 for shares")
    return Fraction(scale)


def counts_over(span: Enclosure, n: int, scale: Fraction) -> list[int]:
    """Counts over n whose share is in the span."""
    return list(range(math.ceil(span.low * n / scale), math.floor(span.high * n / scale) + 1))


def as_printed(fields: Fields, name: str) -> int | None:
    """Return n where it is printed in full; None where it was rounded."""
    value = fields.size(name)[0]
    return int(value.low) if value.exact and value.low.denominator == 1 else None


def listed(values: list[int] | list[Fraction]) -> str:
    """Values in words: all of a few, the ends of many."""
    words = [show(Fraction(value)) for value in values]
    return words[0] if len(words) == 1 else f"{words[0]} to {words[-1]}" if len(words) > SHOWN else " or ".join(words)
