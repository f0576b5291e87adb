"""UG section 3.2: reads of a selection."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from sympy import symbols

from algebra import vanishes
from marks import control, proof
from refsym_theory.claims.ug.select_cost import pool_reads, top_k_reads
from refsym_theory.evidence import Level, below, equal, require


@proof(
    "UG.SELECT-COST",
    "tiles",
    Level.EXACT,
    top_k_reads,
    {
        "a top-k per row": lambda groups, blocks: groups * blocks * symbols("M"),
        "one for all": lambda groups, blocks: blocks,
    },
)
def test_a_top_k_per_tile(stated: Callable[..., Any]) -> None:
    n, blocks, m = symbols("N B M")
    require(vanishes(stated(n / m, blocks) - n * blocks / m))


@proof("UG.SELECT-COST", "rows", Level.EXACT, top_k_reads, {"per block": lambda groups, blocks: groups})
def test_a_top_k_per_row(stated: Callable[..., Any]) -> None:
    n, blocks = symbols("N B")
    require(vanishes(stated(n, blocks) - n * blocks))


@control("UG.SELECT-COST", "pooled", Level.EXACT)
def test_a_maximum_has_to_read_every_row() -> None:
    # Whichever of the 64 row scores is left unread, the others allow two different maxima.
    for unread in range(64):
        low, high = ([Fraction(1)] * 64 for _ in range(2))
        low[unread], high[unread] = Fraction(0), Fraction(2)
        assert low[:unread] + low[unread + 1 :] == high[:unread] + high[unread + 1 :]
        require(below(max(low), max(high)))
    rows = [[Fraction(0)] * 8 for _ in range(512)]  # 512 rows in 8 tiles of 64, 8 blocks
    require(equal(pool_reads(rows), 64 * top_k_reads(8, 8)))
    require(equal(pool_reads(rows), top_k_reads(512, 8)))
