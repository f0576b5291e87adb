"""RS Appendix C.2: gains of boxes and Gaussians."""

from collections.abc import Callable
from fractions import Fraction
from math import factorial

from flint import acb, arb
from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits, integral
from marks import control, nan, proof
from refsym_theory.claims.rs import c2_box, w1
from refsym_theory.claims.rs.e12 import characteristic
from refsym_theory.evidence import Level, below, equal, require
from rotations import plus, times

ID = "RS.C2-box"
POINTS = (Fraction(1, 7), Fraction(1), Fraction(13, 4), Fraction(20))


@proof(
    ID,
    "interval",
    Level.EXACT,
    lambda s, z: s / z,
    {"sinc of the whole width": lambda s, z: s / (2 * z), "sine": lambda s, z: s},
)
def test_antiderivative(stated: Callable[..., Expr]) -> None:
    # sin(omega x) / omega has the derivative cos(omega x); at both ends the sine is +-s, s = sin(omega h / 2).
    w, h, s, c = symbols("w h s c")
    require(vanishes(w * c / w - c))
    require(vanishes((s / w - (-s) / w) / h - stated(s, w * h / 2)))


@proof(
    ID,
    "interval",
    Level.EXACT,
    lambda k: Fraction((-1) ** k, factorial(2 * k + 1)),
    {
        "cosine": lambda k: Fraction((-1) ** k, factorial(2 * k)),
        "no signs": lambda k: Fraction(1, factorial(2 * k + 1)),
    },
)
def test_series_from_moments(stated: Callable[[int], Fraction]) -> None:
    # The moment of order 2k is (h/2)^(2k) / (2k + 1), and (2k)! (2k + 1) = (2k + 1)!; the constant term is sinc 0 = 1.
    for k in range(20):
        require(equal(Fraction((-1) ** k, factorial(2 * k)) / (2 * k + 1), stated(k)))
    require(equal(stated(0), Fraction(1)))


@proof(
    ID,
    "interval",
    Level.ENCLOSED,
    c2_box.interval_gain,
    {
        "twice the phase": lambda z: c2_box.interval_gain(2 * z),
        "pi in the argument": lambda z: c2_box.interval_gain(z * arb.pi()),
        "NaN": lambda z: arb("nan"),
    },
)
def test_integral(stated: Callable[[arb], arb]) -> None:
    with digits(30):
        for w in POINTS:
            mean = integral(lambda x, w=w: (x * acb(ball(w))).cos(), -1, 1) / 2  # h = 2
            require(below(abs(mean - stated(ball(w))), ball("1e-25")))


@proof(
    ID,
    "gaussian",
    Level.EXACT,
    c2_box.gaussian_exponent,
    {"h^2/12": lambda w, h: 2 * c2_box.gaussian_exponent(w, h), "growth": lambda w, h: -c2_box.gaussian_exponent(w, h)},
)
def test_differential_equation(stated: Callable[..., Expr]) -> None:
    # d/dx [sin(w x) e], e = exp(-x^2 / 2v), integrates to 0: v w E cos(wX) = E X sin(wX), which is -d/dw E cos(wX).
    w, h, x, v, s, c, e = symbols("w h x v s c e")
    slope = w * c * e + s * (-(x**2) / (2 * v)).diff(x) * e
    require(vanishes(v * slope - (v * w * c - x * s) * e))
    require(vanishes(stated(w, h).diff(w) + w1.uniform_variance(h) * w))  # the same equation, and 0 at w = 0
    require(vanishes(stated(0 * w, h)))


@proof(
    ID,
    "gaussian",
    Level.ENCLOSED,
    c2_box.gaussian_exponent,
    {"h^2/20": lambda w, h: c2_box.gaussian_exponent(w, h) * 24 / 20, "NaN": lambda w, h: arb("nan")},
)
def test_gaussian_integral(stated: Callable[..., arb]) -> None:
    with digits(30):
        for w in POINTS[:3]:
            # h^2 = 12: a standard normal; beyond 12 at most exp(-72) is missing.
            part = (
                integral(lambda x, w=w: (-x * x / 2).exp() * (x * acb(ball(w))).cos(), -12, 12) / (2 * arb.pi()).sqrt()
            )
            require(below(abs(part - stated(ball(w), ball(12).sqrt()).exp()), ball("1e-25")))


@proof(ID, "product", Level.EXACT, times, {"sum": plus, "conjugate": lambda a, b: times((a[0], -a[1]), b)})
def test_independent_coordinates(stated: Callable[..., tuple[Expr, Expr]]) -> None:
    p, r = symbols("p0:2"), symbols("r0:2")
    x = [tuple(symbols("a0 b0")), tuple(symbols("a1 b1"))]
    y = [tuple(symbols("c0 d0")), tuple(symbols("c1 d1"))]
    joint = characteristic([s * t for s in p for t in r], [times(a, b) for a in x for b in y])
    apart = stated(characteristic(p, x), characteristic(r, y))
    require(vanishes(joint[0] - apart[0]))
    require(vanishes(joint[1] - apart[1]))


@proof(
    ID,
    "covariance",
    Level.EXACT,
    c2_box.projected_variance,
    {
        "diagonal only": lambda w, s: sum(w[a] ** 2 * s[a][a] for a in range(len(w))),
        "row sums": lambda w, s: sum(w[a] * s[a][b] for a in range(len(w)) for b in range(len(w))),
    },
)
def test_variance_of_a_projection(stated: Callable[..., Expr]) -> None:
    # Bilinear in X: the square of omega . X, with the moments E X_a X_b put in for the products.
    w, x = symbols("w0:3"), symbols("x0:3")
    outer = [[a * b for b in x] for a in x]
    require(vanishes(sum(a * b for a, b in zip(w, x, strict=True)) ** 2 - stated(w, outer)))
    require(equal(stated([1, 2], [[3, -1], [-1, 5]]), 19))


@proof(ID, "covariance", Level.EXACT, c2_box.projected_variance, {"NaN": nan})
def test_one_dimension(stated: Callable[..., object]) -> None:
    require(equal(stated([Fraction(3)], [[Fraction(1, 12)]]), Fraction(3, 4)))


@control(ID, "centred", Level.ENCLOSED)
def test_interval_from_its_left_end() -> None:
    # E cos over [0, h] at omega h = pi is 0, while sinc(pi / 2) = 2 / pi.
    with digits(20):
        require(below(abs(arb.pi().sin() / arb.pi()), ball("0.001")))
        require(below(ball("0.6"), c2_box.interval_gain(arb.pi() / 2)))


@control(ID, "axes", Level.ENCLOSED)
def test_diamond() -> None:
    # |x| + |y| <= 1: x + y is uniform on [-1, 1], with gain sinc(pi) = 0 at omega = (pi, pi); x and y are triangular,
    # with
    # gain sinc(pi / 2)^2 each, and their product is (2 / pi)^4.
    with digits(20):
        require(below(abs(c2_box.interval_gain(arb.pi())), ball("0.001")))
        triangle = integral(lambda x: (1 - x) * (x * acb(arb.pi())).cos() * 2, 0, 1)
        require(below(abs(triangle - c2_box.interval_gain(arb.pi() / 2) ** 2), ball("1e-15")))
        require(below(ball("0.16"), triangle**2))
