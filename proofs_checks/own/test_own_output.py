"""OWN.OUTPUT: expected error of the attention output."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import acb, arb
from sympy import symbols

from algebra import vanishes
from balls import ball, digits, integral, interval
from gaussian import cdf, density
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.own import output
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.evidence import Level, at_most, below, require

Side = Callable[..., Any]
a, v, z, x = symbols("a v z x")
CASES = [(Fraction(gap), root) for gap in (0, Fraction(1, 2), 3) for root in (Fraction(1, 2), Fraction(2))]
"""Mean gap and standard deviation of X."""


@proof(
    "OWN.OUTPUT",
    "partner",
    Level.EXACT,
    lambda w, kept: w / (w + kept),
    {"no own weight": lambda w, kept: (w - kept) / kept},
)
def test_more_blocks_more_denominator(stated: Side) -> None:
    w, kept, others = symbols("w kept others")  # e^mu_j, the sum over A, everything else
    require(vanishes(stated(w, kept) - w / (w + kept + others) - w * others / ((w + kept) * (w + kept + others))))
    require(vanishes(stated(w, kept) - 1 / (1 + kept / w)))


@proof(
    "OWN.OUTPUT",
    "mean",
    Level.EXACT,
    lambda total, m: total / m,
    {"the sum": lambda total, m: total, "m - 1": lambda total, m: total / (m - 1)},
)
def test_tangents_at_the_mean(stated: Side) -> None:
    total, m = symbols("total m")
    # sum over A of (1 + y_i - centre) is m exactly where the centre is the mean.
    require(vanishes(m + total - m * stated(total, m) - m))


@proof(
    "OWN.OUTPUT",
    "cap",
    Level.EXACT,
    lambda z: (1, z),
    {"z / 2": lambda z: (1, z / 2), "1/2": lambda z: (Fraction(1, 2), z)},
)
def test_a_logistic_below_both(stated: Side) -> None:
    one, linear = stated(z)
    require(vanishes(one - output.logistic(z) - 1 / (1 + z)))
    require(vanishes(linear - output.logistic(z) - z**2 / (1 + z)))


@proof(
    "OWN.OUTPUT",
    "moments",
    Level.EXACT,
    lambda t2, m: t2 * (1 + 1 / m),
    {"2 tau^2": lambda t2, m: 2 * t2, "tau^2": lambda t2, m: t2},
)
def test_variance_against_a_mean_of_m(stated: Side) -> None:
    t2, m = symbols("t2 m")
    require(vanishes(stated(t2, m) - (t2 + m * t2 / m**2)))
    require(vanishes(stated(t2, 1) - 2 * t2))


@proof("OWN.OUTPUT", "tilt", Level.EXACT, output.exponent, {"v for v/2": lambda a, v: v - a, "no v": lambda a, v: -a})
def test_the_exponential_shifts_the_density(stated: Side) -> None:
    require(vanishes(x - (x + a) ** 2 / (2 * v) + (x + a - v) ** 2 / (2 * v) - stated(a, v)))
    d, t2 = symbols("d t2")  # m = 1: the second argument is that of V-bar at 2 tau^2 - d
    require(vanishes(stated(d, 2 * t2) - (t2 - d)))


def direct(f: Callable[[acb], acb], gap: Fraction, root: Fraction) -> arb:
    """Enclose E of min(1, f(e^X)) where it is f below X = 0 and 1 above, X ~ N(-gap, root^2)."""
    middle, shift, scale = gap / root, ball(gap), ball(root)
    low = integral(lambda y: density(y) * f((scale * y - shift).exp()), -14, middle)
    return low + interval(0, 1) * cdf(ball(-14)) + cdf(-ball(middle))


@proof(
    "OWN.OUTPUT",
    "tilt",
    Level.ENCLOSED,
    output.capped_mean,
    {
        "v for v/2": lambda a, v: output.capped_mean(a, v) + (v - a).exp(),
        "Phi-tail alone": lambda a, v: (a / (2 * v).sqrt()).erfc() / 2,
        "NaN": nan,
    },
)
def test_against_the_integral(stated: Side) -> None:
    with digits(25):
        for gap, root in CASES:
            require(below(abs(stated(ball(gap), ball(root**2)) - direct(lambda y: y, gap, root)), ball("1e-20")))
            tau2 = root**2 / 2  # the same through V-bar, whose argument is d / (2 tau)
            tau = ball(tau2).sqrt()
            second = (ball(tau2 - gap)).exp() * v_bar(ball(2 * tau2 - gap), tau)
            require(
                below(abs(output.capped_mean(ball(gap), ball(root**2)) - v_bar(ball(gap), tau) - second), ball("1e-20"))
            )


def mean_mass(gap: Fraction, root: Fraction) -> arb:
    """Enclose E of the dropped mass of two blocks, X ~ N(-gap, root^2)."""
    shift, scale = ball(gap), ball(root)
    found = integral(lambda y: density(y) / (1 + (shift - scale * y).exp()), -12, 12)
    return found + interval(0, 1) * 2 * cdf(ball(-12))


@proof(
    "OWN.OUTPUT",
    "factor",
    Level.EXACT,
    lambda z: 2 * output.logistic(z),
    {"factor 3/2": lambda z: Fraction(3, 2) * output.logistic(z), "factor 1": output.logistic},
)
def test_at_most_twice_the_mass(stated: Side) -> None:
    require(vanishes(stated(z) - z - z * (1 - z) / (1 + z)))  # z <= 1
    require(vanishes(stated(z) - 1 - (z - 1) / (1 + z)))  # z >= 1


@proof("OWN.OUTPUT", "simple", Level.EXACT, lambda z: z / 2, {"z / 3": lambda z: z / 3, "z^2 / 2": lambda z: z**2 / 2})
def test_half_a_root(stated: Side) -> None:
    require(vanishes(stated(z) - output.logistic(z**2) - z * (1 - z) ** 2 / (2 * (1 + z**2))))
    # E e^(X/2): the shift of the density again, with half the exponent.
    require(vanishes(x / 2 - (x + a) ** 2 / (2 * v) + (x + a - v / 2) ** 2 / (2 * v) - (v / 8 - a / 2)))


@proof(
    "OWN.OUTPUT",
    "factor",
    Level.ENCLOSED,
    output.capped_mean,
    {
        "a third of it": lambda a, v: output.capped_mean(a, v) / 3,
        "Phi-tail / 2": lambda a, v: (a / (2 * v).sqrt()).erfc() / 4,
    },
)
def test_two_blocks(stated: Side, record_property: Callable[[str, object], None]) -> None:
    with digits(20):
        for gap, root in CASES:
            mass, bound = mean_mass(gap, root), stated(ball(gap), ball(root**2))
            require(at_most(mass, bound))
            require(at_most(bound, 2 * mass))
            require(at_most(mass, output.simple_bound(ball(gap), ball(root**2)) + ball("1e-15")))
        mass, bound = mean_mass(Fraction(3), Fraction(2)), stated(ball(3), ball(4))
    record_property(
        "computed", f"gap 3, variance 4: mass {mass.str(5, radius=False)}, bound {bound.str(5, radius=False)}"
    )


@tightness("OWN.OUTPUT", Level.ENCLOSED)
def test_a_wide_gap() -> None:
    require(vanishes(output.logistic(z) - z + z**2 - z**3 / (1 + z)))  # mass >= z - z^2, whose mean is known
    gap, variance = ball(40), ball(2)
    mass = (variance / 2 - gap).exp() - (2 * variance - 2 * gap).exp()
    require(below(ball("0.999999") * output.capped_mean(gap, variance), mass))


@superfluous("OWN.OUTPUT", "top", Level.EXACT)
def test_no_step_orders_the_scores() -> None:
    w, kept, others = symbols("w kept others")
    require(vanishes(w / (w + kept) - w / (w + kept + others) - w * others / ((w + kept) * (w + kept + others))))
    gap, own = symbols("gap own")  # and the mean of X is -a for a gap of any sign
    require(vanishes(x - (x + gap) ** 2 / (2 * own) + (x + gap - own) ** 2 / (2 * own) - output.exponent(gap, own)))


@control("OWN.OUTPUT", "law", Level.ENCLOSED)
def test_opposed_noise() -> None:
    gap, tau2 = ball(20), ball(1)  # mu_j - mu_i has variance 4 tau^2 where the two noises are opposite
    mass = (2 * tau2 - gap).exp() - (8 * tau2 - 2 * gap).exp()  # E (z - z^2) at variance 4
    require(below(output.capped_mean(gap, 2 * tau2), mass))


@control("OWN.OUTPUT", "weight", Level.ENCLOSED)
def test_a_block_of_a_hundred_keys() -> None:
    # 100 keys dropped and 1 kept, each 3 below in score: mass 100 / (100 + e^-X), X ~ N(-3, 1/2500).
    with digits(20):
        mass = integral(lambda y: density(y) * 100 / (100 + (3 - y / 50).exp()), -12, 12)
        require(below(output.capped_mean(ball(3), ball(Fraction(1, 2500))), mass))
