"""UG equation 9: infinity."""

from collections.abc import Callable
from itertools import product
from math import inf

from marks import control, proof
from refsym_theory.claims.ug.e9_forced import as_printed, forced_scores
from refsym_theory.claims.ug.kept_set import prefix_set
from refsym_theory.evidence import Level, Truth, equal, require


@proof(
    "UG.E9-forced",
    "first",
    Level.EXACT,
    forced_scores,
    {
        "one for infinity": lambda scores, forced: [s + 1 if b in forced else s for b, s in enumerate(scores)],
        "minus infinity": lambda scores, forced: [-inf if b in forced else s for b, s in enumerate(scores)],
        "the sink alone": lambda scores, forced: forced_scores(scores, [0]),
    },
)
def test_forced_blocks_are_kept(stated: Callable[..., list[float]]) -> None:
    for n in range(1, 6):
        for scores in product((-inf, 0.0, 2.0), repeat=n):
            for own in range(n):
                forced = {0, own}
                for k in range(len(forced), n + 1):
                    assert forced <= prefix_set(stated(scores, list(forced)), k)


@control("UG.E9-forced", "room", Level.EXACT)
def test_a_budget_of_one() -> None:
    assert prefix_set(forced_scores([0.0, 0.0, 0.0], [0, 2]), 1) == {0}


@control("UG.E9-forced", "zero", Level.EXACT)
def test_infinity_times_zero() -> None:
    require(equal(as_printed(1.0, True), inf))
    assert equal(as_printed(1.0, False), 1.0) is not Truth.TRUE  # NaN: every other score is lost


@control("UG.E9-forced", "finite", Level.EXACT)
def test_an_infinite_score_ties_with_a_forced_one() -> None:
    scores = forced_scores([0.0, inf, 0.0], [0, 2])
    assert 2 not in prefix_set(scores, 2)
