"""RS B.5: the tanh(1) example."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import agrees, ball, digits
from marks import nan, proof, value
from refsym_theory.claims.rs.b5_mixture import mixture
from refsym_theory.evidence import Level, at_most, equal, require

HALF = Fraction(1, 2)


@proof(
    "RS.B5-mixture",
    "mixture",
    Level.EXACT,
    lambda z: (z - 1 / z) / (z + 1 / z),
    {"tanh(x/2)": lambda z: (z - 1) / (z + 1), "tanh(2x)": lambda z: (z**2 - z**-2) / (z**2 + z**-2)},
)
def test_mixture_is_a_hyperbolic_tangent(stated: Callable[..., Any]) -> None:
    z, share = symbols("z share")  # values in units of x: -1 and 1
    require(vanishes(mixture(z, -1, 1, share) - stated(z)))


@value(
    "RS.B5-mixture",
    "value",
    Level.ENCLOSED,
    lambda: ball(1).tanh(),
    {"tanh(1/2)": lambda: (ball(1) / 2).tanh(), "sinh(1)": lambda: ball(1).sinh(), "NaN": lambda: ball("nan")},
)
def test_mixture_at_one(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    with digits(30):
        found = mixture(ball(1).exp(), -1, 1, ball(HALF))
        require(at_most(abs(found - stated()), ball("1e-25")))
        require(agrees(found, "0.761594"))
        record_property("claimed", "tanh(1)")
        record_property("computed", found.str(20, radius=False))


@proof(
    "RS.B5-mixture",
    "average",
    Level.EXACT,
    (0, 0),
    {"one": (1, 1), "score of the second token": (1, 2), "NaN": (nan(), 1)},
)
def test_average_field_returns_zero(stated: tuple[Any, Any]) -> None:
    field, score = stated
    require(equal(HALF * -1 + HALF * 1, field))
    kernel = 2**score  # one token: whatever its kernel, its value
    require(equal(kernel * field / Fraction(kernel), 0))


@proof(
    "RS.B5-mixture",
    "apart",
    Level.EXACT,
    lambda z: z**2 - 1,
    {"nowhere": lambda z: z**2 + 1, "at e^x = 1/2": lambda z: 2 * z - 1},
)
def test_they_agree_only_without_disagreement(stated: Callable[..., Any]) -> None:
    z, share = symbols("z share")  # z^2 + 1 > 0
    require(vanishes(mixture(z, -1, 1, share) * (z**2 + 1) - stated(z)))
