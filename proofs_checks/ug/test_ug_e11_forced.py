"""UG appendix A.6: the rank of the cut among the blocks that are not forced."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from marks import control, proof
from refsym_theory.claims.ug.e9_forced import forced_scores
from refsym_theory.claims.ug.e11_forced import free, free_rank
from refsym_theory.claims.ug.kept_set import prefix_set
from refsym_theory.claims.ug.sigma import sigma
from refsym_theory.evidence import Level, below, equal, require

LITERAL = {"k as printed": lambda k, forced: k, "one forced block for two": lambda k, forced: k - min(forced, 1)}


@proof("UG.E11-forced", "cut", Level.EXACT, free_rank, LITERAL)
def test_what_the_budget_keeps(stated: Callable[[int, int], int]) -> None:
    for scores in product((0.0, 1.0, 2.0), repeat=5):
        for forced in ([0], [0, 2], [0, 4]):
            others = [b for b in range(5) if b not in forced]
            ranked = sorted(others, key=lambda b: (-scores[b], b))
            for k in range(len(forced) + 1, 5):
                kept = prefix_set(forced_scores(scores, forced), k)
                assert kept == {*forced, *ranked[: stated(k, len(forced))]}


@proof("UG.E11-forced", "prefix", Level.EXACT, free_rank, LITERAL)
def test_what_one_more_element_holds(stated: Callable[[int, int], int]) -> None:
    for scores in product((0.0, 1.0, 2.0), repeat=5):
        for forced in ([0], [0, 2]):
            for k in range(len(forced) + 1, 5):
                prefix = prefix_set(forced_scores(scores, forced), k + 1)
                held = sorted((scores[b] for b in prefix if b not in forced), reverse=True)
                rank = stated(k, len(forced))
                assert held == free(scores, forced)[: rank + 1]  # ranks 0, ..., k - F


@control("UG.E11-forced", "free-rank", Level.EXACT)
def test_the_literal_rank_orders_two_tiles_the_other_way() -> None:
    # k = 3 with one forced block: the cut is at free rank 2. The first tile is safe there, the second tied.
    safe, tied = ([Fraction(x) for x in listed] for listed in ((10, 9, 1, 1), (10, 5, 5, 0)))
    require(equal(sigma(safe, free_rank(3, 1)), Fraction(8, 9)))
    require(equal(sigma(tied, free_rank(3, 1)), 0))
    require(equal(sigma(safe, 3), 0))  # equation 11 as printed, between two dropped blocks
    require(equal(sigma(tied, 3), Fraction(1, 2)))
    require(below(sigma(safe, 3), sigma(tied, 3)))


@control("UG.E11-forced", "room", Level.EXACT)
def test_a_budget_that_only_holds_the_forced() -> None:
    assert prefix_set(forced_scores([0.0, 3.0, 0.0, 1.0], [0, 2]), 2) == {0, 2}
    require(equal(free_rank(2, 2), 0))  # no free block is kept: s_(k-F-1) does not exist
