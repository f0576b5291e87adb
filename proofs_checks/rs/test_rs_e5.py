"""RS equation 5."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from sympy import Expr, Rational, symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs import e5
from refsym_theory.evidence import Level, equal, require

ID = "RS.E5"
STATED = e5.variance


def population_variance(b: Sequence[int]) -> Fraction:
    return Fraction(sum(x * x for x in b), len(b)) - Fraction(sum(b), len(b)) ** 2


@proof(
    ID,
    "identity",
    Level.EXACT,
    STATED,
    {
        "p^2 for p(1-p)": lambda p, s, m: p * s + p**2 * m**2,
        "offset left out": lambda p, s, m: p * s,
        "within not weighted": lambda p, s, m: s + p * (1 - p) * m**2,
    },
)
def test_identity(stated: Callable[..., Expr]) -> None:
    p, within, mean = symbols("p s2 l")  # physical keys have the second moment s2 + l^2
    require(vanishes(p * (within + mean**2) - (p * mean) ** 2 - stated(p, within, mean)))


@proof(
    ID,
    "edges",
    Level.EXACT,
    STATED,
    {"p(1-p) twice": lambda p, s, m: p * (1 - p) * (s + m**2), "offset left at p = 1": lambda p, s, m: p * (s + m**2)},
)
def test_edges(stated: Callable[..., Expr]) -> None:
    within, mean = symbols("s2 l")
    require(vanishes(stated(Rational(1), within, mean) - within))
    require(vanishes(stated(Rational(0), within, mean)))


@proof(ID, "identity", Level.EXACT, STATED, {"n - 1 within": lambda p, s, m: STATED(p, 2 * s, m), "NaN": nan})
def test_four_keys(stated: Callable[..., object], record_property: Callable[[str, object], None]) -> None:
    found = population_variance([1, 3, 0, 0])  # half physical, mean 2, variance 1
    require(equal(stated(Fraction(1, 2), Fraction(1), 2), found))
    record_property("claimed", "1/2 + 1")
    record_property("computed", str(found))


@proof(ID, "direction", Level.EXACT)
def test_direction_matters() -> None:
    b = [1, -1, 1, -1]  # the gradients have one norm and sum to 0
    along, across = [1, -1, 1, -1], [1, 1, -1, -1]
    require(equal(sum(x * y for x, y in zip(along, b, strict=True)), 4))
    require(equal(sum(x * y for x, y in zip(across, b, strict=True)), 0))


@control(ID, "zero", Level.EXACT)
def test_others_with_an_offset() -> None:
    # Physical keys at 1 and the others at 1 too: no variance, while the formula gives 1/4.
    require(equal(population_variance([1, 1]), Fraction(0)))
    require(equal(STATED(Fraction(1, 2), 0, 1), Fraction(1, 4)))
