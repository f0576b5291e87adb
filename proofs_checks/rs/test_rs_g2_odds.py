"""RS Appendix G.2."""

from collections.abc import Callable
from typing import Any

from sympy import Integer, symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.g2_odds import odds
from refsym_theory.evidence import Level, Truth, require


@proof(
    "RS.G2-odds",
    "standard",
    Level.EXACT,
    odds,
    {
        "k squared": lambda k, m, a, v: k**2 * m * a / v,
        "share for odds": lambda k, m, a, v: k * m * a / (k * m * a + v),
    },
)
def test_copies_of_unit_mass(stated: Callable[..., Any]) -> None:
    k, a, v = symbols("k S_a S_v")
    require(vanishes(stated(k, 1, a, v) - k * stated(1, 1, a, v)))


@proof("RS.G2-odds", "measure", Level.EXACT, odds, {"mass ignored": lambda k, m, a, v: k * a / v})
def test_copies_that_share(stated: Callable[..., Any]) -> None:
    k, a, v = symbols("k S_a S_v")
    require(vanishes(stated(k, 1 / k, a, v) - a / v))


@control("RS.G2-odds", "shared", Level.EXACT)
def test_copies_with_another_kernel_value() -> None:
    a, v = symbols("S_a S_v")
    changed = odds(Integer(1), 1, a, v) + odds(Integer(1), 1, 2 * a, v)  # the second copy scores higher by log 2
    assert vanishes(changed - 2 * a / v) is Truth.FALSE
