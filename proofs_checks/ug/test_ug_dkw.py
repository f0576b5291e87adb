"""UG's population-quantile version."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

from sympy import Expr, exp, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.ug import dkw
from refsym_theory.evidence import Level, Truth, at_most, below, equal, require

FALSE = {
    "half of it": lambda d, n, t: dkw.lost(d, n, t) / 2,
    "squared": lambda d, n, t: dkw.lost(d, n, t) ** 2,
    "NaN": nan,
}


def risks(values: tuple[Fraction, ...], triggered: int, below_threshold: int) -> Fraction:
    """Extra risk of expanding the first `below_threshold` tiles in the order of sigma, not the first `triggered`."""
    return (sum(values[:triggered]) - sum(values[:below_threshold])) * Fraction(1, len(values))


@proof("UG.DKW", "fewer", Level.EXACT, dkw.lost, FALSE)
def test_each_lost_expansion_is_worth_at_most_one(stated: Callable[..., Any]) -> None:
    # Linear in the values, which lie in [0, 1]: the corners are enough.
    for tiles in range(1, 6):
        for values in product((Fraction(0), Fraction(1)), repeat=tiles):
            for triggered, n in product(range(tiles + 1), repeat=2):
                require(at_most(risks(values, triggered, n), stated(triggered, n, tiles)))


@proof("UG.DKW", "more", Level.EXACT, lambda d, n: n >= d, {"N = D - 1 too": lambda d, n: n >= d - 1})
def test_a_larger_set_contains_the_smaller(stated: Callable[[int, int], bool]) -> None:
    for tiles in range(1, 6):
        for values in product((Fraction(0), Fraction(1)), repeat=tiles):
            for triggered, n in product(range(tiles + 1), repeat=2):
                assert not stated(triggered, n) or risks(values, triggered, n) <= 0


@proof(
    "UG.DKW",
    "ceil",
    Level.EXACT,
    lambda tiles: 1 / tiles,
    {"no 1/T": lambda tiles: 0 * tiles, "1/(2T)": lambda tiles: 1 / (2 * tiles)},
)
def test_rounding_costs_one_tile(stated: Callable[..., Any]) -> None:
    q, tiles, f, n, above = symbols("q tiles f n above")  # D = q T + 1 - f with f > 0; F(c) = q + above
    room = (q + above) - n / tiles + stated(tiles) - (q * tiles + 1 - f - n) / tiles
    require(vanishes(room - above - f / tiles))  # both at least 0


@proof(
    "UG.DKW", "cumulant", Level.EXACT, lambda x: (1 - 2 * x) ** 2 / 4, {"1/8 for 1/4": lambda x: (1 - 2 * x) ** 2 / 8}
)
def test_second_derivative_of_the_cumulant(stated: Callable[[Expr], Expr]) -> None:
    p, s, z = symbols("p s z")  # z = e^s
    x = p * z / (1 - p + p * z)
    # d/ds of log(1 - p + p e^s) is x, and d x / ds = z dx/dz.
    require(vanishes(z * x.diff(z) - x * (1 - x)))
    require(vanishes((p * exp(s) / (1 - p + p * exp(s))).diff(s).subs(exp(s), z) - x * (1 - x)))
    y = symbols("y")
    require(vanishes(Fraction(1, 4) - y * (1 - y) - stated(y)))  # a square: the second derivative is at most 1/4


@proof(
    "UG.DKW",
    "chernoff",
    Level.EXACT,
    lambda eps: -2 * eps**2,
    {"-4 eps^2": lambda eps: -4 * eps**2, "-eps^2": lambda eps: -(eps**2)},
)
def test_best_exponent(stated: Callable[[Expr], Expr]) -> None:
    s, eps = symbols("s eps")
    require(vanishes(s**2 / 8 - s * eps - (s - 4 * eps) ** 2 / 8 - stated(eps)))  # least at s = 4 eps


def tail_is_small(p: Fraction, tiles: int, short: int, rate: int = 2) -> Truth:
    """Whether P(N <= T p - short) <= exp(-2 short^2 / T), N binomial."""
    most = p * tiles - short
    tail = sum(comb(tiles, n) * p**n * (1 - p) ** (tiles - n) for n in range(tiles + 1) if n <= most)
    return at_most(ball(Fraction(tail)), (-ball(Fraction(rate * short**2, tiles))).exp())


@proof(
    "UG.DKW",
    "chernoff",
    Level.ENCLOSED,
    tail_is_small,
    {"8 for 2": lambda p, t, short: tail_is_small(p, t, short, 8), "NaN": lambda p, t, short: at_most(nan(), nan())},
)
def test_binomial_tails(stated: Callable[..., Truth]) -> None:
    with digits(30):
        for p, tiles in product((Fraction(1, 10), Fraction(2, 5), Fraction(1, 2), Fraction(83, 100)), (1, 5, 20)):
            for short in range(1, tiles + 1):
                require(stated(p, tiles, short))


@tightness("UG.DKW", Level.EXACT, dkw.lost, {"half of it": FALSE["half of it"]})
def test_tiles_worth_one(stated: Callable[..., Any]) -> None:
    require(equal(risks((Fraction(1),) * 5, 3, 1), stated(3, 1, 5)))


@superfluous("UG.DKW", "continuous", Level.EXACT)
def test_an_atom_only_adds_expansions() -> None:
    # The only use of F is q <= F(c), which the infimum over {F >= q} gives with or without an atom.
    q, atom = Fraction(2, 5), Fraction(83, 100)
    require(at_most(q, atom))
    tiles = 100
    require(equal(dkw.lost(dkw.budget(q, tiles), int(atom * tiles), tiles), Fraction(0)))
    above, f, t = symbols("above f t")  # F(c) - q = above >= 0 enters the room of "ceil" with a plus
    require(vanishes((above + f / t) - above - f / t))


@superfluous("UG.DKW", "uniform", Level.EXACT)
def test_one_fixed_threshold_is_enough() -> None:
    # N is a sum of independent indicators of {sigma_t <= c} at one c: its cumulant needs one p only.
    s, eps, tiles = symbols("s eps tiles")
    require(vanishes(tiles * (s**2 / 8 - s * eps) - tiles * ((s - 4 * eps) ** 2 / 8 - 2 * eps**2)))


@control("UG.DKW", "independent", Level.ENCLOSED)
def test_tiles_that_share_one_draw() -> None:
    # All sigma_t equal: with probability 1 - q no tile is triggered, and the shortfall stays at q whatever T is.
    q, tiles, delta = Fraction(2, 5), 10**4, Fraction(1, 20)
    shortfall = dkw.lost(dkw.budget(q, tiles), 0, tiles)
    allowed = (-ball(delta).log() / (2 * tiles)).sqrt() + ball(Fraction(1, tiles))
    require(below(allowed, ball(shortfall)))
    require(below(delta, 1 - q))
