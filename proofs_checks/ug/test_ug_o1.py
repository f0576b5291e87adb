"""UG Observation 1."""

from collections.abc import Callable
from fractions import Fraction
from itertools import chain, combinations, product

from kernel import accepts
from marks import control, proof
from refsym_theory.claims.ug.kept_set import prefix_set, threshold_set
from refsym_theory.claims.ug.o1 import misses
from refsym_theory.evidence import Level, at_most, require

SETS = [frozenset(s) for s in chain.from_iterable(combinations(range(4), size) for size in range(5))]


@proof(
    "UG.O1",
    "nested",
    Level.EXACT,
    prefix_set,
    {"ties to the higher index in the longer list": lambda s, m: prefix_set(s[::-1], m) if m > 1 else prefix_set(s, m)},
)
def test_prefixes_are_nested(stated: Callable[..., set[int]]) -> None:
    for scores in product(range(2), repeat=4):
        for k in range(1, 4):
            assert stated(scores, k) <= stated(scores, k + 1)
            assert threshold_set(scores, k) <= threshold_set(scores, k + 1)


@proof(
    "UG.O1",
    "events",
    Level.EXACT,
    misses,
    {
        "an exact match is asked for": lambda kept, best: kept != best,
        "contains for misses": lambda kept, best: best <= kept,
    },
)
def test_every_nested_pair_of_four_blocks(stated: Callable[..., bool]) -> None:
    for kept, expanded, best in product(SETS, repeat=3):
        if kept <= expanded and best:
            assert not stated(expanded, best) or stated(kept, best)


@proof("UG.O1", "probability", Level.EXACT, 1, {"weights of either sign": -1})
def test_a_sum_over_fewer_worlds(stated: int) -> None:
    weights = [Fraction(stated * w, 10) for w in (1, 2, 3, 4)]
    for fewer, more in product(SETS, repeat=2):
        if fewer <= more:
            require(at_most(sum(weights[x] for x in fewer), sum(weights[x] for x in more)))


@proof("UG.O1", "events", Level.KERNEL, None, {"nesting dropped": ("(forall b, kept b -> expanded b) ->", "True ->")})
def test_coq_uses_the_nesting(stated: tuple[str, str] | None) -> None:
    accepts("expansion.v", "expansion_never_harms", "(forall b, kept b -> expanded b)", stated)


@proof("UG.O1", "probability", Level.KERNEL)
def test_coq_compares_the_probabilities() -> None:
    less = "0 <= probability worlds weight fails - probability worlds weight fails'"
    accepts("expansion.v", "expansion_never_harms", less)


@control("UG.O1", "nested", Level.EXACT)
def test_a_larger_set_that_does_not_contain_the_smaller() -> None:
    assert misses({1, 2}, {0})  # scores (0, 0, 0): top-1 breaks the tie low, top-2 high
    assert not misses({0}, {0})


@proof("UG.O1", "probability", Level.KERNEL)
def test_coq_under_any_law() -> None:
    any_law = "(forall A B : world -> Prop, (forall x, A x -> B x) -> P A <= P B)"
    accepts("expansion.v", "expansion_never_harms_under_any_law", any_law)
