"""RS Appendix E.1: counts."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.e1_count import weight
from refsym_theory.evidence import Level, equal, require


@proof(
    "RS.E1-count",
    "cancel",
    Level.EXACT,
    weight,
    {"count added": lambda k, n: k + n, "count as an exponent": lambda k, n: k**2},
)
def test_a_common_scalar_cancels(stated: Callable[..., Any]) -> None:
    n, top, bottom, kernel, value = symbols("N S_v S K v")  # sums over the other keys, and one key more
    found = (top / n + stated(kernel, n) * value) / (bottom / n + stated(kernel, n))
    require(vanishes(found - (top + kernel * value) / (bottom + kernel)))


@control("RS.E1-count", "one-modality", Level.EXACT)
def test_two_modalities() -> None:
    # Two audio keys and one video key, equal scores: the share of audio falls from 2/3 to 1/2.
    counted = 2 * weight(Fraction(1), 2)
    require(equal(counted / (counted + weight(Fraction(1), 1)), Fraction(1, 2)))
