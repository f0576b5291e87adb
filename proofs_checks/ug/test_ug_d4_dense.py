"""UG appendix D.4: regret and the distance to dense."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product

from balls import ball, digits
from marks import control, nan, proof, value
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.own.trigger import regret
from refsym_theory.claims.ug.d4_dense import dense_gap, tied_and_kept
from refsym_theory.claims.ug.o1 import misses
from refsym_theory.evidence import Level, at_most, below, equal, require

HALVES = [Fraction(x, 2) for x in range(3)]


@proof("UG.D4-dense", "dense", Level.EXACT, 0, {"one block left out": 1})
def test_keeping_everything_misses_nothing(stated: int) -> None:
    for n in range(1, 6):
        for size in range(1, n + 1):
            for best in combinations(range(n), size):
                assert not misses(set(range(n - stated)), set(best))


@proof(
    "UG.D4-dense",
    "regret",
    Level.EXACT,
    dense_gap,
    {
        "expanded tiles left out": lambda e, v, c: dense_gap(e, v, c) - sum(e[t] - v[t] for t in c),
        "what every expansion would leave": lambda e, v, c: dense_gap(e, v, range(len(v))),
        "NaN": nan,
    },
)
def test_the_best_trigger_has_a_risk_too(stated: Callable[..., Fraction]) -> None:
    for errors in product(HALVES, repeat=3):
        for values in product(HALVES, repeat=3):
            if all(v <= e for v, e in zip(values, errors, strict=True)):  # the error after expansion is e - v >= 0
                for count in range(4):
                    for chosen in combinations(range(3), count):
                        require(at_most(regret(values, chosen), stated(errors, values, chosen)))


@value(
    "UG.D4-dense",
    "ties",
    Level.ENCLOSED,
    tied_and_kept,
    {
        "all of the ties": lambda tied, expanded: tied,
        "ties expanded last": lambda tied, expanded: tied - Fraction(1, 2),
    },
)
def test_the_papers_own_ties(stated: Callable[..., Fraction], record_property: Callable[[str, object], None]) -> None:
    share = stated(Fraction(83, 100), Fraction(40, 100))
    with digits(30):
        least = ball(share) * v_bar(ball(0))
        record_property("claimed", "2 pp from dense")
        record_property("computed", f"at least {float(share / 2):.3f} in identification error")
        require(at_most(abs(least - ball(Fraction(215, 1000))), ball("1e-20")))


@control("UG.D4-dense", "unit", Level.EXACT)
def test_an_answer_that_needs_no_missed_block() -> None:
    # Two tiles, the router expands the wrong one; the answer hangs on neither block, so that task accuracy is dense's.
    values, task_gap = [Fraction(1, 2), Fraction(0)], Fraction(0)
    require(equal(regret(values, [1]), Fraction(1, 4)))
    require(below(task_gap, regret(values, [1])))
