"""RS equation 12."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb
from sympy import Expr, symbols

from algebra import vanishes
from balls import agrees, ball, digits
from marks import control, nan, proof, value
from refsym_theory import position
from refsym_theory.claims.rs import e12
from refsym_theory.evidence import Level, at_most, below, equal, require
from rotations import Pair, minus, plus, square, turn

ID = "RS.E12"
RIGHT = e12.averaged_phase


def dropped(query: Pair, key: Pair) -> Pair:
    return e12.times(query, key)


def key_conjugated(query: Pair, key: Pair) -> Pair:
    return e12.times(query, e12.conjugate(key))


@proof(ID, "factor", Level.EXACT, RIGHT, {"dropped conjugate": dropped, "conjugate on the key": key_conjugated})
def test_double_sum(stated: Callable[[Pair, Pair], Pair]) -> None:
    # Any phases a, b: not even their modulus is used. One more query point adds its row of the double sum; so for keys.
    p, r = symbols("p0:3"), symbols("r0:2")
    a = [tuple(symbols(f"a{i} c{i}")) for i in range(3)]
    b = [tuple(symbols(f"b{i} d{i}")) for i in range(2)]
    double: Pair = (0, 0)
    for i in range(3):
        for j in range(2):
            one = e12.times(e12.conjugate(a[i]), b[j])
            double = plus(double, (p[i] * r[j] * one[0], p[i] * r[j] * one[1]))
    right = stated(e12.characteristic(p, a), e12.characteristic(r, b))
    for part in minus(double, right):
        require(vanishes(part))
    u, w, s = tuple(symbols("u0 u1")), tuple(symbols("w0 w1")), symbols("s")
    grown = stated(plus(u, (s * a[0][0], s * a[0][1])), w)
    row = e12.times(e12.conjugate(a[0]), w)
    for part in minus(grown, plus(stated(u, w), (s * row[0], s * row[1]))):
        require(vanishes(part))


@proof(ID, "centre", Level.EXACT, RIGHT, {"dropped conjugate": dropped, "conjugate on the key": key_conjugated})
def test_centres_come_out(stated: Callable[[Pair, Pair], Pair]) -> None:
    x, y = turn(symbols("s")), turn(symbols("t"))  # phases of the centres
    u, w = tuple(symbols("u0 u1")), tuple(symbols("w0 w1"))
    whole = stated(e12.times(y, u), e12.times(x, w))
    apart = e12.times(e12.times(e12.conjugate(y), x), e12.times(e12.conjugate(u), w))
    for part in minus(whole, apart):
        require(vanishes(part))


@proof(
    ID,
    "error",
    Level.EXACT,
    e12.dropped_conjugate_error_square,
    {
        "without its 2": lambda u, w: e12.dropped_conjugate_error_square(u, w) / 4,
        "real part": lambda u, w: e12.dropped_conjugate_error_square((u[1], u[0]), w),
    },
)
def test_error_without_the_conjugate(stated: Callable[[Pair, Pair], Expr]) -> None:
    u, w = tuple(symbols("u0 u1")), tuple(symbols("w0 w1"))
    require(vanishes(square(minus(dropped(u, w), RIGHT(u, w))) - stated(u, w)))


@proof(ID, "range", Level.EXACT, RIGHT, {"dropped conjugate": dropped, "NaN": lambda u, w: (nan(), nan())})
def test_largest_error_is_two(
    stated: Callable[[Pair, Pair], Pair], record_property: Callable[[str, object], None]
) -> None:
    # In units of a quarter turn: points at 1 and -3, masses 3/4 and 1/4, mean 0; omega = 1.
    masses, quarters = [Fraction(3, 4), Fraction(1, 4)], [1, -3]
    require(equal(sum(m * x for m, x in zip(masses, quarters, strict=True)), Fraction(0)))
    corners = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    query = e12.characteristic(masses, [corners[x % 4] for x in quarters])
    point = (Fraction(1), Fraction(0))
    require(equal(square(minus(dropped(query, point), stated(query, point))), Fraction(4)))
    # No more is possible: |Im phi| <= |phi| <= 1; and a symmetric query gives 0.
    require(equal(e12.dropped_conjugate_error_square((Fraction(1, 2), Fraction(0)), point), Fraction(0)))
    record_property("claimed", "error approximately 0.155")
    record_property("computed", "any value in [0, 2]; largest 2, at φ = i")


def instance(omega: arb) -> arb:
    """Error at frequency omega for query masses 2/3 at -1, 1/3 at 2 and a point key."""
    imaginary = (2 * omega).sin() / 3 - omega.sin() * 2 / 3
    return 2 * abs(imaginary)


@value(
    ID,
    "range",
    Level.ENCLOSED,
    instance,
    {
        "without its 2": lambda w: instance(w) / 2,
        "masses exchanged": lambda w: 2 * abs((2 * w).sin() * 2 / 3 - w.sin() / 3),
    },
)
def test_instance_of_0155(stated: Callable[[arb], arb], record_property: Callable[[str, object], None]) -> None:
    with digits(30):
        found = stated(ball(Fraction(636, 1000)))
        record_property("claimed", "0.155, at supports that are not printed")
        record_property("computed", f"{found.str(6, radius=False)} at ω = 0.636, masses 2/3 at -1 and 1/3 at 2")
        require(agrees(found, "0.155"))


@proof(
    ID,
    "factor",
    Level.SAMPLED,
    position.averaged_score,
    {"dropped conjugate": lambda q, k, u, w: position.averaged_score(q, k, np.conj(u), w)},
)
def test_library(stated: Callable[..., np.ndarray]) -> None:
    rng = np.random.default_rng(1)
    omega, y, x, p, r = rng.normal(size=(2, 1)), *rng.normal(size=(2, 4, 1)), *rng.dirichlet(np.ones(4), size=2)
    phases = position.phase(x[:, None] - y[None], omega)
    expected = np.einsum("j,i,jir->r", r, p, phases).real.sum()
    u, w = position.atoms_factor(y, p, omega), position.atoms_factor(x, r, omega)
    require(at_most(abs(stated([1, 0, 1, 0], [1, 0, 1, 0], u, w) - expected), 1e-12))


@control(ID, "independent", Level.EXACT)
def test_one_draw_for_both() -> None:
    # A quarter turn or none, each with mass 1/2, and the same for query and key: x - y = 0 always.
    half = Fraction(1, 2)
    support = e12.characteristic([half, half], [(1, 0), (0, 1)])
    require(below(square(RIGHT(support, support)), 1))  # (1/2)^2, while the mean of exp(0) is 1
