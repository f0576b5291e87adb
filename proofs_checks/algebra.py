"""Exact algebra: identities of polynomials and rational functions over the rationals, and nothing that guesses."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from sympy import Expr, Poly, Rational, fraction, nan, sympify, together

from refsym_theory.evidence import Truth


def vanishes(expression: Expr) -> Truth:
    """Whether a rational function with rational coefficients is zero, as a polynomial identity.

    An irrational constant must come in as a symbol with its relation (x for the root of a, a replaced by x**2).
    """
    expression = sympify(expression)
    if expression.has(nan):
        return Truth.UNKNOWN
    numerator, denominator = fraction(together(expression))
    symbols = sorted(expression.free_symbols, key=str)
    if not symbols:
        return Truth.TRUE if Rational(numerator) == 0 else Truth.FALSE
    if Poly(denominator, *symbols, domain="QQ").is_zero:
        raise ZeroDivisionError("the denominator vanishes identically")
    return Truth.TRUE if Poly(numerator, *symbols, domain="QQ").is_zero else Truth.FALSE


def nonnegative_coefficients(expression: Expr) -> Truth:
    """Whether every coefficient of a polynomial is at least 0: then so is its value at nonnegative arguments.

    "No" is `Truth.UNKNOWN`: a polynomial with negative coefficients can be nonnegative all the same.
    """
    symbols = sorted(expression.free_symbols, key=str)
    if not symbols:
        return Truth.TRUE if Rational(expression) >= 0 else Truth.FALSE
    coefficients = Poly(expression, *symbols, domain="QQ").coeffs()
    return Truth.TRUE if all(coefficient >= 0 for coefficient in coefficients) else Truth.UNKNOWN


def distribution(weights: Iterable[int]) -> list[Fraction]:
    """Return weights over their sum, exactly."""
    listed = list(weights)
    return [Fraction(weight, sum(listed)) for weight in listed]


def exact(x: Any) -> Fraction:
    """Return x as a Fraction; a float is refused."""
    if isinstance(x, float):
        raise TypeError(f"not an exact number: {x!r}")
    return Fraction(x)
