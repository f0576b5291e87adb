"""OWN.PEAK: equally spaced scores."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import acb, arb
from sympy import Function, symbols

from algebra import vanishes
from balls import agrees, ball, digits, integral, interval
from gaussian import cdf, containment
from marks import control, proof
from orders import miss_when_tied, misses, orders
from refsym_theory.claims.own import peak
from refsym_theory.evidence import Level, at_most, below, equal, require

REACH = 8
Shift = Callable[[int, int], int]


def slope(t: arb, n: int, shift: Shift = peak.doubled_shift) -> arb:
    """Enclose W(t)."""
    total = arb(0)
    for b in peak.others(n):
        moves = [ball(Fraction(shift(b, c), 2)) * t for c in peak.others(n) if c != b]

        def integrand(y: acb, moves: list[arb] = moves) -> acb:
            product = (-(y * y)).exp()
            for move in moves:
                product = product * cdf(y + move)
            return product

        tail = arb.pi().sqrt() * arb(REACH).erfc()
        total += b * peak.damping(ball(b), t).exp() * (integral(integrand, -REACH, REACH) + interval(0, 1) * tail)
    return total


def value(t: Fraction, n: int) -> arb:
    """Enclose V*(t)."""
    scores = [-t * b for b in range(n)]
    return containment(scores, 1, 1) - containment(scores, 1, 2)


@proof(
    "OWN.PEAK",
    "best",
    Level.EXACT,
    lambda order: order[0] == 1,
    {"block 0": lambda order: order[0] == 0, "block 1 second": lambda order: order[1] == 1},
)
def test_what_expansion_gains(stated: Callable[..., bool]) -> None:
    for n, order in orders(6):
        if n >= 3:
            assert misses(order, 1, 1) - misses(order, 1, 2) == stated(order)


@proof(
    "OWN.PEAK",
    "derivative",
    Level.EXACT,
    peak.damping,
    {"b^2 undamped": lambda b, t: -(b**2) * t**2 / 4, "half": lambda b, t: peak.damping(b, t) / 2},
)
def test_two_densities_make_one(stated: Callable[..., Any]) -> None:
    x, b, c, t = symbols("x b c t")
    y = x + b * t / 2
    # Less e^(-t^2/4), which W multiplies away.
    require(vanishes((x**2 + (x + b * t) ** 2) / 2 - y**2 + stated(b, t) - t**2 / 4))
    require(vanishes(x + c * t - (y + (2 * c - b) / 2 * t)))


@proof(
    "OWN.PEAK",
    "log-concave",
    Level.EXACT,
    lambda y, Phi, phi: y * Phi + phi,
    {"sign of phi": lambda y, Phi, phi: y * Phi - phi, "y squared": lambda y, Phi, phi: y**2 * Phi + phi},
)
def test_the_hazard_falls(stated: Callable[..., Any]) -> None:
    y, p, q = symbols("y p q")
    big, small = Function("Phi")(y), Function("phi")(y)
    rules = {big.diff(y): small, small.diff(y): -y * small}
    grown = stated(y, big, small).diff(y).subs(rules)  # Phi > 0, and y Phi + phi tends to 0 at minus infinity
    require(vanishes((grown - big).expand().subs({big: p, small: q})))
    hazard = (small / big).diff(y).subs(rules).subs({big: p, small: q})  # -(phi / Phi^2) (y Phi + phi) < 0
    require(vanishes(hazard + q / p**2 * (y * p + q)))


@proof(
    "OWN.PEAK",
    "monotone",
    Level.EXACT,
    peak.doubled_shift,
    {"c + b/2": lambda b, c: 2 * c + b, "c - b": lambda b, c: 2 * (c - b)},
)
def test_every_term_falls(stated: Shift) -> None:
    for n in (3, 4):
        for b in peak.others(n):
            shifts = [stated(b, c) for c in peak.others(n) if c != b]
            if b < 0:  # a negative term: every factor grows with t
                assert min(shifts) > 0
            else:  # a positive term: pairs (-u, u) and single -u with u >= 0
                positive, negative = sorted(s for s in shifts if s > 0), sorted(-s for s in shifts if s < 0)
                assert all(p in negative for p in positive)
                assert len(positive) <= 1
            assert b * b - 1 >= 0  # and the damping falls too


@proof(
    "OWN.PEAK",
    "derivative",
    Level.ENCLOSED,
    slope,
    {"W halved": lambda t, n: slope(t, n) / 2, "c + b/2": lambda t, n: slope(t, n, lambda b, c: 2 * c + b)},
)
def test_the_slope_is_that_of_the_value(stated: Callable[..., arb]) -> None:
    with digits(25):
        for n in (3, 4):
            t, h = Fraction(1), Fraction(1, 10**4)
            found = stated(ball(t), n) * (-ball(t * t / 4)).exp() / (2 * arb.pi())
            quotient = (value(t + h, n) - value(t - h, n)) / (2 * ball(h))
            require(below(abs(found - quotient), ball("1e-8")))


@proof(
    "OWN.PEAK",
    "peak",
    Level.ENCLOSED,
    lambda: (Fraction(38654, 10**5), Fraction(38656, 10**5)),
    {
        "at ties": lambda: (Fraction(-1, 100), Fraction(1, 100)),
        "at half a noise scale": lambda: (Fraction(49, 100), Fraction(51, 100)),
    },
)
def test_four_blocks(
    stated: Callable[[], tuple[Fraction, Fraction]], record_property: Callable[[str, object], None]
) -> None:
    with digits(20):
        low, high = stated()
        require(below(0, slope(ball(low), 4)))
        require(below(slope(ball(high), 4), 0))
        top = value(low, 4)
        require(agrees(top, "0.28412"))
        require(below(ball(Fraction(1, 4)), top))
    record_property("claimed", "t* = 0.38655, V*(t*) = 0.28412")
    record_property("computed", f"sign change in [{float(low)}, {float(high)}]; V* there {top.str(10, radius=False)}")


@proof("OWN.PEAK", "peak", Level.ENCLOSED)
def test_three_blocks() -> None:
    with digits(20):  # at t = 0 both terms are the same integral, with opposite signs
        assert sorted(peak.others(3)) == [-1, 1]
        require(below(abs(slope(arb(0), 3)), ball("1e-15")))
        require(below(slope(ball(Fraction(1, 100)), 3), 0))
        require(at_most(value(Fraction(1, 2), 3), ball(Fraction(1, 3))))
    require(equal(miss_when_tied(3, 1, 1) - miss_when_tied(3, 1, 2), Fraction(1, 3)))


@control("OWN.PEAK", "spaced", Level.ENCLOSED)
def test_only_the_cut_opens() -> None:
    with digits(20):  # four blocks, all spacings but the cut's zero: the value falls from the start
        scores = [Fraction(1, 4), Fraction(0), Fraction(0), Fraction(0)]
        opened = containment(scores, 1, 1) - containment(scores, 1, 2)
        require(below(opened, ball(miss_when_tied(4, 1, 1) - miss_when_tied(4, 1, 2))))
