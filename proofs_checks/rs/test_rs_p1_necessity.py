"""RS Proposition 1, necessity."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from kernel import accepts
from marks import control, proof, superfluous
from refsym_theory.claims.rs import p1_necessity
from refsym_theory.evidence import Level, below, equal, require


@proof(
    "RS.P1-necessity",
    "attention",
    Level.EXACT,
    p1_necessity.share,
    {"not normalized": lambda u, c: u + c, "competitor forgotten": lambda u, c: u / u},
)
def test_the_share_is_injective(stated: Callable[..., Any]) -> None:
    u, v, c = symbols("u v c")  # the children's weight, the parent's, the competitor's; all positive
    # Equal outputs force u = v: c is positive, and so are both normalizers.
    require(vanishes((stated(u, c) - stated(v, c)) * (u + c) * (v + c) - c * (u - v)))


@proof(
    "RS.P1-necessity",
    "rational",
    Level.EXACT,
    p1_necessity.part_of,
    {"a square": lambda y, q: y / q**2, "parts add up to twice": lambda y, q: 2 * y / q},
)
def test_rational_homogeneity(stated: Callable[..., Any]) -> None:
    y, p, q = symbols("y p q")  # y = w(m); equal splits of m into q, and of p m / q into p
    one = stated(y, q)  # w(m / q)
    require(vanishes(q * one - y))
    many = p * one  # w(p m / q), whose p equal parts have mass m / q
    require(vanishes(stated(many, p) - one))
    require(vanishes(many - p / q * y))


@proof(
    "RS.P1-necessity",
    "squeeze",
    Level.EXACT,
    lambda c, low, high: c * (high - low),
    {"half the width": lambda c, low, high: c * (high - low) / 2},
)
def test_between_two_rationals(stated: Callable[..., Any]) -> None:
    # Slacks, all nonnegative: x = q + a, r = x + b, w = c q + d, c r = w + e.
    c, q, a, b, d = symbols("c q a b d")
    x, r, weight = q + a, q + a + b, c * q + d
    e = c * r - weight
    require(vanishes(stated(c, q, r) - (weight - c * x) - e - c * a))
    require(vanishes(stated(c, q, r) - (c * x - weight) - c * b - d))
    require(nonnegative_coefficients(c * a + c * b + d))


@proof("RS.P1-necessity", "attention", Level.KERNEL)
def test_coq_invariance_of_the_output() -> None:
    accepts("equal_splits.v", "invariance_keeps_equal_splits", "invariant w K -> keeps_equal_splits w")


@proof(
    "RS.P1-necessity",
    "",
    Level.KERNEL,
    None,
    {
        "monotonicity dropped": ("positive w -> nondecreasing w -> keeps", "positive w -> keeps"),
        "c = 2 w(1)": ("exists (w 1). pose", "exists (2 * w 1). pose"),
    },
)
def test_coq_linear(stated: tuple[str, str] | None) -> None:
    accepts("equal_splits.v", "characterization", "(invariant w K <-> linear w)", stated)


Surd = tuple[Fraction, Fraction]
"""a + b sqrt 2."""


@control("RS.P1-necessity", "monotone", Level.EXACT)
def test_twice_as_much_off_the_rationals(record_property: Callable[[str, object], None]) -> None:
    def weight(m: Surd) -> Surd:
        factor = 1 if m[1] == 0 else 2
        return factor * m[0], factor * m[1]

    for m in ((Fraction(3), Fraction(0)), (Fraction(0), Fraction(1)), (Fraction(1), Fraction(1))):
        for k in range(1, 20):  # m / k is rational exactly when m is, whatever k
            child = weight((m[0] / k, m[1] / k))
            assert (k * child[0], k * child[1]) == weight(m)
    one, root = weight((Fraction(1), Fraction(0))), weight((Fraction(0), Fraction(1)))
    require(equal(one[0], Fraction(1)))
    require(equal(root[1], Fraction(2)))  # w(1) = 1 and w(sqrt 2) = 2 sqrt 2
    record_property("w", "m on the rationals, 2m off them")


@control("RS.P1-necessity", "every-integer", Level.EXACT)
def test_halving_alone_leaves_a_staircase() -> None:
    def staircase(m: Fraction) -> Fraction:
        """Return the largest power of two that is at most m."""
        power = Fraction(1)
        while power > m:
            power /= 2
        while 2 * power <= m:
            power *= 2
        return power

    masses = [Fraction(n, 8) for n in range(1, 65)]
    assert all(2 * staircase(m / 2) == staircase(m) for m in masses)
    assert all(staircase(a) <= staircase(b) for a, b in pairwise(masses))
    require(equal(staircase(Fraction(3)), staircase(Fraction(2))))  # not linear: 3 and 2 weigh the same
    require(below(3 * staircase(Fraction(1)), 2 * staircase(Fraction(2))))


@control("RS.P1-necessity", "every-value", Level.EXACT)
def test_equal_values_show_nothing() -> None:
    v, u, c = symbols("v u c")
    require(vanishes((u * v + c * v) / (u + c) - v))  # whatever the weights


@control("RS.P1-necessity", "local", Level.EXACT)
def test_a_weight_that_reads_the_mass_of_equal_contents() -> None:
    def output(tokens: list[tuple[int, Fraction]]) -> Fraction:
        """Attention at one score; a token weighs its mass times the mass of all tokens of its value."""
        total = {value: sum((m for v, m in tokens if v == value), Fraction(0)) for value, _ in tokens}
        return sum(m * total[v] * v for v, m in tokens) / sum(m * total[v] for v, m in tokens)

    whole = [(1, Fraction(2)), (0, Fraction(1))]
    for k in range(1, 9):  # copies share their value, hence that total
        require(equal(output([(1, Fraction(2, k))] * k + whole[1:]), output(whole)))
    require(equal(output(whole), Fraction(4, 5)))  # masses themselves give 2/3


@superfluous("RS.P1-necessity", "kernel", Level.EXACT)
def test_one_score_is_enough() -> None:
    u, c, kernel = symbols("u c K")  # K at the one score used; it only has to differ from 0
    require(vanishes(p1_necessity.share(u * kernel, c * kernel) - p1_necessity.share(u, c)))


@superfluous("RS.P1-necessity", "positive", Level.EXACT)
def test_the_sign_follows() -> None:
    u, v, c, w = symbols("u v c w")
    # No sign is used: c, u + c and v + c only have to differ from 0. One of c, 2c, 3c (as many competitors) will do.
    require(vanishes((p1_necessity.share(u, c) - p1_necessity.share(v, c)) * (u + c) * (v + c) - c * (u - v)))
    # w(m) - w(m/2) = w(m/2), nonnegative for monotone w. So w >= 0, and a zero of w at m spreads: to all
    # smaller masses by monotonicity, to 2m, 4m, ... by w(2m) = 2 w(m), and so to all.
    half = p1_necessity.part_of(w, 2)
    require(vanishes(w - half - half))
