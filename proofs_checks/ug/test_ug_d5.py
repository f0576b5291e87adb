"""UG D.5: output error."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof, refutation, tightness
from refsym_theory.claims.ug import d5
from refsym_theory.evidence import Level, at_most, below, equal, require

Bound = Callable[..., Any]
BLOCKS = st.lists(st.tuples(st.integers(0, 9).map(Fraction), st.integers(-5, 5).map(Fraction)), min_size=1, max_size=5)
FALSE = {
    "as printed": d5.printed_bound,
    "half the diameter": lambda w, v, kept: d5.bound(w, v, kept) / 2,
    "diameter of the kept": lambda w, v, kept: d5.dropped_mass(w, kept) * (max(v[:kept]) - min(v[:kept])),
    "NaN": nan,
}


@refutation("UG.D5", Level.EXACT, d5.printed_bound, {"value diameter": d5.bound})
def test_plus_and_minus_one(stated: Bound, record_property: Callable[[str, object], None]) -> None:
    weights, values = (Fraction(1), Fraction(1)), (Fraction(1), Fraction(-1))
    sparse, full = d5.outputs(weights, values, 1)
    record_property("claimed", f"at most {stated(weights, values, 1)}")
    record_property("computed", f"|{sparse} - {full}| = {abs(sparse - full)}")
    require(below(stated(weights, values, 1), abs(sparse - full)))


@proof(
    "UG.D5",
    "mixture",
    Level.EXACT,
    lambda x, y: x - y,
    {"sum of means": lambda x, y: x + y, "m_K alone": lambda x, y: x},
)
def test_full_output_is_a_mixture(stated: Bound) -> None:
    kept, dropped, x, y = symbols("kept dropped x y")  # masses and means of both parts
    delta = dropped / (kept + dropped)
    full = (kept * x + dropped * y) / (kept + dropped)
    require(vanishes(x - full - delta * stated(x, y)))


@proof(
    "UG.D5",
    "means",
    Level.EXACT,
    lambda v, u: v - u,
    {"v + u": lambda v, u: v + u, "2 (v - u)": lambda v, u: 2 * (v - u)},
)
def test_difference_of_means_is_a_mean_of_differences(stated: Bound) -> None:
    p, q, v, u = symbols("p q v u")
    # Pair by pair; summed over j the weights q give 1, summed over i the weights p give 1.
    require(vanishes(p * q * stated(v, u) - (p * v) * q + (q * u) * p))
    three = symbols("p:3 v:3 q:2 u:2")
    ps, vs, qs, us = three[:3], three[3:6], three[6:8], three[8:]
    total = sum(a * b * stated(x, y) for a, x in zip(ps, vs, strict=True) for b, y in zip(qs, us, strict=True))
    one = {ps[2]: 1 - ps[0] - ps[1], qs[1]: 1 - qs[0]}
    means = sum(a * x for a, x in zip(ps, vs, strict=True)) - sum(b * y for b, y in zip(qs, us, strict=True))
    require(vanishes((total - means).subs(one)))


@proof("UG.D5", "twice", Level.EXACT)
def test_at_most_twice_the_printed_bound() -> None:
    top, x, y = symbols("top x y")  # |v_i| = top - x, |v_j| = top - y, x, y >= 0
    require(vanishes(2 * top - (top - x) - (top - y) - x - y))


@proof(
    "UG.D5",
    "plain",
    Level.EXACT,
    lambda full, inside: full - inside,
    {"renormalised": lambda full, inside: full - 2 * inside},
)
def test_without_renormalising(stated: Bound) -> None:
    inside, outside = symbols("inside outside")  # sums of alpha v over both parts
    require(vanishes(stated(inside + outside, inside) - outside))
    mass, top, x = symbols("mass top x")  # one dropped block: alpha (top - x) <= alpha top
    require(vanishes(mass * top - mass * (top - x) - mass * x))


@proof("UG.D5", "means", Level.SAMPLED, d5.bound, FALSE)
@given(BLOCKS, st.integers(1, 5))
def test_in_rationals(stated: Bound, blocks: list[tuple[Fraction, Fraction]], kept: int) -> None:
    weights, values = zip(*blocks, strict=True)
    if kept <= len(blocks) and sum(weights[:kept]) > 0:
        sparse, full = d5.outputs(weights, values, kept)
        require(at_most(abs(sparse - full), stated(weights, values, kept)))


@tightness("UG.D5", Level.EXACT, d5.bound, {"half the diameter": FALSE["half the diameter"]})
def test_every_dropped_mass(stated: Bound) -> None:
    for dropped in (Fraction(1, 100), Fraction(1), Fraction(50)):
        weights, values = (Fraction(1), dropped), (Fraction(1), Fraction(-1))
        sparse, full = d5.outputs(weights, values, 1)
        require(equal(abs(sparse - full), stated(weights, values, 1)))
        require(equal(abs(sparse - full), 2 * d5.printed_bound(weights, values, 1)))


@control("UG.D5", "kept", Level.EXACT)
def test_a_kernel_that_keeps_nothing() -> None:
    # No kept weight: kernels return 0. One dropped value 1 with all the mass: error 1, value diameter 0.
    weights, values = (Fraction(1),), (Fraction(1),)
    require(below(d5.bound(weights, values, 0), abs(Fraction(0) - values[0])))
