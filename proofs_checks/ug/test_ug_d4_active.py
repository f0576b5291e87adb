"""UG appendix D.4: the boundary among all tiles."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import proof, refutation, value
from refsym_theory.claims.ug.d4_active import active_quantile, boundary, share_below
from refsym_theory.claims.ug.p1_band import band
from refsym_theory.evidence import Level, below, equal, require

Record = Callable[[str, object], None]
Q = Fraction(2, 5)


def tiles(tied: int, total: int = 1000) -> list[Fraction]:
    """Gaps of which so many are zero, the others different."""
    return [Fraction(max(t - tied + 1, 0)) for t in range(total)]


@refutation(
    "UG.D4-active",
    Level.EXACT,
    active_quantile,
    {"corrected: among all tiles": boundary, "the least gap": lambda gaps, q: min(gaps)},
)
def test_a_trigger_inside_the_tie(stated: Callable[..., Fraction], record_property: Record) -> None:
    gaps = tiles(830)
    record_property(
        "claimed", f"boundary at rank {sum(gap <= active_quantile(gaps, Q) for gap in gaps)} of 1000 tiles, above zero"
    )
    record_property("computed", f"boundary at rank 400, gap {boundary(gaps, Q)}")
    require(equal(boundary(gaps, Q), 0))
    require(below(0, stated(gaps, Q)))


@proof(
    "UG.D4-active",
    "zero",
    Level.EXACT,
    boundary,
    {"active set": active_quantile, "the next tile": lambda gaps, q: boundary(gaps, q + Fraction(1, len(gaps)))},
)
def test_boundary_is_zero_exactly_with_enough_ties(stated: Callable[..., Fraction]) -> None:
    for total in (5, 20, 25):
        for tied in range(total):
            inside = -(-2 * total // 5)  # ceil(qT)
            assert (stated(tiles(tied, total), Q) == 0) == (tied >= inside)


@value("UG.D4-active", "rank", Level.EXACT, share_below, {"q of all tiles": lambda p, q: q, "q p": lambda p, q: p * q})
def test_share_of_all_tiles(stated: Callable[..., Any], record_property: Record) -> None:
    gaps = tiles(830)
    found = Fraction(sum(gap <= active_quantile(gaps, Q) for gap in gaps), 1000)
    record_property("claimed", "0.40")
    record_property("computed", f"{float(found)}")
    require(equal(stated(Fraction(83, 100), Q), found))
    require(equal(found, Fraction(898, 1000)))


@proof("UG.D4-active", "band", Level.EXACT, band, {"gamma lost": lambda b, g, t, r, d: r * b * d / t})
def test_the_band_term_vanishes(stated: Callable[..., Any]) -> None:
    beta, tau, root, density = symbols("beta tau root density")
    require(vanishes(stated(beta, 0 * beta, tau, root, density)))
