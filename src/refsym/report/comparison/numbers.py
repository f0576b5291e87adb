"""Differences, intervals and p-values as a comparison prints them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from refsym.report.numerals import NONE, number

DECIMALS = {"pp": 2, "nats": 4}
"""Printed decimals by unit: a hundredth of a point, a ten-thousandth of a nat."""


def value(x: float | None, unit: str, *, signed: bool = False) -> str:
    """A value in its unit's decimals; without a unit three significant digits."""
    if x is None:
        return NONE
    text = f"{abs(x):.{DECIMALS[unit]}f}" if unit in DECIMALS else number(abs(x))
    zero = not any(digit in text for digit in "123456789")
    sign = "−" if x < 0 and not zero else ("+" if signed and not zero else "")
    return sign + text


def interval(result: Mapping[str, Any], unit: str) -> str:
    """Both ends in brackets, or the dash where they are undefined."""
    if result.get("low") is None:
        return NONE
    return f"[{value(result['low'], unit, signed=True)}, {value(result['high'], unit, signed=True)}]"


def p_value(p: float | None) -> str:
    """Two significant digits; powers of ten below 0.001; never 0."""
    if p is None:
        return NONE
    if p >= 0.995:
        return "1"
    if p < 1e-300:
        return "< 10⁻³⁰⁰"
    if p >= 0.001:
        decimals = 1 - math.floor(math.log10(p))
        return f"{p:.{decimals}f}"
    mantissa, _, exponent = f"{p:.1e}".partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def p_equals(text: str) -> str:
    """A printed p-value as a statement: p = 0.036, p ≤ 3.9 × 10⁻³²."""
    return f"p {text}" if text[:1] in "≤<" else f"p = {text}"


def p_of(result: Mapping[str, Any] | None) -> str:
    """A test's p-value; an enclosure by its upper end where its ends print differently."""
    if result is None or result.get("p_value") is None:
        return NONE
    low = result.get("p_low")
    mark = "≤ " if low is not None and p_value(low) != p_value(result["p_value"]) else ""
    return mark + p_value(result["p_value"])
