"""UG section 3.3: a margin of one over a coin flip."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from marks import proof, refutation
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import sigma, sigma_meaning
from refsym_theory.evidence import Level, below, equal, require


@refutation(
    "UG.SIGMA-meaning",
    Level.ENCLOSED,
    Fraction(1, 4),
    {"no more than an even chance is promised": Fraction(1, 2)},
)
def test_margin_one_over_a_gap_of_a_thousandth(
    stated: Fraction, record_property: Callable[[str, object], None]
) -> None:
    hair = Fraction(1, 1000)  # in units of tau
    for scores, k in (([hair, 0 * hair], 1), ([hair, hair, 0 * hair], 2)):
        require(equal(sigma.sigma(scores, k), 1))
        with digits(30):
            error = v_bar(ball(sigma.gap(scores, k)))  # OWN.PAIRS: the error is at least this
            require(below(ball(stated), error))
            record_property("claimed", "unambiguous: a small error")
            record_property("computed", f"k = {k}: error at least {error.str(6, radius=False)}")


@proof(
    "UG.SIGMA-meaning",
    "one",
    Level.EXACT,
    sigma_meaning.above,
    {"gap itself": sigma.gap, "spread itself": sigma.spread},
)
def test_one_exactly_where_the_kept_are_equal(stated: Callable[..., Any]) -> None:
    first, last, dropped = symbols("s0 s1 s2")
    require(vanishes(stated([first, last, dropped], 2) - (first - last)))


@proof("UG.SIGMA-meaning", "zero", Level.EXACT, sigma.gap, {"spread for gap": sigma.spread})
def test_zero_exactly_at_a_tie(stated: Callable[..., Any]) -> None:
    first, last = symbols("s0 s1")
    require(vanishes(stated([first, last, last], 2)))
    require(equal(sigma.sigma([Fraction(3), Fraction(1), Fraction(1)], 2), 0))


@proof(
    "UG.SIGMA-meaning",
    "scale",
    Level.EXACT,
    lambda g, r: g / r,
    {"gap alone": lambda g, r: g, "difference": lambda g, r: r - g},
)
def test_a_change_of_scale_does_not_show(stated: Callable[..., Any]) -> None:
    first, last, dropped, a, b = symbols("s0 s1 s2 a b")
    scores = [first, last, dropped]
    moved = [a * s + b for s in scores]
    before = stated(sigma.gap(scores, 2), sigma.spread(scores, 2))
    require(vanishes(stated(sigma.gap(moved, 2), sigma.spread(moved, 2)) - before))
    require(vanishes(sigma.gap(moved, 2) - a * sigma.gap(scores, 2)))
