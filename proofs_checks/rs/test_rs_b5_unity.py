"""RS B.5: partition of unity for overlapping supports."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.b5_unity import coupling, integrand, masses
from refsym_theory.claims.rs.c3_attention import attention, contribution
from refsym_theory.evidence import Level, below, equal, require

HALF, ONE = Fraction(1, 2), Fraction(1)
# Two crops: A covers both atoms, B the second one only, which they share in halves.
SHARED, FULL, MEASURE = [[ONE, HALF], [0 * ONE, HALF]], [[ONE, ONE], [0 * ONE, ONE]], [ONE, ONE]


@proof(
    "RS.B5-unity",
    "numerator",
    Level.EXACT,
    masses,
    {
        "shares without the measure": lambda shares, measure: [sum(row) for row in shares],
        "first point only": lambda shares, measure: [row[0] * measure[0] for row in shares],
    },
)
def test_sums_over_tokens_and_points_commute(stated: Callable[..., Any]) -> None:
    shares = [symbols(f"p{i}_0:3") for i in range(2)]
    measure, kernels, values = symbols("u0:3"), symbols("K0:2"), symbols("v0:2")
    by_token = sum(m * k * v for m, k, v in zip(stated(shares, measure), kernels, values, strict=True))
    by_point = sum(u * integrand([row[x] for row in shares], kernels, values) for x, u in enumerate(measure))
    require(vanishes(by_token - by_point))


@proof(
    "RS.B5-unity",
    "refine",
    Level.EXACT,
    integrand,
    {
        "shares squared": lambda p, k, v: integrand([share**2 for share in p], k, v),
        "mean over the functions": lambda p, k, v: integrand(p, k, v) / len(p),
    },
)
def test_functions_that_sum_to_the_old_one(stated: Callable[..., Any]) -> None:
    a, b, rest, kernel, value, other = symbols("a b rest K v other")
    before = stated((rest, a + b), (1, kernel), (other, value))
    require(vanishes(stated((rest, a, b), (1, kernel, kernel), (other, value, value)) - before))


@proof(
    "RS.B5-unity",
    "marginals",
    Level.EXACT,
    lambda psi, chi: psi * chi,
    {"sum for product": lambda psi, chi: psi + chi, "chi squared": lambda psi, chi: psi * chi**2},
)
def test_the_other_family_sums_out_at_a_point(stated: Callable[..., Any]) -> None:
    psi, *chi = symbols("psi chi1:4")
    # The last function is what the others, however many, leave of 1.
    others = (*chi, 1 - sum(chi))
    require(vanishes(sum(stated(psi, one) for one in others) - psi))


@proof(
    "RS.B5-unity",
    "marginals",
    Level.EXACT,
    coupling,
    {
        "one cover with itself": lambda p, c, m: coupling(p, p, m),
        "not divided by the region": lambda p, c, m: [[7 * x for x in row] for row in coupling(p, c, m)],
    },
)
def test_marginals_of_two_covers(stated: Callable[..., Any]) -> None:
    other = [[Fraction(1, 3), Fraction(3, 4)], [Fraction(2, 3), Fraction(1, 4)]]
    measure = [Fraction(2), Fraction(5)]
    gamma = stated(SHARED, other, measure)
    for i in range(2):
        require(equal(sum(gamma[i]), masses(SHARED, measure)[i] / 7))
        require(equal(sum(row[i] for row in gamma), masses(other, measure)[i] / 7))


@proof(
    "RS.B5-unity",
    "zero",
    Level.EXACT,
    contribution,
    {"mass one": lambda m, k, v: contribution(1, k, v), "mass plus one": lambda m, k, v: contribution(m + 1, k, v)},
)
def test_no_mass_no_contribution(stated: Callable[..., Any]) -> None:
    kernel, value = symbols("K v")
    for part in stated(0, kernel, value):
        require(equal(part, 0))


@proof(
    "RS.B5-unity",
    "crops",
    Level.EXACT,
    SHARED,
    {"full areas": FULL, "the crop that covers all": [[ONE, ONE], [0 * ONE] * 2]},
)
def test_full_areas_are_not_shares(stated: Any, record_property: Callable[[str, object], None]) -> None:
    found = masses(stated, MEASURE)
    require(equal(found, [3 * HALF, HALF]))
    outputs = [
        attention([(m, ONE, value) for m, value in zip(masses(shares, MEASURE), (0 * ONE, ONE), strict=True)])
        for shares in (stated, FULL)
    ]
    require(equal(outputs, [Fraction(1, 4), Fraction(1, 3)]))
    record_property("computed", "shares give 1/4, full areas 1/3")


@control("RS.B5-unity", "unity", Level.EXACT)
def test_full_areas_have_other_marginals() -> None:
    gamma = coupling(FULL, FULL, MEASURE)
    require(below(masses(FULL, MEASURE)[0] / 2, sum(gamma[0])))


@control("RS.B5-unity", "nonnegative", Level.EXACT)
def test_signed_shares_can_cancel_the_normaliser() -> None:
    found = masses([[3 * HALF], [-HALF]], [ONE])
    require(equal(sum(found), 1))
    require(equal(found[0] * 1 + found[1] * 3, 0))  # kernels 1 and 3


@control("RS.B5-unity", "finite", Level.EXACT)
def test_an_empty_region_has_no_coupling() -> None:
    require(equal(sum(masses([[], []], [])), 0))


@control("RS.B5-unity", "copied", Level.EXACT)
def test_a_part_with_another_value() -> None:
    before = integrand([ONE], [ONE], [ONE])
    require(below(before, integrand([HALF, HALF], [ONE, ONE], [ONE, 2 * ONE])))
