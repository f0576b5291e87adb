"""RS equation 11, linearised."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import c1, e11, e11_linear
from refsym_theory.evidence import Level, at_most, below, require

Note = Callable[[str, object], None]


def slope(f: Callable[[Expr], Expr], z: Expr) -> Expr:
    """Derivative in u of a function of z = exp(u)."""
    return z * f(z).diff(z)


def tanh(z: Expr) -> Expr:
    """Return tanh(u) as a function of z = exp(u)."""
    return (z**2 - 1) / (z**2 + 1)


@proof(
    "RS.E11-linear", "tanh", Level.EXACT, tanh, {"tanh(2 u)": lambda z: tanh(z**2), "sinh": lambda z: (z - 1 / z) / 2}
)
def test_slope_of_u_minus_tanh_is_a_square(stated: Callable[[Expr], Expr]) -> None:
    z = symbols("z")
    require(vanishes(1 - slope(stated, z) - stated(z) ** 2))  # zero at u = 0 alone; and u - tanh u is 0 there
    require(vanishes(stated(z).subs(z, 1)))


@proof(
    "RS.E11-linear",
    "tanh",
    Level.ENCLOSED,
    lambda u: u.tanh(),
    {"tanh(u) + u / 10": lambda u: u.tanh() + u / 10, "NaN": nan},
)
def test_tanh_is_below_its_argument(stated: Callable[..., object]) -> None:
    with digits(30):
        for u in (Fraction(1, 1000), Fraction(1, 2), Fraction(3), Fraction(40)):
            require(below(stated(ball(u)), ball(u)))


@proof(
    "RS.E11-linear",
    "linear",
    Level.EXACT,
    (e11_linear.lipschitz, e11_linear.local_error),
    {
        "D c for D c / 2": (lambda a, b, v, c, d: a + b * (v + d * c), e11_linear.local_error),
        "zeta without its half": (e11_linear.lipschitz, lambda b, tau, zeta, d: b * (tau + d * zeta)),
    },
)
def test_right_side_is_linear(stated: tuple[Callable[..., Expr], ...]) -> None:
    e, a, b, v, tau, c, zeta, d, z = symbols("e a b v tau c zeta D z")
    u = (c * e + zeta) / 2
    linear = stated[0](a, b, v, c, d) * e + stated[1](b, tau, zeta, d)
    require(vanishes(e11_linear.with_saturation(e, a, b, v, tau, d, u) - linear))
    # What is lost is b D (u - tanh u), and tanh u is a function of exp(2 u) = exp(c e + zeta).
    require(
        vanishes(e11_linear.with_saturation(e, a, b, v, tau, d, tanh(z)) - e11.recurrence(e, a, b, v, tau, d, z**2))
    )
    moved = symbols("moved")
    require(vanishes(linear - e11_linear.with_saturation(e, a, b, v, tau, d, moved) - b * d * (u - moved)))
    ceiling = (a + b * v) * e + b * (tau + d)  # moved < 1
    require(vanishes(ceiling - e11_linear.with_saturation(e, a, b, v, tau, d, moved) - b * d * (1 - moved)))


@proof(
    "RS.E11-linear", "product", Level.EXACT, c1.one_layer, {"constants exchanged": lambda e, lip, eta: eta * e + lip}
)
def test_it_is_the_recurrence_of_corollary_one(stated: Callable[..., Expr]) -> None:
    e, a, b, v, tau, c, zeta, d = symbols("e a b v tau c zeta D")
    lip, eta = e11_linear.lipschitz(a, b, v, c, d), e11_linear.local_error(b, tau, zeta, d)
    require(vanishes(stated(e, lip, eta) - e11_linear.with_saturation(e, a, b, v, tau, d, (c * e + zeta) / 2)))
    more = symbols("more")  # L-hat >= 0, so a larger error before the layer gives a larger bound after it
    require(vanishes(stated(e + more, lip, eta) - stated(e, lip, eta) - lip * more))


@tightness("RS.E11-linear", Level.EXACT, lambda u: u**2, {"u / 2": lambda u: u / 2})
def test_tanh_is_above_a_cubic(stated: Callable[[Expr], Expr], record_property: Note) -> None:
    u, t = symbols("u t")  # t = tanh u <= u, so the slope of tanh u - (u - u^3 / 3) is a product of nonnegative factors
    require(vanishes((1 - t**2) - (1 - stated(u)) - (u - t) * (u + t)))
    with digits(30):
        x = ball(Fraction(1, 100))
        require(below(ball(Fraction(9999, 10000)), x.tanh() / x))
    record_property("computed", "tanh(u)/u ≥ 1 - u²/3; above 0.9999 at u = 1/100")


@proof("RS.E11-linear", "linear", Level.ENCLOSED, Fraction(1), {"D = 5": Fraction(5)})
def test_linear_bound_explodes_where_the_other_does_not(stated: Fraction, record_property: Note) -> None:
    # a = v = tau = zeta = 0, b = 1, D = 1, c = 4, e_0 = 1: L-hat = 2.
    with digits(30):
        e, linear = ball(1), Fraction(1)
        for _ in range(48):
            e = (4 * e / 2).tanh() * ball(stated)
            linear *= e11_linear.lipschitz(0, 1, 0, 4, Fraction(1))
        require(below(e, ball(1)))
        require(at_most(ball(2**48), ball(linear)))
    record_property("computed", f"48 layers: linear bound {linear}, with tanh below 1")


@control("RS.E11-linear", "u", Level.ENCLOSED)
def test_below_zero_it_is_the_other_way_round(record_property: Note) -> None:
    with digits(30):
        require(below(ball(-1), ball(-1).tanh()))
    record_property("computed", "tanh(-1) = -0.76... > -1")
