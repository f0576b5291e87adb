"""RS section 3.3: copies with different prefixes."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs.b5_prefix import difference, output
from refsym_theory.evidence import Level, equal, require

HALF = Fraction(1, 2)


@proof(
    "RS.B5-prefix",
    "difference",
    Level.EXACT,
    difference,
    {
        "sign": lambda *args: -difference(*args),
        "share for its complement": lambda r, z, w, v, t: difference(r, z, w, v, 1 - t),
        "earlier values forgotten": lambda r, z, w, v, t: difference(0, z, w, v, t),
    },
)
def test_child_minus_parent(stated: Callable[..., Any]) -> None:
    r, z, w, v, t = symbols("R Z w v t")
    require(vanishes(output(r, z, w, v, t) - output(r, z, w, v) - stated(r, z, w, v, t)))


@proof(
    "RS.B5-prefix",
    "exactly",
    Level.EXACT,
    lambda r, z, v, t: (1 - t) * (r - z * v),
    {"for no share": lambda r, z, v, t: r - z * v, "for equal sums": lambda r, z, v, t: (1 - t) * (r - v)},
)
def test_factors_that_can_vanish(stated: Callable[..., Any]) -> None:
    r, z, w, v, t = symbols("R Z w v t")
    # What is left of the difference is positive for w > 0, Z >= 0, t > 0; Z = 0 makes R = 0 and the rest vanish.
    require(vanishes(difference(r, z, w, v, t) * (z + t * w) * (z + w) / w - stated(r, z, v, t)))
    require(equal(stated(0, 0, v, t), 0))


@proof("RS.B5-prefix", "witness", Level.EXACT, output, {"whole mass": lambda *args: output(*args[:4]), "NaN": nan})
def test_first_child_returns_a_third(stated: Callable[..., Any], record_property: Callable[..., None]) -> None:
    require(equal(output(0, Fraction(1), 1, 1), HALF))
    require(equal(stated(0, Fraction(1), 1, 1, HALF), Fraction(1, 3)))
    record_property("computed", "parent 1/2, first of two children 1/3, second 1/2")


@control("RS.B5-prefix", "partial", Level.EXACT)
def test_the_last_child_sees_what_the_parent_saw() -> None:
    r, z, w, v = symbols("R Z w v")
    require(vanishes(output(r, z, w, v, 1) - output(r, z, w, v)))


@control("RS.B5-prefix", "earlier", Level.EXACT)
def test_a_token_alone_returns_its_value() -> None:
    w, v, t = symbols("w v t")
    require(vanishes(output(0, 0, w, v, t) - output(0, 0, w, v)))


@control("RS.B5-prefix", "different", Level.EXACT)
def test_equal_values_hide_it() -> None:
    z, w, v, t = symbols("Z w v t")
    require(vanishes(output(z * v, z, w, v, t) - output(z * v, z, w, v)))
