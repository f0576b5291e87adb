"""OWN.TRIGGER: regret without a spread assumption."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational, symbols

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.own import trigger
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import p1_band
from refsym_theory.evidence import Level, at_most, below, equal, require

Bound = Callable[..., Any]
LEVELS = [Fraction(0), Fraction(1, 3), Fraction(1)]


def halves(values: Sequence[Any], triggered: Sequence[int]) -> tuple[list[Any], list[Any]]:
    """Values outside and inside the triggered set."""
    return [v for t, v in enumerate(values) if t not in triggered], [values[t] for t in triggered]


def policies(most: int) -> Iterator[tuple[tuple[Fraction, ...], tuple[int, ...]]]:
    """Yield every set of every size, for values on three levels."""
    for tiles in range(1, most + 1):
        for values in product(LEVELS, repeat=tiles):
            for size in range(tiles + 1):
                for chosen in combinations(range(tiles), size):
                    yield values, chosen


FALSE = {
    "least U outside": lambda out, inside: trigger.regret_bound([min(out)] * len(out) if out else [], inside),
    "largest L inside": lambda out, inside: trigger.regret_bound(out, [max(inside)] * len(inside) if inside else []),
    "halved": lambda out, inside: trigger.regret_bound(out, inside) / 2,
}


@proof(
    "OWN.TRIGGER",
    "top",
    Level.EXACT,
    lambda u, c: u - c,
    {"threshold dropped": lambda u, c: u, "doubled": lambda u, c: 2 * u - c},
)
def test_a_threshold_certifies_the_largest_sum(stated: Bound) -> None:
    u, c, a = symbols("u c a")
    # u >= c: (u - c)_+ - (u - c) a = (u - c)(1 - a); u <= c: 0 - (u - c) a = (c - u) a. Both at least 0.
    require(vanishes(stated(u, c) - (u - c) * a - (u - c) * (1 - a)))
    require(vanishes(-(u - c) * a - (c - u) * a))
    # Summed: sum of u a <= p c + sum of (u - c)_+, the sum of the p largest where c is the p-th.


@proof("OWN.TRIGGER", "more", Level.EXACT, trigger.regret_bound, {**FALSE, "NaN": nan})
def test_every_policy_of_a_few_tiles(stated: Bound) -> None:
    for values, chosen in policies(5):
        require(at_most(trigger.regret(values, chosen), stated(*halves(values, chosen))))


@proof("OWN.TRIGGER", "top", Level.SAMPLED, trigger.regret_bound, FALSE)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.booleans()), min_size=1, max_size=9)
)
def test_with_brackets(stated: Bound, tiles: list[tuple[int, int, int, bool]]) -> None:
    low, values, high = zip(*(sorted(map(Fraction, tile[:3])) for tile in tiles), strict=True)
    chosen = [t for t, tile in enumerate(tiles) if tile[3]]
    require(at_most(trigger.regret(values, chosen), stated(halves(high, chosen)[0], halves(low, chosen)[1])))


@proof(
    "OWN.TRIGGER",
    "gaps",
    Level.EXACT,
    trigger.pair_cost,
    {
        "1 + eps on both": lambda a, b, eps, shrink: (1 + eps) * (a - b),
        "eps left out above": lambda a, b, eps, shrink: a - shrink * b,
    },
)
def test_least_and_largest_gap(stated: Bound) -> None:
    v_minus, v_plus, eps, fall, rise, more = symbols("v_minus v_plus eps fall rise more")
    # V-bar(g_t) = v_minus - fall outside, V-bar(g_t') = v_plus + rise inside.
    slack = stated(v_minus, v_plus, eps, 1 - eps) - ((1 + eps) * (v_minus - fall) - (1 - eps) * (v_plus + rise))
    require(vanishes(slack - (1 + eps) * fall - (1 - eps) * rise))  # eps <= 1
    beyond = stated(v_minus, v_plus, 1 + more, 0) - (2 + more) * (v_minus - fall)  # eps > 1: L = 0
    require(nonnegative_coefficients(beyond.expand()))


@proof(
    "OWN.TRIGGER",
    "never-worse",
    Level.EXACT,
    trigger.pair_cost,
    {
        "eps dropped below": lambda a, b, eps, shrink: (1 + eps) * a - b,
        "a negative lower bound for eps > 1": lambda a, b, eps, shrink: (1 + eps) * a - (1 - eps) * b,
    },
)
def test_inside_the_band(stated: Bound) -> None:
    v_minus, v_plus, eps, fall, rise, a, more = symbols("v_minus v_plus eps fall rise a more")
    # V-bar falls: the band's ends give values no smaller outside and no larger inside.
    room = p1_band.pair_cost(v_minus, v_plus, eps) - stated(v_minus - fall, v_plus + rise, eps, 1 - eps)
    require(vanishes(room - (1 + eps) * fall - (1 - eps) * rise))  # eps <= 1
    # eps = 1 + more, V-bar(g_minus) = 1/2 - a: below the least that the third branch of C_q can be, eps itself.
    require(nonnegative_coefficients(((1 + more) - stated(Rational(1, 2) - a, v_plus, 1 + more, 0)).expand()))


@proof("OWN.TRIGGER", "never-worse", Level.ENCLOSED)
def test_much_better_where_spreads_vary(record_property: Callable[[str, object], None]) -> None:
    # Two tiles, D = 1, no other spacing near: sigma decides rightly, and beta = 1/2 makes (24) pay all the same.
    with digits(20):
        outside, inside = v_bar(ball(3)), v_bar(ball(Fraction(1, 2)))  # gaps; spreads 30 and 10, sigma 1/10 and 1/20
        ours = trigger.regret_bound([outside], [inside])
        gamma, beta = Fraction(1, 20) * 20, Fraction(1, 2)
        printed = (v_bar(ball(gamma * (1 - beta))) - v_bar(ball(gamma * (1 + beta)))) / 2
        require(equal(ours, 0))
        require(below(ball(Fraction(1, 20)), printed))
    record_property("computed", f"0 here, {printed.str(4, radius=False)} from the band")


@tightness("OWN.TRIGGER", Level.EXACT, trigger.regret_bound, FALSE)
def test_known_values_give_the_regret(stated: Bound) -> None:
    for values, chosen in policies(5):
        require(equal(trigger.regret(values, chosen), stated(*halves(values, chosen))))


@superfluous("OWN.TRIGGER", "router", Level.EXACT)
def test_any_set_will_do() -> None:
    for values, chosen in policies(4):  # no sigma anywhere
        require(at_most(trigger.regret(values, chosen), trigger.regret_bound(*halves(values, chosen))))


@control("OWN.TRIGGER", "brackets", Level.EXACT)
def test_a_value_outside_its_bracket() -> None:
    values = (Fraction(1), Fraction(0))  # tile 1 is triggered; U of tile 0 said to be 1/2
    require(below(trigger.regret_bound([Fraction(1, 2)], [Fraction(0)]), trigger.regret(values, [1])))
