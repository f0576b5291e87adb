"""OWN.PEAK: equally spaced scores."""

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from flint import acb, arb
from sympy import symbols

from algebra import vanishes
from balls import ball, digits, integral, interval
from gaussian import cdf, containment, density
from marks import control, proof
from orders import miss_when_tied, misses, orders
from refsym_theory.claims.own import peak
from refsym_theory.evidence import Level, below, equal, require

REACH = 6
END = 2
Case = tuple[int, int, int]
CASES = [(1, 2, 3), *peak.PEAKS]


def gauss(f: Callable[[acb], Any], most: int = 1) -> arb:
    """Enclose the integral of exp(-y^2) f(y), |f| at most `most` on the real line."""
    tail = most * arb.pi().sqrt() * arb(REACH).erfc()
    return integral(lambda y: (-(y * y)).exp() * f(y), -REACH, REACH) + interval(-1, 1) * tail


def product(term: peak.Term, t: arb, y: acb, skip: int = -1) -> acb:
    """Product of the factors of a term, but for one."""
    found = acb(1)
    for position, (sign, move) in enumerate(term.factors):
        found = found * cdf(sign * y + ball(move) * t) if position != skip else found
    return found


def slope(t: arb, case: Case) -> arb:
    """Enclose W(t)."""
    parts = (
        term.weight * peak.damping(ball(term.distance), t).exp() * gauss(lambda y, term=term: product(term, t, y))
        for term in peak.terms(*case)
    )
    return sum(parts, arb(0))


def bend(t: arb, case: Case) -> arb:
    """Enclose W'(t), by the product rule."""
    total = arb(0)
    for term in peak.terms(*case):
        rate = ball(Fraction(term.distance**2 - 1, 2))

        def grown(y: acb, term: peak.Term = term) -> acb:
            moves = [(sign * y + ball(move) * t, ball(move)) for sign, move in term.factors]
            return sum(
                (move * density(x) * product(term, t, y, place) for place, (x, move) in enumerate(moves)), acb(0)
            )

        most = 1 + int(sum(abs(move) for _, move in term.factors))  # each density is below 1/2
        inner = gauss(grown, most) - rate * t * gauss(lambda y, term=term: product(term, t, y))
        total += term.weight * peak.damping(ball(term.distance), t).exp() * inner
    return total


def value(t: Fraction, case: Case) -> arb:
    """Enclose V*(t)."""
    k, m, n = case
    scores = [-t * b for b in range(n)]
    return containment(scores, k, k) - containment(scores, k, m)


@proof(
    "OWN.PEAK",
    "swap",
    Level.EXACT,
    peak.effect,
    {
        "wrong sign": lambda b, c, above, k, m: -peak.effect(b, c, above, k, m),
        "kept set not left out": lambda b, c, above, k, m: (max(above | {b}) < m) - (max(above | {c}) < m),
    },
)
def test_only_a_swap_at_the_cut_matters(stated: Callable[..., int]) -> None:
    for n, order in orders(6):
        for k in range(1, n - 1):
            for m in range(k + 1, n):
                for place in range(n - 1):
                    b, c = order[place], order[place + 1]
                    swapped = (*order[:place], c, b, *order[place + 2 :])
                    change = [misses(one, k, k) - misses(one, k, m) for one in (order, swapped)]
                    expected = stated(b, c, frozenset(order[: k - 1]), k, m) if place == k - 1 else 0
                    assert change[0] - change[1] == expected


@proof(
    "OWN.PEAK",
    "product",
    Level.EXACT,
    peak.damping,
    {"undamped by one": lambda d, t: -(d**2) * t**2 / 4, "half": lambda d, t: peak.damping(d, t) / 2},
)
def test_two_densities_make_one(stated: Callable[..., Any]) -> None:
    x, a, b, c, t = symbols("x a b c t")
    y = x + (b + c) * t / 2
    # Less e^(-t^2/4), which W multiplies away.
    require(vanishes(((x + b * t) ** 2 + (x + c * t) ** 2) / 2 - y**2 + stated(c - b, t) - t**2 / 4))
    require(vanishes(x + a * t - (y + (a - (b + c) / 2) * t)))  # and Phi(-(..)) for a block above


@proof("OWN.PEAK", "product", Level.PRECISE, slope, {"W halved": lambda t, case: slope(t, case) / 2})
def test_the_slope_is_that_of_the_value(stated: Callable[..., arb]) -> None:
    with digits(20):
        for case in CASES:
            t, h = Fraction(1, 2), Fraction(1, 10**4)
            found = stated(ball(t), case) * (-ball(t * t / 4)).exp() / (2 * arb.pi())
            quotient = (value(t + h, case) - value(t - h, case)) / (2 * ball(h))
            require(below(abs(found - quotient), ball("1e-7")))


def pattern(case: Case) -> str:
    """Signs on boxes that cover [0, END]: + or - for W, d where only W' < 0 is known."""
    waiting, found = [(Fraction(i, 4), Fraction(i + 1, 4)) for i in range(4 * END)], []
    while waiting:
        low, high = waiting.pop()
        t = interval(low, high)
        height = slope(t, case)
        if height > 0 or height < 0:
            found.append((low, "+" if height > 0 else "-"))
        elif bend(t, case) < 0:
            found.append((low, "d"))
        else:
            assert high - low > Fraction(1, 500), "no sign on a small box"
            middle = (low + high) / 2
            waiting += [(low, middle), (middle, high)]
    return "".join(sign for _, sign in sorted(found))


@proof("OWN.PEAK", "boxes", Level.ENCLOSED)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_one_change_of_sign(case: Case, record_property: Callable[[str, object], None]) -> None:
    with digits(8):
        signs = pattern(case)
    record_property("computed", f"{case}: {signs}")
    assert re.fullmatch(r"\+*d+-+", signs)


@proof("OWN.PEAK", "tail", Level.ENCLOSED)
def test_beyond_the_boxes() -> None:
    with digits(15):
        for case in CASES:
            total, leading = arb(0), 0
            for term in peak.terms(*case):
                moves = [move for _, move in term.factors]
                if term.weight < 0:
                    if (
                        term.distance == 1 and min(moves) > 0
                    ):  # every factor grows with t; others of that sign are dropped
                        total += term.weight * gauss(lambda y, term=term: product(term, ball(END), y))
                        leading += 1
                    continue
                sign, move = min(term.factors, key=lambda factor: factor[1])
                bound = arb.pi().sqrt()
                if move < 0:  # one factor that falls with t
                    bound = gauss(lambda y, sign=sign, move=move: cdf(sign * y + ball(move) * END))
                total += term.weight * peak.damping(ball(term.distance), ball(END)).exp() * bound
            assert leading > 0
            require(below(total, 0))


@proof(
    "OWN.PEAK",
    "peak",
    Level.ENCLOSED,
    peak.PEAKS,
    {"at ties": dict.fromkeys(peak.PEAKS, "0.00001"), "at one noise scale": dict.fromkeys(peak.PEAKS, "1")},
)
def test_where_the_sign_changes(stated: dict[Case, str], record_property: Callable[[str, object], None]) -> None:
    with digits(15):
        for case, printed in stated.items():
            k, m, n = case
            low, high = Fraction(printed) - Fraction(1, 10**5), Fraction(printed) + Fraction(1, 10**5)
            require(below(0, slope(ball(low), case)))
            require(below(slope(ball(high), case), 0))
            tied = miss_when_tied(n, k, k) - miss_when_tied(n, k, m)
            top = value(Fraction(printed), case)
            require(below(ball(tied), top))
            record_property(f"k, m, N = {case}", f"V* = {tied} at ties, {top.str(6, radius=False)} at {printed}")


@proof("OWN.PEAK", "peak", Level.EXACT)
def test_three_blocks_start_level() -> None:
    # At t = 0 every term has the same integral where k = 1, so W(0) is a multiple of the sum of the weights.
    require(equal(sum(term.weight for term in peak.terms(1, 2, 3)), 0))
    assert sum(term.weight for term in peak.terms(1, 2, 4)) > 0


@control("OWN.PEAK", "spaced", Level.ENCLOSED)
def test_only_the_cut_opens() -> None:
    with digits(20):  # four blocks, all spacings but the cut's zero: the value falls from the start
        scores = [Fraction(1, 4), Fraction(0), Fraction(0), Fraction(0)]
        opened = containment(scores, 1, 1) - containment(scores, 1, 2)
        require(below(opened, ball(miss_when_tied(4, 1, 1) - miss_when_tied(4, 1, 2))))
