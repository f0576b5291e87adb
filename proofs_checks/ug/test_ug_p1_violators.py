"""UG (A1): tiles below the floor."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits, integral, interval
from gaussian import cdf, density
from marks import control, nan, proof, tightness
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import p1_violators
from refsym_theory.evidence import Level, at_most, below, require

HALF = {"half of pi_2": lambda n, v, c: n * c + v / 2, "pi_2 times C": lambda n, v, c: n * c + v * c}


@proof("UG.P1-violators", "spoilt", Level.EXACT, lambda a, b: a + b, {"a b": lambda a, b: a * b, "a": lambda a, b: a})
def test_a_spoilt_pair_holds_a_violator(stated: Callable[..., Any]) -> None:
    a, b = symbols("a b")
    require(vanishes(a + b - p1_violators.spoilt(a, b) - a * b))
    for first, second in product((0, 1), repeat=2):
        require(at_most(p1_violators.spoilt(first, second), stated(first, second)))


@proof("UG.P1-violators", "sum", Level.EXACT, p1_violators.bound, HALF)
def test_room_of_the_remark(stated: Callable[..., Any]) -> None:
    good, bad, idle, clean, cost = symbols("good bad idle clean cost")
    # p = good + bad pairs, n = p + idle, pi_2 T = bad + clean; all are at least 0.
    room = stated(good + bad + idle, bad + clean, cost) - p1_violators.total(good + bad, bad, cost)
    require(nonnegative_coefficients(room.expand()))


@proof(
    "UG.P1-violators",
    "sum",
    Level.EXACT,
    lambda n, v, c: n * c + min(v, n) * (1 - c),
    {"min dropped, cost one forgotten": lambda n, v, c: n * c + min(v, n) * (1 - c) / 2, "NaN": nan},
)
def test_the_sharper_form_on_a_grid(stated: Callable[..., Any]) -> None:
    for n in range(5):
        for pairs, v in product(range(n + 1), range(7)):
            for bad in range(min(pairs, v) + 1):  # both sides are linear in the cost: its ends are enough
                for cost in (Fraction(0), Fraction(1)):
                    require(at_most(p1_violators.total(pairs, bad, cost), stated(n, v, cost)))


@tightness("UG.P1-violators", Level.ENCLOSED)
def test_a_tile_of_many_tied_blocks(record_property: Callable[[str, object], None]) -> None:
    gap, tied = 3, 10**12
    with digits(30):
        # k = 1: the first score keeps its place with probability E Phi(Z + gap)^tied; expansion keeps every block.
        below_low = cdf(arb(3)) * cdf(ball(3 + gap)) ** tied  # Z <= 3: at most this
        between = integral(lambda z: density(z) * cdf(z + gap) ** tied, 3, 12)
        keeps = interval(0, 1) * below_low + between + interval(0, 1) * cdf(arb(-12))
        clean = v_bar(ball(gap))  # the other tile: two blocks at the same gap, so sigma and r agree and beta is 0
        regret = ((1 - keeps) - clean) / 2
        require(below(ball(Fraction(485, 1000)), regret))
        require(below(regret, ball(Fraction(1, 2))))
    record_property("claimed", "at most 1/2 + C/2, C = eps-bar of the clean tile, as small as one likes")
    record_property("computed", f"regret {regret.str(6, radius=False)}")


@control("UG.P1-violators", "disjoint", Level.EXACT)
def test_one_violator_in_two_pairs() -> None:
    # One violator paired with both others would spoil two pairs, though pi_2 T = 1.
    pairs, violates = [(0, 1), (0, 2)], {0: 1, 1: 0, 2: 0}
    bad = sum(p1_violators.spoilt(violates[a], violates[b]) for a, b in pairs)
    require(below(p1_violators.bound(2, 1, Fraction(0)), p1_violators.total(2, bad, Fraction(0))))
