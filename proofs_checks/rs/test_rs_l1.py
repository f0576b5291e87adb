"""RS Lemma 1."""

from collections.abc import Callable
from fractions import Fraction

import z3
from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, symbols

from algebra import distribution, vanishes
from balls import ball, digits
from kernel import accepts
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.rs import l1
from refsym_theory.evidence import Level, Truth, at_most, below, equal, require
from solver import follows

WEIGHTS = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=6)


def chord(a: Expr, b: Expr, u: Expr, f: Expr) -> Expr:
    """Value at f of the line through (a, u - a) and (b, b - u)."""
    return ((b - f) * (u - a) + (f - a) * (b - u)) / (b - a)


@proof("RS.L1", "chord", Level.EXACT, chord, {"slope halved": lambda a, b, u, f: chord(a, b, u, f) / 2})
def test_the_modulus_lies_below_its_chord(stated: Callable[..., Expr]) -> None:
    a, b, u, f = symbols("a b u f")
    # For f >= u and for f <= u what remains is a product of factors that are nonnegative for a <= f, u <= b.
    require(vanishes(stated(a, b, u, f) - (f - u) - 2 * (b - f) * (u - a) / (b - a)))
    require(vanishes(stated(a, b, u, f) - (u - f) - 2 * (f - a) * (b - u) / (b - a)))
    # Linear in f, so its mean is its value at the mean u.
    require(vanishes(stated(a, b, u, u) - 2 * (b - u) * (u - a) / (b - a)))
    require(vanishes(stated(a, b, u, f).diff(f, 2)))


@proof("RS.L1", "peak", Level.EXACT, l1.bound_from_root_ratio, {"squared": lambda x: l1.bound_from_root_ratio(x) ** 2})
def test_peak_is_a_square(stated: Callable[[Expr], Expr]) -> None:
    x, y, u = symbols("x y u")  # x = sqrt a, y = sqrt b
    left = (y**2 - u) * (u - x**2) / (u * (y**2 - x**2))
    require(vanishes(stated(y / x) - left - (u - x * y) ** 2 / (u * (y**2 - x**2))))


@proof("RS.L1", "tanh", Level.EXACT, l1.bound_from_root_ratio, {"Delta/2": lambda x: l1.bound_from_root_ratio(x**2)})
def test_root_ratio_is_tanh_of_a_quarter(stated: Callable[[Expr], Expr]) -> None:
    z = symbols("z")  # z = exp(Delta / 4); tanh(Delta / 4) = (z - 1/z) / (z + 1/z)
    require(vanishes(stated(z**2) - (z - 1 / z) / (z + 1 / z)))


@proof("RS.L1", "chord", Level.SOLVED, 1, {"twice the modulus": 2})
def test_solver_chord(stated: int) -> None:
    a, b, u, f = z3.Reals("a b u f")
    right = (b - f) * (u - a) + (f - a) * (b - u)
    below_chord = z3.And(stated * (f - u) * (b - a) <= right, stated * (u - f) * (b - a) <= right)
    require(follows(below_chord, a <= f, f <= b, a <= u, u <= b))


@proof("RS.L1", "peak", Level.SOLVED, 1, {"twice the left side": 2})
def test_solver_peak(stated: int) -> None:
    x, y, u = z3.Reals("x y u")  # sqrt a, sqrt b and the mean; both sides times u (y^2 - x^2)
    left = stated * (y * y - u) * (u - x * x) * (y + x)
    require(follows(left <= (y - x) * u * (y * y - x * x), x > 0, y >= x, u >= x * x, u <= y * y))


def slack(p: list[Fraction], f: list[Fraction]) -> Truth:
    """Whether ((1 + TV) / (1 - TV))^2 <= max f / min f, which is the lemma without a root."""
    tv = l1.total_variation(p, l1.tilted(p, f))
    return at_most((1 + tv) ** 2 * min(f), (1 - tv) ** 2 * max(f))


@proof(
    "RS.L1",
    "peak",
    Level.SAMPLED,
    slack,
    {
        "Delta/5 for Delta/4": lambda p, f: at_most(
            (1 + l1.total_variation(p, l1.tilted(p, f))) ** 5 * min(f) ** 2,
            (1 - l1.total_variation(p, l1.tilted(p, f))) ** 5 * max(f) ** 2,
        ),
        "TV without its half": lambda p, f: at_most(
            (1 + 2 * l1.total_variation(p, l1.tilted(p, f))) ** 2 * min(f),
            (1 - 2 * l1.total_variation(p, l1.tilted(p, f))) ** 2 * max(f),
        ),
        "NaN": lambda p, f: at_most(nan(), nan()),
    },
)
@given(WEIGHTS)
def test_lemma_in_rationals(stated: Callable[..., Truth], pairs: list[tuple[int, int]]) -> None:
    require(stated(distribution(weight for weight, _ in pairs), [Fraction(factor) for _, factor in pairs]))


@proof(
    "RS.L1",
    "",
    Level.KERNEL,
    None,
    {
        "Delta/5 for Delta/4": ("tanh (Delta / 4).\nProof.\n  intros HP", "tanh (Delta / 5).\nProof.\n  intros HP"),
        "TV without its half": ("/ 2 * sum n (fun i => Rabs", "sum n (fun i => Rabs"),
    },
)
def test_coq_on_every_finite_space(stated: tuple[str, str] | None) -> None:
    accepts("likelihood_ratio.v", "bounded_log_range", "total_variation n P (tilted n P f) <= tanh (Delta / 4)", stated)


@tightness("RS.L1", Level.KERNEL)
def test_coq_two_points_attain_it() -> None:
    accepts("likelihood_ratio.v", "bounded_ratio_is_sharp", "total_variation 2 P (tilted 2 P f) = tanh (Delta / 4)")


@tightness("RS.L1", Level.EXACT, l1.bound_from_root_ratio, {"Delta/5": lambda x: l1.bound_from_root_ratio(x) * 4 / 5})
def test_two_points_attain_it(stated: Callable[[Expr], Expr], record_property: Callable[[str, object], None]) -> None:
    x = symbols("x")  # exp(Delta / 2); the two factors are 1/x and x
    p = [x / (1 + x), 1 / (1 + x)]
    q = l1.tilted(p, [1 / x, x])
    require(vanishes(sum(q) - 1))
    require(vanishes(stated(x) - (p[0] - q[0])))
    require(vanishes(p[0] - q[0] + p[1] - q[1]))  # both differences have the same modulus
    record_property("claimed", "tanh(Δ/4) = (x - 1)/(x + 1), x = exp(Δ/2)")
    record_property("computed", str((p[0] - q[0]).factor()))


@control("RS.L1", "positive", Level.EXACT)
def test_a_zero_factor_left_out_of_the_range() -> None:
    p, f = distribution([1, 1]), [Fraction(0), Fraction(1)]
    tv = l1.total_variation(p, l1.tilted(p, f))
    require(equal(tv, Fraction(1, 2)))
    require(below(0, tv))  # the range of log f where f > 0 is 0, and tanh 0 = 0


@superfluous("RS.L1", "finite", Level.EXACT)
def test_the_chord_holds_point_by_point() -> None:
    a, b, u, f = symbols("a b u f")
    require(vanishes(chord(a, b, u, f) - (f - u) - 2 * (b - f) * (u - a) / (b - a)))


@proof("RS.L1", "tanh", Level.ENCLOSED, l1.bound_from_root_ratio, {"NaN": nan})
def test_function_of_the_root_ratio_encloses_tanh(stated: Callable[..., object]) -> None:
    with digits(40):
        for delta in (Fraction(1, 10**6), Fraction(1), Fraction(50)):
            d = ball(delta)
            gap = abs(stated((d / 2).exp()) - (d / 4).tanh())
            require(at_most(gap, ball("1e-30")))
