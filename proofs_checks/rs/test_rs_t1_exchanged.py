"""RS Theorem 1, exchanged and in between."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, symbols

from algebra import vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import l1, t1, t1_exchanged
from refsym_theory.evidence import Level, Truth, at_most, below, equal, require

Note = Callable[[str, object], None]


@proof("RS.T1-exchanged", "symmetry", Level.EXACT, lambda a, b: b / a, {"no logarithm": lambda a, b: b - a})
def test_range_of_the_inverse_tilt(stated: Callable[..., Expr]) -> None:
    a, b = symbols("a b")  # least and largest f; those of 1/f are 1/b and 1/a
    require(vanishes(stated(a, b) - stated(1 / b, 1 / a)))


@proof(
    "RS.T1-exchanged",
    "between",
    Level.EXACT,
    t1_exchanged.parts,
    {
        "averages exchanged": lambda p, q, v, w, x: (
            t1_exchanged.parts(p, q, v, w, x)[0],
            (1 - x) * p * (w - v),
            x * q * (w - v),
        ),
        "both under Q": lambda p, q, v, w, x: (
            t1_exchanged.parts(p, q, v, w, x)[0],
            (1 - x) * q * (w - v),
            x * q * (w - v),
        ),
    },
)
def test_any_point_between_will_do(stated: Callable[..., tuple[Expr, ...]]) -> None:
    p, q, v, w, mixed = symbols("p q v w lambda")
    require(vanishes(sum(stated(p, q, v, w, mixed)) - (q * w - p * v)))
    require(vanishes(stated(p, q, v, w, 0)[1] - q * (w - v)))  # Theorem 1
    require(vanishes(stated(p, q, v, w, 1)[2] - p * (w - v)))  # the exchanged form


@proof(
    "RS.T1-exchanged",
    "value",
    Level.EXACT,
    t1.paired_difference,
    {"sum for difference": lambda x, xv, y, yv: xv * y + x * yv},
)
def test_one_atom_for_each_pair(stated: Callable[..., Expr]) -> None:
    # The same double sum as in Theorem 1, its atoms the coupled pairs with the values u.
    x, y, u, v, tv = symbols("x y u v T")
    s, sv, r, rv = symbols("S S_u R R_u")
    require(vanishes(stated(x, x * u, y, y * v) - x * y * (u - v)))
    require(vanishes(stated(s + x, sv + x * u, r, rv) - stated(s, sv, r, rv) - stated(x, x * u, r, rv)))
    require(vanishes(stated(s, sv, r + y, rv + y * v) - stated(s, sv, r, rv) - stated(s, sv, y, y * v)))
    require(vanishes(stated(tv, sv, tv, rv) / tv - (sv - rv)))


def between(p: list[Fraction], q: list[Fraction], v: list[int], w: list[int], mixed: Fraction, old: int = 0) -> Truth:
    """Whether |E_Q w - E_P v| <= (1 - x) E_Q |w - v| + x E_P |w - v| + diam(u) TV; `old` = 1 exchanges the averages."""
    u = [(1 - mixed) * a + mixed * b for a, b in zip(v, w, strict=True)]
    left = sum(b * y for b, y in zip(q, w, strict=True)) - sum(a * x for a, x in zip(p, v, strict=True))
    one, other = (p, q) if old else (q, p)
    weights = [(1 - mixed) * a + mixed * b for a, b in zip(one, other, strict=True)]
    average = sum(weight * abs(b - a) for weight, a, b in zip(weights, v, w, strict=True))
    return at_most(abs(left), average + (max(u) - min(u)) * l1.total_variation(p, q))


PAIRS = st.lists(st.tuples(*[st.integers(1, 40)] * 2, *[st.integers(-9, 9)] * 2), min_size=1, max_size=5)


@proof(
    "RS.T1-exchanged",
    "value",
    Level.SAMPLED,
    between,
    {"averages exchanged": partial(between, old=1), "NaN": lambda *_: at_most(nan(), nan())},
)
@given(PAIRS, st.fractions(0, 1, max_denominator=4))
def test_bound_between_in_rationals(
    stated: Callable[..., Truth], pairs: list[tuple[int, int, int, int]], mixed: Fraction
) -> None:
    p, q = ([Fraction(row[side], sum(r[side] for r in pairs)) for row in pairs] for side in (0, 1))
    require(stated(p, q, [row[2] for row in pairs], [row[3] for row in pairs], mixed))


@tightness(
    "RS.T1-exchanged",
    Level.EXACT,
    l1.bound_from_root_ratio,
    {"tanh(Delta/5)": lambda x: l1.bound_from_root_ratio(x) * 4 / 5},
)
def test_two_tokens_attain_it(stated: Callable[[Expr], Expr], record_property: Note) -> None:
    x, d, c = symbols("x D c")  # new values 0 and D; the first was -c before: D_v = D + c is larger
    a, b = t1.attention((x, 1), (1, 1), (-c, d)), t1.attention((x, 1), (1 / x, x), (0, d))
    p = x / (1 + x)  # the lift of the old attention at the first token
    require(vanishes(b - a - p * c - d * stated(x)))
    record_property("claimed", "E_P |w - v| + D_w tanh(Δ/4)")
    record_property("computed", "attained where v = (-c, D), w = (0, D)")


@control("RS.T1-exchanged", "under-P", Level.EXACT)
def test_the_new_attention_does_not_do(record_property: Note) -> None:
    mass, new = [2, 1], [Fraction(1, 2), Fraction(2)]
    v, w = [Fraction(1), Fraction(0)], [Fraction(0), Fraction(0)]  # D_w = 0
    difference = abs(t1.attention(mass, new, w) - t1.attention(mass, [1, 1], v))
    q = [Fraction(1, 3), Fraction(2, 3)]
    average = sum(weight * abs(b - a) for weight, a, b in zip(q, v, w, strict=True))
    require(equal(difference, Fraction(2, 3)))
    require(below(average, difference))
    record_property("computed", f"difference {difference}, Q-weighted bound {average}")


@proof("RS.T1-exchanged", "between", Level.EXACT)
def test_two_values_that_change_places(record_property: Note) -> None:
    v, w = [Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]
    middle = [(a + b) / 2 for a, b in zip(v, w, strict=True)]
    require(equal(t1.diameter(middle), Fraction(0)))
    require(equal(t1.diameter(v), Fraction(1)))
    require(equal(t1.diameter(w), Fraction(1)))
    record_property("computed", "D_v = D_w = 1, D_1/2 = 0: the second term is gone")
