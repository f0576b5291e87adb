"""RS Table 4: token-axis normalization."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs import c3_norm
from refsym_theory.claims.rs.c3_attention import Form, counted, split
from refsym_theory.claims.rs.c3_norm import moments, squared_output
from refsym_theory.evidence import Level, equal, require
from splits import changes, require_additive, require_invariant

HALF = Fraction(1, 2)
PAIR = [(Fraction(1), Fraction(0)), (Fraction(1), Fraction(1))]


@proof(
    "RS.C3-norm",
    "additive",
    Level.EXACT,
    c3_norm.contribution,
    {
        "mass squared in the second moment": lambda mass, x: (mass**2 * x**2, mass * x, mass),
        "number of tokens for the mass": lambda mass, x: (mass * x**2, mass * x, 1),
    },
)
def test_moments_are_additive_in_the_mass(stated: Callable[..., Any]) -> None:
    require_additive(stated, symbols("x"))


@proof("RS.C3-norm", "additive", Level.EXACT, moments, {"counted": counted(moments), "NaN": nan})
def test_no_split_of_three_tokens_shows(stated: Form) -> None:
    require_invariant(stated, [symbols(f"m{i} x{i}") for i in range(3)])


@proof(
    "RS.C3-norm",
    "variance",
    Level.EXACT,
    lambda square, first: square - first**2,
    {"mean not squared": lambda square, first: square - first, "mean added": lambda square, first: square + first**2},
)
def test_centred_second_moment(stated: Callable[..., Any]) -> None:
    # S2, S1, M stand for the three totals, so that the number of tokens does not matter.
    s2, s1, m = symbols("S2 S1 M")
    mean = s1 / m
    centred = (s2 - 2 * mean * s1 + mean**2 * m) / m
    require(vanishes(stated(s2 / m, mean) - centred))


@proof("RS.C3-norm", "count", Level.EXACT, counted, {"with masses": lambda form: form, "NaN": lambda _: nan})
def test_counting_moves_an_untouched_token(
    stated: Callable[[Form], Form], record_property: Callable[[str, object], None]
) -> None:
    form = stated(lambda tokens: squared_output(Fraction(0), tokens))
    after = split(PAIR, 1, (HALF, HALF))
    require(equal(form(PAIR), 1))
    require(equal(form(after), 2))
    record_property("computed", "the output -1 of the untouched token becomes minus the root of 2")


@control("RS.C3-norm", "conserved", Level.EXACT)
def test_copies_that_keep_the_whole_mass() -> None:
    require(changes(moments, PAIR, split(PAIR, 1, (Fraction(1), Fraction(1)))))


@control("RS.C3-norm", "copied", Level.EXACT)
def test_copies_apart_with_the_same_mean() -> None:
    after = [PAIR[0], (HALF, HALF), (HALF, 3 * HALF)]
    require(equal(moments(PAIR)[0], moments(after)[0]))
    require(changes(moments, PAIR, after))


@control("RS.C3-norm", "spread", Level.EXACT)
def test_nothing_to_scale_by() -> None:
    require(equal(moments([(Fraction(1), Fraction(3)), (Fraction(2), Fraction(3))])[1], 0))
