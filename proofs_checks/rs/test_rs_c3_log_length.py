"""RS Table 4: log-length score scaling."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs.c3_attention import Form, attention, counted, split
from refsym_theory.claims.rs.c3_log_length import attention_at, by_count, by_mass
from refsym_theory.evidence import Level, below, equal, require
from splits import changes, require_additive, require_invariant

HALF = Fraction(1, 2)
PAIR = [(Fraction(1), 0, Fraction(0)), (Fraction(1), 1, Fraction(1))]


@proof(
    "RS.C3-log-length",
    "total",
    Level.EXACT,
    lambda mass: (mass,),
    {"number of tokens": lambda mass: (1,), "sum of squares": lambda mass: (mass**2,)},
)
def test_the_total_is_additive(stated: Callable[..., Any]) -> None:
    require_additive(stated)


@proof("RS.C3-log-length", "invariant", Level.EXACT, attention, {"counted": counted(attention)})
def test_attention_with_the_same_factors(stated: Form) -> None:
    # w stands for (M / m0)**s, the same before and after since M is.
    require_invariant(stated, [symbols(f"m{i} w{i} v{i}") for i in range(3)])


@proof("RS.C3-log-length", "invariant", Level.EXACT, by_mass, {"by count": by_count, "all counted": counted(by_mass)})
def test_integer_scores_in_closed_form(stated: Form) -> None:
    tokens = [(m, score, v) for score, (m, v) in enumerate(symbols(f"m{i} v{i}") for i in range(3))]
    require_invariant(stated, tokens)


@proof("RS.C3-log-length", "count", Level.EXACT, by_count, {"by mass": by_mass, "NaN": nan})
def test_two_thirds_become_three_quarters(stated: Form, record_property: Callable[[str, object], None]) -> None:
    after = split(PAIR, 1, (HALF, HALF))
    require(equal(stated(PAIR), Fraction(2, 3)))
    require(equal(stated(after), Fraction(3, 4)))
    record_property("computed", "2/3 becomes 3/4; with unit masses as well, 2/3 becomes 6/7")
    require(equal(counted(by_mass)(after), Fraction(6, 7)))


@proof(
    "RS.C3-log-length",
    "reversal",
    Level.EXACT,
    lambda tokens: by_mass(tokens, Fraction(4)),
    {"in units above one": lambda tokens: by_mass(tokens, Fraction(1)), "by count": by_count},
)
def test_below_one_unit_the_order_turns(stated: Form) -> None:
    b = symbols("b")  # the base M / m0; the output is the weight of the token with score 1
    require(
        vanishes(HALF - attention_at(PAIR, b) - (1 - b) / (2 * (1 + b)))
    )  # the sign of 1 - b, so below 1/2 for b < 1
    require(equal(stated(PAIR), Fraction(1, 3)))
    require(below(stated(PAIR), HALF))


@control("RS.C3-log-length", "conserved", Level.EXACT)
def test_copies_that_keep_the_whole_mass() -> None:
    require(changes(by_mass, PAIR, split(PAIR, 1, (Fraction(1), Fraction(1)))))


@control("RS.C3-log-length", "copied", Level.EXACT)
def test_copies_with_another_score() -> None:
    require(changes(by_mass, PAIR, [PAIR[0], (HALF, 1, 1), (HALF, 2, 1)]))


@control("RS.C3-log-length", "fixed", Level.EXACT)
def test_a_reference_taken_anew_after_the_split() -> None:
    # The mean mass of a token as the reference makes the measure form the count form.
    def recalibrated(tokens: Any) -> Any:
        return by_mass(tokens, sum(mass for mass, *_ in tokens) / len(tokens))

    require(changes(recalibrated, PAIR, split(PAIR, 1, (HALF, HALF))))
