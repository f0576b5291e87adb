"""Selection: the sorted prefix of each tile with its margins, which tiles are triggered, and the kept blocks (UG 3, A).

Scores are compared as integers that order as they do; the block's complement in the lower half decides ties, to the
lower block. Everything stays on the device.
"""

from __future__ import annotations

from fractions import Fraction

import torch
import triton
import triton.language as tl
from torch import Tensor

from refsym_gpu.kernels.precision import width

NEVER = tl.constexpr(-(2**63))


@triton.jit
def _keys(b_s, o_n, m_free):
    """One 64-bit integer a block: greater for a greater score, and for a lower index where scores are equal."""
    # Zero has one sign, as in every comparison of floats.
    b_bits = tl.where(b_s == 0.0, 0.0, b_s).to(tl.int32, bitcast=True)
    b_ordered = b_bits ^ ((b_bits >> 31) & 0x7FFFFFFF)
    b_key = (b_ordered.to(tl.int64) << 32) | (0x7FFFFFFF - o_n).to(tl.int64)
    return tl.where(m_free, b_key, NEVER)


@triton.jit
def _value(key):
    """The score that a key stands for."""
    ordered = (key >> 32).to(tl.int32)
    return (ordered ^ ((ordered >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)


@triton.jit
def _span(i_t, q_len, kv_len, window, BM: tl.constexpr, BN: tl.constexpr):
    """First visible, first diagonal and last visible block of a tile."""
    top = kv_len - q_len + i_t * BM
    bottom = kv_len - q_len + tl.minimum(i_t * BM + BM, q_len) - 1
    return tl.maximum(top - window + 1, 0) // BN, top // BN, bottom // BN


@triton.jit
def prefix_kernel(
    scores_ptr,
    index_ptr,
    value_ptr,
    g_ptr,
    big_g_ptr,
    r_ptr,
    sigma_ptr,
    k_free_ptr,
    m_free_ptr,
    eligible_ptr,
    q_lens_ptr,
    kv_lens_ptr,
    heads,
    n_tiles,
    n_blocks,
    k,
    slots,
    window,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BB: tl.constexpr,
):
    """Free blocks by falling score, one after the other; margins between them."""
    i_t, i_h, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    q_len, kv_len = tl.load(q_lens_ptr + i_b), tl.load(kv_lens_ptr + i_b)
    real = i_t * BM < q_len
    first, diagonal, last = _span(i_t, q_len, kv_len, window, BM, BN)
    sink = (first == 0) & (diagonal > 0)
    begin = first + sink.to(tl.int32)
    count = tl.where(real, tl.maximum(diagonal - begin, 0), 0)
    forced = tl.where(real, last - diagonal + 1 + sink.to(tl.int32), 0)
    i_row = (i_b.to(tl.int64) * heads + i_h) * n_tiles + i_t

    k_free, m_rank = k - forced, slots - forced
    eligible = count > m_rank
    o_n = begin + tl.arange(0, BB)
    m_free = o_n < begin + count
    b_s = tl.load(scores_ptr + i_row * n_blocks + o_n, mask=m_free, other=0.0)
    b_key = _keys(b_s, o_n, m_free)  # [BB]
    highest = tl.full((), 0.0, tl.float64)
    kept, cut, dropped = highest, highest, highest
    for rank in range(slots):
        best = tl.max(b_key, 0)
        some = rank < count
        value = tl.where(some, _value(best), float("nan"))
        tl.store(
            index_ptr + i_row * slots + rank, tl.where(some, 0x7FFFFFFF - (best & 0x7FFFFFFF), n_blocks).to(tl.int32)
        )
        tl.store(value_ptr + i_row * slots + rank, value)
        exact = value.to(tl.float64)
        highest = tl.where(rank == 0, exact, highest)
        kept = tl.where(rank == k_free - 1, exact, kept)
        cut = tl.where(rank == k_free, exact, cut)
        dropped = tl.where(rank == m_rank, exact, dropped)
        b_key = tl.where(b_key == best, NEVER, b_key)
    g, spread = kept - cut, highest - cut
    nan = tl.full((), float("nan"), tl.float64)
    sigma = tl.where(spread == 0.0, 0.0, g / tl.where(spread == 0.0, 1.0, spread))
    tl.store(g_ptr + i_row, tl.where(eligible, g, nan))
    tl.store(big_g_ptr + i_row, tl.where(eligible, kept - dropped, nan))
    tl.store(r_ptr + i_row, tl.where(eligible, spread, nan))
    tl.store(sigma_ptr + i_row, tl.where(eligible, sigma, nan))
    if i_h == 0:
        i_tile = i_b.to(tl.int64) * n_tiles + i_t
        tl.store(k_free_ptr + i_tile, k_free.to(tl.int64))
        tl.store(m_free_ptr + i_tile, m_rank.to(tl.int64))
        tl.store(eligible_ptr + i_tile, eligible)


@triton.jit
def mean_kernel(sigma_ptr, mean_ptr, heads, n_tiles, BT: tl.constexpr):
    """Mean of sigma over the heads, summed in head order."""
    i_b = tl.program_id(1)
    o_t = tl.program_id(0) * BT + tl.arange(0, BT)
    m_t = o_t < n_tiles
    p_row = sigma_ptr + i_b.to(tl.int64) * heads * n_tiles + o_t
    b_sum = tl.load(p_row, mask=m_t, other=0.0)
    for _ in range(1, heads):
        p_row += n_tiles
        b_sum += tl.load(p_row, mask=m_t, other=0.0)
    tl.store(mean_ptr + i_b.to(tl.int64) * n_tiles + o_t, b_sum / heads, mask=m_t)


@triton.jit
def trigger_kernel(mean_ptr, eligible_ptr, trigger_ptr, n_tiles, numerator, denominator, BT: tl.constexpr):
    """The ceil(q T) eligible tiles of smallest mean, ties to the lower tile: a rank is a count of those before."""
    i_b = tl.program_id(1)
    i_row = i_b.to(tl.int64) * n_tiles
    o_t = tl.program_id(0) * BT + tl.arange(0, BT)
    m_t = o_t < n_tiles
    m_here = tl.load(eligible_ptr + i_row + o_t, mask=m_t, other=0) != 0
    b_here = tl.load(mean_ptr + i_row + o_t, mask=m_t, other=0.0)
    b_rank, b_all = tl.zeros((BT,), tl.int32), tl.zeros((BT,), tl.int32)
    for start in range(0, n_tiles, BT):
        o_u = start + tl.arange(0, BT)
        m_there = tl.load(eligible_ptr + i_row + o_u, mask=o_u < n_tiles, other=0) != 0
        b_there = tl.load(mean_ptr + i_row + o_u, mask=o_u < n_tiles, other=0.0)
        before = (b_there[None, :] < b_here[:, None]) | (
            (b_there[None, :] == b_here[:, None]) & (o_u[None, :] < o_t[:, None])
        )
        b_rank += tl.sum((before & m_there[None, :]).to(tl.int32), 1)
        b_all += tl.sum(m_there.to(tl.int32))
    wanted = (numerator * b_all.to(tl.int64) + denominator - 1) // denominator
    tl.store(trigger_ptr + i_row + o_t, m_here & (b_rank < wanted), mask=m_t)


@triton.jit
def keep_kernel(
    index_ptr,
    trigger_ptr,
    eligible_ptr,
    kv_idx_ptr,
    q_lens_ptr,
    kv_lens_ptr,
    heads,
    n_tiles,
    n_blocks,
    k,
    slots,
    window,
    BM: tl.constexpr,
    BN: tl.constexpr,
    SP: tl.constexpr,
):
    """Forced blocks and the first free ranks, ascending, then the sentinel (UG eq. 14)."""
    i_t, i_h, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    q_len, kv_len = tl.load(q_lens_ptr + i_b), tl.load(kv_lens_ptr + i_b)
    real = i_t * BM < q_len
    first, diagonal, last = _span(i_t, q_len, kv_len, window, BM, BN)
    sink = ((first == 0) & (diagonal > 0)).to(tl.int32)
    count = tl.where(real, tl.maximum(diagonal - first - sink, 0), 0)
    forced = tl.where(real, last - diagonal + 1 + sink, 0)
    i_tile = i_b.to(tl.int64) * n_tiles + i_t
    # A tile that is not eligible keeps all that it sees.
    more = (tl.load(trigger_ptr + i_tile) != 0) | (tl.load(eligible_ptr + i_tile) == 0)
    ranks = tl.minimum(tl.where(more, slots, k) - forced, count)
    i_row = (i_b.to(tl.int64) * heads + i_h) * n_tiles + i_t
    o_s = tl.arange(0, SP)
    p_row = index_ptr + i_row * slots
    b_free = tl.load(p_row + o_s, mask=o_s < ranks, other=0)
    b_block = _slot(o_s, b_free, ranks, forced, sink, diagonal, n_blocks)
    # A block's place is the number of blocks before it; sentinels keep their order.
    b_place = tl.zeros((SP,), tl.int32)
    for slot in range(slots):
        free = tl.load(p_row + slot, mask=slot < ranks, other=0)
        block = _slot(slot, free, ranks, forced, sink, diagonal, n_blocks)
        b_place += ((block < b_block) | ((block == b_block) & (slot < o_s))).to(tl.int32)
    tl.store(kv_idx_ptr + i_row * slots + b_place, b_block, mask=o_s < slots)


@triton.jit
def _slot(slot, free, ranks, forced, sink, diagonal, n_blocks):
    """What stands in a slot before sorting: free blocks by rank, block 0 and the diagonal ones, sentinels."""
    after = slot - ranks
    late = tl.where((sink > 0) & (after == 0), 0, diagonal + after - sink)
    return tl.where(slot < ranks, free, tl.where(after < forced, late, n_blocks))


def select(
    scores: Tensor,
    q_lens: Tensor,
    kv_lens: Tensor,
    *,
    k: int,
    slots: int,
    share: Fraction,
    block_m: int,
    block_n: int,
    window: int | None,
) -> dict[str, Tensor]:
    """Select blocks from scores [B, H, Q_t, N_B]; the fields of `refsym_gpu.reference.Selection`, no host sync."""
    batch, heads, tiles, blocks = scores.shape

    def empty(dtype: torch.dtype, *last: int, by_head: bool = True) -> Tensor:
        shape = (batch, heads, tiles, *last) if by_head else (batch, tiles, *last)
        return torch.empty(shape, dtype=dtype, device=scores.device)

    out = {
        "prefix_idx": empty(torch.int32, slots),
        "prefix_scores": empty(torch.float32, slots),
        **{name: empty(torch.float64) for name in ("g", "G", "r", "sigma")},
        **{name: empty(torch.int64, by_head=False) for name in ("k_free", "m_free")},
        "eligible": empty(torch.bool, by_head=False),
    }
    sizes = (heads, tiles, blocks, k, slots, 2**31 - 1 if window is None else window)
    tile = {"BM": block_m, "BN": block_n}
    grid, row = (tiles, heads, batch), width(blocks, 1)
    warps = max(1, min(16, row // 512))
    prefix_kernel[grid](scores, *out.values(), q_lens, kv_lens, *sizes, **tile, BB=row, num_warps=warps)
    out["sigma_mean"], out["trigger"] = empty(torch.float64, by_head=False), empty(torch.bool, by_head=False)
    by_tile = (triton.cdiv(tiles, 64), batch)
    mean_kernel[by_tile](out["sigma"], out["sigma_mean"], heads, tiles, BT=64)
    trigger_kernel[by_tile](
        out["sigma_mean"], out["eligible"], out["trigger"], tiles, share.numerator, share.denominator, BT=64
    )
    out["kv_idx"] = empty(torch.int32, slots)
    keep_kernel[grid](
        out["prefix_idx"],
        out["trigger"],
        out["eligible"],
        out["kv_idx"],
        q_lens,
        kv_lens,
        *sizes,
        **tile,
        SP=width(slots, 1),
    )
    return out
