"""RS Theorem 1."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sympy import Expr, Integer, symbols

from algebra import vanishes
from kernel import accepts
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.rs import l1, t1
from refsym_theory.evidence import Level, Truth, at_most, below, equal, require

Note = Callable[[str, object], None]


@proof(
    "RS.T1",
    "marginals",
    Level.EXACT,
    t1.entry,
    {"mass squared": lambda m, k: m**2 * k, "mass left out": lambda m, k: m**0 * k},
)
def test_a_row_of_the_lift_adds_up(stated: Callable[..., Expr]) -> None:
    row, more, total, k = symbols("row more total k")
    require(vanishes(stated(row, k) + stated(more, k) - stated(row + more, k)))  # one entry more in the row
    require(vanishes(stated(Integer(0), k)))
    require(vanishes(stated(row / total, k) - stated(row, k) / total))  # M leaves numerator and normalizer alike


@proof(
    "RS.T1", "marginals", Level.EXACT, t1.lift, {"the other side's kernel": lambda g, k, side: t1.lift(g, k, 1 - side)}
)
def test_means_under_the_lifts_are_the_two_outputs(stated: Callable[..., dict[tuple[int, int], Expr]]) -> None:
    size = 2
    gamma = {(i, j): symbols(f"g{i}{j}") for i, j in product(range(size), repeat=2)}
    k, v = symbols(f"k:{size}"), symbols(f"v:{size}")
    for side in (0, 1):
        mean = sum(p * v[pair[side]] for pair, p in stated(gamma, k, side).items())
        require(vanishes(mean - t1.attention(t1.marginal(gamma, side), k, v)))


@proof("RS.T1", "tilt", Level.EXACT, lambda k, new: new / k, {"f upside down": lambda k, new: k / new})
def test_density_ratio_is_the_tilt(stated: Callable[..., Expr]) -> None:
    g, k, new, z, z_new = symbols("g k new Z Z_new")  # the two normalizers are the sums of g k and of g new
    p, q, f = g * k / z, g * new / z_new, stated(k, new)
    require(vanishes(p * f * z - g * new))  # summed over the pairs: E_P f = Z_new / Z
    require(vanishes(p * f / (z_new / z) - q))


@proof(
    "RS.T1",
    "value",
    Level.EXACT,
    t1.paired_difference,
    {"sum for difference": lambda x, xv, y, yv: xv * y + x * yv, "masses left out": lambda x, xv, y, yv: xv - yv},
)
def test_difference_of_means_is_a_mean_of_differences(stated: Callable[..., Expr]) -> None:
    # x = (Q - P)+ and y = (Q - P)-, both of total mass T = TV.
    x, y, v, u, tv, d = symbols("x y v u T D")
    s, sv, r, rv = symbols("S S_v R R_v")
    require(vanishes(stated(x, x * v, y, y * u) - x * y * (v - u)))  # one atom on each side
    require(vanishes(stated(s + x, sv + x * v, r, rv) - stated(s, sv, r, rv) - stated(x, x * v, r, rv)))  # in x,
    require(vanishes(stated(s, sv, r + y, rv + y * u) - stated(s, sv, r, rv) - stated(s, sv, y, y * u)))  # and of y
    require(vanishes(stated(tv, sv, tv, rv) / tv - (sv - rv)))  # E_Q v - E_P v is the sum over pairs, over T
    # Each ||v_a - v_b|| <= D and the weights x_a y_b / T add up to T.
    require(vanishes(tv * tv * d / tv - d * tv))


@proof(
    "RS.T1",
    "triangle",
    Level.EXACT,
    t1.split_difference,
    {
        "the average under P": lambda p, q, v, w: ((q - p) * v, p * (w - v)),
        "w for v": lambda p, q, v, w: ((q - p) * w, q * (w - v)),
    },
)
def test_outputs_differ_by_allocation_and_by_value(stated: Callable[..., tuple[Expr, Expr]]) -> None:
    p, q, v, w = symbols("p q v w")
    require(vanishes(sum(stated(p, q, v, w)) - (q * w - p * v)))


Vector = tuple[Fraction, Fraction]
NORMS: dict[str, Callable[[Vector], Fraction]] = {
    "l1": lambda x: abs(x[0]) + abs(x[1]),
    "max": lambda x: max(abs(x[0]), abs(x[1])),
    "first": lambda x: abs(x[0]),  # a seminorm
}


def terms(pieces: list[tuple[int, int, int]], k: list[int], new: list[int], v: list, w: list, norm: str) -> tuple:
    """Terms of the theorem for a coupling given as (i, j, mass): difference, epsilon_v, D_v, and the ratios f."""
    gamma: dict[tuple[int, int], Fraction] = {}
    for i, j, mass in pieces:
        gamma[i, j] = gamma.get((i, j), Fraction(0)) + mass
    measure = NORMS[norm]

    def minus(a: Vector, b: Vector) -> Fraction:
        return measure((a[0] - b[0], a[1] - b[1]))

    def output(side: int, kernel: list[int], values: list) -> Vector:
        weights = t1.lift(gamma, [Fraction(x) for x in kernel], side)
        return tuple(sum(weight * values[pair[side]][axis] for pair, weight in weights.items()) for axis in (0, 1))

    error = max(minus(w[j], v[i]) for i, j in gamma)
    f = t1.ratios(gamma, [Fraction(x) for x in k], [Fraction(x) for x in new])
    return minus(output(1, new, w), output(0, k, v)), error, max(minus(a, b) for a, b in product(v, v)), f


def slack(difference: Fraction, error: Fraction, diameter: Fraction, f: list[Fraction], power: int = 2) -> Truth:
    """Whether difference <= error + diameter tanh(Delta / (2 power)), without a root."""
    u = difference - error
    if u <= 0:
        return Truth.TRUE
    if u >= diameter:
        return Truth.FALSE
    return at_most((diameter + u) ** power * min(f), (diameter - u) ** power * max(f))


SIZE = 3
NUMBERS = st.lists(st.integers(1, 50), min_size=SIZE, max_size=SIZE)
VECTORS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=SIZE, max_size=SIZE)
INDEX = st.integers(0, SIZE - 1)
SHARP = [(0, 0), (1, 0), (0, 0)]


@proof(
    "RS.T1",
    "triangle",
    Level.SAMPLED,
    slack,
    {
        "D_v / 2": lambda difference, error, diameter, f: slack(difference, error, diameter / 2, f),
        "epsilon_v left out": lambda difference, error, diameter, f: slack(difference, error * 0, diameter, f),
        "Delta/8 for Delta/4": partial(slack, power=4),
        "NaN": lambda *_: at_most(nan(), nan()),
    },
)
@given(
    st.lists(st.tuples(INDEX, INDEX, st.integers(1, 30)), min_size=1, max_size=7),
    NUMBERS,
    NUMBERS,
    VECTORS,
    VECTORS,
    st.sampled_from(list(NORMS)),
)
@example([(0, 0, 2), (1, 1, 1)], [2, 2, 1], [1, 4, 1], SHARP, SHARP, "max")
def test_theorem_in_rationals(stated, pieces, k, new, v, w, norm) -> None:
    require(stated(*terms(pieces, k, new, v, w, norm)))


@proof(
    "RS.T1",
    "",
    Level.KERNEL,
    None,
    {
        "half the diameter": ("eps_v + diameter * tanh (Delta / 4).", "eps_v + diameter / 2 * tanh (Delta / 4)."),
        "epsilon_v left out": ("  eps_v + diameter * tanh (Delta / 4).", "  diameter * tanh (Delta / 4)."),
    },
)
def test_coq_for_any_coupling_and_seminorm(stated: tuple[str, str] | None) -> None:
    accepts("coupled_stability.v", "coupled_stability", "eps_v + diameter * tanh (Delta / 4)", stated)


@tightness(
    "RS.T1",
    Level.EXACT,
    l1.bound_from_root_ratio,
    {
        "tanh(Delta/5)": lambda x: l1.bound_from_root_ratio(x) * 4 / 5,
        "half the diameter": lambda x: l1.bound_from_root_ratio(x) / 2,
    },
)
def test_two_tokens_attain_it(stated: Callable[[Expr], Expr], record_property: Note) -> None:
    x, e, d = symbols("x e D")  # exp(Delta / 2), epsilon_v, D_v
    mass = (x, 1)
    a = t1.attention(mass, (1, 1), (0, d))
    b = t1.attention(mass, (1 / x, x), (e, d + e))
    require(vanishes(b - a - (e + d * stated(x))))
    record_property("claimed", "ε + D tanh(Δ/4) = ε + D (x - 1)/(x + 1), x = exp(Δ/2)")
    record_property("computed", str((b - a).factor()))


def refuted(gamma: dict[tuple[int, int], Fraction], m: list, n: list, k: list, new: list) -> Fraction:
    """Difference of two outputs with the values 0 and 1, where epsilon_v = 0 and Delta = 0 on the pairs that count."""
    v = [Fraction(0), Fraction(1)]
    require(equal(t1.value_error(gamma, v, v), Fraction(0)))
    return abs(t1.attention(n, new, v) - t1.attention(m, k, v))


HALF = Fraction(1, 2)


@control("RS.T1", "positive", Level.EXACT)
def test_a_kernel_that_vanishes(record_property: Note) -> None:
    gamma = {(0, 0): HALF, (1, 1): HALF}
    difference = refuted(gamma, [HALF, HALF], [HALF, HALF], [Fraction(0), Fraction(1)], [Fraction(1), Fraction(1)])
    require(equal(difference, HALF))  # the one finite log-ratio has range 0: the bound would be 0
    record_property("computed", f"difference {difference}, bound 0")


@control("RS.T1", "marginals", Level.EXACT)
def test_a_coupling_of_other_masses(record_property: Note) -> None:
    gamma = {(0, 0): HALF, (1, 1): HALF}
    difference = refuted(gamma, [HALF, HALF], [3 * HALF / 2, HALF / 2], [1, 1], [1, 1])
    require(equal(difference, Fraction(1, 4)))  # no value and no score has changed
    record_property("computed", f"difference {difference}, bound 0")


@control("RS.T1", "nonnegative", Level.EXACT)
def test_a_signed_coupling(record_property: Note) -> None:
    gamma = {(0, 0): 3 * HALF / 2, (0, 1): -HALF, (1, 1): 3 * HALF / 2}
    m, n = t1.marginal(gamma, 0), t1.marginal(gamma, 1)
    assert all(mass > 0 for mass in m + n)
    difference = refuted(gamma, m, n, [1, 1], [1, 1])  # on pairs with positive entries nothing has changed
    require(equal(difference, HALF))
    record_property("computed", f"difference {difference}, bound 0")


@control("RS.T1", "norm", Level.EXACT)
def test_the_square_of_a_norm(record_property: Note) -> None:
    def square(x: Fraction) -> Fraction:
        return x * x

    gamma = {(0, 0): Fraction(2, 3), (1, 1): Fraction(1, 3)}
    v, w, new = [Fraction(0), Fraction(1)], [Fraction(1), Fraction(2)], [Fraction(1, 2), Fraction(2)]
    difference = square(t1.attention([2, 1], new, w) - t1.attention([2, 1], [1, 1], v))
    bound = t1.value_error(gamma, v, w, square) + t1.diameter(v, square) * l1.bound_from_root_ratio(Fraction(2))
    require(below(bound, difference))
    record_property("computed", f"difference {difference}, bound {bound}")


@superfluous("RS.T1", "equal-totals", Level.EXACT)
def test_a_factor_of_all_masses_cancels() -> None:
    m, k, v, c = symbols("m k v c")
    z, z_v = symbols("Z Z_v")  # sums of m k and of m k v; the factor c leaves both
    require(vanishes(t1.entry(c * m, k) - c * t1.entry(m, k)))
    require(vanishes(t1.entry(c * m, k) * v - c * (t1.entry(m, k) * v)))
    require(vanishes(c * z_v / (c * z) - z_v / z))


@pytest.mark.parametrize("totals", [(1, 7), (5, 2)])
@superfluous("RS.T1", "equal-totals", Level.EXACT)
def test_outputs_with_other_totals(totals: tuple[int, int]) -> None:
    m, k, v = symbols("m:3"), symbols("k:3"), symbols("v:3")
    one, other = ([total * mass for mass in m] for total in totals)
    require(vanishes(t1.attention(one, k, v) - t1.attention(other, k, v)))
