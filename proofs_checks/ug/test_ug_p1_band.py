"""UG Proposition 1: the boundary band."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits
from gaussian import density
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import p1_band
from refsym_theory.evidence import Level, at_most, below, require

FALSE = {
    "1 + eps on both": lambda v_minus, v_plus, eps: (1 + eps) * (v_minus - v_plus),
    "eps dropped below": lambda v_minus, v_plus, eps: (1 + eps) * v_minus - v_plus,
}


@proof(
    "UG.P1-band",
    "scale",
    Level.EXACT,
    lambda gamma, beta: (gamma * (1 - beta), gamma * (1 + beta)),
    {
        "no spread below": lambda gamma, beta: (gamma, gamma * (1 + beta)),
        "half the spread above": lambda gamma, beta: (gamma * (1 - beta), gamma * (1 + beta / 2)),
    },
)
def test_gaps_from_margins(stated: Callable[..., tuple[Any, Any]]) -> None:
    threshold, more, less, mean, beta, u = symbols("threshold more less mean beta u")
    low, high = stated(threshold * mean, beta)
    # Outside: sigma = threshold + more, r = mean (1 - beta + u) with more, u >= 0 and 1 - beta >= 0.
    outside = (threshold + more) * mean * (1 - beta + u)
    require(vanishes(outside - low - more * mean * (1 - beta + u) - threshold * mean * u))
    # Inside: sigma = threshold - less >= 0, r = mean (1 + beta - u) >= 0.
    inside = (threshold - less) * mean * (1 + beta - u)
    require(vanishes(high - inside - less * mean * (1 + beta - u) - threshold * mean * u))


@proof("UG.P1-band", "pair", Level.EXACT, p1_band.pair_cost, FALSE)
def test_both_sides_of_the_sandwich_move_the_right_way(stated: Callable[..., Any]) -> None:
    v_minus, v_plus, eps, fall, rise = symbols("v_minus v_plus eps fall rise")
    # V-bar(g_t) = v_minus - fall, V-bar(g_t') = v_plus + rise, with fall, rise >= 0.
    cost = (1 + eps) * (v_minus - fall) - (1 - eps) * (v_plus + rise)
    slack = stated(v_minus, v_plus, eps) - cost
    require(vanishes(slack - (1 + eps) * fall - (1 - eps) * rise))  # here eps <= 1 is needed


@proof("UG.P1-band", "large", Level.EXACT, p1_band.pair_cost, {"no slack below": lambda a, b, eps: (1 + eps) * a - b})
def test_a_nonnegative_value_is_enough(stated: Callable[..., Any]) -> None:
    v_minus, v_plus, fall, more = symbols("v_minus v_plus fall more")
    eps = 1 + more
    # V*_t <= (1 + eps) V-bar(g_t) and V*_t' >= 0.
    slack = stated(v_minus, v_plus, eps) - (1 + eps) * (v_minus - fall)
    require(nonnegative_coefficients(slack.expand()))


@superfluous("UG.P1-band", "small", Level.ENCLOSED)
def test_the_reason_fails_and_the_conclusion_holds(record_property: Callable[[str, object], None]) -> None:
    gap, edge, eps = 0, 2, 3  # g_t' = 0 lies below gamma (1 + beta) = 2
    at_gap, at_edge = (1 - eps) * v_bar(ball(gap)), (1 - eps) * v_bar(ball(edge))
    require(below(at_gap, at_edge))  # the step would need at_gap >= at_edge
    record_property("claimed", "(1 - eps) V-bar(0) >= (1 - eps) V-bar(2)")
    record_property("computed", f"at eps = 3: {at_gap.str(4, radius=False)} < {at_edge.str(4, radius=False)}")
    v_minus, v_plus, fall, more = symbols("v_minus v_plus fall more")  # the whole case eps = 1 + more, by V*_t' >= 0
    slack = p1_band.pair_cost(v_minus, v_plus, 1 + more) - (2 + more) * (v_minus - fall)
    require(nonnegative_coefficients(slack.expand()))


@proof("UG.P1-band", "split", Level.EXACT, p1_band.pair_cost, FALSE)
def test_width_and_slack(stated: Callable[..., Any]) -> None:
    eps, a, b = symbols("eps a b")  # V_- = 1/2 - a, V_+ = 1/2 - b, since gaps are at least 0
    v_minus, v_plus = Fraction(1, 2) - a, Fraction(1, 2) - b
    require(vanishes(stated(v_minus, v_plus, eps) - (v_minus - v_plus) - eps * (v_minus + v_plus)))
    require(vanishes(eps - eps * (v_minus + v_plus) - eps * (a + b)))


@proof(
    "UG.P1-band",
    "width",
    Level.EXACT,
    lambda root: root,
    {"2 for sqrt 2": lambda root: root**2, "1 for sqrt 2": lambda root: 1},
)
def test_density_falls_and_the_constant_is_the_root(stated: Callable[..., Any]) -> None:
    x, y, beta, gamma, tau, root, phi = symbols("x y beta gamma tau root phi")
    # phi(y) / phi(x) = exp((x^2 - y^2) / 2), and the exponent is at most 0 for 0 <= x <= y.
    require(vanishes(x**2 - y**2 + (y - x) * (y + x)))
    interval = gamma * (1 + beta) - gamma * (1 - beta)
    printed = p1_band.band(beta, gamma, tau, stated(root), phi)
    require(vanishes((root * printed - interval * phi / tau).expand().subs(root**2, 2)))  # interval phi / (root tau)


def band_at(beta: Fraction, gamma: Fraction, root: arb | None = None) -> arb:
    """Printed band term at tau = 1."""
    root = arb(2).sqrt() if root is None else root
    return p1_band.band(ball(beta), ball(gamma), 1, root, density(ball(gamma * (1 - beta)) / arb(2).sqrt()))


def width_at(beta: Fraction, gamma: Fraction) -> arb:
    """Return V-bar at the lower end of the band minus V-bar at the upper."""
    return v_bar(ball(gamma * (1 - beta))) - v_bar(ball(gamma * (1 + beta)))


@proof(
    "UG.P1-band",
    "width",
    Level.ENCLOSED,
    band_at,
    {"1 for sqrt 2": lambda beta, gamma: band_at(beta, gamma, arb(1)), "NaN": nan},
)
def test_at_points(stated: Callable[..., arb]) -> None:
    with digits(30):
        for beta in (Fraction(1, 100), Fraction(1, 2), Fraction(99, 100)):
            for gamma in (Fraction(1, 10), Fraction(1), Fraction(6)):
                require(at_most(width_at(beta, gamma), stated(beta, gamma)))


@tightness("UG.P1-band", Level.ENCLOSED)
def test_a_narrow_band() -> None:
    with digits(40):
        beta, gamma = Fraction(1, 10**6), Fraction(1)
        require(at_most(ball("0.999999") * band_at(beta, gamma), width_at(beta, gamma)))


@control("UG.P1-band", "beta", Level.ENCLOSED)
def test_a_band_that_reaches_below_zero() -> None:
    with digits(30):
        beta, gamma = Fraction(2), Fraction(10)  # from -10 to 30, and phi is no longer largest at the lower end
        require(below(band_at(beta, gamma), width_at(beta, gamma)))
        # Even from gap 0, where a gap can be at the least.
        require(below(band_at(beta, gamma), v_bar(ball(0)) - v_bar(ball(30))))


@control("UG.P1-band", "spread", Level.ENCLOSED)
def test_spreads_that_differ_more_than_beta() -> None:
    with digits(30):  # two tiles of two blocks: V* = V-bar(g); beta said to be 0, gaps 1 and 2 at sigma = 1
        require(below(band_at(Fraction(0), Fraction(3, 2)), v_bar(ball(1)) - v_bar(ball(2))))
