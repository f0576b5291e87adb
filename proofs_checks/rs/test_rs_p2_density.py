"""RS Appendix A.1: d nu = (1 + x^2) dx."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof, value
from refsym_theory.claims.rs import p2_density
from refsym_theory.evidence import Level, equal, require

Record = Callable[[str, object], None]


@proof(
    "RS.P2-density",
    "additive",
    Level.EXACT,
    p2_density.density_mass,
    {
        "density at the midpoint": lambda a, b: (b - a) * (1 + ((a + b) / 2) ** 2),
        "square of the length": lambda a, b: (b - a) ** 2,
    },
)
def test_a_cut_leaves_the_sum(stated: Callable[..., Any]) -> None:
    a, b, c, phi = symbols("a b c phi")
    require(vanishes(stated(a, c) * phi - stated(a, b) * phi - stated(b, c) * phi))
    require(vanishes(stated(a, b).diff(b) - (1 + b**2)))
    require(vanishes(stated(a, a)))


@value(
    "RS.P2-density",
    "ratios",
    Level.EXACT,
    p2_density.density_mass,
    {"x for x^2": lambda a, b: (b - a) + (b**2 - a**2) / 2},
)
def test_ratios_of_two_halves(stated: Callable[..., Any], record_property: Record) -> None:
    half = Fraction(1, 2)
    low, high = stated(0 * half, half) / half, stated(half, 2 * half) / half
    record_property("claimed", "can differ")
    record_property("computed", f"{low} and {high}")
    require(equal(low, Fraction(13, 12)))
    require(equal(high, Fraction(19, 12)))


@control("RS.P2-density", "continuous", Level.EXACT)
def test_an_atom_on_a_null_cell_is_lost() -> None:
    # nu: a unit atom at 1/2. The cell {1/2} is null for Lebesgue measure and discarded when it is split off.
    before = Fraction(1)  # one cell [0, 1]
    after = sum(Fraction(int(low < Fraction(1, 2) < high)) for low, high in ((0, Fraction(1, 2)), (Fraction(1, 2), 1)))
    require(equal(after, Fraction(0)))
    require(equal(before, Fraction(1)))


@control("RS.P2-density", "measure", Level.EXACT)
def test_a_set_function_that_is_not_additive() -> None:
    def squared(a: Fraction, b: Fraction) -> Fraction:
        return (b - a) ** 2

    half = Fraction(1, 2)
    require(equal(squared(0 * half, 2 * half) - squared(0 * half, half) - squared(half, 2 * half), half))
