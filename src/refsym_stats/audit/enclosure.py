"""Intervals with exact rational ends: what a computation can come to when its inputs were rounded."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from refsym_stats.errors import InputError

PAD = Fraction(1, 10**9)
"""Relative widening of what floats compute: far more than their error, far less than a printed digit."""

_LARGEST_POWER = 4096
_LARGEST_SIZE = 100_000  # bits


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A closed interval; a result holds every value that the operation can take on its operands."""

    low: Fraction
    high: Fraction

    @classmethod
    def point(cls, value: Fraction | int) -> Enclosure:
        """Return the interval that holds one value."""
        return cls(Fraction(value), Fraction(value))

    @classmethod
    def truth(cls, sure: bool, possible: bool) -> Enclosure:
        """Return a truth value: 1, 0, or [0, 1] where it is open."""
        return cls(Fraction(sure), Fraction(possible))

    @property
    def exact(self) -> bool:
        """The interval holds one value."""
        return self.low == self.high

    @property
    def middle(self) -> Fraction:
        """The value halfway between the ends."""
        return (self.low + self.high) / 2

    def within(self, other: Enclosure) -> bool:
        """Every value of this interval lies in the other."""
        return other.low <= self.low and self.high <= other.high

    def misses(self, other: Enclosure) -> bool:
        """No value lies in both."""
        return self.high < other.low or other.high < self.low

    def __add__(self, other: Enclosure) -> Enclosure:
        return Enclosure(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.high, -self.low)

    def __sub__(self, other: Enclosure) -> Enclosure:
        return self + (-other)

    def __mul__(self, other: Enclosure) -> Enclosure:
        return _hull(self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high)

    def __truediv__(self, other: Enclosure) -> Enclosure:
        if other.low <= 0 <= other.high:
            raise InputError(f"divides by {other}, which contains zero")
        return self * Enclosure(1 / other.high, 1 / other.low)

    def __pow__(self, other: Enclosure) -> Enclosure:
        if not other.exact or other.low.denominator != 1 or abs(other.low) > _LARGEST_POWER:
            raise InputError(f"raises to the power {other}; an integer up to {_LARGEST_POWER} is needed")
        power = int(other.low)
        size = max(max(abs(end.numerator), end.denominator).bit_length() for end in (self.low, self.high))
        if size * abs(power) > _LARGEST_SIZE:
            raise InputError(f"raises to the power {other}, which is too large to hold")
        if power < 0:
            return Enclosure.point(1) / self ** Enclosure.point(-power)
        ends = (self.low**power, self.high**power)
        straddles = power % 2 == 0 and self.low < 0 < self.high
        return _hull(*ends, Fraction(0)) if straddles else _hull(*ends)

    def __abs__(self) -> Enclosure:
        if self.low < 0 < self.high:
            return Enclosure(Fraction(0), max(-self.low, self.high))
        return _hull(abs(self.low), abs(self.high))

    def __str__(self) -> str:
        return show(self.low) if self.exact else f"[{show(self.low)}, {show(self.high)}]"


def rising(function: Callable[[float], float], argument: Enclosure) -> Enclosure:
    """Enclose a nondecreasing function that floats compute."""
    return Enclosure(padded(function(float(argument.low))).low, padded(function(float(argument.high))).high)


def padded(value: float) -> Enclosure:
    """Enclose a value that floats computed.

    Raises
    ------
    InputError
        It is not finite.
    """
    if not math.isfinite(value):
        raise InputError("leaves the range of numbers")
    exact = Fraction(value)
    return Enclosure(exact - abs(exact) * PAD, exact + abs(exact) * PAD)


def square_root(argument: Enclosure) -> Enclosure:
    """Enclose a square root, by integer square roots of scaled fractions.

    Raises
    ------
    InputError
        The interval reaches below zero.
    """
    if argument.low < 0:
        raise InputError(f"takes the square root of {argument}")
    return Enclosure(_root(argument.low)[0], _root(argument.high)[1])


def show(value: Fraction) -> str:
    """Write a value for a reader: integers in full, others to eight digits."""
    if value.denominator == 1 and abs(value) < 10**15:
        return f"{int(value):,}"
    try:
        return f"{float(value):.8g}"
    except OverflowError:
        return f"{'-' if value < 0 else ''}more than 1e308"


def _root(value: Fraction) -> tuple[Fraction, Fraction]:
    scale = 10**20
    scaled = value * scale**2
    below = math.isqrt(scaled.numerator // scaled.denominator)
    exact = below * below == scaled
    return Fraction(below, scale), Fraction(below if exact else below + 1, scale)


def _hull(*values: Fraction) -> Enclosure:
    return Enclosure(min(values), max(values))
