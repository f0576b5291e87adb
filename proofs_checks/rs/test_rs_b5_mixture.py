"""RS Appendix B.5: tanh(1)."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import agrees, ball, digits
from marks import nan, value
from refsym_theory.claims.rs.b5_mixture import mixture
from refsym_theory.evidence import Level, at_most, equal, require

Record = Callable[[str, object], None]


@value(
    "RS.B5-mixture",
    "mixture",
    Level.ENCLOSED,
    mixture,
    {"values added up": lambda x, s: s * x - s / x, "equal scores": lambda x, s: x * 0, "NaN": nan},
)
def test_mixture(stated: Callable[..., Any], record_property: Record) -> None:
    with digits(40):
        found = ball("nan") if stated is nan else stated(ball(1).exp(), ball(Fraction(1, 2)))
        record_property("claimed", "tanh(1)")
        record_property("computed", found.str(20))
        require(at_most(abs(found - ball(1).tanh()), ball("1e-35")))
        require(agrees(found, "0.7615941559557649"))


@value("RS.B5-mixture", "mixture", Level.EXACT, mixture, {"plus": lambda x, s: (s * x + s / x) / (s * x + s / x)})
def test_shares_cancel(stated: Callable[..., Any]) -> None:
    x, s = symbols("x s")
    require(vanishes(stated(x, s) - (x - 1 / x) / (x + 1 / x)))


@value("RS.B5-mixture", "mean", Level.EXACT, (Fraction(-1), Fraction(1)), {"both positive": (Fraction(1), Fraction(1))})
def test_mean_field(stated: tuple[Fraction, Fraction]) -> None:
    mean = sum(stated) / 2
    require(equal(mean, 0))
