"""RS Appendix B.2: W1 between Gaussians."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb
from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits, integral
from gaussian import density
from marks import control, nan, proof, tightness
from refsym_theory import position
from refsym_theory.claims.rs import w1
from refsym_theory.evidence import Level, at_most, below, equal, require

ID = "RS.W1"


@proof(
    ID,
    "coupling",
    Level.EXACT,
    lambda x, y, s, t, z: (x - y) + (s - t) * z,
    {
        "opposite Z": lambda x, y, s, t, z: (x - y) + (s + t) * z,
        "independent scale": lambda x, y, s, t, z: (x - y) + s * z,
    },
)
def test_common_z(stated: Callable[..., Expr]) -> None:
    x, y, s, t, z = symbols("x y s t z")
    require(vanishes(x + s * z - (y + t * z) - stated(x, y, s, t, z)))  # then the triangle inequality


@proof(
    ID,
    "mean",
    Level.ENCLOSED,
    lambda: (2 / arb.pi()).sqrt(),
    {
        "root of pi / 2": lambda: (arb.pi() / 2).sqrt(),
        "1 / root 2 pi": lambda: 1 / (2 * arb.pi()).sqrt(),
        "NaN": lambda: arb("nan"),
    },
)
def test_mean_modulus(stated: Callable[[], arb], record_property: Callable[[str, object], None]) -> None:
    # -exp(-z^2/2) is an antiderivative of z exp(-z^2/2) (its log-derivative is -z), so E|Z| = 2 / root(2 pi).
    z, e = symbols("z e")
    require(vanishes(-e * (-(z**2) / 2).diff(z) - z * e))
    with digits(30):
        require(below(abs(stated() - 2 / (2 * arb.pi()).sqrt()), ball("1e-25")))
        part = 2 * integral(lambda w: w * density(w), 0, 12)  # the rest is exp(-72) root(2 / pi)
        require(below(abs(stated() - part), ball("1e-25")))
        record_property("claimed", "√(2/π)")
        record_property("computed", part.str(15, radius=False))


@proof(ID, "matched", Level.EXACT, w1.uniform_variance, {"h^2/6": lambda h: h**2 / 6, "h^2/4": lambda h: h**2 / 4})
def test_variance_of_an_interval(stated: Callable[[Expr], Expr]) -> None:
    h, y = symbols("h y")
    cube = y**3 / 3
    require(vanishes(cube.diff(y) - y**2))
    require(vanishes((cube.subs(y, h / 2) - cube.subs(y, -h / 2)) / h - stated(h)))


@proof(
    ID,
    "dual",
    Level.EXACT,
    lambda x, y, s, t: -(x - y) / (s - t),
    {"sign": lambda x, y, s, t: (x - y) / (s - t), "sum of deviations": lambda x, y, s, t: -(x - y) / (s + t)},
)
def test_lipschitz_function_attains_the_coupling(stated: Callable[..., Expr]) -> None:
    x, y, s, t, z = symbols("x y s t z")
    crossing = stated(x, y, s, t)
    middle = x + s * crossing
    require(vanishes(middle - (y + t * crossing)))  # both quantile functions meet there
    require(vanishes(x + s * z - middle - s * (z - crossing)))  # so |X - middle| = s |z - crossing|
    require(vanishes(y + t * z - middle - t * (z - crossing)))
    require(vanishes((x - y) + (s - t) * z - (s - t) * (z - crossing)))  # and the cost is |s - t| |z - crossing|


@proof(
    ID,
    "closed",
    Level.EXACT,
    lambda a, b, r, e, erf: r * b * e + a * erf,
    {"shift lost": lambda a, b, r, e, erf: r * b * e, "spread squared": lambda a, b, r, e, erf: r * b**2 * e + a * erf},
)
def test_derivative_of_the_closed_form(stated: Callable[..., Expr]) -> None:
    # r = root(2 / pi), e = exp(-a^2 / 2b^2) with de/da = -(a / b^2) e, erf(a / (b root 2)) with slope (r / b) e. And
    # d/da E|a + bZ| = P(a + bZ > 0) - P(a + bZ < 0) = P(|Z| < a / b), the same erf; at a = 0 both are b r.
    a, b, r, e, erf = symbols("a b r e erf")
    whole = stated(a, b, r, e, erf)
    require(vanishes(whole.diff(a) - whole.diff(e) * a / b**2 * e + whole.diff(erf) * r / b * e - erf))
    require(vanishes(stated(0 * a, b, r, e / e, 0 * erf) - b * r))


@proof(
    ID,
    "closed",
    Level.ENCLOSED,
    w1.exact,
    {
        "erf without root 2": lambda a, b, pi: (
            w1.exact(a, b, pi) - a * (a / b / ball(2).sqrt()).erf() + a * (a / b).erf()
        ),
        "the bound itself": lambda a, b, pi: w1.bound(a, b, (2 / pi).sqrt()),
    },
)
def test_closed_form(stated: Callable[..., arb], record_property: Callable[[str, object], None]) -> None:
    with digits(30):
        for a, b in ((1, 1), (Fraction(1, 2), 2), (3, Fraction(3, 2))):
            # E|a + b Z|: the sign changes at -a/b; the tails beyond 12 add less than 1e-30.
            cut = -Fraction(a) / Fraction(b)
            one = lambda z, a=a, b=b: (ball(a) + ball(b) * z) * density(z)  # noqa: E731
            found = integral(one, cut, 12) - integral(one, -12, cut)
            require(below(abs(found - stated(ball(a), ball(b), arb.pi())), ball("1e-25")))
        exact, limit = w1.exact(ball(1), ball(1), arb.pi()), w1.bound(1, 1, (2 / arb.pi()).sqrt())
        require(below(exact, limit - ball("0.63")))
        record_property("claimed", f"at most {limit.str(6, radius=False)} at |x - x'| = |σ - σ'| = 1")
        record_property("computed", exact.str(6, radius=False))


@tightness(
    ID,
    Level.EXACT,
    w1.bound,
    {"spread times 1": lambda a, b, m: a + b, "half the shift": lambda a, b, m: a / 2 + m * b},
)
def test_one_of_both_changes(stated: Callable[..., Expr]) -> None:
    # Equal deviations: f(y) = y gives |x - x'|. Equal centres: the crossing is 0, and the cost |s - t| E|Z|.
    a, b, m = symbols("a b m")  # m = E|Z|
    require(vanishes(stated(a, 0 * b, m) - a))
    require(vanishes(stated(0 * a, b, m) - b * m))


@proof(
    ID,
    "coupling",
    Level.SAMPLED,
    position.gaussian_w1_bound,
    {"NaN": nan, "0.7 for 0.798": lambda x, s, y, t: abs(x - y) + 0.7 * abs(s - t)},
)
def test_library(stated: Callable[..., float]) -> None:
    with digits(20):
        for x, s, y, t in ((0.0, 1.0, 0.25, 3.0), (1.0, 2.0, 1.0, 0.5), (-3.0, 0.5, 1.0, 0.25)):
            exact = w1.exact(arb(abs(x - y)), arb(abs(s - t)), arb.pi())
            require(at_most(float(exact), float(stated(x, s, y, t)) + 1e-12))


@control(ID, "gaussian", Level.ENCLOSED)
def test_boxes_of_the_same_deviations() -> None:
    # One centre, uniform with deviations 1 and 2: W1 = E|V| for V uniform of variance 1, which is root(3) / 2.
    with digits(20):
        require(below(w1.bound(0, 1, (2 / arb.pi()).sqrt()), ball(3).sqrt() / 2))
    h, y = symbols("h y")
    require(vanishes((y**2 / 2).diff(y) - y))
    require(vanishes(2 * (h / 2) ** 2 / 2 / h - h / 4))  # E|V| = h / 4, and h = root 12
    require(equal(Fraction(12, 16), Fraction(3, 4)))
