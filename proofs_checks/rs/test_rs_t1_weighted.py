"""RS Theorem 1 with the Q-weighted value error."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from kernel import accepts
from marks import control, proof, tightness
from refsym_theory.claims.rs import l1, t1, t1_weighted
from refsym_theory.evidence import Level, below, equal, require

Note = Callable[[str, object], None]


@proof(
    "RS.T1-weighted",
    "triangle",
    Level.EXACT,
    t1.split_difference,
    {
        "weighted by P": lambda p, q, v, w: ((q - p) * v, p * (w - v)),
        "weighted by P + Q": lambda p, q, v, w: ((q - p) * v, (p + q) * (w - v)),
    },
)
def test_the_value_part_is_a_mean_under_the_new_attention(stated: Callable[..., tuple[Expr, Expr]]) -> None:
    p, q, v, w = symbols("p q v w")
    allocation, value = stated(p, q, v, w)
    require(vanishes(allocation + value - (q * w - p * v)))
    require(vanishes(value - q * (w - v)))  # by the triangle inequality its sum is at most the sum of q ||w - v||


@proof(
    "RS.T1-weighted", "average", Level.EXACT, t1_weighted.average_gap, {"unweighted": lambda q, largest, e: largest - e}
)
def test_a_mean_is_at_most_the_largest(stated: Callable[..., Expr]) -> None:
    q, largest, e, total, mean = symbols("q largest e total mean")
    # One pair more adds q to the total weight and q e to the mean; each summand is a product of nonnegative factors.
    step = ((total + q) * largest - (mean + q * e)) - (total * largest - mean)
    require(vanishes(stated(q, largest, e) - step))


@tightness(
    "RS.T1-weighted",
    Level.EXACT,
    lambda q, e: q[0] * e[0] + q[1] * e[1],
    {"weighted by P": lambda q, e: q[1] * e[0] + q[0] * e[1]},
)
def test_two_tokens_with_unequal_changes(stated: Callable[..., Expr], record_property: Note) -> None:
    x, d, c = symbols("x D c")  # the first value moves by c, the second stays
    a, b = t1.attention((x, 1), (1, 1), (0, d)), t1.attention((x, 1), (1 / x, x), (c, d))
    q = (1 / (1 + x), x / (1 + x))  # the lift of the new attention
    require(vanishes(b - a - stated(q, (c, 0)) - d * l1.bound_from_root_ratio(x)))
    at = {x: 2, d: 1, c: 1}
    weighted, largest = Fraction(str((b - a).subs(at))), 1 + Fraction(1, 3)
    require(below(weighted, largest))
    record_property("claimed", "the weighted error replaces ε, e.g. x = 2, D = 1, c = 1")
    record_property("computed", f"difference and weighted bound {weighted}, bound with ε {largest}")


@control("RS.T1-weighted", "under-Q", Level.EXACT)
def test_the_old_attention_does_not_do(record_property: Note) -> None:
    mass, new = [2, 1], [Fraction(1, 2), Fraction(2)]
    v, w = [Fraction(0), Fraction(0)], [Fraction(0), Fraction(1)]  # D_v = 0
    difference = t1.attention(mass, new, w) - t1.attention(mass, [1, 1], v)
    p = [Fraction(2, 3), Fraction(1, 3)]
    average = sum(weight * abs(b - a) for weight, a, b in zip(p, v, w, strict=True))
    require(equal(difference, Fraction(2, 3)))
    require(below(average, difference))
    record_property("computed", f"difference {difference}, P-weighted bound {average}")


@proof("RS.T1-weighted", "triangle", Level.KERNEL)
def test_coq_weighted() -> None:
    accepts("coupled_stability.v", "coupled_stability_weighted", "diameter * tanh (Delta / 4)")
