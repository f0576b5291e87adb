"""RS Appendix H.3."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from sympy import Symbol, symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.h3 import factor, measure_loss, token_loss
from refsym_theory.evidence import Level, equal, require


@proof(
    "RS.H3",
    "identity",
    Level.EXACT,
    factor,
    {"q n_a for n_a / q": lambda q, a, v: (a + v) / (a * q + v), "no factor": lambda q, a, v: 1},
)
def test_identity(stated: Callable[..., Any]) -> None:
    w, q, audio, video, a, v = symbols("w q S_a S_v n_a n_v")
    require(vanishes(measure_loss(w, q, audio, video, a, v) - stated(q, a, v) * token_loss(w / q, audio, video, a, v)))


@proof("RS.H3", "factor", Level.EXACT, factor, {"constant": lambda q, a, v: q})
def test_the_factor_varies_with_the_counts(stated: Callable[..., Any]) -> None:
    q, a, v = symbols("q n_a n_v")
    assert Symbol("w") not in stated(q, a, v).free_symbols
    require(vanishes(stated(1 + 0 * q, a, v) - 1))
    require(equal(stated(Fraction(2), Fraction(1), Fraction(1)), Fraction(4, 3)))
    require(equal(stated(Fraction(2), Fraction(2), Fraction(1)), Fraction(3, 2)))


@control("RS.H3", "fixed", Level.EXACT)
def test_predictions_that_follow_the_objective() -> None:
    # After training on another weight the token losses are others: 1 and 1 against 2 and 1.
    one, n = Fraction(1), Fraction(1)
    measured = measure_loss(one, 2 * one, one, one, n, n)
    assert measured != factor(2 * one, n, n) * token_loss(one / 2, 2 * one, one, n, n)


@control("RS.H3", "targets", Level.EXACT)
def test_no_selected_target() -> None:
    zero, one = Fraction(0), Fraction(1)
    with pytest.raises(ZeroDivisionError):
        token_loss(one, zero, zero, zero, zero)
    with pytest.raises(ZeroDivisionError):
        factor(one, zero, zero)
