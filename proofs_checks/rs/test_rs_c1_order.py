"""RS C.1: score transform, mass and mask."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import Symbol, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, proof
from refsym_theory.claims.rs.c1_order import log_gain, softcapped
from refsym_theory.claims.rs.c3_attention import contribution, totals
from refsym_theory.evidence import Level, at_most, below, equal, require
from splits import require_additive

HALF = Fraction(1, 2)


@proof(
    "RS.C1-order",
    "before",
    Level.EXACT,
    contribution,
    {
        "temperature 1/2 on the sum": lambda m, w, v: contribution(m**2, w, v),
        "mass added to the weight": lambda m, w, v: ((m + w) * v, m + w),
    },
)
def test_any_transform_of_the_score_alone(stated: Callable[..., Any]) -> None:
    # w stands for exp(phi(s)), and exp(phi(s) + log m) is m w.
    require_additive(stated, *symbols("w v"))


@proof(
    "RS.C1-order",
    "temperature",
    Level.EXACT,
    log_gain,
    {
        "exponent T": lambda log_k, t: log_k * (1 - t),
        "exponent one": lambda log_k, t: 0 * log_k,
        "lost children": lambda log_k, t: -log_k / t,
    },
)
def test_children_gain_by_a_power(stated: Callable[..., Any]) -> None:
    log_k, log_m, s, t = symbols("L M s T")
    children = log_k + (s + log_m - log_k) / t  # log of k exp((s + log(m / k)) / T)
    parent = (s + log_m) / t
    require(vanishes(children - parent - stated(log_k, t)))
    require(vanishes(parent - (log_m * (1 / t) + s / t)))  # m^(1/T) exp(s / T)
    require(vanishes(stated(log_k, t) * t - log_k * (t - 1)))  # zero for log k > 0 only at T = 1


@proof(
    "RS.C1-order",
    "softcap",
    Level.EXACT,
    lambda tanh: tanh**2,
    {"sign": lambda tanh: -(tanh**2), "first power": lambda tanh: tanh, "of the cap itself": lambda tanh: 1 - tanh**2},
)
def test_softcap_contracts(stated: Callable[..., Any]) -> None:
    e: Symbol = symbols("e")  # e = exp(2 x / c), so de/dx = 2 e / c
    tanh = (e - 1) / (e + 1)
    derivative = 1 - tanh.diff(e) * 2 * e  # of x - c tanh(x / c)
    require(vanishes(derivative - stated(tanh)))


@proof(
    "RS.C1-order",
    "softcap",
    Level.ENCLOSED,
    lambda score, cap: softcapped(score, cap, lambda x: x.tanh()),
    {"no cap": lambda score, cap: score, "constant": lambda score, cap: cap, "NaN": lambda *_: ball("nan")},
)
def test_two_halves_weigh_more_than_their_parent(
    stated: Callable[..., Any], record_property: Callable[[str, object], None]
) -> None:
    with digits(30):
        for cap, score in ((ball(1), ball(0)), (ball(30), ball(5)), (ball(HALF), ball(-3))):
            parent = stated(score, cap).exp()
            halves = 2 * stated(score - ball(2).log(), cap).exp()
            require(below(parent, halves))
            require(below(halves, 2 * parent))
        one = 2 * (-ball(Fraction(3, 5))).exp()  # cap 1, score 0: tanh(log 2) = 3/5
        require(at_most(abs(2 * softcapped(-ball(2).log(), 1, lambda x: x.tanh()).exp() - one), ball("1e-25")))
        record_property("computed", f"cap 1, score 0, mass 1: parent 1, halves {one.str(8, radius=False)} together")


@proof(
    "RS.C1-order",
    "unit",
    Level.EXACT,
    contribution,
    {
        "mass left out": lambda m, w, v: contribution(1, w, v),
        "mass plus one": lambda m, w, v: contribution(m + 1, w, v),
    },
)
def test_zero_bias_is_mass_one_and_not_mass_zero(stated: Callable[..., Any]) -> None:
    w, v = symbols("w v")
    for part, unweighted in zip(stated(1, w, v), (w * v, w), strict=True):  # exp(s + 0) = exp(s)
        require(vanishes(part - unweighted))
    for part in stated(0, w, v):
        require(equal(part, 0))


@control("RS.C1-order", "order", Level.EXACT)
def test_a_mask_before_the_softcap_is_lifted_by_it() -> None:
    # IEEE: the hidden key's score -inf becomes -c, a finite score and a positive weight; the mask after it stays.
    cap = 2.0
    require(equal(softcapped(-math.inf, cap, math.tanh), -cap))
    require(below(0, math.exp(softcapped(-math.inf, cap, math.tanh))))
    require(equal(math.exp(-math.inf + math.log(4.0)), 0))  # adding a finite log mass after the mask does no harm


@control("RS.C1-order", "visible", Level.EXACT)
def test_without_a_visible_key_there_is_nothing_to_divide_by() -> None:
    keys = [(0, Fraction(3), Fraction(1)), (0, Fraction(1), Fraction(2))]  # all masked, or of zero mass
    require(equal(totals(contribution, keys), (0, 0)))
    assert math.isnan(-math.inf - -math.inf)  # what softmax computes first: the scores minus their maximum


@control("RS.C1-order", "transform", Level.EXACT)
def test_temperature_two_on_the_sum() -> None:
    # Mass 4 split into four: 4 * 1^(1/2) = 4 against 4^(1/2) = 2.
    root = 2
    require(equal(root**2, 4))
    require(below(root, 4 * 1))
