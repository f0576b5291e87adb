"""RS Theorem 1: sharpness."""

from collections.abc import Callable

from sympy import Expr, Integer, symbols

from algebra import vanishes
from balls import ball, digits
from kernel import accepts
from marks import nan, proof
from refsym_theory.claims.rs import t1, t1_sharp
from refsym_theory.evidence import Level, at_most, require

Note = Callable[[str, object], None]


@proof("RS.T1-sharp", "range", Level.EXACT, t1_sharp.factors, {"score changes of Delta": lambda x: (1 / x**2, x**2)})
def test_log_ratios_have_range_delta(stated: Callable[[Expr], tuple[Expr, Expr]]) -> None:
    x = symbols("x")  # exp(Delta / 2)
    low, high = stated(x)
    require(vanishes(high / low - x**2))
    require(vanishes(high * low - 1))  # -Delta/2 and +Delta/2


@proof(
    "RS.T1-sharp",
    "swap",
    Level.EXACT,
    t1_sharp.factors,
    {"both up": lambda x: (x, x), "the wrong way round": lambda x: (x, 1 / x)},
)
def test_the_changes_swap_the_probabilities(stated: Callable[[Expr], tuple[Expr, Expr]]) -> None:
    x = symbols("x")
    p, f = t1_sharp.baseline(x), stated(x)
    z = p[0] * f[0] + p[1] * f[1]
    require(vanishes(p[0] + p[1] - 1))
    require(vanishes(p[0] * f[0] / z - p[1]))
    require(vanishes(p[1] * f[1] / z - p[0]))


@proof(
    "RS.T1-sharp",
    "difference",
    Level.EXACT,
    t1_sharp.bound,
    {
        "tanh(Delta/2)": lambda e, d, x: t1_sharp.bound(e, d, x**2),
        "half of it": lambda e, d, x: t1_sharp.bound(e, d, x) / 2,
    },
)
def test_the_difference_is_the_bound(stated: Callable[..., Expr], record_property: Note) -> None:
    x = symbols("x")
    a, b = (t1.attention(t1_sharp.baseline(x), kernel, (0, 1)) for kernel in ((1, 1), t1_sharp.factors(x)))
    require(vanishes(b - a - stated(Integer(0), Integer(1), x)))
    record_property("claimed", "tanh(Δ/4) = (x - 1)/(x + 1), x = exp(Δ/2)")
    record_property("computed", str((b - a).factor()))


@proof("RS.T1-sharp", "difference", Level.ENCLOSED, t1_sharp.bound, {"NaN": nan})
def test_the_function_of_x_is_tanh(stated: Callable[..., object]) -> None:
    with digits(40):
        for delta in ("0", "1", "30"):
            d = ball(delta)
            require(at_most(abs(stated(0, 1, (d / 2).exp()) - (d / 4).tanh()), ball("1e-30")))


@proof("RS.T1-sharp", "translation", Level.EXACT, lambda c: c, {"half of it": lambda c: c / 2})
def test_a_translation_moves_the_output_by_itself(stated: Callable[[Expr], Expr]) -> None:
    m, k, v, c = symbols("m:3"), symbols("k:3"), symbols("v:3"), symbols("c")
    require(vanishes(t1.attention(m, k, [x + c for x in v]) - t1.attention(m, k, v) - stated(c)))


@proof(
    "RS.T1-sharp",
    "joint",
    Level.EXACT,
    t1_sharp.bound,
    {
        "the larger of the two terms": lambda e, d, x: d * (x - 1) / (x + 1),
        "epsilon_v counted twice": lambda e, d, x: e + t1_sharp.bound(e, d, x),
    },
)
def test_both_terms_at_once(stated: Callable[..., Expr], record_property: Note) -> None:
    x, e, d = symbols("x e D")
    a = t1.attention(t1_sharp.baseline(x), (1, 1), (0, d))
    b = t1.attention(t1_sharp.baseline(x), t1_sharp.factors(x), (e, d + e))
    require(vanishes(b - a - stated(e, d, x)))
    record_property("claimed", "each coefficient is attained")
    record_property("computed", "both at once, for all ε, D, Δ: " + str((b - a).factor()))


@proof("RS.T1-sharp", "difference", Level.KERNEL)
def test_coq_two_tokens() -> None:
    accepts("coupled_stability.v", "coupled_stability_is_sharp", "tanh (Delta / 4)")


@proof("RS.T1-sharp", "joint", Level.KERNEL)
def test_coq_both_at_once() -> None:
    accepts("coupled_stability.v", "coupled_stability_is_attained", "tanh (Delta / 4)")
