"""UG appendix D.4: recomputed."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from balls import agrees, ball, digits
from marks import control, nan, proof, value
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug.d4_scale import pair_cost
from refsym_theory.evidence import Level, at_most, below, equal, require

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


PEAK = 1 / (2 * arb.pi()).sqrt()


@proof("UG.D4-scale", "pair", Level.ENCLOSED, Fraction(2), {"the printed factor 1": Fraction(1)})
def test_every_band_costs_twice_beta(stated: Fraction) -> None:
    with digits(30):
        gamma = ball(Fraction(3, 100))
        for beta in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(999, 1000)):
            cost = v_bar(gamma * ball(1 - beta)) - v_bar(gamma * ball(1 + beta))
            require(at_most(cost, pair_cost(gamma * ball(stated * beta), ball(2).sqrt(), PEAK)))


@control("UG.D4-scale", "narrow", Level.ENCLOSED)
def test_a_wide_band(record_property: Record) -> None:
    with digits(30):
        gamma, beta = ball(Fraction(3, 100)), Fraction(9, 10)
        cost = v_bar(gamma * ball(1 - beta)) - v_bar(gamma * ball(1 + beta))
        record_property("claimed", "at most 0.85 pp")
        record_property("computed", f"beta = 0.9: {cost.str(4, radius=False)}")
        require(below(pair_cost(gamma, ball(2).sqrt(), PEAK), cost))
        require(below(ball(Fraction(1, 100)), cost))


@value("UG.D4-scale", "trivial", Level.EXACT, min, {"the larger": max})
def test_trivial_branch(stated: Callable[..., Fraction], record_property: Record) -> None:
    found = stated(Fraction(2, 5), Fraction(3, 5))
    record_property("claimed", "40 pp")
    record_property("computed", str(found))
    require(equal(found, Fraction(40, 100)))
