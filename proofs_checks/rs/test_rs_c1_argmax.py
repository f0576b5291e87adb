"""RS B.3: the margin of the argmax."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from hypothesis import example, given
from hypothesis import strategies as st
from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import c1_argmax
from refsym_theory.evidence import Level, Truth, below, equal, require

Note = Callable[[str, object], None]


@proof(
    "RS.C1-argmax",
    "pair",
    Level.EXACT,
    c1_argmax.margin_gap,
    {"epsilon for 2 epsilon": lambda lead, e, top, other: (lead + top - other) - (lead - e)},
)
def test_a_pairwise_margin_falls_by_two_epsilon(stated: Callable[..., Expr]) -> None:
    lead, e, top, other = symbols("lead epsilon top other")  # moves of at most epsilon
    require(vanishes(stated(lead, e, top, other) - ((e + top) + (e - other))))


@proof(
    "RS.C1-argmax",
    "top",
    Level.EXACT,
    lambda lead, top, other: lead - (other - top),
    {"absolute moves": lambda lead, top, other: lead - (other + top)},
)
def test_new_lead_is_old_lead_less_the_relative_move(stated: Callable[..., Expr]) -> None:
    z_top, z_other, top, other, e, shift = symbols("z_t z_j top other epsilon shift")
    new_lead = (z_top + top) - (z_other + other)
    require(vanishes(stated(z_top - z_other, top, other) - new_lead))  # positive if and only if the top stays ahead
    require(vanishes(stated(z_top - z_other, top + shift, other + shift) - new_lead))
    require(vanishes(new_lead - ((z_top - z_other - 2 * e) + (e + top) + (e - other))))  # first term > 0, others >= 0


def keeps(z: Sequence[Fraction], moves: Sequence[Fraction], allowed: Fraction) -> Truth:
    """Whether the top index stays the only one, or the margin is not above `allowed` times the largest move."""
    order = sorted(range(len(z)), key=lambda j: z[j])
    margin = z[order[-1]] - z[order[-2]]
    if margin <= allowed * max(abs(move) for move in moves):
        return Truth.TRUE
    new = [a + b for a, b in zip(z, moves, strict=True)]
    return below(max(new[j] for j in order[:-1]), new[order[-1]])


LOGITS = st.lists(st.tuples(st.integers(-6, 6), st.integers(-3, 3)), min_size=2, max_size=5)


@proof(
    "RS.C1-argmax",
    "top",
    Level.SAMPLED,
    lambda z, moves: keeps(z, moves, Fraction(2)),
    {"the margin itself": lambda z, moves: keeps(z, moves, Fraction(1)), "NaN": lambda *_: below(0, nan())},
)
@given(LOGITS)
@example([(3, -2), (0, 2)])
def test_integer_logits(stated: Callable[..., Truth], pairs: list[tuple[int, int]]) -> None:
    require(stated([Fraction(a) for a, _ in pairs], [Fraction(b) for _, b in pairs]))


@tightness("RS.C1-argmax", Level.EXACT, lambda e: 2 * e, {"epsilon": lambda e: e, "3 epsilon": lambda e: 3 * e})
def test_below_two_epsilon_it_can_be_overturned(stated: Callable[[Expr], Expr], record_property: Note) -> None:
    factor, e = symbols("kappa epsilon")
    first, second = c1_argmax.overturned(factor, e)
    require(vanishes((first - second) - (factor * e - stated(e))))  # negative for kappa < 2
    record_property("claimed", "margin 2 ε")
    record_property("computed", "z = (κ ε, 0), z' = z + (-ε, ε): new lead (κ - 2) ε")


@control("RS.C1-argmax", "strict", Level.EXACT)
def test_a_margin_of_exactly_two_epsilon(record_property: Note) -> None:
    first, second = c1_argmax.overturned(2, Fraction(1))
    require(equal(first, second))  # two indices share the top, and a rule that takes the second answers differently
    record_property("computed", "z = (2, 0), ε = 1, z' = (1, 1)")
