"""UG Lemma 1, equation 22."""

from collections import Counter
from collections.abc import Callable
from itertools import product

from flint import arb
from sympy import symbols

from algebra import vanishes
from balls import ball, digits, integral
from gaussian import cdf, density
from marks import control, proof, tightness
from orders import beats, miss_when_tied, misses, orders
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import l1_chi, l1_expanded, l1_kept, tail
from refsym_theory.evidence import Level, at_most, below, require

Pairs = Callable[[int, int, int], list[tuple[int, int]]]
FEWER = {
    "first excluded block forgotten": lambda n, k, kept: l1_expanded.pairs(n, k, kept + 1),
    "only the pair (k-1, rho k)": lambda n, k, kept: [(k - 1, kept)],
}


@proof("UG.L1-expanded", "union", Level.EXACT, l1_expanded.pairs, FEWER)
def test_a_miss_needs_a_pair(stated: Pairs) -> None:
    for n, order in orders(6):
        for k, kept in product(range(1, n), range(1, n)):
            if k <= kept:
                assert any(beats(order, j, i) for i, j in stated(n, k, kept)) or not misses(order, k, kept)


@proof(
    "UG.L1-expanded",
    "gap",
    Level.EXACT,
    l1_expanded.distance,
    {
        "distance from the cut": lambda i, j, k, kept: l1_expanded.distance(i, j, k, k),
        "one rank too far": lambda i, j, k, kept: l1_expanded.distance(i, j, k, kept) + 1,
    },
)
def test_the_spacings_inside_a_gap(stated: Callable[..., int]) -> None:
    top, inner, outer, low = symbols("s_i s_k1 s_kept s_j")  # what a gap has beyond G lies above k - 1 or below `kept`
    require(vanishes((top - low) - (inner - outer) - (top - inner) - (outer - low)))
    for n, k in product(range(2, 9), range(1, 8)):
        spacings = symbols(f"d:{n}")
        score = [-sum(spacings[:b]) for b in range(n)]
        for kept in range(k, n):
            for i, j in l1_expanded.pairs(n, k, kept):
                extra = (score[i] - score[j]) - (score[k - 1] - score[kept])
                used = [b for b in range(n) if extra.coeff(spacings[b])] if extra else []
                require(vanishes(extra - sum(spacings[b] for b in used)))  # each once
                assert len(used) == stated(i, j, k, kept)
                assert k - 1 not in used  # each of them at least Delta_2


@proof(
    "UG.L1-expanded", "count", Level.EXACT, l1_kept.most_pairs, {"chi without its m + 1": lambda m: 1, "m": lambda m: m}
)
def test_pairs_at_a_distance(stated: Callable[[int], int]) -> None:
    for n, k in product(range(2, 13), range(1, 12)):
        for kept in range(k, n):
            found = Counter(l1_expanded.distance(i, j, k, kept) for i, j in l1_expanded.pairs(n, k, kept))
            for m, count in found.items():
                require(at_most(count, stated(m)))


@proof(
    "UG.L1-expanded", "tail", Level.EXACT, l1_kept.exponent, {"m for m^2": lambda m, d, tau: -m * d**2 / (4 * tau**2)}
)
def test_the_tail_ratio_from_the_expansion_gap(stated: Callable[..., object]) -> None:
    gap, m, d, tau = symbols("G m d tau")
    require(vanishes(tail.exponent(gap / tau, m * d / tau) / 2 - stated(m, d, tau) + m * gap * d / (2 * tau**2)))


@tightness("UG.L1-expanded", Level.ENCLOSED)
def test_a_block_between_that_never_helps(record_property: Callable[[str, object], None]) -> None:
    with digits(150):  # the error is 1e-113: V-bar(32) at tau = 1
        top, middle = ball(32), ball(8)
        error = arb(0)
        # P(third is best), split at 16, where the mass lies.
        for low, high in ((-20, 12), (12, 20), (20, 45)):
            error += integral(lambda x: density(x) * cdf(x - top) * cdf(x - middle), low, high)
        ratio = error / v_bar(top)
        require(below(ball("0.999999999"), ratio))  # a part of the integral is enough
        require(below(ratio, 1))
    record_property("computed", f"error / V-bar(G) = {ratio.str(14, radius=False)}")


@control("UG.L1-expanded", "floor", Level.ENCLOSED)
def test_ties_on_both_sides() -> None:
    error = miss_when_tied(5, 1, 2)  # five equal scores: 3/5
    require(below(l1_kept.bound(v_bar(ball(0)), l1_chi.chi((-ball(4)).exp())), ball(error)))
