"""RS I.1: measure weighting and global count on equal groups."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs.i1_uniform import global_count, measure_mass, video_share
from refsym_theory.evidence import Level, below, equal, require

ONE = Fraction(1)


def partitions() -> Iterator[list[int]]:
    """Yield the sizes of every partition of 16 patches into contiguous groups."""
    for cuts in range(2**15):
        ends = [0, *(patch + 1 for patch in range(15) if cuts >> patch & 1), 16]
        yield [high - low for low, high in pairwise(ends)]


@cache
def agreement() -> list[tuple[list[int], bool]]:
    """List every partition with whether the two rules have the same biases on it."""
    return [(sizes, measure_mass(sizes) == global_count(sizes)) for sizes in partitions()]


@proof(
    "RS.I1-uniform",
    "average",
    Level.EXACT,
    lambda k: 16 / k,
    {"16": lambda k: 16, "K/16": lambda k: k / 16},
)
def test_global_count_is_the_average(stated: Callable[..., Any]) -> None:
    k, *sizes = symbols("K g1:4")
    # All sizes but the last, however many, are free; the last one is what they leave of 16.
    require(vanishes((sum(sizes) + (16 - sum(sizes))) / k - stated(k)))


@proof(
    "RS.I1-uniform",
    "equal",
    Level.EXACT,
    lambda sizes: len(set(sizes)) == 1,
    {
        "always": lambda sizes: True,
        "equal ends": lambda sizes: sizes[0] == sizes[-1],
        "K divides 16": lambda s: 16 % len(s) == 0,
    },
)
def test_every_partition(stated: Callable[..., bool], record_property: Callable[[str, object], None]) -> None:
    same: Counter[int] = Counter()
    for sizes, agree in agreement():
        require(equal(agree, stated(sizes)))
        same[len(sizes)] += agree
    require(equal({k for k, number in same.items() if number}, {1, 2, 4, 8, 16}))
    record_property("computed", f"32768 partitions, the rules agree on {sum(same.values())}: K = 1, 2, 4, 8, 16")


@proof("RS.I1-uniform", "native", Level.EXACT, [1] * 16, {"pairs": [2] * 8, "one patch more": [1] * 15 + [2]})
def test_native_biases_are_zero(stated: list[int]) -> None:
    require(equal(measure_mass(stated), [ONE] * 16))
    require(equal(global_count(stated), [ONE] * 16))


@proof(
    "RS.I1-uniform",
    "standard",
    Level.EXACT,
    lambda c, v, z: (c - 1) * v * z,
    {"nothing gained": lambda c, v, z: 0 * c, "sign": lambda c, v, z: (1 - c) * v * z},
)
def test_equal_groups_gain_on_text(stated: Callable[..., Any]) -> None:
    c, v, z = symbols("c V Z")  # c = 16 / K > 1
    gain = c * v / (c * v + z) - v / (v + z)
    require(vanishes(gain * (c * v + z) * (v + z) - stated(c, v, z)))


@proof(
    "RS.I1-uniform",
    "adaptive",
    Level.EXACT,
    measure_mass,
    {"global count": global_count, "NaN": lambda _: [nan(), ONE]},
)
def test_unequal_groups_part(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    sizes = [1, 3, 2, 2, 2, 2, 2, 2]
    masses = stated(sizes)
    require(equal(masses[1] / masses[0], 3))
    require(equal(global_count(sizes)[1] / global_count(sizes)[0], 1))
    record_property("computed", "odds of the second group to the first, equal scores: 3 against 1")


@control("RS.I1-uniform", "equal", Level.EXACT)
def test_unequal_groups_also_share_with_text_differently() -> None:
    sizes, kernels = [1, 3, 2, 2, 2, 2, 2, 2], [5 * ONE] + [ONE] * 7
    require(below(video_share(measure_mass(sizes), kernels, ONE), video_share(global_count(sizes), kernels, ONE)))
