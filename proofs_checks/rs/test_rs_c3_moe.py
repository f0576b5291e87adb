"""RS Table 4: MoE load-balancing loss."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from marks import control, nan, proof
from refsym_theory.claims.rs import c3_moe
from refsym_theory.claims.rs.c3_attention import Form, counted, split
from refsym_theory.claims.rs.c3_moe import balance
from refsym_theory.evidence import Level, equal, require
from splits import changes, require_additive, require_invariant

ONE, HALF = Fraction(1), Fraction(1, 2)
PAIR = [(ONE, 0, (ONE, 0 * ONE)), (ONE, 1, (0 * ONE, ONE))]


def symbolic_token(i: int) -> tuple[Any, ...]:
    mass, p, q = symbols(f"m{i} p{i} q{i}")
    return mass, i % 2, (p, q)


@proof(
    "RS.C3-moe",
    "additive",
    Level.EXACT,
    c3_moe.contribution,
    {
        "load counted": lambda mass, routed, probability: (routed, mass * probability, mass),
        "probability counted": lambda mass, routed, probability: (mass * routed, probability, mass),
        "divided by the number of tokens": lambda mass, routed, probability: (mass * routed, mass * probability, 1),
    },
)
def test_contribution_is_additive_in_the_mass(stated: Callable[..., Any]) -> None:
    require_additive(stated, *symbols("r P"))


@proof("RS.C3-moe", "additive", Level.EXACT, balance, {"counted": counted(balance), "NaN": nan})
def test_no_split_of_three_tokens_shows(stated: Form) -> None:
    require_invariant(stated, [symbolic_token(i) for i in range(3)])


@proof("RS.C3-moe", "count", Level.EXACT, counted(balance), {"with masses": balance, "NaN": nan})
def test_counting_sees_a_heavier_load(stated: Form, record_property: Callable[[str, object], None]) -> None:
    after = split(PAIR, 0, (HALF, HALF))
    require(equal(stated(PAIR), 1))
    require(equal(stated(after), Fraction(10, 9)))
    record_property("computed", f"{stated(PAIR)} becomes {stated(after)}")


@control("RS.C3-moe", "conserved", Level.EXACT)
def test_copies_that_keep_the_whole_mass() -> None:
    require(changes(balance, PAIR, split(PAIR, 0, (ONE, ONE))))


@control("RS.C3-moe", "assignment", Level.EXACT)
def test_a_copy_sent_elsewhere() -> None:
    require(changes(balance, PAIR[:1], [(HALF, 0, PAIR[0][2]), (HALF, 1, PAIR[0][2])]))


@control("RS.C3-moe", "probabilities", Level.EXACT)
def test_a_copy_with_other_probabilities() -> None:
    require(changes(balance, PAIR[:1], [(HALF, 0, PAIR[0][2]), (HALF, 0, (HALF, HALF))]))
