"""UG equation 16 and the max-min programme behind it."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb
from sympy import symbols

from algebra import nonnegative_coefficients, vanishes
from balls import ball, digits
from marks import control, proof, refutation, tightness
from refsym_theory.claims.ug import e16
from refsym_theory.evidence import Level, at_most, below, equal, require

Range = Callable[..., tuple[Any, Any]]
Record = Callable[[str, object], None]
a, b, h, p, r = symbols("a b h p r")


def on_the_pair(p: arb, r: arb) -> list[arb]:
    """All weight on the cutoff pair of three arms."""
    return [ball(Fraction(1, 2)), ball(Fraction(1, 2)), arb(0)]


def tied(p: arb, r: arb) -> list[arb]:
    """Optimal weights of three arms, the last two tied."""
    high, low = e16.tied_weights(p, r)
    return [high, low, low]


@refutation(
    "UG.E16",
    Level.EXACT,
    lambda w: w,
    {"positive weights": lambda w: [Fraction(2, 5), Fraction(3, 10), Fraction(3, 10)]},
)
def test_the_pair_alone_proves_nothing(stated: Callable[..., list[Fraction]], record_property: Record) -> None:
    means, k = (2, 1, 0), 1  # three arms, equally spaced
    weights = stated([Fraction(1, 2), Fraction(1, 2), Fraction(0)])
    found = e16.value(weights, means, k)
    record_property("claimed", "the optimal weights lie on the pair (0, 1)")
    record_property(
        "computed", f"their value is {found}; equal weights give {e16.value([Fraction(1, 3)] * 3, means, k)}"
    )
    require(below(found, Fraction(1, 10)))
    require(below(found, e16.value([Fraction(1, 3)] * 3, means, k)))


@refutation("UG.E16", Level.ENCLOSED, e16.printed_range, {"corrected": e16.corrected_range})
def test_the_same_gap_and_another_time(stated: Range, record_property: Record) -> None:
    with digits(30):
        one, root = arb(1), arb(2).sqrt()
        least = 2 / e16.value(tied(one, root), (1, 0, 0), 1)  # the true T* of the means 1, 0, 0: see "tied"
        record_property("claimed", "8 for every instance with gap 1, as for two arms")
        record_property("computed", f"means 1, 0, 0: 2 (1 + sqrt 2)^2 = {least.str(10, radius=False)}")
        require(below(stated(one, one, root)[1], least))


SPACED = [Fraction(1, 16), Fraction(7, 16), Fraction(7, 16), Fraction(1, 16)]


@refutation("UG.E16", Level.EXACT, lambda: Fraction(8), {"64/7": lambda: Fraction(64, 7)})
def test_four_spaced_arms(stated: Callable[[], Fraction], record_property: Record) -> None:
    least = 2 / e16.value(SPACED, (3, 2, 1, 0), 2)  # the true T*: see "spaced"
    record_property("claimed", "8 for every instance with gap 1")
    record_property("computed", f"means 3, 2, 1, 0, k = 2: {least}")
    require(below(stated(), least))


@proof(
    "UG.E16", "spaced", Level.EXACT, e16.tangent, {"weights swapped": lambda a, b, a0, b0: e16.tangent(a, b, b0, a0)}
)
def test_a_certificate_for_four_spaced_arms(stated: Callable[..., Any]) -> None:
    a0, b0 = symbols("a0 b0")
    gap = (a * b0 - b * a0) ** 2 / ((a + b) * (a0 + b0) ** 2)
    require(vanishes(stated(a, b, a0, b0) - e16.half_harmonic(a, b) - gap))
    # The least of three pairs is below their mean with weights 12/14, 1/14, 1/14, and that below its tangent plane.
    w = symbols("w:4")
    pairs = [(Fraction(12, 14), 1, 2, 1), (Fraction(1, 14), 0, 2, 4), (Fraction(1, 14), 1, 3, 4)]
    plane = sum(share * square * stated(w[i], w[j], SPACED[i], SPACED[j]) for share, i, j, square in pairs)
    require(vanishes(plane - Fraction(7, 32) * sum(w)))
    require(equal(e16.value(SPACED, (3, 2, 1, 0), 2), Fraction(7, 32)))


@proof("UG.E16", "cheapest", Level.EXACT, e16.half_harmonic, {"mean for half harmonic": lambda a, b: (a + b) / 4})
def test_the_cheapest_way_to_tie_two_arms(stated: Callable[..., Any]) -> None:
    u, v, x = symbols("u v x")
    centre = (a * u + b * v) / (a + b)
    cost = a * (u - x) ** 2 + b * (v - x) ** 2
    require(vanishes(cost - stated(a, b) * (u - v) ** 2 - (a + b) * (x - centre) ** 2))


@proof("UG.E16", "positive", Level.EXACT)
def test_a_free_pair_and_none() -> None:
    require(vanishes(e16.half_harmonic(0 * a, b)))
    n = symbols("n")
    require(vanishes(e16.half_harmonic(1 / n, 1 / n) - 1 / (2 * n)))  # times a squared gap of at least g^2 > 0
    for size, k in product(range(2, 7), range(1, 6)):
        if k < size:  # every arm stands in some pair
            pairs = list(product(range(k), range(k, size)))
            assert {i for i, _ in pairs} | {j for _, j in pairs} == set(range(size))


@proof(
    "UG.E16",
    "active",
    Level.EXACT,
    lambda a, b: b**2 / (a + b),
    {"constant in a": lambda a, b: 0 * a, "a for b": lambda a, b: a**2 / (a + b)},
)
def test_more_weight_is_dearer(stated: Callable[..., Any]) -> None:
    gain = e16.half_harmonic(a + h, b) - e16.half_harmonic(a, b)
    require(vanishes(gain - h * stated(a, b) / (a + h + b)))  # positive for h, b > 0


@proof("UG.E16", "lower", Level.EXACT, lambda s: s / 4, {"1/5": lambda s: s / 5, "1/8": lambda s: s / 8})
def test_a_quarter(stated: Callable[..., Any]) -> None:
    require(vanishes(stated(a + b) - e16.half_harmonic(a, b) - (a - b) ** 2 / (4 * (a + b))))


@proof(
    "UG.E16",
    "upper",
    Level.EXACT,
    e16.tied_weights,
    {
        "equal weights": lambda p, r: (1 / (p**2 + r**2),) * 2,
        "half to each group": lambda p, r: (1 / (2 * p**2), 1 / (2 * r**2)),
    },
)
def test_a_plan_for_any_means(stated: Callable[..., tuple[Any, Any]], record_property: Record) -> None:
    high, low = stated(p, r)
    require(vanishes(p**2 * high + r**2 * low - 1))
    require(vanishes(e16.half_harmonic(high, low) - 1 / (p + r) ** 2))  # every pair's squared gap is at least g^2
    require(vanishes(high + low - 1 / (p * r)))
    record_property("computed", "share of the cutoff pair: 1 / sqrt(k (N - k)); 1/126 at k = 33, N = 512")
    assert 125**2 < 33 * (512 - 33) < 127**2


@proof("UG.E16", "tied", Level.EXACT, lambda p, r: (p + r) ** 2, {"p^2 + r^2 + 1": lambda p, r: p**2 + r**2 + 1})
def test_no_plan_is_better(stated: Callable[..., Any]) -> None:
    w, c = symbols("w c")
    # Within a group of k arms of total weight a: sum of 1/w >= k^2/a, by the tangent at c = a/k.
    require(vanishes(1 / w - (2 / c - w / c**2) - (w - c) ** 2 / (w * c**2)))
    require(vanishes((2 * p**2 / c - a / c**2).subs(c, a / p**2) - p**4 / a))
    # Averaged over all pairs, 1/w_i + 1/w_j is then at least k/a + (N - k)/(1 - a).
    room = p**2 / a + r**2 / (1 - a) - stated(p, r)
    require(vanishes(room - (p * (1 - a) - r * a) ** 2 / (a * (1 - a))))


@proof("UG.E16", "upper", Level.EXACT)
def test_the_two_bounds_in_order() -> None:
    # (p + r)^2 >= 4 for p, r >= 1, so 2 (p + r)^2 >= 8.
    x, y = symbols("x y")
    low, high = e16.corrected_range(1, 1 + x, 1 + y)
    require(nonnegative_coefficients((high - low).expand()))


@tightness("UG.E16", Level.EXACT)
def test_two_arms_and_two_groups() -> None:
    require(equal(2 / e16.value([Fraction(1, 2)] * 2, (1, 0), 1), Fraction(e16.corrected_range(1, 1, 1)[0])))
    # k = 4, N = 13: p = 2, r = 3 and both groups tied.
    weights = [e16.tied_weights(Fraction(2), Fraction(3))[0]] * 4 + [e16.tied_weights(Fraction(2), Fraction(3))[1]] * 9
    require(equal(sum(weights), Fraction(1)))
    require(equal(2 / e16.value(weights, [1] * 4 + [0] * 9, 4), Fraction(e16.corrected_range(1, 2, 3)[1])))


@control("UG.E16", "variance", Level.EXACT)
def test_arms_with_different_noise() -> None:
    s, weights = (Fraction(1), Fraction(1, 10)), (Fraction(10, 11), Fraction(1, 11))  # standard deviations
    time = 2 * sum(s_b**2 / w for s_b, w in zip(s, weights, strict=True))  # at gap 1
    require(below(time, Fraction(8)))
    require(at_most(time, 2 * sum(s) ** 2))
