"""Known ways to get block selection wrong, each in both implementations."""

import math

import pytest

torch = pytest.importorskip("torch")

from refsym_gpu import attention, reference, selection  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402

pytestmark = pytest.mark.usefixtures("poisoned")
both = pytest.mark.parametrize("impl", ["reference", "triton"])


def drawn(rows, keys, *, heads=2, kv_heads=1, dim=64, batch=1, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shapes = (heads, rows), (kv_heads, keys), (kv_heads, keys)
    return tuple(torch.randn(batch, *shape, dim, generator=generator) for shape in shapes)


def test_eager_flex_attention_ignores_its_blocks_so_it_is_no_oracle():
    from torch.nn.attention.flex_attention import BlockMask, flex_attention

    q, k, v = (x[:, :1] for x in drawn(256, 256))
    # Each tile of 128 rows is given its own block alone.
    counts, index = torch.ones(1, 1, 2, dtype=torch.int32), torch.tensor([[[[0, 1], [1, 0]]]], dtype=torch.int32)
    mask = BlockMask.from_kv_blocks(counts, index, BLOCK_SIZE=128)
    with pytest.warns(UserWarning, match="flex_attention called without torch.compile"):
        eager = flex_attention(q, k, v, block_mask=mask)
    dense = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    torch.testing.assert_close(eager, dense, rtol=1e-4, atol=1e-5)
    blockwise = torch.cat(
        [
            torch.nn.functional.scaled_dot_product_attention(*(x[..., s, :] for x in (q, k, v)))
            for s in (slice(0, 128), slice(128, 256))
        ],
        dim=2,
    )
    assert not torch.allclose(eager, blockwise, atol=0.1)


@both
def test_a_first_chunk_that_a_row_does_not_see_makes_no_nan(impl):
    # With a window of 5 the tile's block 0 is seen by its first rows only; the kernel comes to it first.
    q, k, v = drawn(32, 32)
    kept = torch.tensor([0, 1], dtype=torch.int32).expand(1, 2, 1, 2).contiguous()
    out, lse = attention.block_sparse_attention(q, k, v, kept, block_m=32, block_n=16, window=5, impl=impl)
    row, key = torch.arange(32)[:, None], torch.arange(32)
    seen = (key <= row) & (key > row - 5)
    dense = torch.nn.functional.scaled_dot_product_attention(q, k.expand(-1, 2, -1, -1), v.expand(-1, 2, -1, -1), seen)
    assert lse.isfinite().all()
    torch.testing.assert_close(out, dense, rtol=1e-4, atol=1e-5)


@both
def test_a_whole_number_of_blocks_gets_no_block_more(impl):
    for keys, blocks in ((63, 4), (64, 4), (65, 5), (16, 1)):
        q, k, _ = drawn(keys, keys)
        assert selection.pool_blocks(k, block_n=16, impl=impl)[0].shape[2] == blocks
        assert selection.tile_scores(q, k, block_m=16, block_n=16, impl=impl).scores.shape[2:] == (blocks, blocks)


@both
def test_a_budget_beyond_what_is_visible_keeps_what_is_visible_and_nothing_else(impl):
    q, k, _ = drawn(64, 64)
    tiles = selection.tile_scores(q, k, block_m=16, block_n=16, impl=impl)
    kept = selection.select_blocks(tiles, k=6, rho=2, q="0.5", impl=impl).kv_idx
    for t in range(4):
        assert kept[0, 0, t].tolist() == [*range(t + 1), *[4] * (11 - t)]


@both
def test_no_block_is_dropped_where_all_fit_into_the_expanded_budget(impl):
    # Five visible blocks, k = 4, rho k = 8: a fixed k would drop one for nothing.
    q, k, _ = drawn(80, 80)
    tiles = selection.tile_scores(q, k, block_m=16, block_n=16, impl=impl)
    found = selection.select_blocks(tiles, k=4, rho=2, q=0, impl=impl)
    assert not found.eligible.any()
    assert found.kv_idx[0, 0, 4].tolist() == [0, 1, 2, 3, 4, 5, 5, 5]


@both
def test_rows_that_are_not_there_do_not_raise_a_partial_tiles_maximum_to_zero(impl):
    q, k, _ = drawn(20, 20)
    q, k = -q.abs(), k.abs()
    scores = selection.tile_scores(q, k, block_m=16, block_n=16, impl=impl).scores
    assert (scores[0, :, 1] < 0).all()
    assert (scores[0, :, 0, 0] < 0).all()


@both
def test_a_partial_block_is_the_mean_of_the_keys_it_has(impl):
    _, k, _ = drawn(1, 70)
    (pooled,) = selection.pool_blocks(k, block_n=64, impl=impl)[:1]
    torch.testing.assert_close(pooled[0, 0, 1].double(), k[0, 0, 64:].double().mean(0), rtol=1e-5, atol=1e-6)


@both
def test_forced_blocks_enter_no_margin(impl):
    q, k, _ = drawn(72, 72, seed=3)
    calm = selection.tile_scores(q, k, block_m=8, block_n=8, impl=impl)
    loud = reference.TileScores(
        torch.where(calm.forced[:, None], 1e6, calm.scores), calm.visible, calm.forced, calm.tiling
    )
    first, second = (selection.select_blocks(tiles, k=3, rho=2, q="0.4", impl=impl) for tiles in (calm, loud))
    for name in ("g", "G", "r", "sigma"):
        torch.testing.assert_close(getattr(first, name), getattr(second, name), rtol=0, atol=0, equal_nan=True)
    assert torch.equal(first.kv_idx, second.kv_idx)


@both
def test_a_quantile_is_over_the_sequences_own_eligible_tiles(impl):
    q, k, _ = drawn(72, 72, batch=2, seed=1)
    lengths = {"q_lens": [72, 64], "kv_lens": [72, 64]}
    tiles = selection.tile_scores(q, k, block_m=8, block_n=8, impl=impl, **lengths)
    found = selection.select_blocks(tiles, k=3, rho=2, q="0.4", impl=impl)
    for b, length in enumerate((72, 64)):
        alone = selection.tile_scores(
            q[b : b + 1, :, :length], k[b : b + 1, :, :length], block_m=8, block_n=8, impl=impl
        )
        own = selection.select_blocks(alone, k=3, rho=2, q="0.4", impl=impl)
        count = int(found.eligible[b].sum())
        assert int(found.trigger[b].sum()) == math.ceil(0.4 * count - 1e-9)
        assert torch.equal(found.trigger[b, : length // 8], own.trigger[0])
        assert not (found.trigger & ~found.eligible).any()


@both
def test_heads_that_do_not_divide_are_refused(impl):
    q, k, v = drawn(16, 16, heads=5, kv_heads=2)
    with pytest.raises(InputError, match="5"):
        selection.tile_scores(q, k, block_m=16, block_n=16, impl=impl)
    with pytest.raises(InputError, match="5"):
        attention.block_sparse_attention(
            q, k, v, torch.zeros(1, 5, 1, 1, dtype=torch.int32), block_m=16, block_n=16, impl=impl
        )


@pytest.mark.parametrize("keys", [1_000, 4_095])
def test_long_odd_sequences_are_the_references(keys):
    """One head of 64 channels: scores to float32's rounding, sets and outputs from the same scores."""
    q, k, v = drawn(keys, keys, heads=1, seed=keys)
    rows = slice(keys - 130, keys)  # the last tiles: the interpreter takes its time
    q = q[:, :, rows].contiguous()
    plain, kernel = (selection.tile_scores(q, k, impl=impl) for impl in ("reference", "triton"))
    assert torch.equal(plain.visible, kernel.visible)
    seen = plain.visible[:, None].expand_as(plain.scores)
    torch.testing.assert_close(kernel.scores[seen], plain.scores[seen], rtol=1e-5, atol=1e-5)
    first, second = (selection.select_blocks(plain, k=4, rho=2, q="0.4", impl=impl) for impl in ("reference", "triton"))
    assert torch.equal(first.kv_idx, second.kv_idx)
    assert torch.equal(first.trigger, second.trigger)
    outs = [attention.block_sparse_attention(q, k, v, first.kv_idx, impl=impl) for impl in ("reference", "triton")]
    for one, other in zip(*outs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
