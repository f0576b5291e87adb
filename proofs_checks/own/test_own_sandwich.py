"""OWN.SANDWICH: each error on its own side."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import fraction, symbols, together

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits
from gaussian import containment
from marks import control, nan, proof, tightness
from orders import miss_when_tied
from refsym_theory.claims.own import sandwich
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import l1_chi, l1_sandwich
from refsym_theory.evidence import Level, at_most, below, require

Sides = Callable[..., tuple[Any, Any]]
QUARTER = {
    "eps-bar / 4": lambda chi, far: sandwich.slack(chi, far) / 2,
    "chi / 2 alone": lambda chi, far: chi / 2,
    "eta / 2 alone": lambda chi, far: far / 2,
}


@proof(
    "OWN.SANDWICH",
    "sides",
    Level.EXACT,
    sandwich.sides,
    {
        "eta alone below": lambda v, chi, far: ((1 - far) * v, (1 + chi) * v),
        "no chi above": lambda v, chi, far: ((1 - (1 + chi) * far) * v, v),
    },
)
def test_the_two_bounds_put_together(stated: Sides) -> None:
    v, chi, far = symbols("v chi far")
    kept_low, kept_high, expanded_low, expanded_high = v, (1 + chi) * v, 0, (1 + chi) * far * v
    low, high = stated(v, chi, far)
    require(vanishes(low - (kept_low - expanded_high)))
    require(vanishes(high - (kept_high - expanded_low)))


@proof("OWN.SANDWICH", "sharper", Level.EXACT)
def test_room_against_the_printed_sides() -> None:
    v, chi, far = symbols("v chi far")
    (low, high), (printed_low, printed_high) = sandwich.sides(v, chi, far), l1_sandwich.sides(v, chi, far)
    require(vanishes(low - printed_low - chi * v))
    require(nonnegative_coefficients((printed_high - high).expand()))


@proof("OWN.SANDWICH", "pair", Level.EXACT, sandwich.slack, QUARTER)
def test_slack_of_a_pair(stated: Callable[..., Any]) -> None:
    chi, far, a, b = symbols("chi far a b")  # V_- = 1/2 - a, V_+ = 1/2 - b with a, b >= 0
    v_minus, v_plus = Fraction(1, 2) - a, Fraction(1, 2) - b
    cost = sandwich.sides(v_minus, chi, far)[1] - sandwich.sides(v_plus, chi, far)[0]
    require(nonnegative_coefficients((v_minus - v_plus + stated(chi, far) - cost).expand()))


@proof("OWN.SANDWICH", "large", Level.EXACT, sandwich.slack, QUARTER)
def test_slack_where_the_lower_side_is_negative(stated: Callable[..., Any]) -> None:
    chi, more, a, b = symbols("chi more a b")  # (1 + chi) far = 1 + more
    v_minus, v_plus = Fraction(1, 2) - a, Fraction(1, 2) - b
    room = v_minus - v_plus + stated(chi, (1 + more) / (1 + chi)) - (1 + chi) * v_minus
    for part in fraction(together(room)):
        require(nonnegative_coefficients(part.expand()))


@proof("OWN.SANDWICH", "half", Level.EXACT, lambda chi: (1 + chi) / 2, {"(1 + chi) / 3": lambda chi: (1 + chi) / 3})
def test_the_second_branch(stated: Callable[..., Any]) -> None:
    chi, a = symbols("chi a")
    require(nonnegative_coefficients((stated(chi) - (1 + chi) * (Fraction(1, 2) - a)).expand()))


@proof(
    "OWN.SANDWICH",
    "sides",
    Level.ENCLOSED,
    sandwich.sides,
    {"sqrt 2 missing": lambda v, chi, far: sandwich.sides(v * v, chi, far), "NaN": lambda *_: (nan(), nan())},
)
def test_on_enclosed_values(stated: Sides, record_property: Callable[[str, object], None]) -> None:
    with digits(20):
        for k, n, floor, gap in product((1, 2), (3, 5), (2, 3), (0, 2)):
            scores = [-floor * b + (floor - gap) * (b >= k) for b in range(n)]
            value = containment(scores, k, k) - containment(scores, k, 2 * k)
            chi = l1_chi.chi((-ball(Fraction(floor**2, 4))).exp())
            far = (-ball(Fraction((k * floor) ** 2, 4))).exp()
            low, high = stated(v_bar(ball(gap)), chi, far)
            require(at_most(low, value + ball("1e-15")))
            require(at_most(value, high + ball("1e-15")))
    y = (-ball(1)).exp()  # Delta_2 = 2 tau, expansion far away
    record_property("claimed", f"printed: eps-bar = {l1_chi.chi(y).str(3, radius=False)} below and above at 2 tau")
    record_property("computed", "0 below and that above; in the regret bound half of it")


@tightness("OWN.SANDWICH", Level.ENCLOSED)
def test_two_blocks() -> None:
    with digits(30):
        value = containment([1, 0], 1, 1) - containment([1, 0], 1, 2)
        require(below(abs(value - v_bar(ball(1))), ball("1e-24")))
        require(at_most(l1_chi.chi((-ball(100)).exp()), ball("1e-40")))  # Delta_2 = 20 tau


@control("OWN.SANDWICH", "floor", Level.ENCLOSED)
def test_three_tied_blocks() -> None:
    value = miss_when_tied(3, 1, 1) - miss_when_tied(3, 1, 2)
    y = (-ball(4)).exp()
    require(below(ball(value), sandwich.sides(v_bar(ball(0)), l1_chi.chi(y), y)[0]))
