"""RS B.3: several heads."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import e11_heads
from refsym_theory.evidence import Level, at_most, below, equal, require

Note = Callable[[str, object], None]


@proof(
    "RS.E11-heads",
    "concatenate",
    Level.EXACT,
    e11_heads.squared_total,
    {"the largest head": lambda errors: errors[0] ** 2, "squared twice": lambda errors: sum(e**4 for e in errors)},
)
def test_squares_add_up(stated: Callable[[Sequence[Expr]], Expr]) -> None:
    a, b, c, d = symbols("a b c d")  # two heads with two coordinates each; delta_r^2 is the square of a head's change
    one, other = symbols("delta_1 delta_2")
    concatenated = a**2 + b**2 + c**2 + d**2
    gap = stated([one, other]) - concatenated
    require(vanishes(gap - ((one**2 - (a**2 + b**2)) + (other**2 - (c**2 + d**2)))))
    require(vanishes(stated([one, other, a]) - stated([one, other]) - a**2))  # one head more


@proof("RS.E11-heads", "project", Level.EXACT, lambda w, size: w * size, {"not projected": lambda w, size: size})
def test_projection_multiplies(stated: Callable[..., Expr]) -> None:
    w, size, bound, out = symbols("W size bound out")  # out <= W size, size <= bound
    require(vanishes(stated(w, bound) - out - ((w * size - out) + w * (bound - size))))


@tightness(
    "RS.E11-heads",
    Level.EXACT,
    e11_heads.squared_total,
    {"half of it": lambda errors: e11_heads.squared_total(errors) / 2, "NaN": nan},
)
def test_two_scalar_heads_attain_it(stated: Callable[..., Fraction], record_property: Note) -> None:
    change = [Fraction(3), Fraction(4)]  # W_O the identity
    require(at_most(sum(x * x for x in change), stated(change)))
    require(equal(stated(change), Fraction(25)))
    record_property("computed", "heads 3 and 4: together 5")


@control("RS.E11-heads", "euclidean", Level.EXACT)
def test_the_sum_of_absolute_values(record_property: Note) -> None:
    change = [Fraction(3), Fraction(4)]
    require(below(e11_heads.squared_total(change), sum(change) ** 2))
    record_property("computed", "l1 norm 7, combined in squares 5")
