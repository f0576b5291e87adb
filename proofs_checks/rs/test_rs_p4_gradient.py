"""RS Appendix A.4: the gradient identity."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof
from refsym_theory.claims.rs import p4_gradient
from refsym_theory.evidence import Level, Truth, equal, require

ID = "RS.P4-gradient"
COV, GRADIENT = p4_gradient.covariance_times_n, p4_gradient.logit_gradient


def jacobian(p_j: Expr, p_i: Expr, same: int) -> Expr:
    return p_j * (same - p_i)


@proof(
    ID,
    "softmax",
    Level.EXACT,
    jacobian,
    {"diagonal only": lambda p_j, p_i, same: p_j * same, "sign": lambda p_j, p_i, same: -jacobian(p_j, p_i, same)},
)
def test_derivative_of_softmax(stated: Callable[..., Expr]) -> None:
    a, b, rest = symbols("a b r")  # exponentials of two logits, and the sum of all others; d/dz = a d/da
    total = a + b + rest
    require(vanishes(a * (b / total).diff(a) - stated(b / total, a / total, 0)))
    require(vanishes(a * (a / total).diff(a) - stated(a / total, a / total, 1)))


@proof(
    ID,
    "zero-sum",
    Level.EXACT,
    GRADIENT,
    {
        "mean slope forgotten": lambda p, slope, mean: p * slope,
        "mean without p": lambda p, slope, mean: p * slope - mean,
    },
)
def test_gradient_sums_to_zero(stated: Callable[..., Expr]) -> None:
    p, slope, mean = symbols("p slope m")
    # sum_j l_j p_j (delta_ij - p_i), the diagonal term and the mean over all j:
    require(vanishes(slope * p - p * mean - stated(p, slope, mean)))
    # Linear in p l and p, whose sums are m and 1; so the sum over i is the value there.
    require(vanishes(stated(p, slope, mean) - (p * slope - mean * p)))
    # A complete instance: n = 3, dL/dp = (x, y, w).
    e = symbols("e0:3")
    ls = symbols("l0:3")
    q = [x / sum(e) for x in e]
    m = sum(x * y for x, y in zip(q, ls, strict=True))
    require(vanishes(sum(stated(x, y, m) for x, y in zip(q, ls, strict=True))))


@proof(
    ID,
    "covariance",
    Level.EXACT,
    COV,
    {
        "n lost": lambda n, g, b, gb: COV(n, g, b, gb) / n,
        "division by n - 1": lambda n, g, b, gb: COV(n, g, b, gb) * n / (n - 1),
    },
)
def test_covariance_form(stated: Callable[..., Expr]) -> None:
    n, g, b, gb = symbols("n g b gb")
    require(vanishes(stated(n, 0 * g, b, gb) - gb))
    # The middle form: sum g_i (b_i - mean b) = sum g_i b_i - mean b sum g_i, for any g.
    require(vanishes(stated(n, g, b, gb) - (gb - b / n * g)))


@proof(ID, "covariance", Level.EXACT, COV, {"NaN": nan, "half": lambda n, g, b, gb: COV(n, g, b, gb) / 2})
def test_two_keys(stated: Callable[..., object], record_property: Callable[[str, object], None]) -> None:
    # z = 0, L = p_1: g = (1/4, -1/4); b = (3, 1).
    g, b = [Fraction(1, 4), Fraction(-1, 4)], [3, 1]
    direct = sum(x * y for x, y in zip(g, b, strict=True))
    require(equal(stated(2, sum(g), sum(b), direct), direct))
    record_property("claimed", "n Cov(g, b)")
    record_property("computed", str(direct))


@control(ID, "shift", Level.EXACT)
def test_loss_that_reads_a_logit() -> None:
    # L = z_1 with b = (1, 1): dL/dalpha = 1, while the covariance with a constant is 0.
    require(equal(COV(2, Fraction(1), 2, Fraction(1)), Fraction(0)))
    assert equal(COV(2, Fraction(1), 2, Fraction(1)), Fraction(1)) is Truth.FALSE
