"""UG Lemma 1's constant chi."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import expand, symbols

from algebra import nonnegative_coefficients, vanishes
from balls import agrees, ball, digits
from marks import control, nan, proof, tightness, value
from refsym_theory.claims.ug import l1_chi
from refsym_theory.evidence import Level, at_most, below, require

TERMS = 8
Record = Callable[[str, object], None]


def at(d: Fraction) -> arb:
    """Return y for Delta_2 = d tau."""
    return (-ball(d * d / 4)).exp()


def enclosed(y: arb, series: Callable[..., Any] = l1_chi.ratio) -> arb:
    """Enclose chi / y."""
    return series(y, TERMS) + arb(0).union(l1_chi.rest(y, TERMS))


@proof(
    "UG.L1-chi",
    "monotone",
    Level.EXACT,
    l1_chi.ratio,
    {"alternating signs": lambda y, terms: sum((-1) ** m * (m + 1) * y ** (m * m - 1) for m in range(1, terms + 1))},
)
def test_every_term_grows(stated: Callable[..., Any]) -> None:
    y, h, p, q = symbols("y h p q")
    # The induction over n: with p = (y + h)^n and q = y^n, p - q >= 0 gives (y + h) p - y q >= 0.
    require(vanishes((y + h) * p - y * q - (y + h) * (p - q) - h * q))
    require(nonnegative_coefficients(expand(stated(y + h, 4) - stated(y, 4))))


@proof(
    "UG.L1-chi",
    "rest",
    Level.EXACT,
    lambda m: 2 * m + 1,
    {"one power too many": lambda m: 2 * m + 2, "exponents grow by 1": lambda m: 1},
)
def test_quotients_of_terms_fall(stated: Callable[..., Any]) -> None:
    m, first = symbols("m first")
    require(vanishes((m + 1) ** 2 - 1 - (m**2 - 1) - stated(m)))  # y^(2m+1) <= y^(2 first+1) for m >= first
    # (m + 2) / (m + 1) <= (first + 2) / (first + 1) for m >= first.
    require(vanishes((first + 2) * (m + 1) - (m + 2) * (first + 1) - (m - first)))
    # A geometric series from the next term t on, t / (1 - quotient), is what `rest` returns.
    y, t = symbols("y t")
    quotient = (first + 2) / (first + 1) * y
    require(vanishes(t * (first + 1) / ((first + 1) - (first + 2) * y) - t / (1 - quotient)))


@value(
    "UG.L1-chi",
    "value",
    Level.ENCLOSED,
    l1_chi.ratio,
    {
        "chi without its m + 1": lambda y, terms: sum(y ** (m * m - 1) for m in range(1, terms + 1)),
        "2 tau^2 for 4 tau^2": lambda y, terms: l1_chi.ratio(y * y, terms),
        "m + 2 pairs": lambda y, terms: sum((m + 2) * y ** (m * m - 1) for m in range(1, terms + 1)),
        "NaN": nan,
    },
)
def test_at_two_noise_scales(stated: Callable[..., Any], record_property: Record) -> None:
    with digits(30):
        worst = enclosed(at(Fraction(2)), stated)
        require(below(worst, ball(l1_chi.PRINTED)))
        require(below(worst, ball(Fraction(21508, 10000))))
        require(agrees(worst, "2.1507"))
        require(at_most(enclosed(at(Fraction(191, 100))), ball(l1_chi.PRINTED)))
        require(at_most(l1_chi.chi(at(Fraction(2))), ball(l1_chi.PRINTED) * at(Fraction(2))))
    record_property("claimed", "2.2")
    record_property("computed", worst.str(12, radius=False))


@control("UG.L1-chi", "wide", Level.ENCLOSED)
def test_at_a_narrower_spacing() -> None:
    require(below(ball(l1_chi.PRINTED), l1_chi.ratio(at(Fraction(9, 5)), 3)))  # a partial sum is enough


@tightness("UG.L1-chi", Level.ENCLOSED)
def test_a_smaller_constant_fails() -> None:
    require(below(ball(Fraction(215, 100)), l1_chi.ratio(at(Fraction(2)), 3)))
    require(below(2, l1_chi.ratio(at(Fraction(4)), 3)))
