"""RS Table 4: expert capacity."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise, permutations
from math import ceil, floor
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs.c3_attention import counted
from refsym_theory.claims.rs.c3_capacity import admission, requests_after
from refsym_theory.evidence import Level, at_most, equal, require

ONE, HALF = Fraction(1), Fraction(1, 2)
ALL = (ONE,) * 6
ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "floor": floor,
    "ceiling": ceil,
    "half up": lambda x: floor(x + HALF),
    "half to even": round,
}


def by_count(rounding: Callable[[Any], Any], factor: Fraction = ONE) -> Callable[..., Any]:
    return counted(lambda tokens: admission(tokens, factor, 2, rounding))


@proof("RS.C3-capacity", "count", Level.EXACT, by_count(floor), {"in units of mass": admission, "NaN": nan})
def test_an_untouched_token_is_refused(stated: Callable[..., Any], record_property: Callable[..., None]) -> None:
    before, after = stated(requests_after([ONE])), stated(requests_after([HALF, HALF]))
    require(equal(before, ALL))
    require(equal(after, (1, 1, 0, 1, 1, 1)))
    record_property("claimed", "four requests for expert zero, capacity 3: an untouched token can be rejected")
    record_property("computed", f"admitted before {sum(before)} of 6, after all but token 2 (floor, c = 1)")


def capacities(rounding: str, factor: Fraction) -> tuple[int, int]:
    """Capacity of each of two experts for six and for seven tokens."""
    return ROUNDINGS[rounding](6 * factor / 2), ROUNDINGS[rounding](7 * factor / 2)


FACTORS = {  # where both capacities are three
    "floor": lambda c: 1 <= c < Fraction(8, 7),
    "ceiling": lambda c: Fraction(2, 3) < c <= Fraction(6, 7),
    "half up": lambda c: Fraction(5, 6) <= c < 1,
    "half to even": lambda c: Fraction(5, 6) < c < 1,
}


def pieces() -> Iterable[Fraction]:
    """Yield a factor in every piece of (0, 2] on which no capacity can jump, and every end of a piece."""
    ends = sorted({Fraction(half, tokens) for tokens in (6, 7) for half in range(1, 15)} | {Fraction(0), Fraction(3)})
    for low, high in pairwise(ends):
        yield from ((low + high) / 2, high)


@proof(
    "RS.C3-capacity",
    "conventions",
    Level.EXACT,
    FACTORS,
    {
        "the same factors under every rounding": dict.fromkeys(FACTORS, FACTORS["floor"]),
        "5/6 half to even too": {**FACTORS, "half to even": FACTORS["half up"]},
        "6/7 left out": {**FACTORS, "ceiling": lambda c: Fraction(2, 3) < c < Fraction(6, 7)},
    },
)
def test_which_factors_keep_the_capacity(stated: dict[str, Any], record_property: Callable[..., None]) -> None:
    # Capacities jump only where 3c or 7c/2 is a multiple of 1/2; beyond c = 2 they exceed three anyway.
    for name, holds in stated.items():
        for factor in pieces():
            require(equal(capacities(name, factor) == (3, 3), holds(factor)))
    record_property("at c = 1", "; ".join(f"{name}: 3, then {capacities(name, ONE)[1]}" for name in ROUNDINGS))


@control("RS.C3-capacity", "floor", Level.EXACT)
def test_other_roundings_refuse_nobody() -> None:
    for name, rounding in ROUNDINGS.items():
        expected = (1, 1, 0, 1, 1, 1) if name == "floor" else ALL
        require(equal(by_count(rounding)(requests_after([HALF, HALF])), expected))


@proof(
    "RS.C3-capacity",
    "mass",
    Level.EXACT,
    lambda masses: sum(masses),
    {"a unit a request": lambda masses: len(masses), "a unit a copy": lambda masses: len(masses[:-2]) + 2},
)
def test_charges_add_up_to_the_budget(stated: Callable[..., Any]) -> None:
    a = symbols("a")  # one copy has mass a, the other ones 1 - a together: served in any order, all fit
    require(vanishes(stated([a, 1 - a, 1, 1]) - 3))
    require(vanishes(stated([a, 1 - a, 1, 1]) - stated([1, 1, 1])))


@proof("RS.C3-capacity", "mass", Level.EXACT, admission, {"counted": by_count(floor), "NaN": nan})
def test_every_order_of_requests_is_served(stated: Callable[..., Any]) -> None:
    for parts in ([HALF, HALF], [Fraction(1, 3)] * 3, [Fraction(1, 7), Fraction(6, 7)]):
        for order in permutations(requests_after(parts)[: len(parts) + 2]):  # expert zero's requests
            require(equal(stated([*order, *requests_after([ONE])[3:]]), ALL))


def boundary(tokens: list[tuple[Any, ...]]) -> Any:
    """Admission with c = 5/6, a budget of 5/2 for expert zero."""
    return admission(tokens, Fraction(5, 6))


def together(tokens: list[tuple[Any, ...]]) -> Any:
    """The same, each group of copies one request."""
    groups = {(expert, name): sum(m for m, e, n in tokens if (e, n) == (expert, name)) for _, expert, name in tokens}
    return boundary([(mass, expert, name) for (expert, name), mass in groups.items()])


@proof(
    "RS.C3-capacity",
    "boundary",
    Level.EXACT,
    boundary,
    {"with room": admission, "copies admitted together or not at all": together},
)
def test_a_refused_token_has_an_admitted_child(
    stated: Callable[..., Any], record_property: Callable[..., None]
) -> None:
    parent = requests_after([ONE])
    children = [*parent[:2], (HALF, 0, 2), (HALF, 0, 2), *parent[3:]]
    require(equal(sum(mass for mass, *_ in parent), sum(mass for mass, *_ in children)))
    require(equal(stated(parent)[2], 0))
    require(equal(stated(children)[2], HALF))
    record_property("computed", "budget 5/2: the third token is refused; split in two, one half of it is admitted")


@control("RS.C3-capacity", "room", Level.EXACT)
def test_without_room_the_mass_budget_does_not_preserve_admission() -> None:
    parent = requests_after([ONE])
    # Served last, the first token is refused by a budget of 5/2, and one of its halves is not.
    last = [*parent[1:], (ONE, 0, 0)]
    halves = [*parent[1:], (HALF, 0, 0), (HALF, 0, 0)]
    require(equal(boundary(last)[0], 0))
    require(equal(boundary(halves)[0], HALF))


@control("RS.C3-capacity", "exact", Level.EXACT)
def test_float64_refuses_the_last_of_21_copies_or_an_untouched_token(record_property: Callable[..., None]) -> None:
    # IEEE arithmetic is deterministic: the partial sums round up past the budget of exactly 3.
    whole = admission([(float(mass), *rest) for mass, *rest in requests_after([Fraction(1, 21)] * 21)])
    require(equal(whole[2], 0))
    thirds = [*requests_after([ONE])[1:3], *requests_after([Fraction(1, 3)] * 3)[:3], *requests_after([ONE])[3:]]
    share = admission([(float(mass), *rest) for mass, *rest in thirds])
    require(at_most(share[0], 0.7))
    record_property("computed", "21 copies of 1/21: an untouched token is refused; three copies served last: one is")
