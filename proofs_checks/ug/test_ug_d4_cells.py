"""UG appendix D.4: cells."""

from collections.abc import Callable

from marks import refutation, value
from refsym_theory.claims.ug.d4_cells import GROUPS, cells, kept_tiles
from refsym_theory.evidence import Level, below, equal, require

Record = Callable[[str, object], None]


@refutation("UG.D4-cells", Level.EXACT, 512, {"363 tiles": 363, "297 tiles": 297})
def test_half_as_many_again(stated: int, record_property: Record) -> None:
    record_property("claimed", "about 5.7 million")
    record_property("computed", f"{cells(stated):,}")
    require(below(5_800_000, cells(stated)))


@value("UG.D4-cells", "tiles", Level.EXACT, 64, {"blocks of 128": 128, "blocks of 32": 32})
def test_tiles_of_a_prompt(stated: int, record_property: Record) -> None:
    tiles = 32 * 1024 // stated
    record_property("claimed", "about 512 and about 5000")
    record_property("computed", f"{tiles} and {10 * tiles:,}; {10 * kept_tiles(tiles, 67):,} after the mask")
    require(equal(tiles, 512))
    require(equal(10 * tiles, 5120))
    require(equal(10 * kept_tiles(tiles, 67), 4460))


@value(
    "UG.D4-cells",
    "kept",
    Level.EXACT,
    kept_tiles,
    {"more than, not at least": lambda t, n: kept_tiles(t, n + 1), "no mask": lambda t, n: t},
)
def test_tiles_left(stated: Callable[[int, int], int], record_property: Record) -> None:
    record_property("claimed", "not printed")
    record_property("computed", str(stated(512, 67)))
    require(equal(stated(512, 67), 446))
    require(equal(stated(512, 67 + 2), 444))  # the forced blocks not counted: no nearer to 5.7 million


@value("UG.D4-cells", "cells", Level.EXACT, cells, {"one backbone's layers": lambda t: cells(t) // 48})
def test_cells_left(stated: Callable[[int], int]) -> None:
    require(equal(stated(512), 8_563_200))


@value("UG.D4-cells", "needed", Level.EXACT, cells, {"no mask": lambda t: GROUPS * t})
def test_tiles_that_the_printed_count_needs(stated: Callable[[int], int]) -> None:
    require(below(5_650_000, stated(363)))
    require(below(stated(363), 5_750_000))
    assert 363 * 64 == 23_232
