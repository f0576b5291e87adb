"""RS equation 1."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof
from refsym_theory.claims.rs import e1
from refsym_theory.evidence import Level, below, equal, require


@proof(
    "RS.E1",
    "weight",
    Level.EXACT,
    e1.biased_weight,
    {
        "bias subtracted": lambda x, m: x / m,
        "no bias": lambda x, m: x,
        "mass squared": lambda x, m: x * m**2,
    },
)
def test_a_bias_of_log_m_multiplies_by_m(stated: Callable[..., Any]) -> None:
    x, m = symbols("x m")  # exp s and exp log m
    require(vanishes(stated(x, m) - e1.weighted(m, x)))


@proof("RS.E1", "output", Level.EXACT, e1.weighted, {"mass in the numerator only": lambda m, x: x})
def test_totals_agree_term_by_term(stated: Callable[..., Any]) -> None:
    top, bottom, x, m, v = symbols("S_v S x m v")  # sums over the other tokens, then one token more
    ours = (top + stated(m, x) * v) / (bottom + stated(m, x))
    softmax = (top + e1.biased_weight(x, m) * v) / (bottom + e1.biased_weight(x, m))
    require(vanishes(ours - softmax))


@proof(
    "RS.E1",
    "weight",
    Level.ENCLOSED,
    lambda s, m: (s + m.log()).exp(),
    {"half the bias": lambda s, m: (s + m.log() / 2).exp(), "NaN": nan},
)
def test_on_balls(stated: Callable[..., Any]) -> None:
    with digits(40):
        for s, m in ((Fraction(-3), Fraction(1, 7)), (Fraction(50), Fraction(10**6)), (Fraction(0), Fraction(1))):
            ratio = stated(ball(s), ball(m)) / (ball(m) * ball(s).exp())
            require(below(abs(ratio - 1), ball("1e-35")))


@control("RS.E1", "exponential", Level.ENCLOSED)
def test_another_kernel() -> None:
    # K(s) = s, scores 1 and 2, unit masses, values 1 and 0: 1/3 against softmax, 1 / (1 + e).
    kernel = e1.weighted(Fraction(1), Fraction(1)) / (1 + e1.weighted(Fraction(1), Fraction(2)))
    with digits(30):
        require(below(ball(Fraction(1, 20)), ball(kernel) - 1 / (1 + ball(1).exp())))


@control("RS.E1", "positive", Level.EXACT)
def test_a_zero_mass_has_no_logarithm() -> None:
    require(equal(e1.weighted(Fraction(0), Fraction(5)), Fraction(0)))  # the kernel form simply drops the token
    with digits(30):
        assert not ball(0).log().is_finite()
