"""UG Lemma 1, equation 21."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

from sympy import symbols

from algebra import vanishes
from balls import ball, digits
from gaussian import containment
from kernel import accepts
from marks import control, nan, proof, tightness
from orders import miss_when_tied
from refsym_theory.claims.own.pairs import v_bar
from refsym_theory.claims.ug import l1_chi, l1_kept, tail
from refsym_theory.evidence import Level, Truth, at_most, below, require

Record = Callable[[str, object], None]


@proof(
    "UG.L1-kept",
    "gap",
    Level.EXACT,
    l1_kept.least_gap,
    {"one spacing too many": lambda g, m, d: g + (m + 1) * d, "squared distance": lambda g, m, d: g + m**2 * d},
)
def test_one_rank_further_adds_a_spacing(stated: Callable[..., Any]) -> None:
    g, m, d, spacing, gap = symbols("g m d spacing gap")
    require(vanishes(stated(g, 0, d) - g))  # the pair at the cut itself
    # gap >= stated(m) and spacing >= d give gap + spacing >= stated(m + 1): the two slacks add up.
    slack = (gap - stated(g, m, d)) + (spacing - d)
    require(vanishes(gap + spacing - stated(g, m + 1, d) - slack))


@proof(
    "UG.L1-kept",
    "count",
    Level.EXACT,
    l1_kept.most_pairs,
    {"chi without its m + 1": lambda m: 1, "m pairs": lambda m: m, "NaN": nan},
)
def test_pairs_at_a_distance(stated: Callable[[int], Any]) -> None:
    last, m = symbols("last m")  # i runs from last - m to last = k - 1 at most, and j = m + k - (k - 1 - i) follows
    require(vanishes(last - (last - m) + 1 - l1_kept.most_pairs(m)))
    for n in range(2, 13):
        for k in range(1, n):  # with the edges k = 1 and k = n - 1, where there is one pair a distance
            found = Counter(k - 1 - i + j - k for i, j in product(range(k), range(k, n)))
            for m, pairs in found.items():
                require(at_most(pairs, stated(m)))
                assert pairs == len({i for i in range(k) if k - 1 - m <= i and m - (k - 1 - i) + k < n})


@proof(
    "UG.L1-kept",
    "tail",
    Level.EXACT,
    l1_kept.exponent,
    {
        "2 tau^2 for 4 tau^2": lambda m, d, tau: -(m**2) * d**2 / (2 * tau**2),
        "m for m^2": lambda m, d, tau: -m * d**2 / (4 * tau**2),
    },
)
def test_the_tail_ratio_at_a_multiple_of_the_floor(stated: Callable[..., Any]) -> None:
    x, a, c, g, m, d, tau = symbols("x a c g m d tau")
    require(vanishes(tail.exponent(c * x, c * a) - c**2 * tail.exponent(x, a)))  # c = 1 / sqrt 2 halves it
    halved = tail.exponent(g / tau, m * d / tau) / 2
    # What the lemma drops, -m g d / (2 tau^2), is at most 0.
    require(vanishes(halved - stated(m, d, tau) + m * g * d / (2 * tau**2)))


def holds(v: Any, error: Any, chi: Any) -> Truth:
    """Whether V-bar <= E_k <= V-bar (1 + chi), up to the width of the balls."""
    inside = at_most(v, error + ball("1e-15"))
    return inside if inside is not Truth.TRUE else at_most(error, l1_kept.bound(v, chi) + ball("1e-15"))


@proof(
    "UG.L1-kept",
    "tail",
    Level.ENCLOSED,
    holds,
    {
        "sqrt 2 missing": lambda v, error, chi: holds(v * v, error, chi),
        "chi subtracted": lambda v, error, chi: holds(v, error, -chi),
        "NaN": lambda v, error, chi: at_most(nan(), nan()),
    },
)
def test_on_enclosed_errors(stated: Callable[..., Truth]) -> None:
    with digits(20):
        for k, n, floor, gap in product((1, 2), (3, 4), (2, 3), (0, Fraction(1, 2), 3)):
            scores = [-floor * b + (floor - gap) * (b >= k) for b in range(n)]
            chi = l1_chi.chi((-ball(Fraction(floor**2, 4))).exp())
            require(stated(v_bar(ball(gap)), containment(scores, k, k), chi))


@tightness("UG.L1-kept", Level.ENCLOSED)
def test_two_blocks() -> None:
    with digits(30):
        for gap in (0, 1, 5):  # no other spacing: chi may be taken as 0
            require(below(abs(containment([gap, 0], 1, 1) - v_bar(ball(gap))), ball("1e-24")))


@control("UG.L1-kept", "floor", Level.ENCLOSED)
def test_a_tie_below_the_cut(record_property: Record) -> None:
    error = miss_when_tied(3, 1, 1)  # three equal scores, k = 1: 2/3
    claimed = l1_kept.bound(v_bar(ball(0)), l1_chi.chi((-ball(4)).exp()))  # as if Delta_2 were 4 tau
    require(below(claimed, ball(error)))
    record_property("claimed", claimed.str(6, radius=False))
    record_property("computed", str(error))


@proof("UG.L1-kept", "gap", Level.KERNEL)
def test_coq_gap_of_a_pair() -> None:
    accepts("cutoff.v", "gap_of_a_pair", "INR ((k - 1 - i) + (j - r)) * d <= s i - s j")


@proof("UG.L1-kept", "count", Level.KERNEL)
def test_coq_pairs_by_distance() -> None:
    accepts("cutoff.v", "pairs_by_distance", "sum M (fun m => INR (S m) * h m)")
