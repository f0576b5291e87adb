"""RS Theorem 1 against the continuum."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from balls import ball, digits
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.rs import l1, t1, t1_continuum, t1_eps
from refsym_theory.evidence import Level, at_most, below, equal, require

Note = Callable[[str, object], None]


@proof("RS.T1-continuum", "marginals", Level.EXACT, t1.entry, {"mass left out": lambda m, k: k})
def test_constant_kernel_on_a_cell(stated: Callable[..., Expr]) -> None:
    m, more, k = symbols("m more k")  # additive in the set of points, and K(s_i) is constant on C_i
    require(vanishes(stated(m, k) + stated(more, k) - stated(m + more, k)))


@proof("RS.T1-continuum", "tilt", Level.EXACT, lambda k, new: new / k, {"f upside down": lambda k, new: k / new})
def test_densities_and_the_chord(stated: Callable[..., Expr]) -> None:
    k, new, z, z_new = symbols("k new Z Z_new")
    require(vanishes((k / z) * stated(k, new) / (z_new / z) - new / z_new))  # at each point, E_P f = Z_new / Z
    a, b, u, f = symbols("a b u f")
    line = ((b - f) * (u - a) + (f - a) * (b - u)) / (b - a)  # above |f - u| at each point, linear in f
    require(vanishes(line - (f - u) - 2 * (b - f) * (u - a) / (b - a)))
    require(vanishes(line - (u - f) - 2 * (f - a) * (b - u) / (b - a)))
    require(vanishes(line.diff(f, 2)))


@proof(
    "RS.T1-continuum",
    "value",
    Level.EXACT,
    t1.paired_difference,
    {"sum for difference": lambda x, xv, y, yv: xv * y + x * yv},
)
def test_double_integral_of_differences(stated: Callable[..., Expr]) -> None:
    x, v, y, u, tv, xv, yv = symbols("x v y u T X_v Y_v")  # densities of the two parts of Q - P at two points
    require(vanishes(stated(x, x * v, y, y * u) - x * y * (v - u)))
    require(vanishes(stated(tv, xv, tv, yv) / tv - (xv - yv)))


@proof(
    "RS.T1-continuum",
    "total",
    Level.EXACT,
    t1_continuum.discrepancy,
    {
        "D_v / 2": lambda e, d, x: t1_continuum.discrepancy(e, d / 2, x),
        "tanh(L_s h / 4)": lambda e, d, x: e + d * (x - 1) / (x + 3),
    },
)
def test_both_terms_together(stated: Callable[..., Expr]) -> None:
    e, d, x = symbols("epsilon D x")  # x = exp(L_s h), the root ratio at Delta = 2 L_s h
    require(vanishes(stated(e, d, x) - e - d * l1.bound_from_root_ratio(x)))
    require(vanishes(stated(e, d, x) - e - d * t1_eps.moved(x)))


@proof("RS.T1-continuum", "total", Level.ENCLOSED, t1_continuum.discrepancy, {"NaN": nan})
def test_as_a_function_of_the_cell(stated: Callable[..., object]) -> None:
    with digits(40):
        for h in (Fraction(1, 100), Fraction(2)):
            x, d = ball(h).exp(), ball(Fraction(7))
            require(at_most(abs(stated(ball(h), d, x) - (ball(h) + d * (ball(h) / 2).tanh())), ball("1e-30")))


@proof(
    "RS.T1-continuum",
    "encoder",
    Level.EXACT,
    lambda field, encoder: field + encoder,
    {"the larger of the two": lambda f, e: f},
)
def test_encoder_errors_add(stated: Callable[..., Expr]) -> None:
    field, encoder, total, one, two = symbols("field encoder total one two")  # total <= one + two, the triangle
    require(vanishes(stated(field, encoder) - total - ((one + two - total) + (field - one) + (encoder - two))))


@tightness(
    "RS.T1-continuum", Level.EXACT, t1_continuum.discrepancy, {"one term": lambda e, d, x: d * (x - 1) / (x + 1)}
)
def test_two_cells_with_mass_at_distance_h(stated: Callable[..., Expr], record_property: Note) -> None:
    # Each cell holds its token's point and, at distance h from it, its mass: values rise by L_v h, log-kernels change
    # by -L_s h in one cell and by +L_s h in the other.
    e, d, x = symbols("epsilon D x")
    tokens = t1.attention((x, 1), (1, 1), (0, d))
    target = t1.attention((x, 1), (1 / x, x), (e, d + e))
    require(vanishes(target - tokens - stated(e, d, x)))
    record_property("claimed", "L_v h + D tanh(L_s h/2)")
    record_property("computed", str((target - tokens).factor()) + ", x = exp(L_s h), ε = L_v h")


@superfluous("RS.T1-continuum", "other-normalizer", Level.EXACT)
def test_one_normalizer_bounds_the_other() -> None:
    a, b, f, k = symbols("a b f k")  # K(t) = f K(s) with a <= f <= b at almost every point
    require(vanishes((b * k - f * k) - (b - f) * k))
    require(vanishes((f * k - a * k) - (f - a) * k))  # so a Z_s <= Z_t <= b Z_s, positive and finite with Z_s


@superfluous("RS.T1-continuum", "integrable", Level.EXACT)
def test_values_are_bounded() -> None:
    # ||v|| <= ||v_0|| + D and ||w|| <= ||v|| + epsilon_v almost everywhere: bounded, and a law has mass 1.
    size, first, diameter, apart = symbols("v v_0 D apart")  # size <= first + apart, apart <= D
    require(vanishes(first + diameter - size - ((first + apart - size) + (diameter - apart))))


@control("RS.T1-continuum", "normalizer", Level.EXACT)
def test_a_kernel_that_is_not_integrable(record_property: Note) -> None:
    # Masses 2^-a and kernel 2^a at a = 1, 2, ...: equal weights. Values 1 for 4^j <= a < 2 * 4^j, else 0. The same
    # tokens, the same scores, exhausted in two ways: the outputs do not come together.
    power = symbols("P")  # 4^j
    ones = (4 * power - 1) / 3  # 1 + 4 + ... + 4^j, the ones below 2 * 4^j
    require(vanishes(ones.subs(power, 4 * power) - ones - 4 * power))
    full, half = ones / (2 * power - 1), ones / (4 * power - 1)  # means over a < 2 * 4^j and over a < 4^(j + 1)
    require(vanishes(half - Fraction(1, 3)))
    require(vanishes(full - Fraction(2, 3) - 1 / (3 * (2 * power - 1))))
    record_property("computed", "means above 2/3 and equal to 1/3, again and again; the bound is 0")


@control("RS.T1-continuum", "errors", Level.EXACT)
def test_a_log_kernel_that_changed_more(record_property: Note) -> None:
    v, mass = [Fraction(0), Fraction(1)], [1, 1]  # said to have L_s h = 0
    difference = t1.attention(mass, [1, 2], v) - t1.attention(mass, [1, 1], v)
    require(equal(t1_continuum.discrepancy(0, 1, Fraction(1)), Fraction(0)))
    require(below(0, difference))
    record_property("computed", f"difference {difference}, bound 0")
