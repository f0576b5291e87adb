"""RS section 2.1: a common multiplicity."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs import e1_uniform
from refsym_theory.evidence import Level, equal, require


@proof(
    "RS.E1-uniform",
    "factor",
    Level.EXACT,
    e1_uniform.copied,
    {
        "copies squared": lambda kernel, value, k: (k**2 * kernel * value, k * kernel),
        "numerator only": lambda kernel, value, k: (k * kernel * value, kernel),
    },
)
def test_copies_add_up(stated: Callable[..., Any]) -> None:
    kernel, value, k = symbols("K v k")
    one, more, next_ = stated(kernel, value, 1), stated(kernel, value, k), stated(kernel, value, k + 1)
    for a, b, c in zip(one, more, next_, strict=True):
        require(vanishes(c - b - a))  # one copy more adds one contribution
    require(vanishes(one[0] - kernel * value))
    require(vanishes(one[1] - kernel))


@proof(
    "RS.E1-uniform",
    "cancel",
    Level.EXACT,
    e1_uniform.copied,
    {"one token left out": lambda kernel, value, k: (kernel * value, kernel)},
)
def test_a_common_factor_cancels(stated: Callable[..., Any]) -> None:
    kernel, value, k, top, bottom = symbols("K v k S_v S")  # S_v, S: the other tokens, each in k copies
    more = stated(kernel, value, k)
    require(vanishes((k * top + more[0]) / (k * bottom + more[1]) - (top + kernel * value) / (bottom + kernel)))


@control("RS.E1-uniform", "same", Level.EXACT)
def test_one_of_two_tokens_doubled() -> None:
    first, second = e1_uniform.copied(1, 0, 1), e1_uniform.copied(1, 1, 2)
    require(equal(Fraction(first[0] + second[0], first[1] + second[1]), Fraction(2, 3)))
