"""RS G.3: odds ratio of two regions."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof, value
from refsym_theory.claims.rs.g3 import mass_ratio, mean_mass, odds, ratio
from refsym_theory.evidence import Level, below, equal, require

ONE = Fraction(1)


def group(name: str, size: int) -> list[tuple[Any, ...]]:
    return [symbols(f"{name}m{i} {name}w{i}") for i in range(size)]


@proof(
    "RS.G3",
    "general",
    Level.EXACT,
    ratio,
    {
        "inverse": lambda d, s: 1 / ratio(d, s),
        "plain means": lambda d, s: sum(m for m, _ in d) * len(s) / (sum(m for m, _ in s) * len(d)),
        "summed masses": lambda d, s: sum(m for m, _ in d) / sum(m for m, _ in s),
    },
)
def test_ratio_of_mean_masses(stated: Callable[..., Any]) -> None:
    # For any number of tokens: the four sums M_D, W_D, M_S, W_S of m w and of w are all that enters.
    md, wd, ms, ws = symbols("M_D W_D M_S W_S")
    require(vanishes((md / ms) / (wd / ws) - (md / wd) / (ms / ws)))
    dense, sparse = group("d", 3), group("s", 2)
    measured = odds(dense, sparse, weighted=True) / odds(dense, sparse, weighted=False)
    require(vanishes(measured - stated(dense, sparse)))


@proof(
    "RS.G3",
    "constant",
    Level.EXACT,
    lambda d, s: d / s,
    {"inverse": lambda d, s: s / d, "squared": lambda d, s: (d / s) ** 2},
)
def test_constant_masses_do_not_see_the_scores(stated: Callable[..., Any]) -> None:
    d, s, w = symbols("d s W")
    require(vanishes(d * w / w - d))  # a mean of equal masses, for any number of tokens of total weight W
    dense = [(d, weight) for _, weight in group("d", 3)]
    sparse = [(s, weight) for _, weight in group("s", 2)]
    require(vanishes(ratio(dense, sparse) - stated(d, s)))


@proof(
    "RS.G3",
    "single",
    Level.EXACT,
    lambda c: (c, c),
    {"one count a group": lambda c: (c, 1), "inverse in one group": lambda c: (c, 1 / c)},
)
def test_one_scalar_for_both_groups(stated: Callable[..., Any]) -> None:
    c = symbols("c")
    dense, sparse = group("d", 3), group("s", 2)
    counted = [[(scalar, weight) for _, weight in one] for scalar, one in zip(stated(c), (dense, sparse), strict=True)]
    require(vanishes(odds(*counted, weighted=True) - odds(dense, sparse, weighted=False)))


@value(
    "RS.G3",
    "values",
    Level.EXACT,
    mass_ratio,
    {
        "inverse": lambda dense, sparse: 1 / mass_ratio(dense, sparse),
        "share of frames": lambda dense, sparse: Fraction(sparse, dense + sparse),
    },
)
def test_three_allocations(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    printed = {(10, 6): "6/10", (12, 4): "4/12", (14, 2): "2/14"}
    for frames, number in printed.items():
        require(equal(stated(*frames), Fraction(number)))
        require(equal(sum(frames), 16))
    require(equal(720 * 28 * len(printed), 60480))
    record_property("claimed", "6/10, 4/12, 2/14; 60,480 observations")
    record_property("computed", f"{', '.join(str(stated(*frames)) for frames in printed)}; {720 * 28 * 3:,}")


@control("RS.G3", "scores", Level.EXACT)
def test_other_scores_under_the_other_rule() -> None:
    d, s = [(ONE, ONE)], [(2 * ONE, ONE)]
    shifted = odds([(ONE, 3 * ONE)], s, weighted=True) / odds(d, s, weighted=False)
    require(below(ratio(d, s), shifted))


@control("RS.G3", "constant", Level.EXACT)
def test_masses_that_vary_within_a_group() -> None:
    s = [(ONE, ONE)]
    require(equal(ratio([(ONE, ONE), (2 * ONE, ONE)], s), Fraction(3, 2)))
    require(equal(ratio([(ONE, 3 * ONE), (2 * ONE, ONE)], s), Fraction(5, 4)))
    require(equal(mean_mass(s), 1))


@control("RS.G3", "halves", Level.EXACT)
def test_regions_of_different_duration() -> None:
    # The dense region twice as long: 10 frames of 1/10 against 6 of 1/12.
    require(equal((ONE / 10) / (ONE / 12), Fraction(12, 10)))
    require(below(mass_ratio(10, 6), Fraction(12, 10)))
