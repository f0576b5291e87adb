"""RS I.4."""

from collections.abc import Callable
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from sympy import Expr, symbols

from algebra import distribution, vanishes
from marks import control, nan, proof, tightness
from refsym_theory.claims.rs import i4, l1, t1
from refsym_theory.evidence import Level, Truth, at_most, below, equal, require

Note = Callable[[str, object], None]
GROUPS = [[0], [1, 2]]


@proof(
    "RS.I4",
    "spread",
    Level.EXACT,
    i4.spread,
    {"copied, not spread": lambda groups, q: {i: p for group, p in zip(groups, q, strict=True) for i in group}},
)
def test_the_total_is_kept(stated: Callable[..., dict[int, Expr]]) -> None:
    q = symbols("q:3")
    groups = [[0], [1, 2], [3, 4, 5]]
    pulled = stated(groups, q)
    for group, probability in zip(groups, q, strict=True):
        require(vanishes(sum(pulled[i] for i in group) - probability))
    size, one = symbols("n q")
    require(vanishes(size * (one / size) - one))  # a group of any size


@proof("RS.I4", "tilt", Level.EXACT, lambda p, q: q / p, {"upside down": lambda p, q: p / q})
def test_pullback_is_a_tilt(stated: Callable[..., Expr]) -> None:
    p, q = symbols("p q")
    require(vanishes(p * stated(p, q) - q))  # and so E_P f is the sum of Q, which is 1


@proof(
    "RS.I4",
    "measure",
    Level.EXACT,
    i4.sizes,
    {"standard": lambda groups: [1] * len(groups), "sizes squared": lambda groups: [len(g) ** 2 for g in groups]},
)
def test_measure_rule_is_the_lift(stated: Callable[..., list[int]]) -> None:
    groups = [[0], [1, 2], [3, 4, 5]]
    k = symbols("k:3")
    pulled = i4.spread(groups, i4.merged(k, stated(groups)))
    lift = t1.lift(i4.physical_coupling(groups, dict.fromkeys(range(6), Fraction(1, 6))), k, 1)
    for (i, _), probability in lift.items():
        require(vanishes(pulled[i] - probability))


@proof(
    "RS.I4",
    "measure",
    Level.EXACT,
    lambda size, k, z: size * k / z / size,
    {"standard": lambda size, k, z: k / z / size},
)
def test_measure_rule_for_groups_of_any_size(stated: Callable[..., Expr]) -> None:
    size, k, z, mass, k_old, z_old = symbols("n k Z mass k_i Z_i")  # Z = sum of sizes times kernels
    lifted = mass * k / (mass * z)  # gamma = mass for each patch, and the lift's normalizer is mass times Z
    require(vanishes(stated(size, k, z) - lifted))
    native = mass * k_old / (mass * z_old)
    require(vanishes((lifted / native) * (z / z_old) - k / k_old))  # the ratio is f up to a constant: the same range


@proof("RS.I4", "others", Level.EXACT, [1, 1], {"the measure rule": [1, 2]})
def test_standard_rule_is_not(stated: list[int], record_property: Note) -> None:
    k = [Fraction(1), Fraction(1)]
    lift = t1.lift(i4.physical_coupling(GROUPS, dict.fromkeys(range(3), Fraction(1, 3))), k, 1)
    pulled = i4.spread(GROUPS, i4.merged(k, stated))
    tv = l1.total_variation([pulled[i] for i, _ in lift], list(lift.values()))
    require(below(0, tv))
    record_property(
        "computed", f"groups of 1 and 2, equal scores: {[str(x) for x in pulled.values()]}, TV to the lift {tv}"
    )


@proof("RS.I4", "others", Level.EXACT, i4.average_size, {"the measure rule": lambda groups, video: i4.sizes(groups)})
def test_count_rule_agrees_on_equal_groups_alone(stated: Callable[..., list[Fraction]], record_property: Note) -> None:
    equal_groups, unequal = [[0, 1], [2, 3], [4]], [[0, 1, 2], [3], [4]]  # the last is a text key
    video = [True, True, False]
    assert stated(equal_groups, video) == i4.sizes(equal_groups)
    k = [Fraction(1), Fraction(2), Fraction(3)]
    count, measure = (i4.spread(unequal, i4.merged(k, bias)) for bias in (stated(unequal, video), i4.sizes(unequal)))
    require(equal(sum(count.values()), Fraction(1)))
    tv = l1.total_variation(list(count.values()), list(measure.values()))
    require(below(0, tv))
    record_property("computed", f"groups of 3, 1 and a text key: TV to the lift {tv}")


def slack(p: list[Fraction], q: list[Fraction], power: int = 2) -> Truth:
    """Whether T <= tanh(osc / 4), without a root."""
    f = [b / a for a, b in zip(p, q, strict=True)]
    tv = l1.total_variation(p, q)
    return at_most((1 + tv) ** power * min(f), (1 - tv) ** power * max(f))


@proof(
    "RS.I4",
    "tilt",
    Level.SAMPLED,
    slack,
    {"osc / 8": lambda p, q: slack(p, q, 4), "NaN": lambda *_: at_most(nan(), nan())},
)
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60), st.integers(1, 3)), min_size=2, max_size=4))
def test_inequality_in_rationals(stated: Callable[..., Truth], rows: list[tuple[int, int, int]]) -> None:
    groups, start = [], 0
    for *_, size in rows:
        groups.append(list(range(start, start + size)))
        start += size
    native = distribution(1 + (7 * i * rows[0][0]) % 23 for i in range(start))
    pulled = i4.spread(groups, distribution(weight for _, weight, _ in rows))
    require(stated(native, [pulled[i] for i in range(start)]))


@tightness("RS.I4", Level.EXACT, l1.bound_from_root_ratio, {"osc / 5": lambda x: l1.bound_from_root_ratio(x) * 4 / 5})
def test_two_patches_attain_it(stated: Callable[[Expr], Expr], record_property: Note) -> None:
    x = symbols("x")  # exp(osc / 2)
    p = [x / (1 + x), 1 / (1 + x)]
    q = i4.spread([[0], [1]], i4.merged([1, x], [1, 1]))
    require(vanishes((q[1] / p[1]) / (q[0] / p[0]) - x**2))
    require(vanishes(p[0] - q[0] - stated(x)))
    record_property("computed", f"T = {(p[0] - q[0]).factor()}")


@control("RS.I4", "positive", Level.EXACT)
def test_a_zero_left_out(record_property: Note) -> None:
    p, q = distribution([1, 1]), distribution([1, 0])  # an underflow; over the other key the range is 0
    tv = l1.total_variation(p, q)
    require(equal(tv, Fraction(1, 2)))
    record_property("computed", f"T = {tv}, bound 0 without that key")


@control("RS.I4", "equal", Level.EXACT)
def test_patches_of_unequal_mass(record_property: Note) -> None:
    mass = {0: Fraction(1, 4), 1: Fraction(1, 4), 2: Fraction(1, 2)}
    k = [Fraction(1), Fraction(1)]
    lift = t1.lift(i4.physical_coupling(GROUPS, mass), k, 1)
    pulled = i4.spread(GROUPS, i4.merged(k, [mass[0], mass[1] + mass[2]]))
    require(equal(lift[2, 1], Fraction(1, 2)))
    require(below(pulled[2], lift[2, 1]))
    record_property("computed", f"patch of mass 1/2: pullback {pulled[2]}, lift {lift[2, 1]}")


@control("RS.I4", "uniform", Level.EXACT)
def test_all_to_one_patch(record_property: Note) -> None:
    k = [Fraction(1), Fraction(1)]
    q = i4.merged(k, i4.sizes(GROUPS))
    lift = t1.lift(i4.physical_coupling(GROUPS, dict.fromkeys(range(3), Fraction(1, 3))), k, 1)
    require(below(lift[1, 1], q[1]))  # the group's probability, all on its first patch
    record_property("computed", f"first patch of the group: {q[1]}, lift {lift[1, 1]}")
