"""RS Appendix C.2: equal volume, different gain."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb
from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from marks import nan, proof
from refsym_theory.claims.rs import c2_box, c2_shape, w1
from refsym_theory.evidence import Level, below, equal, require

ID = "RS.C2-shape"
Sides = tuple[Fraction, ...]


@proof(
    ID,
    "volume",
    Level.EXACT,
    c2_shape.volume,
    {"sum of sides": sum, "longest side": max, "NaN": nan},
)
def test_equal_volumes(stated: Callable[[Sides], Fraction]) -> None:
    require(equal(stated(c2_shape.SQUARE), stated(c2_shape.BAR)))
    require(equal(stated(c2_shape.BAR), Fraction(1)))


@proof(
    ID,
    "covariance",
    Level.EXACT,
    c2_shape.covariance,
    {
        "volume in place of sides": lambda s: (c2_shape.volume(s) / 12,) * 2,
        "12 lost": lambda s: tuple(x**2 for x in s),
    },
)
def test_different_covariances(
    stated: Callable[[Sides], Sides], record_property: Callable[[str, object], None]
) -> None:
    expected = {c2_shape.SQUARE: (Fraction(1, 12), Fraction(1, 12)), c2_shape.BAR: (Fraction(1, 3), Fraction(1, 48))}
    for sides, diagonal in expected.items():
        for found, wanted in zip(stated(sides), diagonal, strict=True):
            require(equal(found, wanted))
    h = symbols("h")
    require(vanishes(w1.uniform_variance(h) - h**2 / 12))  # as integrated in RS.W1
    record_property("claimed", "different covariance at equal volume")
    record_property("computed", "diag(1/12, 1/12) and diag(1/3, 1/48)")


@proof(
    ID,
    "gain",
    Level.ENCLOSED,
    lambda sides: c2_box.interval_gain(arb.pi() * ball(sides[0]) / 2),
    {
        "gain from the volume": lambda sides: c2_box.interval_gain(arb.pi() * ball(c2_shape.volume(sides)) / 2),
        "gain from the other side": lambda sides: c2_box.interval_gain(arb.pi() * ball(sides[1]) / 2),
        "NaN": lambda sides: arb("nan"),
    },
)
def test_different_gains(stated: Callable[[Sides], arb], record_property: Callable[[str, object], None]) -> None:
    with digits(20):
        square, bar = stated(c2_shape.SQUARE), stated(c2_shape.BAR)
        require(below(abs(square - 2 / arb.pi()), ball("1e-15")))
        require(below(abs(bar), ball("1e-15")))
        record_property("claimed", "different gains at equal volume")
        record_property("computed", f"{square.str(6, radius=False)} and 0 at ω = (π, 0)")
        gaussians = []
        for sides, twice in ((c2_shape.SQUARE, 24), (c2_shape.BAR, 6)):
            exponent = -(arb.pi() ** 2) * ball(c2_shape.covariance(sides)[0]) / 2
            require(below(abs(exponent + arb.pi() ** 2 / twice), ball("1e-15")))
            gaussians.append(exponent.exp())
        require(below(gaussians[1] + ball("0.4"), gaussians[0]))


@proof(
    ID,
    "cover",
    Level.EXACT,
    lambda a, b: max(a[1], b[1]) - min(a[0], b[0]) - max(Fraction(0), max(a[0], b[0]) - min(a[1], b[1])),
    {"patches counted": lambda a, b: Fraction(2), "lengths added": lambda a, b: a[1] - a[0] + b[1] - b[0]},
)
def test_measure_of_a_cover(stated: Callable[..., Fraction]) -> None:
    patch, other = (Fraction(0), Fraction(3, 4)), (Fraction(1, 4), Fraction(1))
    require(equal(stated(patch, other), Fraction(1)))  # overlap 1/2
    require(equal(stated(patch, (Fraction(3, 4), Fraction(3, 2))), Fraction(3, 2)))  # none
