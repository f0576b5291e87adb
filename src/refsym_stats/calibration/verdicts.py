"""Counting what happened over replications, and judging it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

Array = NDArray[np.float64]

COVERAGE, SIZE, FAMILY = "coverage", "size", "family-wise size"
CALIBRATED, CONSERVATIVE, SHORT, MANY = "calibrated", "conservative", "too short", "too many rejections"

TOLERANCE = Fraction(1, 100)
"""A share this near the nominal one is calibrated, however many replications there are."""


@dataclass
class Tally:
    """What happened to one method held against one target, over replications."""

    hits: int = 0
    count: int = 0
    undefined: int = 0
    below: int = 0
    above: int = 0
    widths: list[Array] = field(default_factory=list)

    def interval(self, low: Array, high: Array, truth: Array) -> None:
        """Count intervals that hold the truth. An undefined one claims nothing, so it misses nothing."""
        below, above = high < truth, low > truth
        self.count += len(low)
        self.below += int(below.sum())
        self.above += int(above.sum())
        self.hits += int((~below & ~above).sum())
        self.undefined += int(np.isnan(low).sum())
        self.widths.append((high - low)[~np.isnan(low)])

    def test(self, p: Array, level: float) -> None:
        """Count rejections at 1 - level."""
        self.count += len(p)
        self.undefined += int(np.isnan(p).sum())
        self.hits += int((p <= 1 - level + 1e-12).sum())


def wilson(hits: int, count: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share."""
    z2 = float(norm.ppf((1 + level) / 2)) ** 2
    centre = (hits + z2 / 2) / (count + z2)
    half = math.sqrt(z2 * (hits * (count - hits) / count + z2 / 4)) / (count + z2)
    return max(0.0, centre - half), min(1.0, centre + half)


def verdict(kind: str, hits: int, count: int, nominal: float) -> str:
    """Judge a share: calibrated if the nominal one is in its Wilson interval or within one point of it."""
    low, high = wilson(hits, count)
    apart = Fraction(hits, count) - Fraction(repr(nominal))
    if low <= nominal <= high or abs(apart) <= TOLERANCE:
        return CALIBRATED
    if kind == COVERAGE:
        return CONSERVATIVE if apart > 0 else SHORT
    return CONSERVATIVE if apart < 0 else MANY
