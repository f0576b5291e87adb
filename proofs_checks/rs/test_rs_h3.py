"""RS H.3: measure loss and token loss."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous, value
from refsym_theory.claims.rs import h3
from refsym_theory.evidence import Level, below, equal, require

W, A, B, NA, NV, Q, MV = symbols("w A B n_a n_v q m_v")


@proof(
    "RS.H3",
    "identity",
    Level.EXACT,
    lambda w, q: w / q,
    {"w q": lambda w, q: w * q, "w unchanged": lambda w, q: w, "w / q^2": lambda w, q: w / q**2},
)
def test_one_objective_is_the_other_at_another_weight(stated: Callable[..., Any]) -> None:
    right = h3.factor(NA, NV, Q) * h3.token_loss(stated(W, Q), A, B, NA, NV)
    require(vanishes(h3.measure_loss(W, A, B, NA, NV, Q) - right))


@proof(
    "RS.H3",
    "masses",
    Level.EXACT,
    lambda m, q: m / q,
    {"m q": lambda m, q: m * q, "equal masses": lambda m, q: m},
)
def test_it_is_a_mean_by_mass(stated: Callable[..., Any]) -> None:
    ma = stated(MV, Q)
    require(vanishes((W * ma * A + MV * B) / (ma * NA + MV * NV) - h3.measure_loss(W, A, B, NA, NV, Q)))


@proof(
    "RS.H3",
    "factor",
    Level.EXACT,
    h3.factor,
    {"upside down": lambda a, v, q: 1 / h3.factor(a, v, q), "always one": lambda a, v, q: (a + v) / (a + v)},
)
def test_factor_varies_with_the_counts_alone(stated: Callable[..., Any]) -> None:
    assert W not in h3.factor(NA, NV, Q).free_symbols
    require(vanishes(stated(NA, NV, 1) - 1))
    require(vanishes(stated(NA, NV, Q) * (NA + Q * NV) - Q * (NA + NV)))
    require(equal(stated(1, 1, Fraction(2)), Fraction(4, 3)))
    require(equal(stated(2, 1, Fraction(2)), Fraction(3, 2)))


@proof("RS.H3", "edges", Level.EXACT, (Q, 1), {"exchanged": (1, Q), "both one": (1, 1)})
def test_one_modality_alone(stated: tuple[Any, Any]) -> None:
    audio, video = stated
    require(vanishes(h3.factor(NA, 0, Q) - audio))
    require(vanishes(h3.factor(0, NV, Q) - video))


@superfluous("RS.H3", "both", Level.EXACT)
def test_the_identity_at_the_edges() -> None:
    for counts, losses in (((NA, 0), (A, 0)), ((0, NV), (0, B))):
        right = h3.factor(*counts, Q) * h3.token_loss(W / Q, *losses, *counts)
        require(vanishes(h3.measure_loss(W, *losses, *counts, Q) - right))


@value(
    "RS.H3",
    "grid",
    Level.EXACT,
    lambda w, q: w * q,
    {"w / q": lambda w, q: w / q, "w unchanged": lambda w, q: w, "NaN": nan},
)
def test_printed_best_weights(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    for ratio in h3.BEST:
        by_token, by_measure = h3.best(ratio)
        require(equal(stated(by_token, ratio), by_measure))
    require(equal(9 * len(h3.BEST) * 5, 225))
    record_property("claimed", "(0.5, 4, 8, 8, 16)")
    record_property("computed", f"({', '.join(str(float(stated(h3.best(q)[0], q))) for q in h3.BEST)})")


@control("RS.H3", "selected", Level.EXACT)
def test_no_target_no_loss() -> None:
    one = Fraction(1)
    for normaliser in (0 + 0, 0 / one + 0):  # of either objective
        require(equal(normaliser, 0))


@control("RS.H3", "fixed", Level.EXACT)
def test_other_predictions_other_losses() -> None:
    one = Fraction(1)
    left = h3.measure_loss(one, one, one, 1, 1, 2 * one)
    right = h3.factor(1, 1, 2 * one) * h3.token_loss(one / 2, 2 * one, one, 1, 1)  # audio predicted worse
    require(below(left, right))
