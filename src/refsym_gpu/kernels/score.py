"""Tile scores: the best score of each visible block among a tile's rows (UG eqs. 3, 7 and 8), and the sums behind tau.

No row score leaves the kernel. K-mean takes the mean in two parts of the inputs' type, Quest takes minimum and maximum,
which that type holds exactly: two products either way.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from refsym_gpu.kernels.precision import lift, product, widened, width


@triton.jit
def tile_score_kernel(
    q_ptr,
    a_ptr,
    b_ptr,
    scores_ptr,
    step_sum_ptr,
    step_count_ptr,
    half_sum_ptr,
    half_count_ptr,
    q_lens_ptr,
    kv_lens_ptr,
    q_sb,
    q_sh,
    q_sm,
    heads,
    group,
    n_tiles,
    n_blocks,
    scale,
    window,
    D: tl.constexpr,
    BD: tl.constexpr,
    BM: tl.constexpr,
    BMP: tl.constexpr,
    BN: tl.constexpr,
    BB: tl.constexpr,
    QUEST: tl.constexpr,
    LIFT: tl.constexpr,
    NOISE: tl.constexpr,
    WIDEN: tl.constexpr,
):
    """One tile of one head, over its visible blocks."""
    i_t, i_h, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    q_len, kv_len = tl.load(q_lens_ptr + i_b), tl.load(kv_lens_ptr + i_b)
    if i_t * BM >= q_len:
        return
    o_m, o_d = tl.arange(0, BMP), tl.arange(0, BD)
    o_row = i_t * BM + o_m
    m_m = (o_m < BM) & (o_row < q_len)
    o_pos = kv_len - q_len + o_row
    top = kv_len - q_len + i_t * BM
    bottom = kv_len - q_len + tl.minimum(i_t * BM + BM, q_len) - 1
    first, diagonal, last = tl.maximum(top - window + 1, 0) // BN, top // BN, bottom // BN

    p_q = q_ptr + i_b.to(tl.int64) * q_sb + i_h.to(tl.int64) * q_sh + (i_t * BM).to(tl.int64) * q_sm
    o_q = o_m[:, None] * q_sm + o_d[None, :]  # [BMP, BD]
    m_next = (o_m + 1 < BM) & (o_row + 1 < q_len)
    i_kv = (i_b.to(tl.int64) * (heads // group) + i_h // group) * n_blocks
    i_out = ((i_b.to(tl.int64) * heads + i_h) * n_tiles + i_t) * n_blocks
    step_sum = tl.full((), 0.0, tl.float64)
    half_sum, half_square = step_sum, step_sum
    step_count = tl.full((), 0, tl.int32)
    half_count = step_count
    for start in range(first, last + 1, BB):
        o_n = start + tl.arange(0, BB)
        m_n = o_n <= last
        o_p = o_n[None, :] * D + o_d[:, None]  # [BD, BB]
        p_a, p_b = a_ptr + i_kv * D, b_ptr + i_kv * D
        # Channels in parts for float32 alone: a loop within the loop would load nothing ahead.
        if BD >= D:
            m_d = o_d < D
            b_a = tl.load(p_a + o_p, mask=m_d[:, None] & m_n[None, :], other=0.0)  # [BD, BB]
            b_b = tl.load(p_b + o_p, mask=m_d[:, None] & m_n[None, :], other=0.0)
            b_s = _row_scores(p_q + o_q, m_m[:, None] & m_d[None, :], b_a, b_b, QUEST, LIFT, WIDEN)  # [BMP, BB]
            if NOISE:
                b_after = _row_scores(p_q + q_sm + o_q, m_next[:, None] & m_d[None, :], b_a, b_b, QUEST, LIFT, WIDEN)
        else:
            b_s = tl.zeros((BMP, BB), tl.float32)
            b_after = b_s
            for d in range(0, D, BD):
                m_d = o_d < D - d
                b_a = tl.load(p_a + d + o_p, mask=m_d[:, None] & m_n[None, :], other=0.0)
                b_b = tl.load(p_b + d + o_p, mask=m_d[:, None] & m_n[None, :], other=0.0)
                b_s += _row_scores(p_q + d + o_q, m_m[:, None] & m_d[None, :], b_a, b_b, QUEST, LIFT, WIDEN)
                if NOISE:
                    p_next = p_q + q_sm + d + o_q
                    b_after += _row_scores(p_next, m_next[:, None] & m_d[None, :], b_a, b_b, QUEST, LIFT, WIDEN)
        newest = tl.minimum(o_n * BN + BN, kv_len) - 1
        m_seen = m_m[:, None] & m_n[None, :] & (o_n[None, :] * BN <= o_pos[:, None])
        m_seen &= newest[None, :] > o_pos[:, None] - window
        b_best = tl.max(tl.where(m_seen, b_s, float("-inf")), 0)
        tl.store(scores_ptr + i_out + o_n, b_best * scale, mask=m_n)
        if NOISE:
            m_free = (o_n > 0) & (o_n < diagonal)
            # The next row sees what lies at or before this one, unless its window has moved on.
            m_both = m_seen & m_next[:, None] & m_free[None, :] & (newest[None, :] > o_pos[:, None] + 1 - window)
            b_step = (b_after - b_s) * scale
            step_sum += tl.sum(tl.where(m_both, b_step * b_step, 0.0)).to(tl.float64)
            step_count += tl.sum(m_both.to(tl.int32))
            m_even = (o_m % 2 == 0)[:, None]
            b_even = tl.max(tl.where(m_seen & m_even, b_s, float("-inf")), 0)
            b_odd = tl.max(tl.where(m_seen & (m_even == 0), b_s, float("-inf")), 0)
            m_half = m_free & (b_even > float("-inf")) & (b_odd > float("-inf"))
            b_half = ((tl.where(m_half, b_even, 0.0) - tl.where(m_half, b_odd, 0.0)) * scale).to(tl.float64)
            half_sum += tl.sum(b_half)
            half_square += tl.sum(b_half * b_half)
            half_count += tl.sum(m_half.to(tl.int32))
    if NOISE:
        o_out = (i_b.to(tl.int64) * heads + i_h) * n_tiles + i_t
        tl.store(step_sum_ptr + o_out, step_sum)
        tl.store(step_count_ptr + o_out, step_count)
        centred = half_square - half_sum * half_sum / tl.maximum(half_count, 1)
        tl.store(half_sum_ptr + o_out, tl.maximum(centred, 0.0))
        tl.store(half_count_ptr + o_out, tl.maximum(half_count - 1, 0))


@triton.jit
def _row_scores(p_q, m_q, b_a, b_b, QUEST: tl.constexpr, LIFT: tl.constexpr, WIDEN: tl.constexpr):
    b_q = tl.load(p_q, mask=m_q, other=0.0)  # [BMP, BD]
    if QUEST:
        # Sum of max(q max, q min) over channels: q- . min + q+ . max.
        m_low = b_q.to(tl.float32) < 0
        b_zero = tl.zeros_like(b_q)
        b_low, b_high = tl.where(m_low, b_q, b_zero), tl.where(m_low, b_zero, b_q)
        return product(b_low, b_a, WIDEN) + product(b_high, b_b, WIDEN)
    return product(b_q, b_a, WIDEN) + product(b_q, b_b, WIDEN) / LIFT


def shape(dtype: torch.dtype, dim: int, *, quest: bool, noise: bool) -> dict[str, int]:
    """Channels and blocks that a product takes, and how far it loads ahead: what fits sm_80 to sm_100."""
    if dtype is torch.float32:
        return {"BD": min(32, width(dim)), "BB": 16 if noise else 32, "num_stages": 1}
    if noise:
        return {"BD": min(64, width(dim)), "BB": 16, "num_stages": 1}
    if quest and dim > 128:
        # Queries of both signs are held at once.
        return {"BD": 128, "BB": 32, "num_stages": 1}
    return {"BD": width(dim), "BB": 32 if dim > (64 if quest else 128) else 64, "num_stages": 2}


def score(
    q: Tensor,
    parts: tuple[Tensor, Tensor],
    q_lens: Tensor,
    kv_lens: Tensor,
    *,
    quest: bool,
    block_m: int,
    block_n: int,
    scale: float,
    window: int | None,
    fill: float,
    noise: bool = False,
) -> tuple[Tensor, tuple[Tensor, Tensor, Tensor, Tensor] | None]:
    """Score tiles: float32 [B, H, Q_t, N_B], `fill` where a tile does not see a block.

    Parameters
    ----------
    parts : pair of [B, H_kv, N_B, D] in q's type
        The mean as `pool` splits it, or minimum and maximum.
    noise : bool
        Also return step_sq_sum, step_count, half_diff_sq_sum, half_diff_count, a value a head and tile.
    """
    if q.stride(3) != 1:
        q = q.contiguous()
    batch, heads, rows, dim = q.shape
    kv_heads, blocks = parts[0].shape[1:3]
    tiles = -(-rows // block_m)
    scores = q.new_full((batch, heads, tiles, blocks), fill, dtype=torch.float32)
    size = (batch, heads, tiles) if noise else (1,)
    sums = tuple(torch.zeros(size, dtype=t, device=q.device) for t in (torch.float64, torch.int32) * 2)
    tile_score_kernel[(tiles, heads, batch)](
        q,
        *parts,
        scores,
        *sums,
        q_lens,
        kv_lens,
        q.stride(0),
        q.stride(1),
        q.stride(2),
        heads,
        heads // kv_heads,
        tiles,
        blocks,
        scale,
        2**31 - 1 if window is None else window,
        D=dim,
        BM=block_m,
        BMP=width(block_m),
        BN=block_n,
        QUEST=quest,
        LIFT=lift(q.dtype),
        NOISE=noise,
        WIDEN=widened(q.dtype),
        **shape(q.dtype, dim, quest=quest, noise=noise),
        num_warps=4,
        enable_fp_fusion=True,
    )
    return scores, (sums[0], sums[1], sums[2], sums[3]) if noise else None
