"""Gaussian tails and containment errors as balls."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from flint import acb, arb

from balls import ball, integral, interval


def density(x: Any) -> Any:
    """Return the standard normal density of a real or complex ball."""
    return (-(x * x) / 2).exp() / (2 * arb.pi()).sqrt()


def cdf(x: Any) -> Any:
    """Return the standard normal distribution function of a real or complex ball."""
    return (-x / arb(2).sqrt()).erfc() / 2


def mean_under_normal(f: Callable[[acb], acb], reach: int = 12) -> arb:
    """Enclose E f(Z) for standard normal Z and f with values in [0, 1] on the real line."""
    tail = 2 * cdf(arb(-reach))
    return integral(lambda z: density(z) * f(z), -reach, reach) + interval(0, 1) * tail


def at_most_above(probabilities: Sequence[Any], most: int) -> Any:
    """P(at most `most` of independent events happen)."""
    law = [acb(1)]
    for p in probabilities:
        longer = [*law, acb(0)]
        law = [a * (1 - p) + (longer[c - 1] * p if c else 0) for c, a in enumerate(longer)]
    return sum(law[: most + 1], acb(0))


def containment(scores: Sequence[Fraction | int], k: int, kept: int, reach: int = 12) -> arb:
    """Enclose E_m: that the first `kept` of the sorted scores miss a true top-k arm, mu ~ N(scores, I).

    The integral over the largest excluded mean x of F'(x) P(at most k - 1 kept means above x), F its distribution.
    """
    inside, outside = [ball(s) for s in scores[:kept]], [ball(s) for s in scores[kept:]]
    if not outside:
        return arb(0)

    def integrand(x: acb) -> acb:
        below = [cdf(x - s) for s in outside]
        slope = acb(0)
        for b, s in enumerate(outside):
            others = acb(1)
            for c, factor in enumerate(below):
                others = others * factor if c != b else others
            slope += density(x - s) * others
        return slope * at_most_above([cdf(s - x) for s in inside], k - 1)

    low, high = scores[-1] - reach, scores[kept] + reach
    lost = cdf(ball(low) - outside[0]) + sum((cdf(s - ball(high)) for s in outside), arb(0))
    return integral(integrand, low, high) + interval(0, 1) * lost
