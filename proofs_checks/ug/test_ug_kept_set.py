"""UG appendix D.2: ties."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product

from marks import proof, refutation
from orders import miss_when_tied
from refsym_theory.claims.ug.kept_set import prefix_set, threshold_set
from refsym_theory.evidence import Level, below, equal, require

LISTS = [scores for n in range(1, 5) for scores in product(range(3), repeat=n)]
Rule = Callable[..., set[int]]


@refutation("UG.KEPT-SET", Level.EXACT, threshold_set, {"corrected": prefix_set})
def test_two_tied_blocks(stated: Rule, record_property: Callable[[str, object], None]) -> None:
    kept = stated((0, 0), 1)
    record_property("claimed", "a top-1 set")
    record_property("computed", f"{len(kept)} blocks")
    require(below(1, len(kept)))
    # Both kept: no true best is missed, yet equation 21 says at least V-bar(0) = 1/2.
    require(equal(miss_when_tied(2, 1, len(kept)), Fraction(0)))


@proof(
    "UG.KEPT-SET",
    "size",
    Level.EXACT,
    threshold_set,
    {
        "strictly above": lambda s, m: {b for b, x in enumerate(s) if x > sorted(s, reverse=True)[m - 1]},
        "the next threshold": lambda s, m: threshold_set(s, min(m + 1, len(s))),
    },
)
def test_size_of_the_printed_set(stated: Rule) -> None:
    for scores in LISTS:
        falling = sorted(scores, reverse=True)
        for m in range(1, len(scores) + 1):
            clean = m == len(scores) or falling[m - 1] > falling[m]
            assert (len(stated(scores, m)) == m) == clean


@proof(
    "UG.KEPT-SET",
    "observation",
    Level.EXACT,
    threshold_set,
    {
        "only scores at the cut": lambda s, m: {b for b, x in enumerate(s) if x == sorted(s, reverse=True)[m - 1]},
        "below the cut": lambda s, m: set(range(len(s))) - threshold_set(s, m),
    },
)
def test_the_printed_sets_are_nested(stated: Rule) -> None:
    for scores in LISTS:  # a lower threshold keeps no fewer
        assert all(stated(scores, m) <= stated(scores, m + 1) for m in range(1, len(scores)))


@proof("UG.KEPT-SET", "prefix", Level.EXACT, prefix_set, {"threshold": threshold_set})
def test_a_prefix_has_its_size_and_is_nested(stated: Rule) -> None:
    for scores in LISTS:
        sets = [stated(scores, m) for m in range(1, len(scores) + 1)]
        assert [len(kept) for kept in sets] == list(range(1, len(scores) + 1))
        assert all(a < b for a, b in pairwise(sets))
        for m, kept in enumerate(sets, start=1):
            assert kept <= threshold_set(scores, m)
