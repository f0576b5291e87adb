"""RS B.5: total variation between two visible regions."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, nan, proof, superfluous, tightness
from refsym_theory.claims.rs.b5_regions import region_distribution, region_variation
from refsym_theory.claims.rs.l1 import total_variation
from refsym_theory.evidence import Level, below, equal, require

H, g = symbols("H g")


def measured(kernel: dict[Any, Any], first: set[Any], second: set[Any]) -> Any:
    p, q = region_distribution(kernel, first), region_distribution(kernel, second)
    return total_variation(list(p.values()), list(q.values()))


@proof(
    "RS.B5-regions",
    "overlap",
    Level.EXACT,
    lambda larger, smaller: larger,
    {"min for max": lambda larger, smaller: smaller, "sum": lambda larger, smaller: larger + smaller},
)
def test_the_common_part_of_two_densities(stated: Callable[..., Any]) -> None:
    # Say G = H + d >= H > 0. On the intersection g/H - g/G = g d / (G H) >= 0: the smaller density is g/G.
    d = symbols("d")
    require(vanishes(g / H - g / (H + d) - g * d / ((H + d) * H)))
    require(vanishes(g / (H + d) - g / stated(H + d, H)))
    # Outside it one of the densities is 0, and the other one at least 0.
    for in_first, in_second in product((0, 1), repeat=2):
        if not (in_first and in_second):
            require(equal(min(in_first, in_second), in_first * in_second))


@proof(
    "RS.B5-regions",
    "halves",
    Level.EXACT,
    lambda overlap: 1 - overlap,
    {"half of it": lambda overlap: (1 - overlap) / 2, "twice": lambda overlap: 2 * (1 - overlap)},
)
def test_modulus_from_the_smaller_one(stated: Callable[..., Any]) -> None:
    small, excess, overlap = symbols("small excess overlap")
    # Either density is the smaller one; it and the larger, small + excess, have the mean modulus of difference.
    require(vanishes(excess - (small + (small + excess) - 2 * small)))
    require(vanishes(stated(overlap) - (1 + 1 - 2 * overlap) / 2))


@proof(
    "RS.B5-regions",
    "halves",
    Level.EXACT,
    region_variation,
    {
        "min for max": lambda g, a, b: 1 - sum(g[x] for x in a & b) / min(sum(g[x] for x in a), sum(g[x] for x in b)),
        "measure of the union": lambda g, a, b: 1 - sum(g[x] for x in a & b) / sum(g[x] for x in a | b),
        "NaN": nan,
    },
)
def test_every_pair_of_regions_of_four_atoms(stated: Callable[..., Any]) -> None:
    kernel = {point: Fraction(2 * point + 1, 3) for point in range(4)}
    regions = [set(chosen) for size in range(1, 5) for chosen in combinations(range(4), size)]
    for first, second in product(regions, repeat=2):
        require(equal(stated(kernel, first, second), measured(kernel, first, second)))


@proof(
    "RS.B5-regions",
    "output",
    Level.EXACT,
    lambda tv, spread: tv * spread,
    {"half the diameter": lambda tv, spread: tv * spread / 2, "without TV": lambda tv, spread: spread},
)
def test_difference_of_outputs_is_a_mean_of_value_differences(stated: Callable[..., Any]) -> None:
    # Positive and negative parts of p - p' are T times two distributions a, b; their means differ by a double mean.
    tv, alpha, beta, *v = symbols("T alpha beta v1:5")
    a, b = (alpha, 1 - alpha), (beta, 1 - beta)
    output = tv * (
        sum(x * y for x, y in zip(a, v[:2], strict=True)) - sum(x * y for x, y in zip(b, v[2:], strict=True))
    )
    double = sum(a[i] * b[j] * (v[i] - v[2 + j]) for i, j in product(range(2), repeat=2))
    require(vanishes(output - stated(tv, double)))
    # The double mean is at most the diameter in norm, since the weights a_i b_j are nonnegative and sum to one.
    require(vanishes(sum(a[i] * b[j] for i, j in product(range(2), repeat=2)) - 1))


@proof(
    "RS.B5-regions",
    "small",
    Level.EXACT,
    lambda delta: 1 / (1 + delta),
    {"of the order of the displacement": lambda delta: delta, "delta squared": lambda delta: 1 / (1 + delta**2)},
)
def test_a_narrow_strip_of_high_kernel(stated: Callable[..., Any], record_property: Callable[..., None]) -> None:
    # g = 1 on [0, 1] and 1 / delta^2 on (1, 1 + delta]: the strip has kernel mass 1 / delta.
    d = symbols("d")
    common, larger = 1, 1 + d * (1 / d**2)
    require(vanishes(1 - common / larger - stated(d)))
    require(below(Fraction(999, 1000), stated(Fraction(1, 1000))))
    record_property("computed", "displacement 1/1000, total variation 1000/1001")


@tightness(
    "RS.B5-regions",
    Level.EXACT,
    lambda tv, diameter: tv * diameter,
    {"half of it": lambda tv, diameter: tv * diameter / 2, "TV squared": lambda tv, diameter: tv**2 * diameter},
)
def test_nested_regions_attain_it(stated: Callable[..., Any], record_property: Callable[..., None]) -> None:
    t, diameter = symbols("t D")  # kernel 1 on V, t > 0 on the rest of V'; values 0 and D
    outputs = 0, t * diameter / (1 + t)
    require(vanishes(outputs[1] - outputs[0] - stated(1 - 1 / (1 + t), diameter)))
    for part in (Fraction(1, 9), Fraction(1), Fraction(9)):
        variation = region_variation({"V": Fraction(1), "rest": part}, {"V"}, {"V", "rest"})
        require(equal(variation, part / (1 + part)))
    record_property("claimed", "D TV")
    record_property("computed", "t D / (1 + t), TV = t / (1 + t), for every t > 0; disjoint regions: D")
    require(equal(region_variation({0: Fraction(2), 1: Fraction(5)}, {0}, {1}), 1))


@superfluous("RS.B5-regions", "strict", Level.EXACT)
def test_a_kernel_with_zeros() -> None:
    # Which density is the smaller one needs g d >= 0 and no more; nothing in 'overlap' or 'halves' divides by g.
    d = symbols("d")
    require(vanishes(g / H - g / (H + d) - g * d / ((H + d) * H)))
    kernel = {0: Fraction(0), 1: Fraction(1), 2: Fraction(0), 3: Fraction(3)}
    regions = [set(chosen) for size in range(1, 5) for chosen in combinations(range(4), size)]
    for first, second in product((one for one in regions if one & {1, 3}), repeat=2):
        require(equal(region_variation(kernel, first, second), measured(kernel, first, second)))


@control("RS.B5-regions", "sign", Level.EXACT)
def test_a_signed_kernel() -> None:
    kernel = {0: Fraction(1), 1: Fraction(-1, 2)}
    require(equal(region_variation(kernel, {0, 1}, {0}), 0))
    require(equal(measured(kernel, {0, 1}, {0}), 1))


@control("RS.B5-regions", "normalisers", Level.EXACT)
def test_a_region_without_kernel_mass() -> None:
    kernel = {0: Fraction(0), 1: Fraction(1)}
    require(equal(sum(kernel[point] for point in {0}), 0))  # no distribution to compare with
    require(equal(region_variation(kernel, {0}, {1}), 1))  # where the formula gives a number all the same


@control("RS.B5-regions", "identical", Level.EXACT)
def test_two_kernels_on_one_region() -> None:
    p = region_distribution({0: Fraction(1), 1: Fraction(1)}, {0, 1})
    q = region_distribution({0: Fraction(3), 1: Fraction(1)}, {0, 1})
    require(equal(region_variation({0: Fraction(1), 1: Fraction(1)}, {0, 1}, {0, 1}), 0))
    require(equal(total_variation(list(p.values()), list(q.values())), Fraction(1, 4)))


@control("RS.B5-regions", "values", Level.EXACT)
def test_two_values_on_one_region() -> None:
    # One atom, the same region: D TV = 0, and the outputs are the values 0 and 1 that the two queries read.
    variation = region_variation({0: Fraction(1)}, {0}, {0})
    require(equal(variation, 0))
    require(below(variation, abs(Fraction(1) - Fraction(0))))


@control("RS.B5-regions", "union", Level.EXACT)
def test_a_diameter_over_one_region_alone() -> None:
    # Disjoint regions of one atom each, values 0 and 1: the diameter over V is 0, the output moves by 1.
    values = {0: Fraction(0), 1: Fraction(1)}
    variation = region_variation({0: Fraction(1), 1: Fraction(1)}, {0}, {1})
    require(equal(variation, 1))
    require(below(variation * (max([values[0]]) - min([values[0]])), values[1] - values[0]))
