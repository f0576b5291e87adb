"""Ball arithmetic (python-flint), with the traps of its comparisons and conversions closed off."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from flint import acb, arb, ctx, fmpq

from refsym_theory.evidence import Truth, at_most


@contextmanager
def digits(count: int) -> Iterator[None]:
    """Work with `count` decimal digits."""
    before = ctx.dps
    ctx.dps = count
    try:
        yield
    finally:
        ctx.dps = before


def ball(x: Any) -> arb:
    """Return the ball of an exact number; a float is refused, since what it stands for is not known."""
    if isinstance(x, arb):
        return x
    if isinstance(x, Fraction):
        return arb(fmpq(x.numerator, x.denominator))
    if isinstance(x, int | fmpq | str):
        return arb(x)
    raise TypeError(f"not an exact number: {x!r}")


def interval(low: Any, high: Any) -> arb:
    """Return a ball that holds the interval [low, high]."""
    return ball(low).union(ball(high))


def agrees(x: arb, printed: str) -> Truth:
    """Whether x rounds to the decimal number as it is printed: |x - printed| is at most half its last digit."""
    mantissa, _, exponent = printed.partition("e")
    places = len(mantissa.partition(".")[2]) - int(exponent or 0)
    half = Fraction(1, 2) / Fraction(10) ** places
    return at_most(abs(x - ball(Fraction(printed))), ball(half))


def integral(f: Callable[[acb], acb], low: Any, high: Any) -> arb:
    """Enclose the integral of f over [low, high]; f must be real there, and have no branch cut anywhere.

    The integrator evaluates f on balls off the path and asks whether f is analytic there. An entire function is, and a
    pole gives an infinite ball, so the question need not be passed on; for sqrt, log or abs of z it would have to be:
    ``z.sqrt()`` is wrong in here, ``z.sqrt(analytic=flag)`` under `acb.integral` is right.
    """
    value = acb.integral(lambda z, _: f(z), acb(ball(low)), acb(ball(high)))
    if not value.imag.contains(0):
        raise AssertionError("the integral of a real function is not real")
    return value.real
