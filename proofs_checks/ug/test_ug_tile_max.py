"""UG section 3.2: the maximum over rows."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from marks import proof, refutation
from refsym_theory.claims.ug.tile_max import pooled
from refsym_theory.evidence import Level, Truth, at_most, below, equal, require

Pool = Callable[[Sequence[Any]], Any]
GRID = [Fraction(n) for n in range(4)]
TILES = [tuple(zip(a, b, strict=True)) for a in product(GRID, repeat=3) for b in product(GRID, repeat=3)]
MEAN = {"mean over rows": lambda column: sum(column) / len(column), "sum over rows": sum}


@refutation("UG.TILE-MAX", Level.EXACT, max, MEAN)
def test_weak_rows_never_outrank_a_strong_one(stated: Pool, record_property: Callable[[str, object], None]) -> None:
    cases = 0
    for rows in TILES:
        strong = max(a for a, _ in rows)
        if all(b < strong for _, b in rows):
            score = pooled(stated, rows)
            require(below(score[1], score[0]))
            cases += 1
    record_property("claimed", "can be outranked")
    record_property("computed", f"never, in {cases} tiles of three rows; with a mean it can")


@proof("UG.TILE-MAX", "row", Level.EXACT, max, MEAN)
def test_outranked_exactly_by_a_single_row(stated: Pool) -> None:
    for rows in TILES:
        score = pooled(stated, rows)
        by_one_row = any(all(b > a for a, _ in rows) for _, b in rows)
        assert (below(score[0], score[1]) is Truth.TRUE) == by_one_row


@proof("UG.TILE-MAX", "count", Level.EXACT, max, MEAN)
def test_more_weak_rows_change_nothing(stated: Pool) -> None:
    for rows in TILES:
        most = [max(column) for column in zip(*rows, strict=True)]
        weaker = (Fraction(0), most[1] / 2)
        for before, after in zip(pooled(stated, rows), pooled(stated, [*rows, weaker]), strict=True):
            require(equal(before, after))
            require(at_most(before, after))


@proof("UG.TILE-MAX", "own-mass", Level.EXACT, max, {"mean over rows": MEAN["mean over rows"], "minimum": min})
def test_one_weak_row_is_enough(stated: Pool) -> None:
    # Weights exp(s) of blocks a, b, c in two rows; exp is increasing, so pooling them by a maximum ranks as scores do.
    strong, weak = (Fraction(4), Fraction(1, 100), Fraction(1, 100)), (Fraction(1), Fraction(5), Fraction(95))
    require(below(Fraction(99, 100), strong[0] / sum(strong)))
    require(below(weak[1] / sum(weak), Fraction(5, 100)))
    a, b, c = pooled(stated, [strong, weak])
    require(below(a, b))  # k = 2 keeps b and c
    require(below(b, c))
    require(equal(b, weak[1]))  # by the weak row alone
