"""UG D.5: the tail of the dropped mass."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits
from gaussian import cdf
from marks import control, proof, refutation, tightness
from refsym_theory.claims.ug import d5_tail, tail
from refsym_theory.evidence import Level, below, equal, require


@refutation("UG.D5-tail", Level.ENCLOSED, lambda x: cdf(-x), {"exponential tail": lambda x: (-x).exp()})
def test_no_constant_will_do(stated: Callable[[arb], arb], record_property: Callable[[str, object], None]) -> None:
    with digits(40):
        for constant, gap in ((1, 3), (1000, 6), (10**9, 9)):
            x = ball(gap)
            require(below(constant * stated(x), d5_tail.mass((-x).exp())))
    record_property("claimed", f"dropped mass at gap 9 at most C Phi(-9) = C {cdf(ball(-9)).str(3, radius=False)}")
    record_property("computed", d5_tail.mass((-ball(9)).exp()).str(5, radius=False))


@proof("UG.D5-tail", "above", Level.EXACT, lambda z: z, {"z / 2": lambda z: z / 2, "z^2": lambda z: z**2})
def test_below_its_weight(stated: Callable[[Any], Any]) -> None:
    z = symbols("z")
    require(vanishes(stated(z) - d5_tail.mass(z) - z**2 / (1 + z)))


@proof(
    "UG.D5-tail", "partner", Level.EXACT, lambda w, u: w / (w + u), {"partner left out": lambda w, u: w / (w + 2 * u)}
)
def test_other_blocks_only_help(stated: Callable[..., Any]) -> None:
    w, u, others = symbols("w u others")  # dropped, kept partner, everything else
    room = stated(w, u) - w / (w + u + others)
    require(vanishes(room - w * others / ((w + u) * (w + u + others))))


@proof("UG.D5-tail", "below", Level.EXACT, lambda z: z / 2, {"z": lambda z: z, "2 z / 3": lambda z: 2 * z / 3})
def test_above_half_its_weight(stated: Callable[[Any], Any]) -> None:
    z = symbols("z")
    require(vanishes(d5_tail.mass(z) - stated(z) - z * (1 - z) / (2 * (1 + z))))


@proof(
    "UG.D5-tail", "never", Level.EXACT, lambda log_c: 3 + 2 * log_c, {"2 log C": lambda c: 2 * c, "log C": lambda c: c}
)
def test_where_every_constant_fails(stated: Callable[[Any], Any]) -> None:
    log_c, x = symbols("log_c x")
    require(vanishes(tail.exponent(0, x) + x**2 / 2))  # Phi(-x) <= e^(-x^2/2) / 2
    room = (stated(log_c) ** 2 / 2 - stated(log_c) - log_c - 1).expand()  # x^2/2 - x - log C >= 1
    require(nonnegative_coefficients(room))


@tightness("UG.D5-tail", Level.EXACT)
def test_far_and_near() -> None:
    z = Fraction(1, 10**6)
    require(below(Fraction(999998, 1000000) * z, d5_tail.mass(z)))
    require(equal(d5_tail.mass(Fraction(1)), Fraction(1, 2)))


@control("UG.D5-tail", "gap", Level.EXACT)
def test_a_dropped_block_with_the_larger_score() -> None:
    require(below(d5_tail.mass(Fraction(3)), Fraction(3, 2)))  # z = 3: the mass is below z / 2
