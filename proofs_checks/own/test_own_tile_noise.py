"""OWN: variance of the maximum of a tile's rows."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import acb, arb
from sympy import symbols

from algebra import vanishes
from balls import agrees, ball, digits, integral, interval
from gaussian import cdf, density
from marks import control, nan, proof, value
from refsym_theory.claims.own.tile_noise import variance_of_two
from refsym_theory.evidence import Level, at_most, below, equal, require

REACH = 12


def moment(law: Callable[[acb], acb], power: int, weight: int) -> arb:
    """Enclose a moment of a law whose second moment beyond the reach is at most `weight` times the normal one."""
    inner = integral(lambda x: law(x) * x**power, -REACH, REACH)
    tail = weight * 2 * (REACH * density(arb(REACH)) + cdf(arb(-REACH)))  # integral of x^2 phi, above that of |x| phi
    return inner + interval(-1, 1) * tail


def variance(n: int) -> arb:
    """Enclose the variance of the largest of n independent standard normals."""

    def law(x: acb) -> acb:
        return n * density(x) * cdf(x) ** (n - 1)

    return moment(law, 2, n) - moment(law, 1, n) ** 2


@proof(
    "OWN.TILE-NOISE",
    "two",
    Level.EXACT,
    variance_of_two,
    {"1/pi lost": lambda p: 1 + 0 * p, "half": lambda p: (1 - p) / 2, "2/pi": lambda p: 1 - 2 * p},
)
def test_two_rows_by_parts(stated: Callable[..., Any]) -> None:
    p, mean = symbols("p m")  # 1/pi and E|X - Y| = 2/sqrt(pi), with m^2 = 4 p
    mean_part, half_difference = Fraction(1, 4) * 2, (2 - mean**2) / 4  # variances of (X + Y)/2 and of |X - Y|/2
    require(vanishes((mean_part + half_difference).subs(mean**2, 4 * p) - stated(p)))


@value("OWN.TILE-NOISE", "two", Level.ENCLOSED, variance_of_two, {"1/pi lost": lambda p: p * 0 + 1})
def test_two_rows_by_integral(stated: Callable[..., arb]) -> None:
    with digits(25):
        require(at_most(abs(variance(2) - stated(1 / arb.pi())), ball("1e-15")))


@value(
    "OWN.TILE-NOISE",
    "many",
    Level.ENCLOSED,
    variance,
    {"one row": lambda n: variance(1), "half the rows": lambda n: variance(n // 2), "NaN": nan},
)
def test_sixty_four_rows(stated: Callable[[int], arb], record_property: Callable[[str, object], None]) -> None:
    with digits(25):
        whole, half = (ball("nan") if stated is nan else stated(n) for n in (64, 32))
        record_property("claimed", "variance tau^2 (17)")
        record_property("computed", f"{whole.str(6, radius=False)} tau^2 for 64 rows of equal means")
        require(agrees(whole, "0.2034865"))
        require(agrees(half, "0.2416175"))
        require(agrees(1 / whole.sqrt(), "2.2168"))


@value("OWN.TILE-NOISE", "halves", Level.ENCLOSED, 32, {"all rows": 64, "one row": 1})
def test_what_a_half_sees(stated: int) -> None:
    with digits(25):
        require(agrees(variance(stated).sqrt(), "0.49155"))


@control("OWN.TILE-NOISE", "equal", Level.ENCLOSED)
def test_one_row_far_above_the_other() -> None:
    with digits(25):
        gap = arb(10)  # rows of means 0 and -10: the tile score is the first row's, with all of its noise

        def law(x: acb) -> acb:
            return density(x) * cdf(x + gap) + density(x + gap) * cdf(x)

        # Above the reach law <= phi(x) + phi(x + 10), below it <= phi(x) + Phi(x), where x^2 Phi(x) <= |x| phi(x).
        require(below(ball(Fraction(99, 100)), moment(law, 2, 2) - moment(law, 1, 2) ** 2))


@control("OWN.TILE-NOISE", "independent", Level.EXACT)
def test_noise_that_all_rows_share() -> None:
    tiles = [max([noise] * 64) for noise in (Fraction(-1), Fraction(1))]  # each with probability one half
    mean = sum(tiles) / 2
    require(equal(sum((tile - mean) ** 2 for tile in tiles) / 2, 1))
