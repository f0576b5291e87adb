"""OWN.PAIRS: pair bounds without a spacing floor."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from flint import arb
from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from gaussian import cdf, containment, mean_under_normal
from kernel import accepts
from marks import control, nan, proof, superfluous, tightness
from orders import Order, beats, miss_when_tied, misses, orders
from refsym_theory.claims.own import pairs
from refsym_theory.evidence import Level, at_most, below, equal, require

NO_ROOT = {"sqrt 2 missing": lambda d: (ball(d) / arb(2).sqrt()).erfc() / 2, "NaN": nan}


@proof("OWN.PAIRS", "law", Level.EXACT, lambda d, tau: d / (2 * tau), {"sqrt 2 missing": lambda d, tau: d / tau})
def test_the_difference_of_two_noises(stated: Callable[..., Any]) -> None:
    x, y, d, tau = symbols("x y d tau")
    # Turning (x, y) by 45 degrees keeps the joint density: with u = (x - y)/r, v = (x + y)/r, r^2 = 2.
    require(vanishes(((x - y) ** 2 + (x + y) ** 2) / 2 - x**2 - y**2))
    # erfc(z)/2 = Phi(-r z), so what counts is 2 z^2 = d^2 / (2 tau^2), the square of d over its standard deviation.
    require(vanishes(2 * stated(d, tau) ** 2 - d**2 / (2 * tau**2)))


@proof("OWN.PAIRS", "law", Level.ENCLOSED, pairs.v_bar, NO_ROOT)
def test_against_the_integral_over_one_of_two(stated: Callable[..., Any]) -> None:
    with digits(30):
        for d in (0, Fraction(1, 3), 2):
            direct = mean_under_normal(lambda z, d=d: cdf(z - ball(d)))
            require(at_most(abs(stated(ball(d)) - direct), ball("1e-20")))


def across(order: Order, k: int) -> bool:
    """Whether some block outside the first k truly beats one inside."""
    return any(beats(order, j, i) for i, j in product(range(k), range(k, len(order))))


@proof(
    "OWN.PAIRS",
    "union",
    Level.EXACT,
    across,
    {
        "block k left out": lambda order, k: any(beats(order, j, 0) for j in range(k + 1, len(order))),
        "only the pair at the cut": lambda order, k: beats(order, k, k - 1),
    },
)
def test_a_miss_is_a_pair_in_the_wrong_order(stated: Callable[..., bool]) -> None:
    for n, order in orders(6):
        for k in range(1, n):
            assert misses(order, k, k) == stated(order, k)


@proof(
    "OWN.PAIRS",
    "lower",
    Level.EXACT,
    lambda order, k: beats(order, k, k - 1),
    {"pair above the cut": lambda order, k: beats(order, k - 1, max(k - 2, 0)) if k > 1 else False},
)
def test_the_pair_at_the_cut_is_enough(stated: Callable[..., bool]) -> None:
    for n, order in orders(6):
        for k in range(1, n):
            assert misses(order, k, k) or not stated(order, k)


@proof(
    "OWN.PAIRS",
    "share",
    Level.EXACT,
    pairs.share,
    {
        "a - k + 2": lambda beaten, a, k: Fraction(beaten, a - k + 2),
        "one block forgotten": lambda beaten, a, k: pairs.share(beaten - 1, a, k),
        "NaN": nan,
    },
)
def test_a_top_block_beats_its_share(stated: Callable[..., Any]) -> None:
    for n, order in orders(6):
        for k, j in product(range(1, n), range(1, n)):
            for a in range(k, j + 1):
                beaten = sum(beats(order, j, i) for i in range(a))
                require(at_most(int(j in order[:k]), stated(beaten, a, k)))


@proof(
    "OWN.PAIRS",
    "share",
    Level.EXACT,
    lambda a, k: a - k + 1,
    {"a - k + 2": lambda a, k: a - k + 2, "a": lambda a, k: a},
)
def test_counting_the_blocks_above(stated: Callable[..., Any]) -> None:
    a, k, rest, spare = symbols("a k rest spare")
    # Above j: the a - beaten of A that it does not beat, and `rest` others; a top-k block has k - 1 - spare above it.
    beaten = a + rest - (k - 1 - spare)
    require(vanishes(beaten - stated(a, k) - rest - spare))  # at least a - k + 1, for any number of blocks; a = k: one


@proof("OWN.PAIRS", "lower", Level.EXACT, lambda k: k - 1, {"all k above": lambda k: k})
def test_counting_above_the_best_block_left_out(stated: Callable[..., Any]) -> None:
    k, lost = symbols("k lost")
    # Above the best excluded block x stand kept ones only, and of the k not those `lost` = 1 + more that x beats; block
    # k - 1 is one of them, since x is at least as good as block k. So x has at most k - 1 above it: a top-k block.
    require(vanishes(stated(k) - (k - lost) - (lost - 1)))


def upper(scores: list[Fraction], k: int, m: int, rule: Callable[..., Any] = pairs.v_bar) -> arb:
    """Bound on E_m, with the best a for each excluded block."""
    total = arb(0)
    for j in range(m, len(scores)):
        options = [sum(rule(ball(s - scores[j])) for s in scores[:a]) / (a - k + 1) for a in range(k, m + 1)]
        total += min(options, key=float)
    return total


@proof("OWN.PAIRS", "share", Level.ENCLOSED, pairs.v_bar, {"sqrt 2 missing": NO_ROOT["sqrt 2 missing"]})
def test_on_enclosed_errors(stated: Callable[..., Any]) -> None:
    with digits(20):
        for spacing, n, k, m in product((Fraction(0), Fraction(1, 2), Fraction(3)), (3, 5), (1, 2), (1, 2, 4)):
            if k <= m < n:
                scores = [-spacing * b for b in range(n)]
                require(at_most(containment(scores, k, m), upper(scores, k, m, stated) + ball("1e-12")))


@tightness("OWN.PAIRS", Level.EXACT)
def test_two_blocks_attain_both_sides() -> None:
    for order in ((0, 1), (1, 0)):
        assert misses(order, 1, 1) == across(order, 1) == beats(order, 1, 0)


@superfluous("OWN.PAIRS", "independent", Level.EXACT)
def test_common_noise_cancels() -> None:
    own, shared = symbols("own shared")  # variances; noise_b = own part + shared part
    variance, covariance = own + shared, shared
    require(vanishes(2 * variance - 2 * covariance - 2 * own))
    for _, order in orders(5):  # and the events are about orders, whatever law they come from
        assert all(misses(order, k, k) == across(order, k) for k in range(1, len(order)))


@control("OWN.PAIRS", "law", Level.ENCLOSED)
def test_noise_that_is_only_common() -> None:
    with digits(20):  # every order is the scores' own: nothing is ever missed, whatever the size of the noise
        assert not misses((0, 1), 1, 1)
        require(below(0, pairs.v_bar(ball(1))))


@control("OWN.PAIRS", "size", Level.EXACT)
def test_the_printed_set_at_a_tie() -> None:
    scores, k = (0, 0), 1
    printed = [b for b in range(2) if scores[b] >= sorted(scores, reverse=True)[k - 1]]
    assert len(printed) == 2  # {b : s_b >= s_(k-1)} keeps both
    require(equal(miss_when_tied(2, k, len(printed)), Fraction(0)))
    require(below(Fraction(0), miss_when_tied(2, k, k)))  # 1/2 = V-bar(0)


@proof("OWN.PAIRS", "lower", Level.KERNEL)
def test_coq_inverted_cutoff() -> None:
    accepts("cutoff.v", "inverted_cutoff_fails", "mu (k - 1)%nat < mu k -> misses k best")


@proof("OWN.PAIRS", "union", Level.KERNEL)
def test_coq_failure_inverts_a_pair() -> None:
    accepts("cutoff.v", "failure_inverts_a_pair", "(i < k)%nat /\\ (r <= j)%nat /\\ (j < N)%nat /\\ mu i <= mu j")
