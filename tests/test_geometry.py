"""Visibility against loops over every (row, key), and what a geometry refuses."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refsym_theory.errors import InputError
from refsym_theory.selection.geometry import LayerGeometry, Visibility

PLAIN = LayerGeometry(
    heads=4, kv_heads=2, head_dim=8, scale=0.5, window=None, q_len=10, kv_len=12, block_m=4, block_n=3
)


def by_loops(shape: LayerGeometry) -> tuple[list[list[int]], list[tuple[int, int]]]:
    """The design's words, one (row, key) at a time."""
    seen: list[set[int]] = [set() for _ in range(math.ceil(shape.q_len / shape.block_m))]
    diagonal = [set(blocks) for blocks in seen]
    for row in range(shape.q_len):
        position = shape.kv_len - shape.q_len + row
        diagonal[row // shape.block_m].add(position // shape.block_n)
        for key in range(shape.kv_len):
            if key <= position and (shape.window is None or key > position - shape.window):
                seen[row // shape.block_m].add(key // shape.block_n)
    forced = [(tile, block) for tile, blocks in enumerate(seen) for block in sorted(diagonal[tile] | ({0} & blocks))]
    return [sorted(blocks) for blocks in seen], forced


def as_lists(visible: Visibility) -> tuple[list[list[int]], list[tuple[int, int]]]:
    tiles = np.split(visible.indices, visible.indptr[1:-1])
    return [tile.tolist() for tile in tiles], [(t, b) for t, b in visible.forced.tolist()]


@st.composite
def geometries(draw: st.DrawFn) -> LayerGeometry:
    q_len = draw(st.integers(1, 40))
    return replace(
        PLAIN,
        q_len=q_len,
        kv_len=q_len + draw(st.integers(0, 25)),
        window=draw(st.none() | st.integers(1, 70)),
        block_m=draw(st.integers(1, 12)),
        block_n=draw(st.integers(1, 12)),
    )


@settings(derandomize=True, deadline=None, max_examples=400)
@given(geometries())
def test_visibility_is_that_of_the_loops(shape: LayerGeometry) -> None:
    visible = shape.visible()
    assert as_lists(visible) == by_loops(shape)
    assert (visible.indptr.dtype, visible.indices.dtype, visible.forced.dtype) == (
        np.int64,
        np.int32,
        np.int32,
    )
    assert visible.forced.shape[1:] == (2,)
    assert visible.indptr.shape == (shape.q_tiles + 1,)
    keys = [sum(1 for key in range(shape.kv_len) if key // shape.block_n == block) for block in range(shape.n_blocks)]
    assert shape.block_keys().tolist() == keys


def test_a_hand_made_layer() -> None:
    # Rows 0..9 at positions 2..11, tiles of 4 rows, blocks of 3 keys, window 5.
    tiles, forced = as_lists(replace(PLAIN, window=5).visible())
    assert tiles == [[0, 1], [0, 1, 2, 3], [2, 3]]
    assert forced == [(0, 0), (0, 1), (1, 0), (1, 2), (1, 3), (2, 3)]
    assert PLAIN.offset == 2
    assert (PLAIN.q_tiles, PLAIN.n_blocks) == (3, 4)


def test_the_largest_layer_that_the_design_names() -> None:
    long = replace(PLAIN, q_len=131072, kv_len=131072, block_m=64, block_n=64)
    assert long.visible().indices.size == 2048 * 2049 // 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heads": 0}, "heads must be a positive integer, not 0"),
        ({"kv_heads": 3}, "kv_heads must divide heads"),
        ({"head_dim": 8.0}, "head_dim must be a positive integer, not 8.0"),
        ({"q_len": True}, "q_len must be a positive integer, not True"),
        ({"q_len": 13}, "q_len must not exceed kv_len"),
        ({"kv_len": 2**31}, "kv_len must fit into int32"),
        ({"window": 0}, "window must be a positive integer, not 0"),
        ({"block_m": -1}, "block_m must be a positive integer, not -1"),
        ({"block_n": "64"}, "block_n must be a positive integer, not '64'"),
        ({"scale": 0.0}, "scale must be a finite positive float, not 0.0"),
        ({"scale": math.nan}, "scale must be a finite positive float, not nan"),
        ({"scale": math.inf}, "scale must be a finite positive float, not inf"),
        ({"scale": 1}, "scale must be a finite positive float, not 1"),
    ],
)
def test_refusals_name_the_field(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message.replace(".", r"\.")):
        replace(PLAIN, **change)
