"""UG equation 9."""

from collections.abc import Callable

from sympy import symbols

from algebra import nonnegative_coefficients
from marks import control, proof
from refsym_theory.claims.ug.e9 import own_blocks, self_block
from refsym_theory.evidence import Level, require


@proof(
    "UG.E9",
    "inside",
    Level.EXACT,
    self_block,
    {"rounded up": lambda t, m, n: -(-t * m // n), "of the last row": lambda t, m, n: ((t + 1) * m) // n},
)
def test_tiles_that_divide_blocks(stated: Callable[..., int]) -> None:
    for m in range(1, 13):
        for c in range(1, 6):
            for tile in range(4 * c):
                assert own_blocks(tile, m, c * m) == {stated(tile, m, c * m)}
    # In general: t = c b + e with e <= c - 1 (d the slack), first row c b M + e M, last row below (b + 1) c M.
    b, e, d, m = symbols("b e d M")
    c = e + 1 + d
    require(nonnegative_coefficients(((b + 1) * c * m - (c * b + e + 1) * m).expand()))


@proof(
    "UG.E9",
    "straddles",
    Level.EXACT,
    lambda m, n: n // m,
    {"tile 0": lambda m, n: 0, "one tile later": lambda m, n: n // m + 1},
)
def test_all_others_straddle_somewhere(stated: Callable[..., int]) -> None:
    # In general: N = t M + e with 1 <= e <= M - 1, so M = e + 1 + d; the last row of tile t is at or beyond N.
    t, e, d = symbols("t e d")
    last = (t + 1) * (e + 1 + d) - 1
    require(nonnegative_coefficients((last - (t * (e + 1 + d) + e)).expand()))
    for m in range(1, 25):
        for n in range(1, 25):
            if n % m:
                blocks = own_blocks(stated(m, n), m, n)
                assert 0 in blocks
                assert len(blocks) > 1


@control("UG.E9", "divides", Level.EXACT)
def test_a_tile_of_128_rows_over_blocks_of_64() -> None:
    assert self_block(1, 128, 64) == 2
    assert own_blocks(1, 128, 64) == {2, 3}


@control("UG.E9", "no-prefix", Level.EXACT)
def test_a_cached_prefix_moves_the_diagonal() -> None:
    assert self_block(0, 64, 64) == 0
    assert own_blocks(0, 64, 64, offset=128) == {2}
