"""UG appendix D.4: recomputed."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from balls import agrees, ball, digits
from marks import nan, value
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug.d4_scale import pair_cost
from refsym_theory.evidence import Level, at_most, equal, require

Record = Callable[[str, object], None]


@value(
    "UG.D4-scale",
    "pair",
    Level.ENCLOSED,
    pair_cost,
    {"sqrt 2 missing": lambda s, r, p: p * s, "peak left out": lambda s, r, p: s / r, "NaN": nan},
)
def test_cost_at_the_boundary(stated: Callable[..., Any], record_property: Record) -> None:
    with digits(30):
        scale = ball(Fraction(3, 100))
        found = ball("nan") if stated is nan else stated(scale, ball(2).sqrt(), 1 / (2 * arb.pi()).sqrt())
        record_property("claimed", "0.4 × 0.03 / 1.41, at most about 1 pp")
        record_property("computed", f"{found.str(5, radius=False)} = 0.85 pp")
        require(agrees(found, "0.00846"))
        require(at_most(v_bar(ball(0)) - v_bar(scale), found))


@value("UG.D4-scale", "trivial", Level.EXACT, min, {"the larger": max})
def test_trivial_branch(stated: Callable[..., Fraction], record_property: Record) -> None:
    found = stated(Fraction(2, 5), Fraction(3, 5))
    record_property("claimed", "40 pp")
    record_property("computed", str(found))
    require(equal(found, Fraction(40, 100)))
