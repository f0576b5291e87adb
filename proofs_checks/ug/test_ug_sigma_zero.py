"""UG section 3.3: a margin near zero over a safe cut."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from marks import proof, refutation
from orders import miss_when_tied
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import sigma
from refsym_theory.claims.ug.sigma_zero import dominated, tied_error
from refsym_theory.evidence import Level, at_most, below, equal, require

Record = Callable[[str, object], None]


def largest_error(scores: Any) -> Any:
    """Upper bound of OWN.PAIRS on the error of the top-2 cut of three scores: the sum over both pairs across it."""
    return sum((v_bar(ball(kept - scores[2])) for kept in scores[:2]), ball(0))


@refutation(
    "UG.SIGMA-zero",
    Level.ENCLOSED,
    Fraction(1, 10**12),
    {"corrected: any error is compatible": Fraction(0), "an error of a certain size": Fraction(1, 10**13)},
)
def test_margin_of_a_thousandth_over_a_gap_of_ten(stated: Fraction, record_property: Record) -> None:
    scores = dominated(Fraction(10_000), Fraction(10))  # in units of tau
    require(equal(sigma.sigma(scores, 2), Fraction(1, 1000)))
    with digits(30):
        error = largest_error(scores)
        record_property("claimed", "sigma = 0.001: a coin flip, an error of 1/2")
        record_property("computed", f"error at most {error.str(3, radius=False)}")
        require(below(error, ball(stated)))


@proof(
    "UG.SIGMA-zero", "scale", Level.EXACT, sigma.spread, {"gap for spread": sigma.gap, "best score": lambda s, k: s[0]}
)
def test_the_gap_is_a_share_of_the_spread(stated: Callable[..., Any]) -> None:
    first, last, dropped = symbols("s0 s1 s2")
    scores = [first, last, dropped]
    margin = sigma.gap(scores, 2) / sigma.spread(scores, 2)
    require(vanishes(margin * stated(scores, 2) - sigma.gap(scores, 2)))


@proof("UG.SIGMA-zero", "apart", Level.ENCLOSED, 10, {"a gap of one": 1, "no gap": 0})
def test_however_large_the_best_score(stated: int) -> None:
    best, gap = symbols("x g")
    scores = dominated(best, gap)
    require(vanishes(sigma.gap(scores, 2) / sigma.spread(scores, 2) - gap / best))
    with digits(30):  # V-bar is decreasing: at x >= 20 the second pair adds no more than at x = 20
        require(below(largest_error(dominated(Fraction(20), Fraction(stated))), ball(Fraction(1, 10**12))))


@proof("UG.SIGMA-zero", "tie", Level.ENCLOSED, 0, {"at a gap of one": 1})
def test_an_even_chance_at_least(stated: int) -> None:
    require(equal(sigma.sigma([Fraction(3), Fraction(1), Fraction(1)], 2), 0))
    with digits(30):  # OWN.PAIRS: the error is at least V-bar of the gap
        require(at_most(abs(v_bar(ball(stated)) - ball(Fraction(1, 2))), ball("1e-25")))


@proof(
    "UG.SIGMA-zero",
    "more",
    Level.EXACT,
    tied_error,
    {"a coin flip": lambda n: Fraction(1, 2), "1/n": lambda n: Fraction(1, n)},
)
def test_more_than_two_tied(stated: Callable[[int], Fraction]) -> None:
    for n in range(2, 7):
        require(equal(miss_when_tied(n, 1, 1), stated(n)))
