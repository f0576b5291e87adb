"""UG Proposition 1, equation 24."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil

from flint import arb
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from balls import agrees, ball, digits
from gaussian import containment, density
from marks import control, nan, proof, refutation, tightness
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import l1_chi, l1_sandwich, p1, p1_band
from refsym_theory.evidence import Level, at_most, below, require

Factor = Callable[[Fraction, int], Fraction]
Record = Callable[[str, object], None]
TENTH, WIDE = Fraction(1, 10), 20
ISSUE = ((Fraction(42, 100), Fraction(842, 100)), (Fraction(12, 10), Fraction(252, 10)))
"""Gap and spread of two tiles at k = 2, rho = 2, all other spacings at least 8."""


def epsilon(floor: int, extra: int) -> arb:
    """Return eps-bar at tau = 1."""
    y = (-ball(Fraction(floor**2, 4))).exp()
    return l1_sandwich.epsilon(l1_chi.chi(y), y ** (extra**2))


def cost(beta: Fraction, gamma: Fraction, eps: arb) -> arb:
    """Return C_q at tau = 1."""
    slope = density(ball(gamma * (1 - beta)) / arb(2).sqrt())
    terms = p1.branches(eps, p1_band.band(ball(beta), ball(gamma), 1, arb(2).sqrt(), slope))
    return min((arb(term) for term in terms), key=float)


def scales(tiles: tuple[tuple[Fraction, Fraction], ...], triggered: int) -> tuple[Fraction, Fraction]:
    """Return beta and gamma_q, exactly."""
    mean = sum(spread for _, spread in tiles) / len(tiles)
    threshold = sorted(gap / spread for gap, spread in tiles)[triggered - 1]
    return max(abs(spread / mean - 1) for _, spread in tiles), threshold * mean


def value(gap: Fraction, spread: Fraction) -> arb:
    """Return V* of five blocks at k = 2, rho = 2."""
    scores = [Fraction(0), gap - spread, -spread, -spread - 8, -spread - 16]
    return containment(scores, 2, 2) - containment(scores, 2, 4)


def issue_witness() -> tuple[arb, arb]:
    """Return the regret and C_q of the two tiles."""
    missed, chosen = ISSUE
    assert chosen[0] / chosen[1] < missed[0] / missed[1]  # the router triggers the other one
    return (value(*missed) - value(*chosen)) / 2, cost(*scales(ISSUE, 1), epsilon(8, 2))


def two_blocks(low: Fraction, high: Fraction) -> tuple[arb, arb]:
    """Return the same for k = 1, tiles of two blocks: sigma = 1 on both, the tie goes to the wider gap, V* = V-bar."""
    tiles = ((high, high), (low, low))
    return (v_bar(ball(low)) - v_bar(ball(high))) / 2, cost(*scales(tiles, 1), epsilon(WIDE, 1))


@refutation("UG.P1", Level.ENCLOSED, p1.printed_factor, {"min(D, T - D) / T": p1.factor})
def test_two_tiles_and_a_tenth(stated: Factor, record_property: Record) -> None:
    with digits(20):
        regret, each = issue_witness()
        require(agrees(regret, "0.0926"))
        bound = ball(stated(TENTH, 2)) * each
        record_property("claimed", f"at most {bound.str(6, radius=False)}")
        record_property("computed", f"regret {regret.str(8, radius=False)}")
        require(below(bound, regret))
        require(agrees(bound, "0.0217"))


@refutation("UG.P1", Level.ENCLOSED, p1.printed_factor, {"min(D, T - D) / T": p1.factor})
def test_two_tiles_of_two_blocks(stated: Factor, record_property: Record) -> None:
    with digits(20):
        regret, each = two_blocks(
            Fraction(1), Fraction(2)
        )  # the smallest: with one tile, or one block, the regret is 0
        bound = ball(stated(TENTH, 2)) * each
        record_property("claimed", f"at most {bound.str(6, radius=False)}")
        record_property("computed", f"regret (V-bar(1) - V-bar(2)) / 2 = {regret.str(8, radius=False)}")
        require(below(bound, regret))


@proof("UG.P1", "witness", Level.ENCLOSED, p1.factor, {"as printed": p1.printed_factor, "NaN": lambda q, tiles: "nan"})
def test_the_corrected_bound_on_both(stated: Factor) -> None:
    with digits(20):
        for regret, each in (issue_witness(), two_blocks(Fraction(1), Fraction(2))):
            require(at_most(regret, ball(stated(TENTH, 2)) * each))
        require(agrees(ball(stated(TENTH, 2)) * issue_witness()[1], "0.1083"))


@proof(
    "UG.P1",
    "sum",
    Level.EXACT,
    lambda pairs, idle, each: (pairs + idle) * each,
    {"one pair fewer": lambda pairs, idle, each: (pairs + idle - 1) * each, "half": lambda p, i, c: (p + i) * c / 2},
)
def test_as_many_pairs_as_fit(stated: Callable[..., object]) -> None:
    pairs, idle, each, slack = symbols("pairs idle each slack")  # n = pairs + idle; the slacks of all pairs together
    require(nonnegative_coefficients((stated(pairs, idle, each) - (pairs * each - slack)).expand()))


@proof("UG.P1", "factor", Level.EXACT)
def test_rounding_up() -> None:
    q, tiles, f = symbols("q tiles f")
    triggered = q * tiles + f
    require(vanishes(triggered / tiles - q - f / tiles))
    require(vanishes((1 - q) - (tiles - triggered) / tiles - f / tiles))


@proof(
    "UG.P1",
    "factor",
    Level.EXACT,
    p1.factor,
    {"as printed": p1.printed_factor, "floor": lambda q, t: Fraction(int(q * t), t), "NaN": nan},
)
def test_every_fraction_of_a_few_tiles(stated: Factor) -> None:
    for tiles in range(1, 13):
        for steps in range(1, 40):
            q = Fraction(steps, 40)
            triggered = ceil(q * tiles)
            require(at_most(Fraction(min(triggered, tiles - triggered), tiles), stated(q, tiles)))
            require(at_most(stated(q, tiles), min(q + Fraction(1, tiles), 1 - q)))
            assert (q * tiles).denominator > 1 or stated(q, tiles) == min(q, 1 - q)


@tightness("UG.P1", Level.ENCLOSED)
def test_a_narrow_band_at_a_half(record_property: Record) -> None:
    with digits(30):
        regret, each = two_blocks(Fraction(9999, 10000), Fraction(10001, 10000))
        bound = ball(p1.factor(Fraction(1, 2), 2)) * each
        require(at_most(regret, bound))
        require(at_most(ball("0.9999") * bound, regret))
    record_property("computed", f"regret / bound = {(regret / bound).str(8, radius=False)} at beta = 0.0001")


@control("UG.P1", "spread", Level.ENCLOSED)
def test_beta_taken_too_small() -> None:
    with digits(20):
        regret, _ = two_blocks(Fraction(1), Fraction(2))  # beta = 1/3, said to be 0
        require(below(cost(Fraction(0), Fraction(3, 2), epsilon(WIDE, 1)) / 2, regret))


@control("UG.P1", "floor", Level.ENCLOSED)
def test_a_tie_below_the_cut() -> None:
    with digits(20):
        missed = v_bar(ball(1))
        chosen = containment([1, 0, 0], 1, 1) - containment([1, 0, 0], 1, 2)  # g = r = 1 too; Delta_2 said to be 20
        require(below(cost(Fraction(0), Fraction(1), epsilon(WIDE, 1)) / 2, (missed - chosen) / 2))


@control("UG.P1", "noise", Level.ENCLOSED)
def test_two_tiles_with_different_noise() -> None:
    with digits(20):  # the same gap 1, tau = 2 on the tile left out and 1/2 on the one expanded, said to be 1
        regret = (v_bar(ball(1), 2) - v_bar(ball(1), ball(Fraction(1, 2)))) / 2
        require(below(cost(Fraction(0), Fraction(1), epsilon(WIDE, 1)) / 2, regret))
