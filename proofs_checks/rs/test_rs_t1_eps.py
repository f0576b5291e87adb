"""RS Theorem 1 with a bound on each paired log-kernel."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits
from kernel import accepts
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import l1, t1, t1_eps
from refsym_theory.evidence import Level, at_most, below, equal, require

Note = Callable[[str, object], None]


@proof("RS.T1-eps", "range", Level.EXACT, t1_eps.range_gap, {"epsilon_s for 2 epsilon_s": lambda e, a, b: e - (a - b)})
def test_range_is_at_most_twice_the_bound(stated: Callable[..., Expr]) -> None:
    e, a, b, c = symbols("epsilon a b c")  # |a|, |b| <= epsilon
    require(vanishes(stated(e, a, b) - ((e - a) + (e + b))))  # two nonnegative terms
    require(vanishes(stated(e, a + c, b + c) - stated(e, a, b)))  # a common shift is free


@proof(
    "RS.T1-eps",
    "monotone",
    Level.EXACT,
    t1_eps.moved,
    {"upside down": lambda x: (1 - x) / (1 + x), "its inverse": lambda x: (x + 1) / (x - 1)},
)
def test_bound_does_not_decrease(stated: Callable[[Expr], Expr]) -> None:
    x, more = symbols("x more")
    # Nonnegative for x >= 1 and more >= 0; and at Delta = 2 epsilon_s, exp(Delta / 2) is x = exp(epsilon_s).
    require(vanishes(stated(x + more) - stated(x) - 2 * more / ((x + more + 1) * (x + 1))))
    require(vanishes(stated(x) - l1.bound_from_root_ratio(x)))


@proof(
    "RS.T1-eps", "monotone", Level.ENCLOSED, t1_eps.moved, {"tanh(epsilon_s)": lambda x: t1_eps.moved(x**2), "NaN": nan}
)
def test_function_of_x_is_tanh(stated: Callable[..., object]) -> None:
    with digits(40):
        for epsilon in (Fraction(1, 1000), Fraction(1), Fraction(20)):
            e = ball(epsilon)
            require(at_most(abs(stated(e.exp()) - (e / 2).tanh()), ball("1e-30")))


@proof("RS.T1-eps", "", Level.KERNEL)
def test_coq() -> None:
    accepts("coupled_stability.v", "coupled_stability_uniform", "eps_v + diameter * tanh (eps_s / 2)")


@tightness("RS.T1-eps", Level.EXACT, t1_eps.moved, {"four fifths": lambda x: t1_eps.moved(x) * 4 / 5})
def test_two_tokens_attain_it(stated: Callable[[Expr], Expr], record_property: Note) -> None:
    x = symbols("x")  # exp(epsilon_s); the kernel ratios are 1/x and x
    a, b = t1.attention((x, 1), (1, 1), (0, 1)), t1.attention((x, 1), (1 / x, x), (0, 1))
    require(vanishes(b - a - stated(x)))
    record_property("claimed", "tanh(ε/2) = (x - 1)/(x + 1), x = exp(ε)")
    record_property("computed", str((b - a).factor()))


@control("RS.T1-eps", "every-pair", Level.EXACT)
def test_one_pair_left_out(record_property: Note) -> None:
    # Log-kernels of the first pair equal (epsilon_s = 0), of the second apart by log 2.
    v, mass = [Fraction(0), Fraction(1)], [1, 1]
    difference = t1.attention(mass, [1, 2], v) - t1.attention(mass, [Fraction(1), Fraction(1)], v)
    require(equal(difference, Fraction(1, 6)))
    require(below(0, difference))
    record_property("computed", f"difference {difference}, bound 0")
