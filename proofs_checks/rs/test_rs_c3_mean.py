"""RS Table 4: mean pooling."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from marks import control, nan, proof
from refsym_theory.claims.rs import c3_mean
from refsym_theory.claims.rs.c3_attention import Form, counted, split
from refsym_theory.claims.rs.c3_mean import mean
from refsym_theory.evidence import Level, equal, require
from splits import changes, require_additive, require_invariant

HALF = Fraction(1, 2)
PAIR = [(Fraction(1), Fraction(0)), (Fraction(1), Fraction(1))]


@proof(
    "RS.C3-mean",
    "additive",
    Level.EXACT,
    c3_mean.contribution,
    {
        "divided by the number of tokens": lambda mass, feature: (mass * feature, 1),
        "mass squared": lambda mass, feature: (mass**2 * feature, mass**2),
    },
)
def test_contribution_is_additive_in_the_mass(stated: Callable[..., Any]) -> None:
    require_additive(stated, symbols("f"))


@proof("RS.C3-mean", "additive", Level.EXACT, mean, {"counted": counted(mean), "NaN": nan})
def test_no_split_of_three_tokens_shows(stated: Form) -> None:
    require_invariant(stated, [symbols(f"m{i} f{i}") for i in range(3)])


@proof("RS.C3-mean", "count", Level.EXACT, counted(mean), {"with masses": mean, "NaN": nan})
def test_counting_turns_a_half_into_two_thirds(stated: Form, record_property: Callable[[str, object], None]) -> None:
    after = split(PAIR, 1, (HALF, HALF))
    require(equal(stated(PAIR), HALF))
    require(equal(stated(after), Fraction(2, 3)))
    record_property("computed", f"{stated(PAIR)} becomes {stated(after)}")


@control("RS.C3-mean", "conserved", Level.EXACT)
def test_copies_that_keep_the_whole_mass() -> None:
    require(changes(mean, PAIR, split(PAIR, 1, (Fraction(1), Fraction(1)))))


@control("RS.C3-mean", "copied", Level.EXACT)
def test_copies_with_another_feature() -> None:
    require(changes(mean, PAIR, [PAIR[0], (HALF, 1), (HALF, 2)]))
