"""RS Appendix A.4: a uniform physical offset."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb
from sympy import Expr, Rational, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof
from refsym_theory.claims.rs import p4_offset
from refsym_theory.evidence import Level, Truth, at_most, below, equal, require

ID = "RS.P4-offset"
F = Fraction
SHARE, SLOPE = p4_offset.share, p4_offset.output_slope


@proof(
    ID,
    "share",
    Level.EXACT,
    SHARE,
    {
        "not renormalized": lambda p, x: p * x,
        "factor on the others": lambda p, x: SHARE(p, 1 / x),
        "factor above only": lambda p, x: p * x / (1 - p + p),
    },
)
def test_share(stated: Callable[..., Expr]) -> None:
    # P and A: total weights of the physical and of all other keys; w_i: one physical key, a_i: one other.
    physical, other, w, a, x = symbols("P A w a X")
    total = physical * x + other
    require(vanishes(physical * x / total - stated(physical / (physical + other), x)))
    # Within a group nothing moves, so the value averages stay.
    require(vanishes((w * x / total) / (physical * x / total) - w / physical))
    require(vanishes((a / total) / (other / total) - a / other))
    require(vanishes(stated(Rational(0), x)))  # both edges
    require(vanishes(stated(Rational(1), x) - 1))


@proof(ID, "slope", Level.EXACT, lambda w: w * (1 - w), {"w": lambda w: w, "w(1+w)": lambda w: w * (1 + w)})
def test_logistic_slope(stated: Callable[..., Expr]) -> None:
    p, x = symbols("p X")  # X = e^u, d/du = X d/dX
    w = SHARE(p, x)
    require(vanishes(x * w.diff(x) - stated(w)))


@proof(
    ID,
    "gradient",
    Level.EXACT,
    SLOPE,
    {
        "offset lost": lambda offset, w, v, a: SLOPE(1, w, v, a),
        "values exchanged": lambda offset, w, v, a: SLOPE(offset, w, a, v),
        "sum of values": lambda offset, w, v, a: SLOPE(offset, w, v, -a),
    },
)
def test_output_slope(stated: Callable[..., Expr]) -> None:
    p, x, offset, v, a = symbols("p X l v a")
    w = SHARE(p, x)
    output = w * v + (1 - w) * a
    require(vanishes(offset * x * output.diff(x) - stated(offset, w, v, a)))  # du/dalpha = l


@proof(
    ID,
    "small",
    Level.ENCLOSED,
    lambda u: SHARE(ball(F(1, 2)), u.exp()),
    {
        "share never saturates": lambda u: ball(F(1, 2)),
        "u / 5": lambda u: SHARE(ball(F(1, 2)), (u / 5).exp()),
        "NaN": lambda u: arb("nan"),
    },
)
def test_large_dispersion_and_small_gradient(
    stated: Callable[[arb], arb], record_property: Callable[[str, object], None]
) -> None:
    with digits(60):
        gradient = SLOPE(50, stated(ball(50)), 1, 0)  # alpha = 1, half the keys: sigma(b) = 25
        require(below(abs(gradient), ball("1e-9")))
        require(below(0, gradient))
        record_property("claimed", "a small gradient")
        record_property("computed", gradient.str(5, radius=False))
    require(equal(SLOPE(F(50), F(1, 2), F(3), F(3)), F(0)))


@proof(
    ID,
    "argmin",
    Level.EXACT,
    p4_offset.exponent,
    {"product for quotient": lambda u, offset: u * offset, "sign": lambda u, offset: -u / offset},
)
def test_minimizers_correspond(stated: Callable[..., Expr]) -> None:
    u, alpha, offset = symbols("u alpha l")
    require(vanishes(stated(u, offset) * offset - u))
    require(vanishes(stated(alpha * offset, offset) - alpha))


@proof(ID, "share", Level.EXACT, SHARE, {"NaN": nan, "odds halved": lambda p, x: SHARE(p, F(x) / 2)})
def test_odds_scale(stated: Callable[..., object]) -> None:
    require(equal(stated(F(1, 3), 4), F(2, 3)))  # odds 1 : 2 become 4 : 2


def profile(u: F) -> F:
    return (u + 1) ** 2


@control(ID, "nonzero", Level.EXACT)
def test_native_calibration() -> None:
    # l = 0: the loss does not depend on alpha, every alpha minimizes it, and alpha l = 0, while u* = -1.
    for alpha in (F(-3), F(0), F(8)):
        require(equal(profile(alpha * 0), profile(F(0))))
        assert equal(alpha * 0, F(-1)) is Truth.FALSE


@control(ID, "free", Level.EXACT)
def test_exponent_kept_nonnegative() -> None:
    # l = 1 and alpha >= 0: (alpha + 1)^2 is least at alpha = 0, not at u* = -1.
    for alpha in (F(0), F(1, 9), F(7)):
        require(at_most(profile(F(0)), profile(alpha)))
    require(below(profile(F(-1)), profile(F(0))))
