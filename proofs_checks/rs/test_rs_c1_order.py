"""RS Appendix C.1: order of operations."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Integer, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, proof
from refsym_theory.claims.rs.c1_order import capped, log_weight
from refsym_theory.evidence import Level, below, equal, require


@proof(
    "RS.C1-order",
    "temperature",
    Level.EXACT,
    log_weight,
    {
        "temperature on the score alone": lambda s, log_m, t: s / t + log_m,
        "multiplied": lambda s, log_m, t: (s + log_m) * t,
    },
)
def test_exponent_of_the_mass(stated: Callable[..., Any]) -> None:
    s, log_m, t = symbols("s L T")
    require(vanishes(stated(s, log_m, t).diff(log_m) - 1 / t))
    require(vanishes(stated(s, Integer(0), t) - s / t))


@proof(
    "RS.C1-order",
    "before",
    Level.EXACT,
    lambda m, f: m * f,
    {"square root of the mass, squared kernel": lambda m, f: m**2 * f, "mass ignored": lambda m, f: f},
)
def test_transform_before_mass(stated: Callable[..., Any]) -> None:
    a, b, f = symbols("a b f")  # f = exp of the transformed score, whatever the transform
    require(vanishes(stated(a + b, f) - stated(a, f) - stated(b, f)))


@proof(
    "RS.C1-order",
    "softcap",
    Level.ENCLOSED,
    capped,
    {
        "cap on the score alone": lambda s, log_m, c: (c * (s / c).tanh() + log_m).exp(),
        "no cap": lambda s, log_m, c: (s + log_m).exp(),
    },
)
def test_cap_on_the_sum(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    with digits(30):
        s, cap, log_m = ball(1), ball(2), ball(1)
        parent, child = stated(s, log_m, cap), stated(s, log_m - ball(2).log(), cap)
        record_property("computed", f"two halves weigh {(2 * child / parent).str(6, radius=False)} of their parent")
        require(below(ball(Fraction(1, 10)), abs(2 * child - parent)))


@proof("RS.C1-order", "mask", Level.EXACT, 0, {"a large negative number for minus infinity": Fraction(1, 10**6)})
def test_a_masked_key(stated: Any) -> None:
    top, bottom, mass, value = symbols("S_v S m v")
    require(vanishes((top + stated * mass * value) / (bottom + stated * mass) - top / bottom))
    with digits(30):
        require(equal(ball(0).exp(), 1))


@control("RS.C1-order", "temperature", Level.EXACT)
def test_temperature_one() -> None:
    s, log_m = symbols("s L")
    require(vanishes(log_weight(s, log_m, Integer(1)) - s - log_m))


@control("RS.C1-order", "visible", Level.EXACT)
def test_no_visible_key() -> None:
    require(equal(sum([Fraction(0)] * 3), 0))  # the normalizer: 0/0
