"""UG Lemma 1, equation 23."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits
from gaussian import containment
from marks import control, nan, proof, tightness
from orders import miss_when_tied
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import l1_chi, l1_sandwich, tail
from refsym_theory.evidence import Level, at_most, below, require

Sides = Callable[..., tuple[Any, Any]]
FALSE = {
    "second term missing": lambda v, chi, far: ((1 - chi) * v, (1 + chi) * v),
    "chi missing": lambda v, chi, far: ((1 - far) * v, (1 + far) * v),
    "product for sum": lambda v, chi, far: ((1 - chi * far) * v, (1 + chi * far) * v),
}


@proof("UG.L1-sandwich", "upper", Level.EXACT, l1_sandwich.sides, {name: FALSE[name] for name in list(FALSE)[1:]})
def test_room_above(stated: Sides) -> None:
    v, chi, far = symbols("v chi far")
    require(nonnegative_coefficients((stated(v, chi, far)[1] - (1 + chi) * v).expand()))


@proof("UG.L1-sandwich", "lower", Level.EXACT, l1_sandwich.sides, FALSE)
def test_room_below(stated: Sides) -> None:
    v, chi, far = symbols("v chi far")
    require(nonnegative_coefficients((v - (1 + chi) * far * v - stated(v, chi, far)[0]).expand()))


@proof(
    "UG.L1-sandwich",
    "gap",
    Level.EXACT,
    l1_sandwich.inner_spacings,
    {"the local spacing": lambda k, kept: [kept - 1], "the cut counted": lambda k, kept: list(range(k - 1, kept))},
)
def test_spacings_between_the_two_gaps(stated: Callable[..., list[int]]) -> None:
    for k, rho in product(range(1, 6), range(2, 5)):
        d = symbols(f"d:{rho * k + 1}")
        score = [-sum(d[:b]) for b in range(rho * k + 1)]
        inner = stated(k, rho * k)
        gap, expansion_gap = score[k - 1] - score[k], score[k - 1] - score[rho * k]
        require(vanishes(expansion_gap - gap - sum(d[j] for j in inner)))
        assert len(inner) == (rho - 1) * k
        assert k - 1 not in inner


@proof(
    "UG.L1-sandwich",
    "tail",
    Level.EXACT,
    lambda n, d, tau: -((n * d) ** 2) / (4 * tau**2),
    {"2 tau^2 for 4 tau^2": lambda n, d, tau: -((n * d) ** 2) / (2 * tau**2)},
)
def test_the_tail_ratio_over_the_expanded_ranks(stated: Callable[..., Any]) -> None:
    g, n, d, tau = symbols("g n d tau")  # arguments over sqrt 2 tau halve the exponent: see UG.L1-kept
    require(vanishes(tail.exponent(g / tau, n * d / tau) / 2 - stated(n, d, tau) + n * g * d / (2 * tau**2)))


@proof(
    "UG.L1-sandwich",
    "lower",
    Level.ENCLOSED,
    l1_sandwich.sides,
    {"sqrt 2 missing": lambda v, chi, far: l1_sandwich.sides(v * v, chi, far), "NaN": lambda *_: (nan(), nan())},
)
def test_on_enclosed_values(stated: Sides) -> None:
    with digits(20):
        for k, n, floor, gap in product((1, 2), (3, 5), (2, 3), (0, Fraction(1, 2), 2)):
            scores = [-floor * b + (floor - gap) * (b >= k) for b in range(n)]
            expansion = containment(scores, k, k) - containment(scores, k, 2 * k)
            chi = l1_chi.chi((-ball(Fraction(floor**2, 4))).exp())
            low, high = stated(v_bar(ball(gap)), chi, (-ball(Fraction((k * floor) ** 2, 4))).exp())
            require(at_most(low, expansion + ball("1e-15")))
            require(at_most(expansion, high + ball("1e-15")))


@tightness("UG.L1-sandwich", Level.ENCLOSED)
def test_two_blocks() -> None:
    with digits(30):
        for gap in (0, 1, 5):
            value = containment([gap, 0], 1, 1) - containment([gap, 0], 1, 2)
            require(below(abs(value - v_bar(ball(gap))), ball("1e-24")))


@control("UG.L1-sandwich", "floor", Level.ENCLOSED)
def test_three_tied_blocks() -> None:
    value = miss_when_tied(3, 1, 1) - miss_when_tied(3, 1, 2)  # 2/3 - 1/3
    y = (-ball(4)).exp()  # as if Delta_2 were 4 tau
    require(below(ball(value), l1_sandwich.sides(v_bar(ball(0)), l1_chi.chi(y), y)[0]))
