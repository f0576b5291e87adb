"""RS Proposition 3."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous
from refsym_theory.claims.rs import p3, q_modulus
from refsym_theory.evidence import Level, below, equal, require

ID = "RS.P3"


def mean(weights: Sequence[Fraction | int], values: Sequence[Fraction | int]) -> Fraction:
    return Fraction(sum(w * v for w, v in zip(weights, values, strict=True))) / sum(weights)


@proof(
    ID,
    "bias",
    Level.EXACT,
    p3.bias,
    {
        "mean of rho forgotten": lambda f, fv, fr, fvr: p3.bias(f, fv, fr, fvr) * (fr / f),
        "mean under mu, not pi": lambda f, fv, fr, fvr: (fvr / f - fv / f * (fr / f)) / fr,
        "sign": lambda f, fv, fr, fvr: -p3.bias(f, fv, fr, fvr),
    },
)
def test_identity(stated: Callable[..., Expr]) -> None:
    f, fv, fr, fvr = symbols("f fv fr fvr")  # the four integrals
    require(vanishes(fvr / fr - fv / f - stated(f, fv, fr, fvr)))


@proof(
    ID,
    "bias",
    Level.EXACT,
    p3.bias,
    {"second moment for covariance": lambda f, fv, fr, fvr: (fvr / f) / (fr / f), "NaN": nan},
)
def test_two_atoms(stated: Callable[..., object], record_property: Callable[[str, object], None]) -> None:
    # mu = 1 on each of two points, f = (1, 2), v = (0, 1), rho = (3, 1).
    found = mean([3, 2], [0, 1]) - mean([1, 2], [0, 1])
    require(equal(stated(Fraction(3), 2, 5, 2), found))
    record_property("claimed", "Cov/E = -4/15")
    record_property("computed", str(found))


@proof(
    ID,
    "limit",
    Level.EXACT,
    q_modulus.ratio_error,
    {
        "errors add": lambda g, f, a, b: (a + g / f * b) / (f + b),
        "old denominator": lambda g, f, a, b: (a - g / f * b) / f,
    },
)
def test_ratio_follows_its_parts(stated: Callable[..., Expr]) -> None:
    g, f, a, b, total = symbols("g f a b R")  # a, b: what the two means still lack; total: the integral of rho
    require(vanishes((g / total + a) / (f / total + b) - g / f - stated(g / total, f / total, a, b)))


@control(ID, "continuous", Level.EXACT)
def test_jump_at_the_limit_point() -> None:
    # Omega = {0} and all 1/n, mu a unit mass at 0, rho = 1, f = 1, v = 0 at 0 and 1 elsewhere; every point at 1/N.
    for n in (1, 10, 1000):
        values = [1 if Fraction(1, n) > 0 else 0] * n
        require(equal(mean([1] * n, values), Fraction(1)))  # and A_mu = A_rho_mu = v(0) = 0


@control(ID, "compact", Level.EXACT)
def test_mass_that_escapes() -> None:
    # Omega = [0, oo), mu a unit mass at 0, rho = f = 1, v(x) = x: N - 1 points at 0 and one at N tend weakly to mu.
    for n in (2, 10, 1000):
        require(equal(mean([1] * n, [0] * (n - 1) + [n]), Fraction(1)))  # the limit should be v(0) = 0


@control(ID, "kernel", Level.EXACT)
def test_kernel_of_both_signs() -> None:
    # Two atoms, rho = 1, f = (1, -1): the denominator of the limit is 0.
    require(equal(1 * 1 + 1 * -1, 0))


@control(ID, "weak", Level.EXACT)
def test_points_of_another_density() -> None:
    # Two atoms, f = 1, v = (0, 1), rho = (1, 3), but as many points at one atom as at the other.
    require(below(mean([1, 1], [0, 1]), mean([1, 3], [0, 1])))


@superfluous(ID, "density-positive", Level.EXACT)
def test_density_that_vanishes() -> None:
    f, fv, fr, fvr = symbols("f fv fr fvr")  # the identity divides by the integrals of f and of f rho only
    require(vanishes(fvr / fr - fv / f - p3.bias(f, fv, fr, fvr)))
    x, c, rho = symbols("x c rho")  # f >= c > 0 and rho >= 0 make f rho - c rho a product of nonnegative factors
    require(vanishes(x * rho - c * rho - (x - c) * rho))
    # Three atoms, f = (1, 2, 1), v = (0, 1, 5), rho = (1, 1, 0).
    require(equal(p3.bias(Fraction(4), 7, 3, 2), mean([1, 2, 0], [0, 1, 5]) - mean([1, 2, 1], [0, 1, 5])))


@superfluous(ID, "density-continuous", Level.EXACT)
def test_density_with_a_jump() -> None:
    f, fv, fr, fvr = symbols("f fv fr fvr")  # rho enters through integrals only
    require(vanishes(fvr / fr - fv / f - p3.bias(f, fv, fr, fvr)))
    # [0, 1], f = 1, v(x) = x, rho = 1 below 1/2 and 3 above: the points are midpoints of N/4 and 3N/4 equal cells.
    for n in (4, 40):
        left = [Fraction(2 * i + 1, n) for i in range(n // 4)]
        right = [Fraction(1, 2) + Fraction(2 * i + 1, 3 * n) for i in range(3 * n // 4)]
        limit = Fraction(1, 2) + p3.bias(Fraction(1), Fraction(1, 2), Fraction(2), Fraction(5, 4))
        require(equal(sum(left + right) / n, limit))  # midpoints are exact for a linear v
