"""UG appendix D.2: the flat prior."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb
from sympy import symbols

from algebra import vanishes
from balls import ball, digits, integral, interval
from gaussian import cdf
from marks import control, proof
from refsym_theory.claims.ug.d2_posterior import exponent, shrunk
from refsym_theory.evidence import Level, Truth, at_most, below, equal, require

FALSE = {
    "centred at 0": lambda mu, s, tau: -(mu**2) / (2 * tau**2),
    "shrunk by half": lambda mu, s, tau: -((mu - s / 2) ** 2) / (2 * tau**2),
    "tau for tau^2": lambda mu, s, tau: -((mu - s) ** 2) / (2 * tau),
}


@proof("UG.D2-posterior", "kernel", Level.EXACT, exponent, FALSE)
def test_scores_and_means_enter_alike(stated: Callable[..., Any]) -> None:
    mu, s, tau = symbols("mu s tau")
    require(vanishes(stated(mu, s, tau) + (s - mu) ** 2 / (2 * tau**2)))
    require(vanishes(stated(mu, s, tau) - stated(s, mu, tau)))


@proof(
    "UG.D2-posterior",
    "mass",
    Level.ENCLOSED,
    lambda tau: (2 * arb.pi()).sqrt() * tau,
    {"sqrt pi": lambda tau: arb.pi().sqrt() * tau, "tau^2": lambda tau: (2 * arb.pi()).sqrt() * tau**2},
)
def test_mass_whatever_the_score(stated: Callable[..., arb]) -> None:
    with digits(30):
        for tau in (Fraction(1), Fraction(3)):
            for s in (Fraction(0), Fraction(7, 2)):
                reach = 12 * tau
                inner = integral(lambda mu, s=s, tau=tau: exponent(mu, ball(s), ball(tau)).exp(), s - reach, s + reach)
                whole = (2 * arb.pi()).sqrt() * ball(tau)
                found = inner + interval(0, 2) * whole * cdf(ball(-12))
                require(at_most(abs(found - stated(ball(tau))), ball("1e-20")))


@proof("UG.D2-posterior", "product", Level.EXACT, lambda a, b: a + b, {"one block alone": lambda a, b: a})
def test_exponents_add(stated: Callable[..., Any]) -> None:
    mu, nu, s, t, tau = symbols("mu nu s t tau")
    both = -((mu - s) ** 2 + (nu - t) ** 2) / (2 * tau**2)
    require(vanishes(stated(exponent(mu, s, tau), exponent(nu, t, tau)) - both))


@control("UG.D2-posterior", "flat", Level.EXACT)
def test_a_gaussian_prior_shrinks() -> None:
    mu, s, tau, prior, mean = symbols("mu s tau omega m")
    # Completing the square: the exponents add to one around the shrunk mean, up to a term without mu.
    centre, variance = shrunk(s, mean, prior**2, tau**2), prior**2 * tau**2 / (prior**2 + tau**2)
    rest = exponent(mu, s, tau) + exponent(mu, mean, prior) + (mu - centre) ** 2 / (2 * variance)
    require(vanishes(rest.diff(mu)))
    require(below(shrunk(Fraction(2), 0, 1, 1), 2))
    require(equal(shrunk(Fraction(2), 0, 1, 1), 1))


@control("UG.D2-posterior", "independent", Level.EXACT)
def test_noise_that_blocks_share_in_part() -> None:
    a, b = symbols("a b")  # s - mu of two blocks, of variance 1 and covariance 1/2: the exponent has a cross term
    half = Fraction(1, 2)
    joint = -(a**2 - 2 * half * a * b + b**2) / (2 * (1 - half**2))
    require(vanishes(joint.diff(a).diff(b) - Fraction(2, 3)))
    require(vanishes((exponent(a, 0, 1) + exponent(b, 0, 1)).diff(a).diff(b)))


@control("UG.D2-posterior", "gaussian", Level.EXACT)
def test_another_noise_gives_another_law() -> None:
    # Noise -1 or 2 with chances 2/3 and 1/3 has mean 0: under a flat prior mu = s + 1 or s - 2, a law of two points.
    law = {Fraction(1): Fraction(2, 3), Fraction(-2): Fraction(1, 3)}
    require(equal(sum(x * p for x, p in law.items()), 0))
    upward = sum(p for x, p in law.items() if x > 0)
    assert equal(upward, Fraction(1, 2)) is Truth.FALSE
