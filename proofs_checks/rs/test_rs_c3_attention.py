"""RS Table 4: attention."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from marks import control, nan, proof
from refsym_theory.claims.rs import c3_attention
from refsym_theory.claims.rs.c3_attention import Form, attention, counted, split
from refsym_theory.evidence import Level, equal, require
from splits import changes, require_additive, require_invariant

HALF = Fraction(1, 2)
PAIR = [(Fraction(1), Fraction(1), Fraction(0)), (Fraction(1), Fraction(1), Fraction(1))]


@proof(
    "RS.C3-attention",
    "additive",
    Level.EXACT,
    c3_attention.contribution,
    {
        "no mass": lambda mass, kernel, value: (kernel * value, kernel),
        "mass squared": lambda mass, kernel, value: (mass**2 * kernel * value, mass**2 * kernel),
        "mass in the numerator only": lambda mass, kernel, value: (mass * kernel * value, kernel),
    },
)
def test_contribution_is_additive_in_the_mass(stated: Callable[..., Any]) -> None:
    require_additive(stated, *symbols("K v"))


@proof("RS.C3-attention", "additive", Level.EXACT, attention, {"counted": counted(attention), "NaN": nan})
def test_no_split_of_three_tokens_shows(stated: Form) -> None:
    require_invariant(stated, [symbols(f"m{i} K{i} v{i}") for i in range(3)])


@proof("RS.C3-attention", "count", Level.EXACT, counted(attention), {"with masses": attention, "NaN": nan})
def test_counting_turns_a_half_into_two_thirds(stated: Form, record_property: Callable[[str, object], None]) -> None:
    after = split(PAIR, 1, (HALF, HALF))
    require(changes(stated, PAIR, after))
    require(equal(stated(PAIR), HALF))
    require(equal(stated(after), Fraction(2, 3)))
    record_property("claimed", "1/2 becomes 2/3 (figure 1a)")
    record_property("computed", f"{stated(PAIR)} becomes {stated(after)}")


@control("RS.C3-attention", "conserved", Level.EXACT)
def test_copies_that_keep_the_whole_mass() -> None:
    require(changes(attention, PAIR, split(PAIR, 1, (Fraction(1), Fraction(1)))))


@control("RS.C3-attention", "copied", Level.EXACT)
def test_copies_with_another_score_or_value() -> None:
    require(changes(attention, PAIR, [PAIR[0], (HALF, 1, 1), (HALF, 2, 1)]))
    require(changes(attention, PAIR, [PAIR[0], (HALF, 1, 1), (HALF, 1, 2)]))
