"""RS Appendix I.1."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from marks import control, proof
from refsym_theory.claims.rs.i1_uniform import PATCHES, average
from refsym_theory.evidence import Level, equal, require


def sizes(total: int, groups: int) -> Iterator[tuple[int, ...]]:
    """Sizes of contiguous nonempty groups."""
    if groups == 1:
        yield (total,)
        return
    for first in range(1, total - groups + 2):
        for rest in sizes(total - first, groups - 1):
            yield (first, *rest)


@proof(
    "RS.I1-uniform",
    "equal",
    Level.EXACT,
    average,
    {"number of groups": lambda k: Fraction(k), "frames for patches": lambda k: Fraction(32, k)},
)
def test_equal_groups(stated: Callable[[int], Fraction]) -> None:
    for groups in (1, 2, 4, 8, 16):
        require(equal(stated(groups), PATCHES // groups))


@proof("RS.I1-uniform", "only", Level.EXACT, average, {"largest group": lambda k: Fraction(PATCHES - k + 1)})
def test_every_grouping_of_sixteen(stated: Callable[[int], Fraction]) -> None:
    for groups in (1, 2, 3, 4, 8, 16):
        for found in sizes(PATCHES, groups):
            assert all(size == stated(groups) for size in found) == (len(set(found)) == 1)


@control("RS.I1-uniform", "equal", Level.EXACT)
def test_two_unequal_groups() -> None:
    # Unnormalized weights 15 and 1 against 8 and 8: the first group's share of equal scores is 15/16, not 1/2.
    require(equal(Fraction(15, 16) - Fraction(8, 16), Fraction(7, 16)))
