"""UG appendix D.4: ties at the cut beside wide spacings."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import proof, refutation
from refsym_theory.claims.ug.d4_atom import score, scores
from refsym_theory.evidence import Level, below, equal, require


@refutation(
    "UG.D4-atom",
    Level.EXACT,
    scores,
    {
        "the cutoff spacing counted as well": lambda n, k, gap, floor: [0] * n,
        "a flat tail": lambda n, k, gap, floor: [j * -gap for j in range(n)],
    },
)
def test_every_cut_tied_and_a_floor_of_ten(
    stated: Callable[..., list[Any]], record_property: Callable[[str, object], None]
) -> None:
    for k in range(1, 6):
        listed = stated(7, k, Fraction(0), Fraction(10))
        spacings = [a - b for a, b in pairwise(listed)]
        require(equal(spacings.pop(k - 1), 0))
        require(below(9, min(spacings)))
    record_property("claimed", "g = 0 on most tiles leaves a floor near 0")
    record_property("computed", "g = 0 on all tiles, all other spacings 10 tau")


@proof(
    "UG.D4-atom",
    "free",
    Level.EXACT,
    score,
    {
        "one rank off behind the cut": lambda j, behind, g, d: -j * d - g if behind else -j * d,
        "gap lost": lambda j, behind, g, d: score(j, behind, 0 * g, d),
    },
)
def test_gap_and_floor_are_free(stated: Callable[..., Any]) -> None:
    j, k, g, d = symbols("j k g d")
    for behind in (False, True):
        require(vanishes(stated(j, behind, g, d) - stated(j + 1, behind, g, d) - d))
    require(vanishes(stated(k - 1, False, g, d) - stated(k, True, g, d) - g))
