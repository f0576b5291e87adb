"""RS Figure 5: both reference integrals and both rates, enclosed."""

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import numpy as np
from flint import acb, arb
from scipy.integrate import quad

from balls import agrees, ball, digits, integral
from marks import proof, value
from refsym_theory.claims.rs import f5, p3
from refsym_theory.evidence import Level, at_most, below, require

ID = "RS.F5"
Fact = Callable[[str, object], None]
Field = Callable[[acb], acb]


def f(z: acb) -> acb:
    return f5.score(z, lambda w: w.sin()).exp()


def v(z: acb) -> acb:
    return f5.value(z, lambda w: w.cos())


def rho(z: acb) -> acb:
    return f5.density(z, lambda w: w.sin())


def one(z: acb) -> acb:
    return z * 0 + 1


def functional(density: Field) -> arb:
    """Attention under `density` over [0, 4]."""
    top = integral(lambda z: f(z) * v(z) * density(z), 0, f5.END)
    return top / integral(lambda z: f(z) * density(z), 0, f5.END)


@cache
def limits() -> tuple[arb, arb]:
    with digits(40):
        return functional(one), functional(rho)


@value(
    ID,
    "intended",
    Level.ENCLOSED,
    lambda: limits()[0],
    {
        "density rho": lambda: functional(rho),
        "density 1 + x / 10^10": lambda: functional(lambda z: one(z) + z / 10**10),
        "NaN": lambda: arb("nan"),
    },
)
def test_intended_limit(stated: Callable[[], arb], record_property: Fact) -> None:
    with digits(40):
        found = stated()
        record_property("claimed", "1.8453563272")
        record_property("computed", found.str(32))
        require(agrees(found, "1.8453563272"))
        require(below(found.rad(), ball("1e-30")))


@value(
    ID,
    "sampled",
    Level.ENCLOSED,
    lambda: limits()[1],
    {
        "phase 0.3 lost": lambda: functional(lambda z: 1 + 8 * (11 * z / 10).sin() / 10),
        "0.8 read as 0.08": lambda: functional(lambda z: 1 + 8 * ((11 * z + 3) / 10).sin() / 100),
    },
)
def test_sampled_limit(stated: Callable[[], arb], record_property: Fact) -> None:
    with digits(40):
        found = stated()
        record_property("claimed", "0.9459689468")
        record_property("computed", found.str(32))
        require(agrees(found, "0.9459689468"))
        require(below(found.rad(), ball("1e-30")))


@value(
    ID,
    "difference",
    Level.ENCLOSED,
    p3.bias,
    {"mean of rho forgotten": lambda a, b, c, d: p3.bias(a, b, c, d) * c / a, "sign": lambda *a: -p3.bias(*a)},
)
def test_difference(stated: Callable[..., arb], record_property: Fact) -> None:
    with digits(40):
        parts = [
            integral(lambda z: f(z), 0, 4),
            integral(lambda z: f(z) * v(z), 0, 4),
            integral(lambda z: f(z) * rho(z), 0, 4),
            integral(lambda z: f(z) * v(z) * rho(z), 0, 4),
        ]
        found = stated(*parts)
        intended, sampled = limits()
        record_property("claimed", "0.8994")
        record_property("computed", (-found).str(15))
        require(agrees(-found, "0.8994"))
        require(below(abs(sampled - intended - found), ball("1e-30")))


@value(ID, "intended", Level.SAMPLED)
def test_adaptive_quadrature_agrees() -> None:
    def weight(x: float) -> float:
        return float(np.exp(f5.score(x, np.sin)))

    with digits(40):
        for density, limit in ((lambda x: 1.0, limits()[0]), (lambda x: f5.density(x, np.sin), limits()[1])):
            top = quad(lambda x, d=density: weight(x) * f5.value(x, np.cos) * d(x), 0, 4, epsabs=2e-13, epsrel=2e-13)
            bottom = quad(lambda x, d=density: weight(x) * d(x), 0, 4, epsabs=2e-13, epsrel=2e-13)
            require(at_most(abs(top[0] / bottom[0] - float(limit)), 1e-12))


def boundaries(n: int) -> list[arb]:
    """Enclose the equal quantiles: a float root, one Newton step, and the residual over the least density."""
    with digits(25):
        start = f5.sampled(ball(0), lambda w: w.cos())
        total = f5.sampled(ball(f5.END), lambda w: w.cos()) - start
        low = float(start)
        targets = low + float(total) * np.arange(1, n) / n
        x = np.linspace(0, f5.END, n + 1)[1:-1]
        for _ in range(60):
            x = np.clip(x - (f5.sampled(x, np.cos) - targets) / f5.density(x, np.sin), 0, f5.END)
        found = [ball(0)]
        for i, guess in enumerate(x.tolist(), start=1):
            target = start + total * i / n
            # A float is a binary fraction, so this ball is exact.
            root = arb(guess)
            root = (root - (f5.sampled(root, lambda w: w.cos()) - target) / f5.density(root, lambda w: w.sin())).mid()
            radius = abs(f5.sampled(root, lambda w: w.cos()) - target) / ball(f5.LEAST_DENSITY)
            found.append(root + arb(0, radius.upper()))
        return [*found, ball(f5.END)]


@cache
def estimates(n: int) -> tuple[arb, arb]:
    """Measure-weighted and standard estimate with n tokens."""
    with digits(25):
        top = bottom = plain_top = plain_bottom = ball(0)
        for a, b in pairwise(boundaries(n)):
            middle = (a + b) / 2
            weight, content = f(middle), v(middle)
            top, bottom = top + (b - a) * weight * content, bottom + (b - a) * weight
            plain_top, plain_bottom = plain_top + weight * content, plain_bottom + weight
        return top / bottom, plain_top / plain_bottom


def slopes(which: int, limit: arb) -> list[arb]:
    errors = [abs(estimates(n)[which] - limit) for n in f5.COUNTS]
    return [(after / before).log() / ball(4).log() for before, after in pairwise(errors)]


@proof(
    ID,
    "slope",
    Level.ENCLOSED,
    lambda which: limits()[which],
    {
        "limits exchanged": lambda which: limits()[1 - which],
        "limit cut to 5 digits": lambda which: ball(str(limits()[which].str(5, radius=False))),
    },
)
def test_both_errors_fall_with_the_square(stated: Callable[[int], arb], record_property: Fact) -> None:
    with digits(25):
        for which, name in ((0, "measure"), (1, "standard")):
            found = slopes(which, stated(which))
            record_property(f"claimed, {name}", "slope -2")
            record_property(f"computed, {name}", ", ".join(slope.str(5, radius=False) for slope in found))
            for slope in found[1:]:
                require(below(abs(slope + 2), ball("0.02")))
            require(below(abs(found[-1] + 2), ball("0.00001")))


@proof(
    ID,
    "floor",
    Level.ENCLOSED,
    lambda n: estimates(n)[1],
    {"measure weighting": lambda n: estimates(n)[0], "halfway": lambda n: (estimates(n)[0] + estimates(n)[1]) / 2},
)
def test_standard_estimate_keeps_its_bias(stated: Callable[[int], arb]) -> None:
    with digits(25):
        for n in f5.COUNTS:
            require(below(ball("0.83"), abs(stated(n) - limits()[0])))
