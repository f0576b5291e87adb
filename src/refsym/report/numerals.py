"""Numbers as a page prints them: three significant digits, a true minus, percent where it is a share."""

from __future__ import annotations

import math

NONE = "–"
"""Stands where a number is undefined."""

_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float | None) -> str:
    """Three significant digits; powers of ten outside 0.001 .. 99999."""
    if value is None or math.isnan(value):
        return NONE
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{abs(value):.2e}".partition("e")
    power = int(exponent)
    sign = "−" if value < 0 else ""
    if not -4 < power < 5:
        return f"{sign}{mantissa} × 10{str(power).translate(_SUPERSCRIPT)}"
    return f"{sign}{abs(value):.{max(0, 2 - power)}f}"


def _hundredths(value: float) -> str:
    scaled = 100.0 * value
    if scaled != 0 and abs(scaled) < 0.001:
        return "<0.001" if scaled > 0 else "−0.001"
    return number(scaled)


def share(value: float | None) -> str:
    """A share as percent."""
    return NONE if value is None or math.isnan(value) else f"{_hundredths(value)}%"


def gain(value: float | None) -> str:
    """A captured gain as percent, to a tenth: more digits would say more than the model knows."""
    if value is None or math.isnan(value):
        return NONE
    return f"{100.0 * value + 0.0:.1f}%".replace("-0.0%", "0.0%").replace("-", "−")


def points(value: float | None) -> str:
    """A difference of two shares in percentage points."""
    return NONE if value is None or math.isnan(value) else f"{_hundredths(value)} points"


def setting(value: float) -> str:
    """A number that somebody chose, without trailing zeros."""
    return f"{value:.4g}".replace("-", "−")


def blocks(value: float) -> str:
    """A mean number of blocks, to a hundredth."""
    return setting(round(value, 2))


def count(value: int) -> str:
    """A count with thin spaces between thousands."""
    return f"{value:,}".replace(",", "\u202f")
