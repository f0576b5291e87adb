"""RS Theorem 1: what the bound does not depend on."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.rs import l1, t1, t1_invariance
from refsym_theory.evidence import Level, equal, require

Note = Callable[[str, object], None]


@proof(
    "RS.T1-invariance",
    "kernel",
    Level.EXACT,
    t1_invariance.after_factor,
    {"normalizer left alone": lambda z, z_v, c: c * z_v / z, "values scaled": lambda z, z_v, c: c**2 * z_v / (c * z)},
)
def test_a_factor_of_the_kernel_cancels(stated: Callable[..., Expr]) -> None:
    m, k, v, c, z, z_v = symbols("m k v c Z Z_v")
    require(vanishes(t1.entry(m, c * k) - c * t1.entry(m, k)))  # so both sums gain the factor
    require(vanishes(t1.entry(m, c * k) * v - c * t1.entry(m, k) * v))
    require(vanishes(stated(z, z_v, c) - z_v / z))


@proof("RS.T1-invariance", "kernel", Level.EXACT, t1_invariance.ratio_range, {"no quotient": lambda b, a: b})
def test_a_common_shift_leaves_delta(stated: Callable[..., Expr]) -> None:
    a, b, c = symbols("a b c")
    require(vanishes(stated(c * b, c * a) - stated(b, a)))
    require(vanishes(stated(1 / a, 1 / b) - stated(b, a)))


@proof(
    "RS.T1-invariance",
    "masses",
    Level.EXACT,
    t1_invariance.after_factor,
    {"normalizer left alone": lambda z, z_v, c: c * z_v / z},
)
def test_a_factor_of_the_masses_cancels(stated: Callable[..., Expr]) -> None:
    m, k, c, z, z_v = symbols("m k c Z Z_v")
    require(vanishes(t1.entry(c * m, k) - c * t1.entry(m, k)))
    require(vanishes(stated(z, z_v, c) - z_v / z))


@proof(
    "RS.T1-invariance",
    "copies",
    Level.EXACT,
    t1_invariance.copies,
    {"children in another order": lambda parents, gamma: t1_invariance.copies(parents, gamma)[::-1]},
)
def test_copies_change_nothing(stated: Callable[..., list[Expr]]) -> None:
    masses = symbols("g:5")
    gamma = dict(zip([(0, 0), (0, 1), (1, 2), (1, 3), (1, 4)], masses, strict=True))
    parents, kernel = dict(enumerate(symbols("v:2"))), dict(enumerate(symbols("k:2")))
    v, k = stated(parents, gamma), stated(kernel, gamma)
    for (i, j), _ in gamma.items():
        require(vanishes(v[j] - parents[i]))  # epsilon_v = 0
        require(vanishes(k[j] / kernel[i] - 1))  # Delta = 0
    before = t1.attention(t1.marginal(gamma, 0), list(kernel.values()), list(parents.values()))
    require(vanishes(t1.attention(t1.marginal(gamma, 1), k, v) - before))
    piece, more, parent = symbols("piece more parent")  # any number of copies: one copy more
    require(vanishes(t1.entry(piece, parent) + t1.entry(more, parent) - t1.entry(piece + more, parent)))


@proof(
    "RS.T1-invariance",
    "mass",
    Level.EXACT,
    lambda x, theta: (x / (1 - theta), 1 / theta),
    {"unit kernel": lambda x, theta: (x, x / x)},
)
def test_bound_is_attained_at_every_mass(stated: Callable[..., tuple[Expr, Expr]], record_property: Note) -> None:
    x, theta = symbols("x theta")
    mass, k = (1 - theta, theta), stated(x, theta)
    new = (k[0] / x, k[1] * x)
    difference = t1.attention(mass, new, (0, 1)) - t1.attention(mass, k, (0, 1))
    require(vanishes(difference - l1.bound_from_root_ratio(x)))
    record_property("computed", "masses (1 - θ, θ): difference tanh(Δ/4) for every θ")


@control("RS.T1-invariance", "common", Level.EXACT)
def test_a_factor_of_one_token(record_property: Note) -> None:
    v, mass = [Fraction(0), Fraction(1)], [1, 1]
    moved = t1.attention(mass, [1, 3], v) - t1.attention(mass, [1, 1], v)
    require(equal(moved, Fraction(1, 4)))
    record_property("computed", f"factor 3 for one of two tokens: the output moves by {moved}")
