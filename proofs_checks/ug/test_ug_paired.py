"""UG section 4.1: the two metrics."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from marks import control, proof
from refsym_theory.claims.ug.paired import accuracy, paired
from refsym_theory.evidence import Level, below, equal, require

Record = Callable[[str, object], None]


@proof(
    "UG.PAIRED",
    "equal",
    Level.EXACT,
    paired,
    {
        "of all that sparse answers": lambda both, dense: both / (both + 1),
        "one question fewer": lambda both, dense: both / (dense - 1),
    },
)
def test_dense_answers_all(stated: Callable[..., Any]) -> None:
    c, n = symbols("c n")
    require(vanishes(accuracy(c, 0, n) - stated(c, n)))


@proof(
    "UG.PAIRED",
    "apart",
    Level.EXACT,
    lambda wrong, n: wrong / n,
    {"half of it": lambda wrong, n: wrong / (2 * n), "nothing": lambda wrong, n: 0 * n},
)
def test_difference_of_the_metrics(stated: Callable[..., Any]) -> None:
    # dense answers m = c + f, of the e others sparse answers x = e - y; all nonnegative, and so is every product.
    c, f, x, y = symbols("c f x y")
    m, e = c + f, x + y
    n = m + e
    difference = accuracy(c, x, n) - paired(c, m)
    for sign in (1, -1):
        rest = (stated(e, n) - sign * difference) * m * n
        require(nonnegative_coefficients(rest.cancel().expand() + 0 * c))
    # Attained: sparse misses all of dense's and answers all others, and the reverse.
    require(equal(accuracy(0, Fraction(4), 100) - paired(Fraction(0), 96), stated(Fraction(4), 100)))
    require(equal(paired(Fraction(96), 96) - accuracy(Fraction(96), 0, 100), stated(Fraction(4), 100)))


@control("UG.PAIRED", "perfect", Level.EXACT)
def test_at_the_printed_accuracy_of_dense(record_property: Record) -> None:
    found = Fraction(48, 100), Fraction(48, 96)  # of 100 questions dense answers 96, sparse 48 of these
    record_property("claimed", "dense at 0.96 or more: they coincide")
    record_property("computed", f"accuracy {float(found[0])}, paired {float(found[1])}")
    require(equal(accuracy(Fraction(48), 0, 100), found[0]))
    require(equal(paired(Fraction(48), 96), found[1]))
    require(below(*found))


@control("UG.PAIRED", "some", Level.EXACT)
def test_dense_answers_nothing() -> None:
    with pytest.raises(ZeroDivisionError):
        paired(Fraction(0), 0)
