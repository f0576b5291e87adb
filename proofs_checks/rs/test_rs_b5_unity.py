"""RS Appendix B.5: partitions of unity."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.b5_unity import coupling, mass
from refsym_theory.evidence import Level, below, equal, require

W = symbols("w:3")
FALSE = {"points counted": lambda w, s: sum(s), "full area for each": lambda w, s: sum(w)}


@proof("RS.B5-unity", "numerator", Level.EXACT, mass, FALSE)
def test_sum_over_tokens_is_sum_over_points(stated: Callable[..., Any]) -> None:
    psi = [symbols(f"p{i}_:3") for i in range(2)]
    kernel, value = symbols("K:2"), symbols("v:2")
    tokens = sum(stated(W, psi[i]) * kernel[i] * value[i] for i in range(2))
    points = sum(W[x] * sum(psi[i][x] * kernel[i] * value[i] for i in range(2)) for x in range(3))
    require(vanishes(tokens - points))


@proof(
    "RS.B5-unity",
    "replace",
    Level.EXACT,
    mass,
    {
        "squared share": lambda w, s: sum(a * b**2 for a, b in zip(w, s, strict=True)),
        "full area for each": FALSE["full area for each"],
    },
)
def test_parts_of_a_function(stated: Callable[..., Any]) -> None:
    one, other = symbols("a:3"), symbols("b:3")
    whole = [x + y for x, y in zip(one, other, strict=True)]
    require(vanishes(stated(W, whole) - stated(W, one) - stated(W, other)))


@proof(
    "RS.B5-unity",
    "marginals",
    Level.EXACT,
    coupling,
    {"product of the masses": lambda w, s, t: mass(w, s) * mass(w, t), "smaller share": lambda w, s, t: mass(w, s)},
)
def test_rows_sum_to_the_mass(stated: Callable[..., Any]) -> None:
    psi, chi = symbols("p:3"), symbols("c:3")
    rest = [1 - c for c in chi]
    require(vanishes(stated(W, psi, chi) + stated(W, psi, rest) - mass(W, psi)))


@control("RS.B5-unity", "unity", Level.EXACT)
def test_full_area_for_two_overlapping_crops() -> None:
    point, one = [Fraction(1)], [Fraction(1)]
    rows = coupling(point, one, one) + coupling(point, one, one)
    require(equal(rows, Fraction(2)))  # two crops with the whole area each: twice the mass of the point
    require(equal(mass(point, one), Fraction(1)))


@control("RS.B5-unity", "nonnegative", Level.EXACT)
def test_shares_of_either_sign() -> None:
    point = [Fraction(1)]
    psi, chi = [Fraction(2)], [Fraction(-1)]  # beside -1 and 2: both families sum to one
    require(below(coupling(point, psi, chi), 0))
