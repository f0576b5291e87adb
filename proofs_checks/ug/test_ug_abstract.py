"""UG section 1: growth of the attended set."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import proof, refutation
from refsym_theory.claims.ug import abstract, e15
from refsym_theory.evidence import Level, below, equal, require


@refutation("UG.ABSTRACT", Level.EXACT, abstract.printed, {"corrected": abstract.growth})
def test_at_the_papers_own_setting(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    k, q, rho = 33, Fraction(2, 5), 2
    grown = e15.average(k, Fraction(2), 5, rho) - k
    record_property("claimed", f"{float(abstract.printed(k, q, rho))} blocks")
    record_property("computed", f"{float(grown)} blocks")
    require(below(stated(k, q, rho), grown))


@proof(
    "UG.ABSTRACT",
    "growth",
    Level.EXACT,
    abstract.growth,
    {"as printed": abstract.printed, "rho for rho - 1": lambda k, q, rho: q * rho * k, "q k": lambda k, q, rho: q * k},
)
def test_growth(stated: Callable[..., Any]) -> None:
    k, q, rho = symbols("k q rho")
    require(vanishes(e15.printed(k, q, rho) - k - stated(k, q, rho)))
    require(equal(stated(Fraction(33), Fraction(2, 5), 3), Fraction(132, 5)))
