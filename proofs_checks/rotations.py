"""Exact rotations: a unit complex number as a pair, rational in the tangent of half its angle."""

from typing import Any

from refsym_theory.claims.rs.e12 import Pair, conjugate, times


def turn(t: Any) -> Pair:
    """Return (cos, sin) of the angle with tan(angle / 2) = t."""
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


def plus(a: Pair, b: Pair) -> Pair:
    """Sum of two complex numbers."""
    return a[0] + b[0], a[1] + b[1]


def minus(a: Pair, b: Pair) -> Pair:
    """Difference of two complex numbers."""
    return a[0] - b[0], a[1] - b[1]


def square(a: Pair) -> Any:
    """Square of the modulus."""
    return a[0] * a[0] + a[1] * a[1]


def matrix(a: Pair) -> list[list[Any]]:
    """Block of a rotary matrix: what multiplication by a does to (real, imaginary)."""
    return [[a[0], -a[1]], [a[1], a[0]]]


__all__ = ["Pair", "conjugate", "matrix", "minus", "plus", "square", "times", "turn"]
