"""RS Appendix G.3."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof, value
from refsym_theory.claims.rs.g3 import frame_mass, ratio
from refsym_theory.evidence import Level, equal, require

Record = Callable[[str, object], None]


@proof(
    "RS.G3",
    "general",
    Level.EXACT,
    ratio,
    {"upside down": lambda d, e, s, t: (s / t) / (d / e), "not conditional": lambda d, e, s, t: d / s},
)
def test_ratio_of_odds(stated: Callable[..., Any]) -> None:
    m, x, n, y = symbols("m:2"), symbols("x:2"), symbols("n:2"), symbols("y:2")
    dense, sparse = (sum(a * b for a, b in zip(u, v, strict=True)) for u, v in ((m, x), (n, y)))
    require(vanishes((dense / sparse) / (sum(x) / sum(y)) - stated(dense, sum(x), sparse, sum(y))))


@proof("RS.G3", "constant", Level.EXACT, ratio, {"not conditional": lambda d, e, s, t: d / s})
def test_constant_masses(stated: Callable[..., Any]) -> None:
    d, s, x, y = symbols("m_D m_S X Y")
    require(vanishes(stated(d * x, x, s * y, y) - d / s))


@value(
    "RS.G3",
    "values",
    Level.EXACT,
    frame_mass,
    {"proportional to the frames": lambda n: Fraction(n, 2), "unit mass": lambda n: Fraction(1)},
)
def test_three_allocations(stated: Callable[[int], Fraction], record_property: Record) -> None:
    found = [stated(dense) / stated(16 - dense) for dense in (10, 12, 14)]
    record_property("claimed", "6/10, 4/12, 2/14")
    record_property("computed", ", ".join(map(str, found)))
    for one, printed in zip(found, (Fraction(6, 10), Fraction(4, 12), Fraction(2, 14)), strict=True):
        require(equal(one, printed))


@control("RS.G3", "shared", Level.EXACT)
def test_scores_that_move_with_the_rule() -> None:
    # One token each; under the second rule the dense token's kernel value has doubled.
    standard, measured = Fraction(1), Fraction(6, 10) * 2
    assert measured / standard != Fraction(6, 10)
