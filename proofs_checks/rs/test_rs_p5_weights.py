"""RS Proposition 5, first half."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import symbols

from algebra import vanishes
from kernel import accepts
from marks import control, proof
from refsym_theory.claims.rs import p1_necessity, p5_weights
from refsym_theory.evidence import Level, below, equal, require


@proof(
    "RS.P5-weights",
    "injective",
    Level.EXACT,
    p1_necessity.share,
    {"not normalized": lambda u, c: u + c, "product": lambda u, c: u * c / (u + c) * 2},
)
def test_the_share_reads_off_the_weight(stated: Callable[..., Any]) -> None:
    whole, one, other, c = symbols("w w_a w_b c")
    slack = (stated(whole, c) - stated(one + other, c)) * (whole + c) * (one + other + c)
    require(vanishes(slack - c * (whole - one - other)))


@proof("RS.P5-weights", "monotone", Level.EXACT, lambda x, rest: x + rest, {"subtracted": lambda x, rest: x - rest})
def test_the_rest_is_positive(stated: Callable[..., Any]) -> None:
    x, rest = symbols("w_x w_rest")  # y = x + (y - x), and w(y - x) > 0
    require(vanishes(stated(x, rest) - x - rest))


@proof(
    "RS.P5-weights",
    "rational",
    Level.EXACT,
    lambda total, part: total + part,
    {"a part lost": lambda total, part: total},
)
def test_one_part_more(stated: Callable[..., Any]) -> None:
    k, part = symbols("k w_part")  # k parts weigh k w(m / k), by induction
    require(vanishes(stated(k * part, part) - (k + 1) * part))


@proof(
    "RS.P5-weights",
    "",
    Level.KERNEL,
    None,
    {
        "positivity dropped": (
            "Theorem binary_splits_imply_linear w :\n  positive w ->",
            "Theorem binary_splits_imply_linear w :\n  True ->",
        )
    },
)
def test_coq_without_monotonicity(stated: tuple[str, str] | None) -> None:
    accepts("equal_splits.v", "binary_splits_imply_linear", "w (a + b) = w a + w b) -> linear w", stated)


@control("RS.P5-weights", "positive", Level.EXACT)
def test_the_conjugate_of_a_surd() -> None:
    for a, b, c, d in product(range(-2, 3), repeat=4):
        total = p5_weights.conjugate(a + c, b + d)
        parts = [x + y for x, y in zip(p5_weights.conjugate(a, b), p5_weights.conjugate(c, d), strict=True)]
        assert list(total) == parts
    one, root = p5_weights.conjugate(1, 0), p5_weights.conjugate(0, 1)
    require(equal(one[0], 1))
    require(below(root[1], 0))  # w(sqrt 2) = - sqrt 2: additive, not positive, not linear


@control("RS.P5-weights", "unequal", Level.EXACT)
def test_halves_alone_leave_a_staircase() -> None:
    powers = {m: Fraction(2) ** (m.bit_length() - 1) for m in range(1, 17)}
    assert all(2 * powers[m] == powers[2 * m] for m in range(1, 9))
    require(equal(powers[3], powers[2]))
