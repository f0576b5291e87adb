"""RS E.1: inverse count in one modality."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs.c3_attention import attention
from refsym_theory.claims.rs.e1_count import counted_output
from refsym_theory.evidence import Level, below, equal, require

ONE = Fraction(1)


@proof(
    "RS.E1-count",
    "cancels",
    Level.EXACT,
    counted_output,
    {
        "numerator only": lambda a, b, n: (a / n) / b,
        "count in place of the normaliser": lambda a, b, n: a / n,
        "one key left out": lambda a, b, n: counted_output(a, b - 1, n),
    },
)
def test_a_common_scalar_cancels(stated: Callable[..., Any]) -> None:
    numerator, denominator, n = symbols("A B N")  # sums over any number of keys
    require(vanishes(stated(numerator, denominator, n) - numerator / denominator))


@proof("RS.E1-count", "float64", Level.EXACT, 3.0, {"one": 1.0, "four": 4.0})
def test_float64_can_tell(stated: float, record_property: Callable[[str, object], None]) -> None:
    weights, values = [1.0, 1.0, 3.0], [0.0, 1.0, 2.0]  # IEEE arithmetic is deterministic
    tokens = list(zip(weights, values, strict=True))
    standard = attention([(1.0, weight, value) for weight, value in tokens])
    counted = attention([(1.0, weight / stated, value) for weight, value in tokens])
    require(below(standard, counted))
    record_property("computed", f"{standard!r} and {counted!r}")


@control("RS.E1-count", "one", Level.EXACT)
def test_two_modalities_of_different_counts() -> None:
    audio, video = [(ONE, ONE, ONE)], [(ONE, ONE, 0 * ONE)] * 2
    counted = attention([*audio, *((ONE / 2, kernel, value) for _, kernel, value in video)])
    require(equal(attention([*audio, *video]), Fraction(1, 3)))
    require(equal(counted, Fraction(1, 2)))
