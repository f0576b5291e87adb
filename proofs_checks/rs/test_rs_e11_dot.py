"""RS B.3: dot-product constants."""

from collections.abc import Callable
from fractions import Fraction

from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import e11_dot
from refsym_theory.evidence import Level, at_most, below, equal, require

Note = Callable[[str, object], None]


@proof(
    "RS.E11-dot",
    "value",
    Level.EXACT,
    lambda w, radius: 2 * w * radius,
    {"radius for diameter": lambda w, radius: w * radius},
)
def test_diameter_of_the_values(stated: Callable[..., Expr]) -> None:
    w, radius, one, two, apart = symbols("W H one two apart")  # norms of two values <= W H, apart <= one + two
    require(vanishes(stated(w, radius) - apart - ((one + two - apart) + (w * radius - one) + (w * radius - two))))
    a, x, y = symbols("a x y")
    require(vanishes(a * x - a * y - a * (x - y)))  # W g - W g' = W (g - g'), entry by entry


@proof(
    "RS.E11-dot",
    "score",
    Level.EXACT,
    e11_dot.one_at_a_time,
    {
        "both at once": lambda q, q2, k, k2: (q - q2) * (k - k2),
        "old k twice": lambda q, q2, k, k2: q * (k - k2) + (q - q2) * k,
    },
)
def test_one_factor_at_a_time(stated: Callable[..., Expr]) -> None:
    q, q_new, k, k_new = symbols("q q' k k'")  # one coordinate of the inner product
    require(vanishes(stated(q, q_new, k, k_new) - (q * k - q_new * k_new)))


@proof(
    "RS.E11-dot",
    "score",
    Level.EXACT,
    lambda wq, wk, radius, e: 2 * wq * wk * radius * e,
    {"without the 2": lambda wq, wk, radius, e: wq * wk * radius * e},
)
def test_norms_of_the_two_terms(stated: Callable[..., Expr]) -> None:
    wq, wk, radius, e, q, k, dq, dk = symbols(
        "W_Q W_K H e q k dq dk"
    )  # q <= W_Q H, dq <= W_Q e, k <= W_K H, dk <= W_K e
    gap = stated(wq, wk, radius, e) - (q * dk + dq * k)
    products = (wq * radius - q) * wk * e + q * (wk * e - dk) + (wq * e - dq) * wk * radius + dq * (wk * radius - k)
    require(vanishes(gap - products))


@proof(
    "RS.E11-dot", "midpoint", Level.EXACT, e11_dot.midpoint, {"without the halves": lambda *x: 2 * e11_dot.midpoint(*x)}
)
def test_through_the_means(stated: Callable[..., Expr]) -> None:
    q, q_new, k, k_new = symbols("q q' k k'")
    require(vanishes(stated(q, q_new, k, k_new) - (q * k - q_new * k_new)))
    require(
        vanishes((q + q_new) ** 2 + (q - q_new) ** 2 - 2 * q**2 - 2 * q_new**2)
    )  # so |q + q'|^2 <= 4 H^2 - |q - q'|^2


@proof(
    "RS.E11-dot",
    "circle",
    Level.EXACT,
    e11_dot.sharp_bound,
    {"half of it": lambda e, other: e * other / 2, "e^2": lambda e, other: e**2},
)
def test_largest_sum_of_products_on_a_circle(stated: Callable[..., Expr]) -> None:
    p, x, r, y, e, other = symbols("p X r Y e E")
    # With S = 4 H^2: p^2 + X^2 = r^2 + Y^2 = e^2 + E^2 = S. Both sides are made of S^2 = (p^2 + X^2)(r^2 + Y^2).
    require(vanishes((p * y + r * x) ** 2 + (x * y - p * r) ** 2 - (p**2 + x**2) * (r**2 + y**2)))
    require(vanishes((2 * stated(e, other)) ** 2 + (other**2 - e**2) ** 2 - (e**2 + other**2) ** 2))
    # And XY - pr >= E^2 - e^2 >= 0, since p, r <= e <= E <= X, Y.
    gap = (x * y - p * r) - (other**2 - e**2)
    require(vanishes(gap - ((x - other) * y + other * (y - other) + (e - p) * r + e * (e - r))))


@proof(
    "RS.E11-dot",
    "circle",
    Level.EXACT,
    e11_dot.sharp_bound,
    {"printed c e": lambda e, other: e11_dot.score_bound(e, 1), "NaN": nan},
)
def test_the_smaller_bound_is_attained(stated: Callable[..., Expr], record_property: Note) -> None:
    radius, c, s = symbols("H c s")  # cosine and sine of an angle; e = 2 H s, E = 2 H c
    q, q_new = (radius * c, radius * s), (radius * c, -radius * s)
    k, k_new = (radius * s, radius * c), (-radius * s, radius * c)
    e, other = 2 * radius * s, 2 * radius * c
    for old, new in ((q, q_new), (k, k_new)):
        require(vanishes(old[0] ** 2 + old[1] ** 2 - radius**2 * (c**2 + s**2)))
        require(vanishes(new[0] ** 2 + new[1] ** 2 - radius**2 * (c**2 + s**2)))
        require(vanishes((old[0] - new[0]) ** 2 + (old[1] - new[1]) ** 2 - e**2))
    difference = sum(a * b for a, b in zip(q, k, strict=True)) - sum(a * b for a, b in zip(q_new, k_new, strict=True))
    require(vanishes(difference - stated(e, other)))
    at = {radius: 1, c: Fraction(4, 5), s: Fraction(3, 5)}
    record_property("claimed", f"c e = {2 * Fraction(6, 5)} at H = 1, e = 6/5")
    record_property("computed", f"e sqrt(4 H² - e²) = {difference.subs(at)}, attained")


@tightness(
    "RS.E11-dot",
    Level.EXACT,
    e11_dot.score_bound,
    {"without the 2": lambda e, radius: e * radius, "3 H": lambda e, radius: 3 * e * radius},
)
def test_printed_constant_is_approached(stated: Callable[..., Fraction], record_property: Note) -> None:
    for n in (10, 100, 10**6):  # the angle with tan(angle / 2) = 1 / n: cosine and sine are rational
        c, s = Fraction(n * n - 1, n * n + 1), Fraction(2 * n, n * n + 1)
        attained, bound = e11_dot.sharp_bound(2 * s, 2 * c), stated(2 * s, Fraction(1))
        require(at_most(attained, bound))
        require(equal(attained / bound, c))
        require(below(1 - Fraction(2, n * n), attained / bound))
    x, w, radius = symbols("x W H")
    require(vanishes(w * radius - w * (-radius) - 2 * w * radius))  # D: two opposite states along the top direction
    require(vanishes(w * (x + 1) - w * x - w))  # v: one of them moved by 1
    record_property("claimed", "c e = 2 H e")
    record_property("computed", f"attained: {float(c):.12f} of it at e = {float(2 * s):.1e}")


@control("RS.E11-dot", "bounded", Level.EXACT)
def test_only_the_reference_is_bounded(record_property: Note) -> None:
    radius, e = Fraction(1), Fraction(1, 2)
    change = (radius + e) ** 2 - radius**2  # q = k = H, q' = k' = H + e
    require(below(e11_dot.score_bound(e, radius), change))
    record_property("computed", f"score change {change}, c e = {e11_dot.score_bound(e, radius)}")
