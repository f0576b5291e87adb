"""RS Table 4: length-dependent temperature."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs.c3_attention import Form, attention, counted, split
from refsym_theory.claims.rs.c3_log_length import attention_at
from refsym_theory.claims.rs.c3_temperature import by_count, by_mass
from refsym_theory.evidence import Level, equal, require
from splits import changes, require_additive, require_invariant

HALF = Fraction(1, 2)
PAIR = [(Fraction(1), 0, Fraction(0)), (Fraction(1), 1, Fraction(1))]


@proof(
    "RS.C3-temperature",
    "total",
    Level.EXACT,
    lambda mass: (mass,),
    {"number of tokens": lambda mass: (1,), "sum of squares": lambda mass: (mass**2,)},
)
def test_the_total_is_additive(stated: Callable[..., Any]) -> None:
    require_additive(stated)


@proof("RS.C3-temperature", "invariant", Level.EXACT, attention, {"counted": counted(attention)})
def test_attention_at_the_same_temperature(stated: Form) -> None:
    # w stands for exp(s / T), the same before and after since T is.
    require_invariant(stated, [symbols(f"m{i} w{i} v{i}") for i in range(3)])


@proof("RS.C3-temperature", "invariant", Level.EXACT, by_mass, {"by count": by_count, "all counted": counted(by_mass)})
def test_integer_scores_in_closed_form(stated: Form) -> None:
    tokens = [(m, score, v) for score, (m, v) in enumerate(symbols(f"m{i} v{i}") for i in range(3))]
    require_invariant(stated, tokens)


@proof("RS.C3-temperature", "count", Level.EXACT, by_count, {"by mass": by_mass, "NaN": nan})
def test_three_fifths_become_four_sevenths(stated: Form, record_property: Callable[[str, object], None]) -> None:
    after = split(PAIR, 1, (HALF, HALF))
    require(equal(stated(PAIR), Fraction(3, 5)))
    require(equal(stated(after), Fraction(4, 7)))
    record_property("computed", f"{stated(PAIR)} becomes {stated(after)}")


@proof(
    "RS.C3-temperature",
    "exactly",
    Level.EXACT,
    lambda b, c: (b - c) / ((1 + b) * (1 + c)),
    {"sign": lambda b, c: (c - b) / ((1 + b) * (1 + c)), "difference of the bases": lambda b, c: b - c},
)
def test_change_vanishes_only_at_equal_bases(stated: Callable[..., Any]) -> None:
    b, c = symbols("b c")  # exp(1 / T(2)) and exp(1 / T(3)), for any T
    after = split(PAIR, 1, (HALF, HALF))
    require(vanishes(attention_at(PAIR, b) - attention_at(after, c) - stated(b, c)))


@control("RS.C3-temperature", "conserved", Level.EXACT)
def test_copies_that_keep_the_whole_mass() -> None:
    require(changes(by_mass, PAIR, split(PAIR, 1, (Fraction(1), Fraction(1)))))


@control("RS.C3-temperature", "copied", Level.EXACT)
def test_copies_with_another_score() -> None:
    require(changes(by_mass, PAIR, [PAIR[0], (HALF, 1, 1), (HALF, 2, 1)]))
