"""OWN.SLOPE: the expansion value near ties."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from gaussian import containment
from marks import control, nan, proof, superfluous
from orders import misses, orders
from refsym_theory.claims.own import slope
from refsym_theory.evidence import Level, at_most, below, equal, require

CASES = [(n, k, m) for n in range(3, 9) for k in range(1, n - 1) for m in range(k + 1, n)]


@proof(
    "OWN.SLOPE",
    "gradient",
    Level.EXACT,
    lambda k, n: -k / (n - k),
    {"-1 off A": lambda k, n: -1, "-k / n": lambda k, n: -k / n},
)
def test_a_common_shift_changes_nothing(stated: Callable[..., Any]) -> None:
    k, n, inside = symbols("k n inside")  # inside: the sum of u over A; the sum off A is -inside
    off = stated(k, n)
    require(vanishes(k + (n - k) * off))  # k members at slope 1, the others at `off`
    require(vanishes(inside + off * (-inside) - inside * n / (n - k)))  # c = alpha n / (n - k)


@proof(
    "OWN.SLOPE",
    "subsets",
    Level.EXACT,
    slope.subsets_with,
    {"comb(m, k)": comb, "comb(m - 1, k)": lambda m, k: comb(m - 1, k), "NaN": nan},
)
def test_members_of_subsets(stated: Callable[[int, int], Any]) -> None:
    for m in range(2, 8):
        for k, b in product(range(1, m), range(m)):
            require(equal(sum(b in chosen for chosen in combinations(range(m), k)), stated(m, k)))


@proof(
    "OWN.SLOPE",
    "subsets",
    Level.EXACT,
    lambda order, k, m: set(order[:k]) <= set(range(m)) and set(order[:k]) != set(range(k)),
    {"kept set included": lambda order, k, m: set(order[:k]) <= set(range(m))},
)
def test_value_by_top_sets(stated: Callable[..., bool]) -> None:
    for n, order in orders(6):
        for k, m in product(range(1, n), range(1, n)):
            if k < m:
                assert misses(order, k, k) - misses(order, k, m) == stated(order, k, m)


@proof(
    "OWN.SLOPE",
    "gap",
    Level.EXACT,
    slope.gap_rate,
    {"comb(m, k)": lambda n, k, m: Fraction(k, n) * (comb(m, k) * (n - m) - (n - k)), "NaN": nan},
)
def test_opening_the_cut(stated: Callable[..., Any]) -> None:
    n, k, m, c = symbols("n k m c")
    require(vanishes(c * k * (1 - m / n) - k * (1 - k / n) - k / n * (c * (n - m) - (n - k))))
    for size, kept, expanded in CASES:
        u = [Fraction(b < kept) - Fraction(kept, size) for b in range(size)]
        require(equal(slope.rate(u, kept, expanded), stated(size, kept, expanded)))


@proof(
    "OWN.SLOPE",
    "equal",
    Level.EXACT,
    slope.spacing_rate,
    {"comb(m - 1, k - 1)": lambda n, k, m: Fraction(k, 2) * (comb(m - 1, k - 1) * (n - m) - (n - k)), "NaN": nan},
)
def test_opening_all_spacings(stated: Callable[..., Any]) -> None:
    n, m = symbols("n m")
    require(vanishes(m * (n - 1) / 2 - m * (m - 1) / 2 - m * (n - m) / 2))  # sum of u over the first m
    for size, kept, expanded in CASES:
        assert expanded * slope.subsets_with(expanded, kept) == kept * comb(expanded, kept)
        u = [Fraction(size - 1, 2) - b for b in range(size)]
        require(equal(slope.rate(u, kept, expanded), stated(size, kept, expanded)))


@proof(
    "OWN.SLOPE",
    "positive",
    Level.EXACT,
    slope.surplus,
    {"k for k - 2": lambda n, k, m: n * (m - 2) + k, "m - 1": lambda n, k, m: n * (m - 1) + k - 2},
)
def test_both_rates_are_positive(stated: Callable[..., Any]) -> None:
    n, k, m = symbols("n k m")
    require(vanishes((m - 1) * (n + 1) - (n + 1 + m - k) - stated(n, k, m)))  # positive for n >= 1, k >= 2, m >= 3
    require(vanishes((m - 1 - 1) - (m - 2)))
    for size, kept, expanded in CASES:
        if kept >= 2:
            require(at_most(expanded - 1, comb(expanded - 1, kept - 1)))  # binomials are least at their second entry
            assert comb(expanded, kept) >= comb(expanded - 1, kept - 1)
            if size >= expanded + 2:
                require(
                    below(
                        Fraction(0), min(slope.gap_rate(size, kept, expanded), slope.spacing_rate(size, kept, expanded))
                    )
                )
        else:
            require(equal(slope.gap_rate(size, 1, expanded), Fraction(1 - expanded, size)))


def value(scores: list[Fraction]) -> object:
    """Enclose V* at k = 2, rho = 2."""
    return containment(scores, 2, 2) - containment(scores, 2, 4)


@proof(
    "OWN.SLOPE",
    "router",
    Level.ENCLOSED,
    lambda: Fraction(1, 2),
    {"a spread of 4 tau": lambda: Fraction(4), "no spread": lambda: Fraction(0)},
)
def test_sigma_expands_the_wrong_tile(
    stated: Callable[[], Fraction], record_property: Callable[[str, object], None]
) -> None:
    with digits(15):
        r, rest = stated(), [Fraction(0)] * 10
        closed, opened = [r, Fraction(0), *rest], [r, r, *rest]  # both of spread r; sigma 0 and 1
        small, large = value(closed), value(opened)
        require(below(small, large))
        record_property("claimed", "the tile with sigma 0 gains more than the one with sigma 1")
        record_property(
            "computed",
            f"V* = {small.str(6, radius=False)} against {large.str(6, radius=False)}, twelve blocks, r = tau/2",
        )


@proof("OWN.SLOPE", "gap", Level.ENCLOSED)
def test_the_sign_on_enclosed_values() -> None:
    with digits(15):
        for n, k, m in ((4, 1, 2), (6, 2, 4), (7, 2, 3), (7, 3, 4)):
            gain = []
            for gap in (Fraction(0), Fraction(1, 20)):
                scores = [gap * (b < k) for b in range(n)]
                gain.append(containment(scores, k, k) - containment(scores, k, m))
            require(below(0, (gain[1] - gain[0]) * ball(slope.gap_rate(n, k, m))))


@superfluous("OWN.SLOPE", "gaussian", Level.EXACT)
def test_symmetry_is_all() -> None:
    # Slope `alpha` on A and `off` elsewhere, for whatever law: the shift fixes their ratio, and the rest counts sets.
    alpha, off, k, n = symbols("alpha off k n")
    require(vanishes((k * alpha + (n - k) * off).subs(off, -k * alpha / (n - k))))
    for order in ((0, 1, 2), (2, 1, 0)):
        assert misses(order, 1, 1) - misses(order, 1, 2) == (order[0] == 1)


@control("OWN.SLOPE", "rate", Level.EXACT)
def test_noise_too_coarse_to_notice() -> None:
    # Noise is a random permutation of 0, 10, .., 40: opening the cut by 1/10 changes no order, so that c = 0.
    def value(gap: Fraction) -> Fraction:
        gained = 0
        for noise in permutations(range(0, 50, 10)):
            order = sorted(range(5), key=lambda b: -(gap * (b < 2) + noise[b]))
            gained += misses(tuple(order), 2, 2) - misses(tuple(order), 2, 3)
        return Fraction(gained, 120)

    require(below(0, slope.gap_rate(5, 2, 3)))
    require(equal(value(Fraction(0)), value(Fraction(1, 10))))


@control("OWN.SLOPE", "exchangeable", Level.EXACT)
def test_a_sure_first_block() -> None:
    # Noise only on the lower blocks, the first k sure to be best: V* = 0 whatever the gap, so its rate is 0.
    require(below(Fraction(0), slope.gap_rate(8, 2, 4)))
    assert not misses((0, 1, 3, 2, 4), 2, 2)
