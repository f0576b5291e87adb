"""RS Proposition 1, sufficiency."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from kernel import accepts
from marks import control, proof, superfluous
from refsym_theory.claims.rs import p1_sufficiency
from refsym_theory.evidence import Level, equal, require

FALSE = {
    "no mass": lambda m, k, v: (k * v, k),
    "mass squared in the normalizer": lambda m, k, v: (m * k * v, m**2 * k),
    "mass squared": lambda m, k, v: (m**2 * k * v, m**2 * k),
}


@proof("RS.P1-sufficiency", "split", Level.EXACT, p1_sufficiency.contribution, FALSE)
def test_children_contribute_what_their_parent_does(stated: Callable[..., Any]) -> None:
    a, b, k, v = symbols("a b K v")  # a child of mass a, and all others together
    for whole, one, rest in zip(*(stated(m, k, v) for m in (a + b, a, b)), strict=True):
        require(vanishes(whole - one - rest))


@proof("RS.P1-sufficiency", "others", Level.EXACT, p1_sufficiency.contribution, {"no mass": FALSE["no mass"]})
def test_the_output_does_not_change(stated: Callable[..., Any]) -> None:
    a, b, k, v, top, bottom = symbols("a b K v S_v S")
    whole, one, rest = (stated(m, k, v) for m in (a + b, a, b))
    before = (top + whole[0]) / (bottom + whole[1])
    require(vanishes(before - (top + one[0] + rest[0]) / (bottom + one[1] + rest[1])))


@proof("RS.P1-sufficiency", "split", Level.KERNEL)
def test_coq_for_any_number_of_parts() -> None:
    accepts("equal_splits.v", "linear_keeps_every_split", "sum n (fun i => w (part i)) = w (sum n part)")


@control("RS.P1-sufficiency", "mass", Level.EXACT)
def test_copies_that_each_keep_the_whole_mass() -> None:
    whole = p1_sufficiency.contribution(Fraction(1), 1, 1)
    twice = [2 * x for x in whole]
    require(equal(twice[0] / (1 + twice[1]), Fraction(2, 3)))  # beside a token of value 0; before it was 1/2


@control("RS.P1-sufficiency", "content", Level.EXACT)
def test_a_child_with_another_value() -> None:
    half = Fraction(1, 2)
    parts = [p1_sufficiency.contribution(half, 1, 1), p1_sufficiency.contribution(half, 1, 0)]
    top, bottom = (sum(part[side] for part in parts) for side in (0, 1))
    require(equal(top / (1 + bottom), Fraction(1, 4)))


@superfluous("RS.P1-sufficiency", "positive-kernel", Level.EXACT)
def test_the_identity_holds_for_any_kernel_value() -> None:
    a, b, k, v = symbols("a b K v")  # no sign is assumed of K
    for whole, one, rest in zip(*(p1_sufficiency.contribution(m, k, v) for m in (a + b, a, b)), strict=True):
        require(vanishes(whole - one - rest))


@proof("RS.P1-sufficiency", "others", Level.KERNEL)
def test_coq_output_of_any_length() -> None:
    accepts("equal_splits.v", "linear_keeps_every_output", "= attention_of_parents w K n mass score value")
