"""RS Appendix A.1: f(h, m) = m."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import proof
from refsym_theory.claims.rs import p2_local_map
from refsym_theory.evidence import Level, below, require


@proof(
    "RS.P2-local-map",
    "children",
    Level.EXACT,
    p2_local_map.child_mass,
    {"every child has all": lambda m, k: m, "k too many": lambda m, k: m / (k + 1)},
)
def test_children_share_the_mass(stated: Callable[..., Any]) -> None:
    m, k = symbols("m k")
    require(vanishes(k * stated(m, k) - m))


@proof("RS.P2-local-map", "differs", Level.EXACT, p2_local_map.child_mass, {"every child has all": lambda m, k: m})
def test_a_child_is_lighter(stated: Callable[..., Any]) -> None:
    m, k = symbols("m k")
    require(vanishes((m - stated(m, k)) * k - m * (k - 1)))  # a product of positive factors for m > 0, k > 1
    require(below(stated(Fraction(1), 2), Fraction(1)))
