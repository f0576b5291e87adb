"""RS Appendices B.2 and C.2: the averaged rotary score."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof
from refsym_theory.claims.rs import e12, e12_rotary
from refsym_theory.evidence import Level, Truth, below, equal, require
from rotations import conjugate, matrix, times, turn

ID = "RS.E12-rotary"
SCORE, PRODUCT, INNER = e12_rotary.score, e12_rotary.product_form, e12_rotary.inner
Q, K = tuple(symbols("q0 q1")), tuple(symbols("k0 k1"))


@proof(
    ID,
    "bilinear",
    Level.EXACT,
    SCORE,
    {
        "dropped conjugate": lambda q, k, u, w: SCORE(q, k, conjugate(u), w),
        "one support only": lambda q, k, u, w: SCORE(q, k, (1, 0), w),
    },
)
def test_mean_of_the_bilinear_form(stated: Callable[..., Expr]) -> None:
    p, r = symbols("p0:2"), symbols("r0:3")
    y, x = [tuple(symbols(f"a{i} b{i}")) for i in range(2)], [tuple(symbols(f"c{i} d{i}")) for i in range(3)]
    mean = sum(p[i] * r[j] * INNER(times(y[i], Q), times(x[j], K)) for i in range(2) for j in range(3))
    require(vanishes(mean - stated(Q, K, e12.characteristic(p, y), e12.characteristic(r, x))))
    # The real matrices say the same: q' U' W k with blocks of a scaled rotation.
    u, w = tuple(symbols("u0 u1")), tuple(symbols("w0 w1"))
    left = [sum(matrix(u)[m][n] * Q[n] for n in range(2)) for m in range(2)]
    right = [sum(matrix(w)[m][n] * K[n] for n in range(2)) for m in range(2)]
    require(vanishes(sum(a * b for a, b in zip(left, right, strict=True)) - stated(Q, K, u, w)))
    # Any finite supports: the form is additive in each characteristic function.
    v = tuple(symbols("v0 v1"))
    require(vanishes(stated(Q, K, (u[0] + v[0], u[1] + v[1]), w) - stated(Q, K, u, w) - stated(Q, K, v, w)))
    require(vanishes(stated(Q, K, w, (u[0] + v[0], u[1] + v[1])) - stated(Q, K, w, u) - stated(Q, K, w, v)))


@proof(
    ID,
    "product",
    Level.EXACT,
    PRODUCT,
    {
        "one factor": lambda q, k, a, b, r: PRODUCT(q, k, 1, b, r),
        "rotation reversed": lambda q, k, a, b, r: PRODUCT(q, k, a, b, conjugate(r)),
    },
)
def test_product_form(stated: Callable[..., Expr]) -> None:
    a, b = symbols("a b")
    y, x = tuple(symbols("y0 y1")), tuple(symbols("x0 x1"))
    query, key = (a * y[0], a * y[1]), (b * x[0], b * x[1])
    require(vanishes(SCORE(Q, K, query, key) - stated(Q, K, a, b, times(conjugate(y), x))))


@proof(
    ID,
    "shift",
    Level.EXACT,
    SCORE,
    {
        "dropped conjugate": lambda q, k, u, w: times(times(u, q), times(w, k))[0],
        "absolute position of the key": lambda q, k, u, w: INNER(q, times(w, k)),
    },
)
def test_joint_shift(stated: Callable[..., Expr]) -> None:
    u, w, z = tuple(symbols("u0 u1")), tuple(symbols("w0 w1")), turn(symbols("t"))
    require(vanishes(stated(Q, K, times(z, u), times(z, w)) - stated(Q, K, u, w)))


@proof(
    ID,
    "score-only",
    Level.ENCLOSED,
    lambda x: (x.exp() + (-x).exp()) / 2,
    {"exponential of the mean": lambda x: ((x - x) / 2).exp(), "NaN": lambda x: ball("nan")},
)
def test_mean_of_the_exponential(stated: Callable[..., object], record_property: Callable[[str, object], None]) -> None:
    # q = k = (1, 0), the key at 0 or half a turn away, each with mass 1/2: scores 1 and -1, mean score 0.
    half = Fraction(1, 2)
    one, zero = (Fraction(1), Fraction(0)), Fraction(0)
    require(equal(SCORE(one, one, one, e12.characteristic([half, half], [(1, 0), (-1, 0)])), zero))
    with digits(20):
        found = stated(ball(1))
        require(below(ball("1.5"), found))  # exp(0) = 1
        # Against a key of score 1/2: mean of the shares, and share of the mean.
        other = ball(half).exp()
        shares = sum(x.exp() / (x.exp() + other) for x in (ball(1), ball(-1))) / 2
        require(below(shares - 1 / (1 + other), ball("0.05")))
        require(below(ball("0.02"), shares - 1 / (1 + other)))
        record_property("claimed", "mean of exp is not exp of the mean, 1")
        record_property("computed", found.str(6, radius=False))


@control(ID, "independent", Level.EXACT)
def test_one_draw_for_both() -> None:
    # q = k = (1, 0); both at 0 or both half a turn away: the score is always 1, while U = 0.
    half, one = Fraction(1, 2), (Fraction(1), Fraction(0))
    u = e12.characteristic([half, half], [(1, 0), (-1, 0)])
    require(equal(SCORE(one, one, u, u), Fraction(0)))
    require(equal(sum(half * SCORE(one, one, z, z) for z in ((1, 0), (-1, 0))), Fraction(1)))


@control(ID, "fixed", Level.EXACT)
def test_content_that_turns_back() -> None:
    # A key at 0 with content 1 or half a turn away with content -1: its score is always 1; the mean content is 0.
    half, one = Fraction(1, 2), (Fraction(1), Fraction(0))
    scores = [SCORE(one, (c, 0), one, (z, 0)) for c, z in ((1, 1), (-1, -1))]
    require(equal(sum(half * s for s in scores), Fraction(1)))
    require(equal(SCORE(one, (Fraction(0), Fraction(0)), one, one), Fraction(0)))


@control(ID, "symmetric", Level.EXACT)
def test_quarter_turn_to_one_side() -> None:
    # A query of characteristic function i (RS.E12), a key at a point: the score of q = (1, 0), k = (0, 1) is 1; with
    # the
    # real part 0 as its factor, or without the conjugate, it is another number.
    one, up = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    require(equal(SCORE(one, up, up, one), Fraction(1)))
    require(equal(PRODUCT(one, up, 0, 1, one), Fraction(0)))
    assert equal(SCORE(one, up, conjugate(up), one), Fraction(1)) is Truth.FALSE


@proof(ID, "shift", Level.EXACT, SCORE, {"NaN": nan, "key not turned": lambda q, k, u, w: SCORE(q, k, u, (1, 0))})
def test_both_half_a_turn_on(stated: Callable[..., object]) -> None:
    one, back = (Fraction(1), Fraction(0)), (Fraction(-1), Fraction(0))
    require(equal(stated(one, one, back, back), Fraction(1)))
