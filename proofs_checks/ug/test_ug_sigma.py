"""UG equation 4."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from marks import control, nan, proof
from refsym_theory.claims.ug import sigma
from refsym_theory.evidence import Level, Truth, at_most, equal, require
from refsym_theory.selection.margins import margins

GRID = [Fraction(n, 2) for n in range(4, -1, -1)]
SORTED = [(scores, k) for n in range(2, 5) for scores in combinations_with_replacement(GRID, n) for k in range(1, n)]


@proof(
    "UG.SIGMA",
    "range",
    Level.EXACT,
    sigma.gap,
    {"against the best score": lambda s, k: 2 * (s[0] - s[k]), "sign": lambda s, k: s[k] - s[k - 1]},
)
def test_gap_and_what_is_left_of_the_spread(stated: Callable[..., Any]) -> None:
    last, a, b = symbols("last a b")  # s_k, then two steps up: s_(k-1) = s_k + a, s_0 = s_(k-1) + b
    scores = [last + a + b, last + a, last]
    require(nonnegative_coefficients((stated(scores, 2) + 0 * last).expand()))
    require(nonnegative_coefficients((sigma.spread(scores, 2) - stated(scores, 2)).expand()))


@proof(
    "UG.SIGMA",
    "range",
    Level.EXACT,
    sigma.sigma,
    {
        "spread to the last kept": lambda s, k: sigma.gap(s, k) / (s[0] - s[k - 1]) if s[0] > s[k - 1] else Fraction(2),
        "NaN": nan,
    },
)
def test_every_sorted_list_of_a_grid(stated: Callable[..., Any]) -> None:
    for scores, k in SORTED:
        require(at_most(0, stated(scores, k)))
        require(at_most(stated(scores, k), 1))


@proof("UG.SIGMA", "tied", Level.EXACT, sigma.sigma, {"1 on a tie": lambda s, k: Fraction(1)})
def test_all_tied(stated: Callable[..., Any]) -> None:
    first, last, dropped = symbols("s0 s1 s2")  # s_0, s_(k-1), s_k: no other score enters
    listed = [first, last, dropped]
    require(vanishes(sigma.spread(listed, 2) - sigma.gap(listed, 2) - (first - last)))
    for scores, k in SORTED:
        if sigma.spread(scores, k) == 0:
            assert len(set(scores[: k + 1])) == 1
            require(equal(stated(scores, k), 0))


@proof("UG.SIGMA", "one", Level.EXACT, sigma.gap, {"next gap": lambda s, k: s[k] - s[k + 1]})
def test_one_kept_block(stated: Callable[..., Any]) -> None:
    first, second, third = symbols("s0 s1 s2")
    require(vanishes(stated([first, second, third], 1) - sigma.spread([first, second, third], 1)))


@proof("UG.SIGMA", "range", Level.SAMPLED)
def test_the_product_computes_the_same() -> None:
    rng = np.random.default_rng(0)
    scores = -np.sort(-rng.integers(-4, 4, size=(200, 6)).astype(np.float64), axis=-1)
    for k in range(1, 5):
        sizes, kept, expanded = (np.full(len(scores), number) for number in (6, k, k + 1))
        ours = margins(scores, sizes, kept, expanded).sigma
        for row, value in zip(scores.tolist(), ours.tolist(), strict=True):
            require(at_most(abs(value - float(sigma.sigma([Fraction(x) for x in row], k))), 1e-15))


@control("UG.SIGMA", "sorted", Level.EXACT)
def test_unsorted_scores() -> None:
    scores: Sequence[Fraction] = [Fraction(0), Fraction(2), Fraction(1)]
    require(equal(sigma.sigma(scores, 2), Fraction(-1)))


@control("UG.SIGMA", "enough", Level.EXACT)
def test_a_tile_that_sees_only_k_blocks() -> None:
    value = sigma.sigma([3.0, 1.0, -np.inf], 2)  # the mask's score of what the tile cannot see: infinity over infinity
    assert at_most(0, value) is Truth.UNKNOWN
    assert at_most(value, 1) is Truth.UNKNOWN
