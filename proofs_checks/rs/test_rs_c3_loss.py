"""RS Table 4: per-token loss."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from marks import control, nan, proof
from refsym_theory.claims.rs import c3_loss
from refsym_theory.claims.rs.c3_attention import Form, counted, split, totals
from refsym_theory.claims.rs.c3_loss import mean_loss
from refsym_theory.evidence import Level, equal, require
from splits import changes, require_additive, require_invariant

HALF = Fraction(1, 2)
TOKENS = [(Fraction(1), 1, Fraction(0)), (Fraction(1), 1, Fraction(1)), (Fraction(1), 0, Fraction(7))]


def summed(tokens: list[tuple[Any, ...]]) -> Any:
    return totals(c3_loss.contribution, tokens)[0]


@proof(
    "RS.C3-loss",
    "additive",
    Level.EXACT,
    c3_loss.contribution,
    {
        "divided by the number of targets": lambda mass, selected, loss: (mass * selected * loss, selected),
        "unit mass a target": lambda mass, selected, loss: (selected * loss, selected),
    },
)
def test_contribution_is_additive_in_the_mass(stated: Callable[..., Any]) -> None:
    require_additive(stated, *symbols("x l"))


@proof("RS.C3-loss", "additive", Level.EXACT, (mean_loss, summed), {"counted": (counted(mean_loss), counted(summed))})
def test_neither_the_mean_nor_the_sum_shows_a_split(stated: tuple[Form, Form]) -> None:
    for form in stated:
        require_invariant(form, [symbols(f"m{i} x{i} l{i}") for i in range(3)])


@proof("RS.C3-loss", "count", Level.EXACT, counted(mean_loss), {"with masses": mean_loss, "NaN": nan})
def test_counting_weighs_a_copied_target_twice(stated: Form, record_property: Callable[[str, object], None]) -> None:
    after = split(TOKENS, 1, (HALF, HALF))
    require(equal(stated(TOKENS), HALF))
    require(equal(stated(after), Fraction(2, 3)))
    record_property("computed", f"{stated(TOKENS)} becomes {stated(after)}")


@control("RS.C3-loss", "conserved", Level.EXACT)
def test_copies_that_keep_the_whole_mass() -> None:
    require(changes(mean_loss, TOKENS, split(TOKENS, 1, (Fraction(1), Fraction(1)))))


@control("RS.C3-loss", "copied", Level.EXACT)
def test_copies_predicted_less_well() -> None:
    require(changes(mean_loss, TOKENS, [TOKENS[0], (HALF, 1, 1), (HALF, 1, 2), TOKENS[2]]))
    # A copy that is no longer a target changes the loss as well.
    require(changes(mean_loss, TOKENS, [TOKENS[0], (HALF, 1, 1), (HALF, 0, 1), TOKENS[2]]))


@control("RS.C3-loss", "selected", Level.EXACT)
def test_no_target_no_mean() -> None:
    require(equal(totals(c3_loss.contribution, [TOKENS[2]])[1], 0))
