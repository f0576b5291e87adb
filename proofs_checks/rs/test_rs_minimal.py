"""RS section 2.1: 1/2, 2/3, 1/2."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from marks import nan, value
from refsym_theory.claims.rs import minimal
from refsym_theory.evidence import Level, equal, require

ONE, HALF = Fraction(1), Fraction(1, 2)
Record = Callable[[str, object], None]
WRONG = {
    "sum for mean": lambda m, v: sum(a * b for a, b in zip(m, v, strict=True)),
    "masses ignored in the normalizer": lambda m, v: sum(a * b for a, b in zip(m, v, strict=True)) / Fraction(len(m)),
    "NaN": nan,
}


@value("RS.MINIMAL", "before", Level.EXACT, minimal.output, {"sum for mean": WRONG["sum for mean"], "NaN": nan})
def test_two_tokens(stated: Callable[..., Any], record_property: Record) -> None:
    found = stated([ONE, ONE], [0 * ONE, ONE])
    record_property("claimed", "1/2")
    record_property("computed", str(found))
    require(equal(found, HALF))


@value("RS.MINIMAL", "after", Level.EXACT, minimal.output, {"sum for mean": WRONG["sum for mean"]})
def test_a_copy(stated: Callable[..., Any], record_property: Record) -> None:
    found = stated([ONE, ONE, ONE], [0 * ONE, ONE, ONE])
    record_property("claimed", "2/3")
    record_property("computed", str(found))
    require(equal(found, Fraction(2, 3)))


@value("RS.MINIMAL", "measure", Level.EXACT, minimal.output, WRONG)
def test_half_the_mass_each(stated: Callable[..., Any], record_property: Record) -> None:
    found = stated([ONE, HALF, HALF], [0 * ONE, ONE, ONE])
    record_property("claimed", "1/2")
    record_property("computed", str(found))
    require(equal(found, HALF))
