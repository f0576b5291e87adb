"""RS G.3: bounds on the odds ratio."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs.g3 import mean_mass, ratio
from refsym_theory.claims.rs.g3_bounds import high, low
from refsym_theory.evidence import Level, at_most, below, equal, require

ONE = Fraction(1)
GROUP = st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20)), min_size=1, max_size=4)


@proof(
    "RS.G3-bounds",
    "mean",
    Level.EXACT,
    lambda p, m, end: sum(a * (b - end) for a, b in zip(p, m, strict=True)),
    {
        "sign": lambda p, m, end: sum(a * (end - b) for a, b in zip(p, m, strict=True)),
        "unweighted": lambda p, m, end: sum(b - end for b in m),
    },
)
def test_mean_minus_an_end(stated: Callable[..., Any]) -> None:
    # With all weights but the last free and the last what they leave of 1; each term has the sign of m_j - end.
    p, q, end, *m = symbols("p q end m1:4")
    weights = (p, q, 1 - p - q)
    require(vanishes(sum(a * b for a, b in zip(weights, m, strict=True)) - end - stated(weights, m, end)))
    # The inductive step: one token more in the list adds p m to the mean and p end to the end's share of it.
    mean, total = symbols("mean total")
    require(vanishes((mean + p * m[0]) - end * (total + p) - (mean - end * total) - p * (m[0] - end)))


@proof(
    "RS.G3-bounds",
    "ratio",
    Level.EXACT,
    lambda n, z, a, b: (n - a) * b + a * (b - z),
    {"swapped": lambda n, z, a, b: (n - b) * a + b * (a - z), "one term lost": lambda n, z, a, b: (n - a) * b},
)
def test_ratio_of_two_bounded_means(stated: Callable[..., Any]) -> None:
    n, z, a, b = symbols("N Z a b")
    # N / Z - a / b times Z b; exchanged roles of the two groups give the other bound.
    require(vanishes(n * b - a * z - stated(n, z, a, b)))


@proof(
    "RS.G3-bounds",
    "ratio",
    Level.SAMPLED,
    (low, high),
    {
        "min over min": (lambda d, s: min(d) / min(s), high),
        "max over max": (low, lambda d, s: max(d) / max(s)),
        "NaN": (nan, nan),
    },
)
@given(GROUP, GROUP)
def test_bounds_in_rationals(stated: Any, dense: list[tuple[int, int]], sparse: list[tuple[int, int]]) -> None:
    d, s = [[(Fraction(m), Fraction(w)) for m, w in group] for group in (dense, sparse)]
    masses = [m for m, _ in d], [m for m, _ in s]
    require(at_most(stated[0](*masses), ratio(d, s)))
    require(at_most(ratio(d, s), stated[1](*masses)))


@proof(
    "RS.G3-bounds",
    "depends",
    Level.EXACT,
    ratio,
    {"equal weights": lambda d, s: ratio([(m, ONE) for m, _ in d], s), "NaN": nan},
)
def test_two_scores_two_ratios(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    sparse = [(ONE, ONE)]
    even, uneven = (stated([(ONE, w), (2 * ONE, ONE)], sparse) for w in (ONE, 3 * ONE))
    require(equal(even, Fraction(3, 2)))
    require(equal(uneven, Fraction(5, 4)))
    record_property("computed", "masses 1 and 2 against 1: 3/2 for equal kernels, 5/4 for kernels 3 and 1")


@tightness(
    "RS.G3-bounds",
    Level.EXACT,
    (low, high),
    {"twice the lower": (lambda d, s: 2 * low(d, s), high), "half the upper": (low, lambda d, s: high(d, s) / 2)},
)
def test_one_token_a_group(stated: Any, record_property: Callable[[str, object], None]) -> None:
    for bound in stated:
        require(equal(ratio([(ONE, 3 * ONE)], [(4 * ONE, ONE)]), bound([ONE], [4 * ONE])))
    # Approached with two masses: kernels t and 1 on masses 1 and 2 leave the gap 1 / (1 + t) above the lower bound.
    t = symbols("t")
    require(vanishes(mean_mass([(1, t), (2, 1)]) - 1 - 1 / (1 + t)))
    record_property("computed", "1/4 = both bounds at masses 1 and 4")


@control("RS.G3-bounds", "positive", Level.EXACT)
def test_a_negative_mass() -> None:
    # Dense -1, sparse 1 and 2: the lower bound -1/2 lies above the ratio -2/3.
    require(below(ratio([(-ONE, ONE)], [(ONE, ONE), (2 * ONE, ONE)]), low([-ONE], [ONE, 2 * ONE])))


@control("RS.G3-bounds", "weights", Level.EXACT)
def test_a_negative_kernel() -> None:
    d = [(ONE, 2 * ONE), (2 * ONE, -ONE)]
    require(below(ratio(d, [(ONE, ONE)]), low([ONE, 2 * ONE], [ONE])))
