"""RS equation 11."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import e11, t1, t1_eps
from refsym_theory.evidence import Level, at_most, below, equal, require

Note = Callable[[str, object], None]


@proof(
    "RS.E11",
    "output",
    Level.EXACT,
    e11.output_bound,
    {
        "D / 2": lambda e, v, tau, d, x: e11.output_bound(e, v, tau, d / 2, x),
        "tau left out": lambda e, v, tau, d, x: e11.output_bound(e, v, 0, d, x),
    },
)
def test_theorem_one_with_the_errors_of_the_layer(stated: Callable[..., Expr]) -> None:
    e, v, tau, d, x = symbols("e v tau D x")  # epsilon_v = v e + tau, epsilon_s = c e + zeta, x = exp(epsilon_s)
    require(vanishes(stated(e, v, tau, d, x) - ((v * e + tau) + d * t1_eps.moved(x))))


@proof(
    "RS.E11",
    "output",
    Level.ENCLOSED,
    e11.output_bound,
    {"tanh(c e + zeta)": lambda e, v, tau, d, x: e11.output_bound(e, v, tau, d, x**2), "NaN": nan},
)
def test_function_of_x_is_the_tanh_of_half(stated: Callable[..., object]) -> None:
    with digits(40):
        for change in (Fraction(1, 50), Fraction(6)):
            c = ball(change)
            require(
                at_most(abs(stated(1, ball(2), ball(3), ball(5), c.exp()) - (5 + 5 * (c / 2).tanh())), ball("1e-30"))
            )


@proof(
    "RS.E11",
    "update",
    Level.EXACT,
    lambda e, a, b, out: a * e + b * out,
    {"b left out": lambda e, a, b, out: a * e + out, "no residual": lambda e, a, b, out: b * out},
)
def test_larger_bounds_stay_valid(stated: Callable[..., Expr]) -> None:
    e, a, b, out, state, output, new = symbols("e a b out state output new")
    # state <= e, output <= out, new <= a state + b output; a, b >= 0.
    gap = stated(e, a, b, out) - new
    require(vanishes(gap - (a * (e - state) + b * (out - output) + (a * state + b * output - new))))
    v, tau, d, x = symbols("v tau D x")
    require(vanishes(stated(e, a, b, e11.output_bound(e, v, tau, d, x)) - e11.recurrence(e, a, b, v, tau, d, x)))


@proof(
    "RS.E11", "largest", Level.EXACT, lambda v, tau, e: v * e + tau, {"decreasing": lambda v, tau, e: v * (1 - e) + tau}
)
def test_a_pair_s_own_error_may_be_replaced_by_the_largest(stated: Callable[..., Expr]) -> None:
    v, tau, e, more, x, grown = symbols("v tau e more x grown")  # a pair's own error e, the largest e + more
    require(vanishes(stated(v, tau, e + more) - stated(v, tau, e) - v * more))
    step = t1_eps.moved(x + grown) - t1_eps.moved(x)
    require(vanishes(step - 2 * grown / ((x + grown + 1) * (x + 1))))


@tightness(
    "RS.E11",
    Level.EXACT,
    e11.recurrence,
    {
        "a left out": lambda e, a, *rest: e11.recurrence(e, 0, *rest),
        "D / 2": lambda e, a, b, v, tau, d, x: e11.recurrence(e, a, b, v, tau, d / 2, x),
    },
)
def test_two_keys_and_a_linear_update(stated: Callable[..., Expr], record_property: Note) -> None:
    # States h and h + e at two keys D / v apart; value v h, and v h + tau in the second run; log-kernels move by
    # -(c e + zeta) at the first key and by c e + zeta at the second; f(h, A) = a h + b A.
    e, a, b, v, tau, d, x, h = symbols("e a b v tau D x h")
    states = (h, h + d / v)
    old = t1.attention((x, 1), (1, 1), [v * s for s in states])
    new = t1.attention((x, 1), (1 / x, x), [v * (s + e) + tau for s in states])
    require(vanishes((a * (h + e) + b * new) - (a * h + b * old) - stated(e, a, b, v, tau, d, x)))
    record_property("claimed", "a e + b (v e + τ + D (x - 1)/(x + 1)), x = exp(c e + ζ)")
    record_property("computed", "attained with every constant free")


@control("RS.E11", "visible", Level.EXACT)
def test_matched_queries_that_see_different_keys(record_property: Note) -> None:
    v = [Fraction(0), Fraction(1)]  # equal states and scores: e = tau = zeta = 0
    difference = t1.attention([1, 1], [1, 1], v) - t1.attention([1], [1], v[:1])
    require(equal(difference, Fraction(1, 2)))
    require(below(e11.recurrence(0, 1, 1, 1, 0, 1, Fraction(1)), difference))
    record_property("computed", f"one query sees one key, the other two: error {difference}, bound 0")


@control("RS.E11", "values", Level.EXACT)
def test_values_that_moved_more(record_property: Note) -> None:
    difference = t1.attention([1, 1], [1, 1], [1, 1]) - t1.attention([1, 1], [1, 1], [Fraction(0), Fraction(0)])
    require(below(e11.recurrence(0, 1, 1, 1, 0, 0, Fraction(1)), difference))  # said to have tau = 0
    record_property("computed", f"error {difference}, bound 0")


@control("RS.E11", "kernels", Level.EXACT)
def test_log_kernels_that_moved_more(record_property: Note) -> None:
    v = [Fraction(0), Fraction(1)]
    difference = t1.attention([1, 1], [1, 2], v) - t1.attention([1, 1], [1, 1], v)
    require(below(e11.recurrence(0, 1, 1, 1, 0, 1, Fraction(1)), difference))  # said to have zeta = 0
    record_property("computed", f"error {difference}, bound 0")


@control("RS.E11", "diameter", Level.EXACT)
def test_values_further_apart(record_property: Note) -> None:
    v = [Fraction(0), Fraction(3)]
    difference = t1.attention([2, 1], [Fraction(1, 2), Fraction(2)], v) - t1.attention([2, 1], [1, 1], v)
    bound = e11.recurrence(0, 1, 1, 1, 0, 2, Fraction(2))  # said to have D = 2
    require(below(bound, difference))
    record_property("computed", f"error {difference}, bound {bound}")


@control("RS.E11", "update", Level.EXACT)
def test_an_update_that_stretches_more(record_property: Note) -> None:
    old, new = Fraction(1), Fraction(2)  # f(h, A) = A^2, said to have a = 0, b = 1; tau = 1
    bound = e11.recurrence(0, 0, 1, 1, 1, 0, Fraction(1))
    require(below(bound, new**2 - old**2))
    record_property("computed", f"error {new**2 - old**2}, bound {bound}")
