"""UG D.4: CV(r) is not beta."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from gaussian import density
from marks import control, nan, proof, refutation, tightness
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import cv, cv_proxy, l1_chi, l1_sandwich, p1_band
from refsym_theory.evidence import Level, at_most, below, equal, require

TILES = [(Fraction(99, 100), Fraction(40)), (Fraction(1, 2), Fraction(20))] + [(Fraction(1), Fraction(40))] * 8
"""Gap and spread at k = 2, rho = 2, q = 1/10, so D = 1 = qT; every other spacing is at least 19."""
FALSE = {"T": lambda tiles, c: tiles * c / 2, "CV itself": lambda tiles, c: c, "NaN": nan}


@refutation("UG.CV-proxy", Level.ENCLOSED, cv.cv_squared, {"beta": lambda r: cv.beta(r) ** 2})
def test_ten_tiles(stated: Callable[..., Any], record_property: Callable[[str, object], None]) -> None:
    sigmas = [gap / spread for gap, spread in TILES]
    assert min(range(10), key=sigmas.__getitem__) == 0  # what the router expands
    assert sigmas.count(sigmas[0]) == 1
    with digits(20):
        y = (-ball(Fraction(19**2, 4))).exp()
        chi = l1_chi.chi(y)
        eps = l1_sandwich.epsilon(chi, y**4)
        spreads = [spread for _, spread in TILES]
        gamma = ball(sigmas[0] * sum(spreads) / 10)
        plugged = ball(stated(spreads)).sqrt()
        slope = density(gamma * (1 - plugged) / arb(2).sqrt())
        bound = (p1_band.band(plugged, gamma, 1, arb(2).sqrt(), slope) + eps) / 10
        # Tile 1 has the largest value; (23) bounds it from below and the expanded tile's from above.
        regret = ((1 - eps) * v_bar(ball(Fraction(1, 2))) - (1 + eps) * v_bar(ball(Fraction(99, 100)))) / 10
        record_property("claimed", f"at most {bound.str(5, radius=False)} with CV(r) for beta")
        record_property("computed", f"regret at least {regret.str(5, radius=False)}")
        require(below(bound, regret))


@proof(
    "UG.CV-proxy", "others", Level.EXACT, lambda n, s1, s2: s2 - s1**2 / n, {"without n": lambda n, s1, s2: s2 - s1**2}
)
def test_the_square_of_a_sum(stated: Callable[..., Any]) -> None:
    n, s1, s2, m = symbols("n s1 s2 m")
    # sum of (x - m)^2 = s2 - 2 m s1 + n m^2 over n numbers with sums s1 of x and s2 of x^2, at their mean m = s1 / n.
    require(vanishes((s2 - 2 * m * s1 + n * m**2).subs(m, s1 / n) - stated(n, s1, s2)))


@proof(
    "UG.CV-proxy",
    "largest",
    Level.EXACT,
    cv_proxy.largest_squared,
    {"T": lambda t, c: t * c, "CV itself": lambda t, c: c},
)
def test_solved_for_the_largest(stated: Callable[..., Any]) -> None:
    xi, s2, tiles = symbols("xi s2 tiles")  # s2: the others' squares; their sum is -xi
    spare = (tiles - 1) * s2 - xi**2  # nonnegative, by the step before
    require(vanishes(stated(tiles, (xi**2 + s2) / tiles) - xi**2 - spare / tiles))


@tightness("UG.CV-proxy", Level.EXACT, cv_proxy.largest_squared, FALSE)
def test_one_apart(stated: Callable[..., Any]) -> None:
    for tiles in (3, 5, 10):
        spreads = [Fraction(3)] + [Fraction(1)] * (tiles - 1)
        require(equal(cv.beta(spreads) ** 2, stated(tiles, cv.cv_squared(spreads))))


@control("UG.CV-proxy", "centred", Level.EXACT)
def test_deviations_from_something_else() -> None:
    spreads = [Fraction(3), Fraction(3)]  # around 1 instead of their mean 3
    require(equal(cv.cv_squared(spreads), Fraction(0)))
    require(below(cv_proxy.largest_squared(2, cv.cv_squared(spreads)), max(abs(r - 1) for r in spreads) ** 2))
    require(at_most(cv.beta(spreads), Fraction(0)))
