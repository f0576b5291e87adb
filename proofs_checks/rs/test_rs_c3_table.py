"""RS Table 4: 34 configurations."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from marks import nan, proof, value
from refsym_theory.claims.rs.c3_attention import Form
from refsym_theory.claims.rs.c3_table import Configuration, configurations
from refsym_theory.evidence import Level, at_most, below, equal, require
from splits import outputs


def measure(configuration: Configuration) -> Form:
    return configuration.measure


def count(configuration: Configuration) -> Form:
    return configuration.count


def deviation(form: Form, before: Any, after: Any) -> Any:
    return max(abs(x - y) for x, y in zip(outputs(form(before)), outputs(form(after)), strict=True))


def in_floats(x: Any) -> Any:
    if isinstance(x, list | tuple):
        return type(x)(map(in_floats, x))
    return float(x) if isinstance(x, Fraction) else x


@proof("RS.C3-table", "measure", Level.EXACT, measure, {"count form": count, "NaN": lambda _: nan})
def test_measure_forms_do_not_move(
    stated: Callable[[Configuration], Form], record_property: Callable[[str, object], None]
) -> None:
    found = list(configurations())
    assert len(found) == 34
    assert len(Counter(one.operation for one in found)) == 8
    for one in found:
        require(equal(sum(one.parts), one.tokens[one.index][0]))
        require(equal(deviation(stated(one), one.tokens, one.after), 0))
    record_property("claimed", "34 configurations: rounding only")
    record_property("computed", "34 configurations: exactly 0")


@proof("RS.C3-table", "count", Level.EXACT, count, {"measure form": measure, "NaN": lambda _: nan})
def test_count_forms_move(
    stated: Callable[[Configuration], Form], record_property: Callable[[str, object], None]
) -> None:
    moved = [deviation(stated(one), one.tokens, one.after) for one in configurations()]
    for change in moved:
        require(below(0, change))
    record_property("claimed", "7.9e-2 to 4.4 in the paper's own instances, which are not given")
    record_property("computed", f"{float(min(moved)):.2g} to {float(max(moved)):.2g} in the ones built here")


@proof("RS.C3-table", "float64", Level.EXACT, measure, {"count form": count, "NaN": lambda _: nan})
def test_float64_leaves_rounding(
    stated: Callable[[Configuration], Form], record_property: Callable[[str, object], None]
) -> None:
    # Deterministic IEEE arithmetic (+, -, *, /, integer powers): the printed deviations are exact numbers.
    moved = [deviation(stated(one), in_floats(one.tokens), in_floats(one.after)) for one in configurations()]
    for change in moved:
        require(at_most(change, 2.0**-50))
    record_property("claimed", "at most 8.9e-16")
    record_property("computed", f"at most {max(moved):.1e}")


PRINTED = ["2.2e-16", "1.1e-16", "8.9e-16", "6.7e-16", "6.7e-16", "0", "4.4e-16", "4.4e-16"]


@value(
    "RS.C3-table",
    "printed",
    Level.EXACT,
    Fraction(1, 2**53),
    {"2^-52": Fraction(1, 2**52), "2^-49": Fraction(1, 2**49), "1e-16": Fraction(1, 10**16)},
)
def test_printed_deviations_are_multiples_of_the_unit(
    stated: Fraction, record_property: Callable[[str, object], None]
) -> None:
    multiples = [round(Fraction(number) / stated) for number in PRINTED]
    for number, multiple in zip(PRINTED, multiples, strict=True):
        half_digit = Fraction(1, 2) * Fraction(1, 10**17)
        require(at_most(abs(multiple * stated - Fraction(number)), half_digit))
    record_property("computed", f"{', '.join(map(str, multiples))} times 2^-53")
