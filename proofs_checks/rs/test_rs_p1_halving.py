"""RS Appendix A.3: halving alone."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import cos, diff, log, sin, symbols

from algebra import vanishes
from balls import agrees, ball, digits
from marks import control, nan, proof, value
from refsym_theory.claims.rs import p1_halving
from refsym_theory.evidence import Level, below, require

Record = Callable[[str, object], None]


def turned(sine: Any, cosine: Any, turn: tuple[int, int]) -> Any:
    """Sine after taking away an angle with this (cosine, sine)."""
    return sine * turn[0] - cosine * turn[1]


@proof(
    "RS.P1-halving",
    "halving",
    Level.EXACT,
    (1, 0),
    {"half a turn": (-1, 0), "a quarter turn": (0, 1)},
)
def test_a_whole_turn(stated: tuple[int, int]) -> None:
    s, c, e, m = symbols("s c epsilon m")
    child = m / 2 * p1_halving.bracket(e, turned(s, c, stated))
    require(vanishes(2 * child - m * p1_halving.bracket(e, s)))


def kappa() -> arb:
    return 2 * arb.pi() / ball(2).log()


@proof("RS.P1-halving", "thirds", Level.ENCLOSED, 3, {"into two": 2, "into four": 4})
def test_thirds_weigh_something_else(stated: int, record_property: Record) -> None:
    with digits(30):
        # k w(1/k) = 1 + epsilon sin(-2 pi log2 k), and w(1) = 1: the sine is not 0, so no epsilon but 0 will do.
        excess = (-(kappa() * ball(stated).log())).sin()
        record_property("computed", f"3 w(1/3) - w(1) = {excess.str(8)} epsilon")
        require(below(ball(Fraction(1, 10)), abs(excess)))


@proof(
    "RS.P1-halving",
    "derivative",
    Level.EXACT,
    p1_halving.slope,
    {"cosine term lost": lambda e, s, c, k: 1 + e * s, "2 pi for kappa": lambda e, s, c, k: 1 + e * (s + 2 * c)},
)
def test_derivative(stated: Callable[..., Any]) -> None:
    m, e, k, s, c = symbols("m epsilon kappa s c", positive=True)
    w = m * p1_halving.bracket(e, sin(k * log(m)))  # theta = kappa log m
    found = diff(w, m).subs({sin(k * log(m)): s, cos(k * log(m)): c})
    require(vanishes(found - stated(e, s, c, k)))


@proof(
    "RS.P1-halving",
    "increasing",
    Level.EXACT,
    lambda k: 1 + k**2,
    {"kappa squared alone": lambda k: k**2, "(1 + kappa) squared": lambda k: (1 + k) ** 2},
)
def test_the_slope_swings_by_a_root(stated: Callable[[Any], Any]) -> None:
    s, k = symbols("s kappa")
    c2 = 1 - s**2  # cosine squared
    c = symbols("c")
    # (s + kappa c)^2 + (c - kappa s)^2 = 1 + kappa^2; the second square vanishes at tan theta = 1 / kappa.
    total = (s + k * c) ** 2 + (c - k * s) ** 2 - stated(k)
    require(vanishes(total.expand().subs(c**2, c2)))


@value(
    "RS.P1-halving",
    "threshold",
    Level.ENCLOSED,
    lambda k: 1 / (1 + k**2).sqrt(),
    {"1 / kappa": lambda k: 1 / k, "1 / (1 + kappa)": lambda k: 1 / (1 + k), "NaN": nan},
)
def test_threshold(stated: Callable[[arb], arb], record_property: Record) -> None:
    with digits(30):
        found = ball("nan") if stated is nan else stated(kappa())
        record_property("claimed", "sufficiently small")
        record_property("computed", f"increasing exactly up to {found.str(12)}")
        require(agrees(found, "0.1096526"))


@control("RS.P1-halving", "small", Level.ENCLOSED)
def test_beyond_the_threshold_it_falls_somewhere() -> None:
    with digits(30):
        k = kappa()
        root = (1 + k**2).sqrt()
        # theta with sine -1 / root and cosine -kappa / root
        require(below(p1_halving.slope(ball(Fraction(11, 100)), -1 / root, -k / root, k), ball(0)))
