"""RS Appendix C.2: half-gain points."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb
from sympy import Expr, symbols

from algebra import vanishes
from balls import agrees, ball, digits
from marks import control, nan, proof, value
from refsym_theory.claims.rs import c2_box, c2_half_gain
from refsym_theory.evidence import Level, below, equal, require

ID = "RS.C2-half-gain"
SQUARE = c2_half_gain.half_gain_square


@proof(
    ID,
    "gaussian",
    Level.EXACT,
    SQUARE,
    {"12 for 24": lambda n, x: SQUARE(n, x) / 2, "sides multiplied": lambda n, x: 24 * x * n},
)
def test_exponent_is_the_logarithm(stated: Callable[..., Expr]) -> None:
    log_two, z = symbols("L z")
    for sides in (1, 2):  # the product of `sides` gains has the exponent -sides z^2 / 24; exp is one to one
        require(vanishes(sides * c2_box.gaussian_exponent(z, 1).subs(z**2, stated(sides, log_two)) + log_two))


@value(
    ID,
    "gaussian",
    Level.ENCLOSED,
    lambda n: SQUARE(n, ball(2).log()).sqrt(),
    {
        "log of 3": lambda n: SQUARE(n, ball(3).log()).sqrt(),
        "no root": lambda n: SQUARE(n, ball(2).log()),
        "NaN": lambda n: arb("nan"),
    },
)
def test_values(stated: Callable[[int], arb], record_property: Callable[[str, object], None]) -> None:
    with digits(30):
        for n, shown in ((1, "4.0786680"), (2, "2.8840538")):
            require(agrees(stated(n), shown))
            require(below(abs((-n * stated(n) ** 2 / 24).exp() - ball(Fraction(1, 2))), ball("1e-25")))
        record_property("claimed", "√(24 log 2), √(12 log 2)")
        record_property("computed", f"{stated(1).str(12, radius=False)}, {stated(2).str(12, radius=False)}")


@proof(
    ID,
    "ratio",
    Level.EXACT,
    SQUARE,
    {"equal": lambda n, x: 24 * x, "fourfold": lambda n, x: SQUARE(n * n, x), "NaN": nan},
)
def test_square_of_the_ratio(stated: Callable[..., Fraction]) -> None:
    one, two = stated(1, Fraction(7)), stated(2, Fraction(7))
    require(equal(one, 2 * two))


def bracketed(level: arb, shown: str) -> arb:
    """Ball around the printed decimal at whose ends the sinc gain lies on both sides of `level`."""
    radius = Fraction(1, 10**12)
    low, high = ball(Fraction(shown) - radius), ball(Fraction(shown) + radius)
    require(below(level, c2_box.interval_gain(low / 2)))
    require(below(c2_box.interval_gain(high / 2), level))
    return low.union(high)


@proof(
    ID,
    "box",
    Level.ENCLOSED,
    (c2_half_gain.BOX_KEY_ONLY, c2_half_gain.BOX_TWO_SIDED),
    {
        "ratio root 2": (c2_half_gain.BOX_KEY_ONLY, "2.680633698"),
        "the Gaussian's": ("4.078667961", "2.884053773"),
        "half the phase": ("1.895494267", "1.391557378"),
    },
)
def test_box_points(stated: tuple[str, str], record_property: Callable[[str, object], None]) -> None:
    with digits(30):
        one = bracketed(ball(Fraction(1, 2)), stated[0])
        two = bracketed(ball(Fraction(1, 2)).sqrt(), stated[1])
        ratio = one / two
        require(below(ball("1.3621"), ratio))
        require(below(ratio, ball("1.3622")))
        require(below(ratio, ball(2).sqrt()))
        record_property("claimed", "√2 (for a Gaussian)")
        record_property("computed", f"{ratio.str(9, radius=False)} for a box")
        # Beyond z / 2 = pi the gain is at most 1 / pi, and its square less: below both levels.
        require(below(1 / arb.pi(), ball(Fraction(1, 2))))


@proof(
    ID, "unique", Level.EXACT, lambda x, s, c: -x * s, {"sign": lambda x, s, c: x * s, "cosine": lambda x, s, c: -x * c}
)
def test_sinc_falls_up_to_pi(stated: Callable[..., Expr]) -> None:
    # sinc' = (x cos x - sin x) / x^2; x cos x - sin x is 0 at 0 and has the slope -x sin x < 0 on (0, pi).
    x, s, c = symbols("x s c")
    whole = x * c - s
    require(vanishes(whole.diff(x) + whole.diff(s) * c - whole.diff(c) * s - stated(x, s, c)))
    quotient = s / x
    require(vanishes(quotient.diff(x) + quotient.diff(s) * c - whole / x**2))


@control(ID, "gaussian", Level.ENCLOSED)
def test_box_ratio_is_not_root_two() -> None:
    with digits(30):
        one = bracketed(ball(Fraction(1, 2)), c2_half_gain.BOX_KEY_ONLY)
        two = bracketed(ball(Fraction(1, 2)).sqrt(), c2_half_gain.BOX_TWO_SIDED)
        require(below((one / two) ** 2, ball("1.86")))


@control(ID, "equal", Level.EXACT)
def test_query_three_times_as_wide() -> None:
    # In the key's z the exponent is -(1 + 9) z^2 / 24: half gain at z^2 = 2.4 log 2, a ratio of root 10.
    log_two, z = symbols("L z")
    exponent = c2_box.gaussian_exponent(z, 1) + c2_box.gaussian_exponent(z, 3)
    require(vanishes(exponent.subs(z**2, 24 * log_two / 10) + log_two))
    require(below(SQUARE(2, Fraction(1)) / 5, SQUARE(2, Fraction(1))))
