"""RS Proposition 4."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous
from refsym_theory.claims.rs import p4
from refsym_theory.evidence import Level, at_most, below, equal, require

ID = "RS.P4"
F = Fraction


@proof(
    ID,
    "change",
    Level.EXACT,
    p4.logits,
    {
        "bias added, not subtracted": lambda s, c, alpha, b: p4.logits(s, -c, alpha, b),
        "bias scaled by alpha": lambda s, c, alpha, b: s + alpha * (c + b),
    },
)
def test_logit_change(stated: Callable[..., Expr]) -> None:
    s, c, alpha, b, t, d = symbols("s c alpha b t d")
    require(vanishes(stated(s, c - t * d, alpha + t, b) - stated(s, c, alpha, b) - t * (b - d)))


@proof(
    ID,
    "softmax",
    Level.EXACT,
    p4.softmax_cross,
    {
        "one normalizer": lambda x, y, i, j: (x[i] * y[j] - x[j] * y[i]) / sum(x),
        "sum of products": lambda x, y, i, j: (x[i] * y[j] + x[j] * y[i]) / (sum(x) * sum(y)),
    },
)
def test_equal_softmax_means_proportional_weights(stated: Callable[..., Expr]) -> None:
    # Weights exp(z) > 0; the third key stands for all others. Probabilities p, q agree exactly where all cross terms
    # p_i q_j - p_j q_i vanish, that is where x_i / y_i is one constant, and z - z' one constant.
    x, y, k = symbols("x0:3"), symbols("y0:3"), symbols("k")
    p, q = [a / sum(x) for a in x], [a / sum(y) for a in y]
    require(vanishes(p[0] * q[1] - p[1] * q[0] - stated(x, y, 0, 1)))
    require(vanishes(stated(x, [k * a for a in x], 0, 1)))
    # p_i - q_i is the sum over j of the cross terms, so it vanishes with them.
    require(vanishes(p[0] - q[0] - sum(stated(x, y, 0, j) for j in range(3))))


def pairs_form(row: list[Expr]) -> Expr:
    return sum((a - b) ** 2 for a in row for b in row) / (2 * len(row) ** 2)


@proof(
    ID,
    "variance",
    Level.EXACT,
    p4.variance,
    {
        "n - 1": lambda row: p4.variance(row) * len(row) / (len(row) - 1),
        "mean not squared": lambda row: (len(row) * sum(a * a for a in row) - sum(row)) / len(row) ** 2,
    },
)
def test_variance_is_a_sum_of_squares(stated: Callable[..., Expr]) -> None:
    for n in (2, 3, 4, 5):
        row = list(symbols(f"a0:{n}"))
        require(vanishes(stated(row) - pairs_form(row)))
    # Any n: of sum_ij (a_i - a_j)^2 each of a_i^2, a_j^2 gives n S2, and a_i a_j gives S1^2.
    n, s1, s2 = symbols("n S1 S2")
    require(vanishes((n * s2 + n * s2 - 2 * s1**2) / (2 * n**2) - (n * s2 - s1**2) / n**2))


@proof(ID, "variance", Level.EXACT, p4.variance, {"NaN": nan, "n for n^2": lambda row: p4.variance(row) * len(row)})
def test_variance_of_two(stated: Callable[..., object]) -> None:
    require(equal(stated([F(0), F(1)]), F(1, 4)))
    require(equal(stated([F(7)]), F(0)))  # a row of one key says nothing


def variance(total: Expr, squares: Expr, n: Expr) -> Expr:
    """Variance over a row, from the sums of its entries and of their squares."""
    return squares / n - total**2 / n**2


@proof(
    ID,
    "minimum",
    Level.EXACT,
    lambda base, cross, move: base - 2 * cross + move,
    {"cross term lost": lambda base, cross, move: base + move, "single": lambda base, cross, move: base - cross + move},
)
def test_normal_equations_give_the_minimum(stated: Callable[..., Expr]) -> None:
    # Var(a - e) = Var a - 2 Cov(a, e) + Var e; at a solution of the normal equations the mean of Cov is 0 for every e
    # that is constant on types, and the mean of Var e is at least 0.
    n, a, e, aa, ae, ee = symbols("n a e aa ae ee")  # sums over one row
    moved = variance(a - e, aa - 2 * ae + ee, n)
    require(vanishes(moved - stated(variance(a, aa, n), ae / n - a * e / n**2, variance(e, ee, n))))
    # The normal equations M'M d = M'b are consistent: v'M'M v = |Mv|^2, so M'M v = 0 gives Mv = 0 and v'M'b = 0.
    m, v = symbols("m0:6"), symbols("v0:2")
    rows = [m[2 * i] * v[0] + m[2 * i + 1] * v[1] for i in range(3)]
    gram = [[sum(m[2 * i + s] * m[2 * i + t] for i in range(3)) for t in range(2)] for s in range(2)]
    form = sum(v[s] * gram[s][t] * v[t] for s in range(2) for t in range(2))
    require(vanishes(form - sum(r**2 for r in rows)))


@control(ID, "finite-scores", Level.EXACT)
def test_masked_key_among_the_keys() -> None:
    # One type, b = (0, 0, 1), the third key masked: weights (1, 1, 0) whatever t and d, so the probabilities agree.
    x = y = [F(1), F(1), F(0)]
    require(equal(sum(abs(p4.softmax_cross(x, y, i, j)) for i in range(3) for j in range(3)), F(0)))
    # Yet a constant leaves the variance 2/9 as it is, so D_id is not 0.
    d = symbols("d")
    require(vanishes(p4.variance([-d, -d, 1 - d]) - p4.variance([F(0), F(0), F(1)])))
    require(below(0, p4.variance([F(0), F(0), F(1)])))


@control(ID, "shared", Level.EXACT)
def test_a_vector_for_each_row() -> None:
    # Two rows of a physical and an auxiliary key, b = (1, 0) and (2, 0): d = (1, 0) and (2, 0) serve one row each.
    types = [[0, 1], [0, 1]]
    rows = [[F(1), F(0)], [F(2), F(0)]]
    require(equal(p4.distance(rows[:1], types[:1], [1, 0]) + p4.distance(rows[1:], types[1:], [2, 0]), F(0)))
    d, e = symbols("d e")  # no vector serves both: 1/16 is left, and a square
    require(vanishes(p4.distance(rows, types, [d, e]) - (d - e - F(3, 2)) ** 2 / 4 - F(1, 16)))


@superfluous(
    ID,
    "all-t",
    Level.EXACT,
    lambda t, row: t**2 * p4.variance(row),
    {"t for t^2": lambda t, row: t * p4.variance(row), "any t, 0 too": lambda t, row: p4.variance(row)},
)
def test_one_nonzero_t_is_enough(stated: Callable[..., Expr]) -> None:
    # Equal probabilities at this t: the change t (b - d) is constant, so its variance t^2 Var(b - d) is 0; so is Var.
    t = symbols("t")
    row = list(symbols("a0:4"))
    require(vanishes(p4.variance([t * a for a in row]) - stated(t, row)))
    require(at_most(stated(F(0), [F(0), F(1)]), F(0)))  # and t = 0 says nothing


@superfluous(ID, "finite-family", Level.EXACT)
def test_any_positive_weights() -> None:
    # Row by row w Var(a - e) = w Var a - 2 w Cov(a, e) + w Var e, so any weights have their normal equations; a sum of
    # w Var >= 0 with w > 0 is zero exactly where every Var is. If it is finite at one d, it is so at all:
    # Var(a + e) + Var(a - e) = 2 Var a + 2 Var e, and Var e is bounded over rows for e constant on types.
    n, a, e, aa, ae, ee, w = symbols("n a e aa ae ee w")
    plus, minus = variance(a + e, aa + 2 * ae + ee, n), variance(a - e, aa - 2 * ae + ee, n)
    require(vanishes(w * minus - w * variance(a, aa, n) + 2 * w * (ae / n - a * e / n**2) - w * variance(e, ee, n)))
    require(vanishes(plus + minus - 2 * variance(a, aa, n) - 2 * variance(e, ee, n)))
