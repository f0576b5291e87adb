"""RS Proposition 1."""

from collections.abc import Callable
from typing import Any

from sympy import symbols

from algebra import vanishes
from kernel import accepts
from marks import proof
from refsym_theory.claims.rs import p1
from refsym_theory.evidence import Level, require


@proof("RS.P1", "back", Level.EXACT, p1.weight, {"affine": lambda m, c: c * m + 1, "square": lambda m, c: c * m**2})
def test_a_linear_weight_survives_equal_splits(stated: Callable[..., Any]) -> None:
    m, c, k, kernel, v, top, bottom, n = symbols("m c k K v S_v S n")
    before, after = stated(m, c) * kernel, k * stated(m / k, c) * kernel
    require(vanishes((top + before * v) / (bottom + before) - (top + after * v) / (bottom + after)))
    require(vanishes(stated(n, c) / stated(m, c) - n / m))  # c leaves every ratio of weights


@proof(
    "RS.P1",
    "back",
    Level.KERNEL,
    None,
    {"one child more": ("INR k * w (m / INR k) = w m.", "(INR k + 1) * w (m / INR k) = w m.")},
)
def test_coq_both_directions(stated: tuple[str, str] | None) -> None:
    accepts("equal_splits.v", "characterization", "(invariant w K <-> linear w)", stated)
