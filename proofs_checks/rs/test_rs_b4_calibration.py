"""RS section 3.1: calibration."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs import b4_calibration
from refsym_theory.evidence import Level, below, equal, require


@proof(
    "RS.B4-calibration",
    "native",
    Level.EXACT,
    b4_calibration.reference_mass,
    {"no reference": lambda m, n: m, "upside down, squared": lambda m, n: n / m**2},
)
def test_a_native_cell_weighs_one(stated: Callable[..., Any]) -> None:
    m = symbols("m")
    require(vanishes(stated(m, m) - 1))


@proof("RS.B4-calibration", "common", Level.EXACT, lambda c, w: c * w, {"one type left out": lambda c, w: w})
def test_a_common_factor_cancels(stated: Callable[..., Any]) -> None:
    c, w, rest = symbols("c w rest")
    require(vanishes(stated(c, w) / (stated(c, w) + c * rest) - w / (w + rest)))


@proof("RS.B4-calibration", "one-type", Level.EXACT, b4_calibration.odds, {"mass ignored": lambda m, k, o: k / o})
def test_odds_follow_the_scale(stated: Callable[..., Any]) -> None:
    m, k, other, c = symbols("m K other c")
    require(vanishes(stated(c * m, k, other) - c * stated(m, k, other)))


@control("RS.B4-calibration", "uniform", Level.EXACT)
def test_two_native_sizes_cannot_both_weigh_one() -> None:
    require(equal(b4_calibration.reference_mass(Fraction(2), Fraction(2)), Fraction(1)))
    require(below(b4_calibration.reference_mass(Fraction(1), Fraction(2)), Fraction(1)))
