"""RS G.3: inverse local neighbor count."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.g3_neighbours import children, weights
from refsym_theory.evidence import Level, equal, require

N, K = symbols("n k")


@proof(
    "RS.G3-neighbours",
    "parent",
    Level.EXACT,
    lambda n, k: (k - 1) * (n - 1),
    {"additive": lambda n, k: 0 * n, "for every n": lambda n, k: (k - 1) * n},
)
def test_children_against_their_parent(stated: Callable[..., Any]) -> None:
    require(vanishes((children(N, K) - 1 / N) * N * (N + K - 1) - stated(N, K)))


@proof(
    "RS.G3-neighbours",
    "others",
    Level.EXACT,
    lambda n, k: (k - 1) / (n * (n + k - 1)),
    {"unchanged": lambda n, k: 0 * n, "k new copies": lambda n, k: k / (n * (n + k))},
)
def test_a_neighbour_loses(stated: Callable[..., Any]) -> None:
    require(vanishes(1 / N - 1 / (N + K - 1) - stated(N, K)))  # positive for k > 1


@proof(
    "RS.G3-neighbours",
    "witness",
    Level.EXACT,
    weights,
    {
        "window too small": lambda x, window: weights(x, 0 * window),
        "counts for inverse counts": lambda x, window: [1 / w for w in weights(x, window)],
    },
)
def test_odds_double(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    a, b, window = Fraction(0), Fraction(1, 2), Fraction(1)
    before, after = stated([a, b], window), stated([a, a, b], window)
    require(equal(before, [Fraction(1, 2)] * 2))
    require(equal(after, [Fraction(1, 3)] * 3))
    require(equal((after[0] + after[1]) / after[2], 2 * before[0] / before[1]))
    record_property("computed", "weights 1/2, 1/2 become 2/3 (two copies), 1/3")


@control("RS.G3-neighbours", "neighbour", Level.EXACT)
def test_an_isolated_token_is_exact() -> None:
    require(vanishes(children(1, K) - 1))
    alone = weights([Fraction(0), Fraction(0), Fraction(9)], Fraction(1))
    require(equal(alone, [Fraction(1, 2), Fraction(1, 2), 1]))
