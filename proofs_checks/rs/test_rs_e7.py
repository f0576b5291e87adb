"""RS equation 7."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof, superfluous, tightness
from refsym_theory import position
from refsym_theory.claims.rs import e7
from refsym_theory.claims.rs.e12 import characteristic, conjugate
from refsym_theory.evidence import Level, at_most, below, equal, require
from rotations import matrix, minus, plus, square, times, turn

ID = "RS.E7"
NORM = e7.block_norm_square


@proof(
    ID,
    "block",
    Level.EXACT,
    NORM,
    {"1 - cos": lambda c: NORM(c) / 2, "plus": lambda c: 2 + 2 * c, "sine": lambda c: 1 - c**2},
)
def test_norm_of_a_block(stated: Callable[[Expr], Expr]) -> None:
    x, y = turn(symbols("s")), turn(symbols("t"))
    gap = matrix(minus(x, y))
    gram = [[sum(gap[m][i] * gap[m][j] for m in range(2)) for j in range(2)] for i in range(2)]
    cosine = times(conjugate(y), x)[0]
    require(vanishes(gram[0][0] - stated(cosine)))
    require(vanishes(gram[1][1] - gram[0][0]))
    require(vanishes(gram[0][1]))  # a multiple of the identity, so every vector is stretched by the norm
    c, s = turn(symbols("h"))  # half the angle
    require(vanishes(stated(times((c, s), (c, s))[0]) - 4 * s**2))


@proof(ID, "chord", Level.EXACT, lambda s: 2 * s**2, {"s^2": lambda s: s**2, "negative": lambda s: -2 * s**2})
def test_slope_of_the_gap(stated: Callable[[Expr], Expr]) -> None:
    # x - sin x is 0 at 0 and has the derivative 1 - cos x = 2 sin^2(x / 2) >= 0; and |sin| <= 1.
    c, s = turn(symbols("h"))
    require(vanishes(1 - times((c, s), (c, s))[0] - stated(s)))
    require(vanishes(1 - s**2 - c**2))


@proof(
    ID,
    "chord",
    Level.SAMPLED,
    lambda t: 2 * (t / 2).sin(),
    {"2.1 for 2": lambda t: (t / 2).sin() * ball(Fraction(21, 10)), "NaN": lambda t: arb("nan")},
)
def test_chord_at_rational_angles(stated: Callable[[arb], arb]) -> None:
    with digits(20):
        for t in (Fraction(i, 100) for i in range(1, 1300)):
            require(below(abs(stated(ball(t))), ball(e7.bound(t))))


def gap_from_coupling(
    coupling: list[list[Expr]], x: list[tuple[Expr, Expr]], y: list[tuple[Expr, Expr]]
) -> tuple[Expr, Expr]:
    total: tuple[Expr, Expr] = (0, 0)
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            one = minus(a, b)
            total = plus(total, (coupling[i][j] * one[0], coupling[i][j] * one[1]))
    return total


@proof(
    ID,
    "coupling",
    Level.EXACT,
    gap_from_coupling,
    {
        "transposed coupling": lambda g, x, y: gap_from_coupling([[g[j][i] for j in range(2)] for i in range(2)], x, y),
        "pairs on the diagonal only": lambda g, x, y: gap_from_coupling([[g[0][0], 0], [0, g[1][1]]], x, y),
    },
)
def test_any_coupling_gives_the_difference(stated: Callable[..., tuple[Expr, Expr]]) -> None:
    g = [list(symbols("g00 g01")), list(symbols("g10 g11"))]
    x, y = [tuple(symbols("a0 b0")), tuple(symbols("a1 b1"))], [tuple(symbols("c0 d0")), tuple(symbols("c1 d1"))]
    p, r = [sum(row) for row in g], [g[0][j] + g[1][j] for j in range(2)]
    found = stated(g, x, y)
    for part in minus(found, minus(characteristic(p, x), characteristic(r, y))):
        require(vanishes(part))
    # One more pair of any coupling adds its mass to both marginals, and its difference to both sides.
    m, a, c = symbols("m a c")
    require(vanishes(m * (a - c) - (m * a - m * c)))


@proof(
    ID,
    "contraction",
    Level.EXACT,
    lambda p, z: sum(p[i] * p[j] * square(minus(z[i], z[j])) for i in range(3) for j in range(i)),
    {
        "unweighted": lambda p, z: sum(square(minus(z[i], z[j])) for i in range(3) for j in range(i)),
        "every pair twice": lambda p, z: sum(
            p[i] * p[j] * square(minus(z[i], z[j])) for i in range(3) for j in range(3)
        ),
    },
)
def test_mean_of_rotations_is_a_contraction(stated: Callable[..., Expr]) -> None:
    # 1 - |sum p z|^2 is a sum of nonnegative terms where the masses add up to 1 and |z| = 1.
    p, z = list(symbols("p0:2")), [turn(t) for t in symbols("t0:3")]
    p.append(1 - sum(p))
    require(vanishes(1 - square(characteristic(p, z)) - stated(p, z)))
    # Any number of points: (sum p)(sum p |z|^2) - |sum p z|^2 in sums over pairs.
    p0, s, zz = symbols("P S Z")  # sum p, sum p |z|^2, |sum p z|^2
    require(vanishes((2 * p0 * s - 2 * zz) / 2 - (p0 * s - zz)))


@proof(
    ID,
    "dimensions",
    Level.EXACT,
    lambda w, x: (w[0] * x[1] - w[1] * x[0]) ** 2,
    {"plus": lambda w, x: (w[0] * x[1] + w[1] * x[0]) ** 2, "nothing": lambda w, x: 0 * x[0]},
)
def test_frequency_vectors(stated: Callable[..., Expr]) -> None:
    w, x = symbols("w0:2"), symbols("x0:2")  # the span of both vectors has at most two dimensions
    require(
        vanishes((w[0] ** 2 + w[1] ** 2) * (x[0] ** 2 + x[1] ** 2) - (w[0] * x[0] + w[1] * x[1]) ** 2 - stated(w, x))
    )


@proof(
    ID,
    "coupling",
    Level.SAMPLED,
    lambda w1: min(2.0, w1),
    {"half of it": lambda w1: min(2.0, w1) / 2, "1.9 for 2": lambda w1: min(1.9, 0.95 * w1), "NaN": nan},
)
@given(st.lists(st.tuples(st.floats(-4, 4), st.floats(-4, 4)), min_size=1, max_size=4))
def test_library(stated: Callable[[float], float], pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T[..., None]
    masses = np.ones(len(pairs))
    gap = position.atoms_factor(x, masses, [[1.0], [0.5]]) - position.atoms_factor(y, masses, [[1.0], [0.5]])
    # On a line the sorted coupling is optimal.
    w1 = float(np.abs(np.sort(x, axis=0) - np.sort(y, axis=0)).mean())
    require(at_most(float(np.linalg.norm(position.rotary_matrix(gap), 2)), stated(w1) + 1e-12))


@tightness(ID, Level.EXACT, e7.bound, {"1.99": lambda t: e7.bound(t) * Fraction(199, 200)})
def test_half_a_turn(stated: Callable[..., object]) -> None:
    # cos = -1: the norm is 2, and the angle pi > 3 > 2.
    require(at_most(NORM(Fraction(-1)), stated(Fraction(3)) ** 2))
    require(equal(NORM(Fraction(-1)), stated(Fraction(3)) ** 2))


@tightness(ID, Level.ENCLOSED, lambda t: t, {"0.999999": lambda t: t * ball(Fraction(999999, 10**6))})
def test_points_close_together(stated: Callable[[arb], arb], record_property: Callable[[str, object], None]) -> None:
    with digits(40):
        t = ball(Fraction(1, 10**6))
        ratio = 2 * (t / 2).sin() / stated(t)
        require(below(ratio, 1))
        require(below(1 - ratio, ball("1e-13")))
        record_property("claimed", "ratio at most 1")
        record_property("computed", f"1 - {(1 - ratio).str(4, radius=False)} at ω|x - y| = 1e-6")


@control(ID, "euclidean", Level.EXACT)
def test_largest_row_sum() -> None:
    # cos = -3/5, sin = 4/5: the row sums of R(x) - I are 8/5 + 4/5 > 2.
    require(below(2, abs(Fraction(-3, 5) - 1) + Fraction(4, 5)))


@superfluous(ID, "moment", Level.EXACT)
def test_phases_are_bounded_whatever_the_positions() -> None:
    # Only phases of modulus 1 enter both sides; a coupling of infinite cost gives the branch 2, one of finite cost the
    # other.
    p, z = list(symbols("p0:2")), [turn(t) for t in symbols("t0:3")]
    p.append(1 - sum(p))
    pairs = sum(p[i] * p[j] * square(minus(z[i], z[j])) for i in range(3) for j in range(i))
    require(vanishes(1 - square(characteristic(p, z)) - pairs))
    m, a, c = symbols("m a c")
    require(vanishes(m * (a - c) - (m * a - m * c)))
