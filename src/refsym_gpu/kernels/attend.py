"""Attention with an online softmax: over kept blocks (UG eq. 14) or all keys, each weighted by its mass (RS eq. 1)."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from refsym_gpu.kernels.precision import product, widened, width
from refsym_gpu.kernels.softcap import tanh


@triton.jit
def attend_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    kv_idx_ptr,
    log_mass_ptr,
    mask_ptr,
    out_ptr,
    lse_ptr,
    q_lens_ptr,
    kv_lens_ptr,
    q_sb,
    q_sh,
    q_sm,
    k_sb,
    k_sh,
    k_sn,
    v_sb,
    v_sh,
    v_sn,
    mass_sb,
    mass_sh,
    mask_sb,
    mask_sh,
    mask_sm,
    mask_sn,
    heads,
    group,
    rows,
    n_tiles,
    n_blocks,
    slots,
    scale,
    softcap,
    window,
    D: tl.constexpr,
    BD: tl.constexpr,
    DV: tl.constexpr,
    DVP: tl.constexpr,
    BM: tl.constexpr,
    BMP: tl.constexpr,
    BN: tl.constexpr,
    BC: tl.constexpr,
    PARTS: tl.constexpr,
    SP: tl.constexpr,
    DENSE: tl.constexpr,
    CAUSAL: tl.constexpr,
    MASK: tl.constexpr,
    MASS: tl.constexpr,
    SOFTCAP: tl.constexpr,
    WIDEN: tl.constexpr,
):
    """One tile of one head: scores, softcap, log mass, then visibility, block after block."""
    i_t, i_h, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    q_len, kv_len = tl.load(q_lens_ptr + i_b), tl.load(kv_lens_ptr + i_b)
    if i_t * BM >= q_len:
        return
    o_m, o_k, o_d, o_v = tl.arange(0, BMP), tl.arange(0, BC), tl.arange(0, BD), tl.arange(0, DVP)
    m_v = o_v < DV
    o_row = i_t * BM + o_m
    m_m = (o_m < BM) & (o_row < q_len)
    o_pos = kv_len - q_len + o_row
    i_kv = i_h // group
    p_q = q_ptr + i_b.to(tl.int64) * q_sb + i_h.to(tl.int64) * q_sh + (i_t * BM).to(tl.int64) * q_sm
    o_in_q = o_m[:, None] * q_sm + o_d[None, :]
    if BD >= D:
        m_d = o_d < D
        b_q = tl.load(p_q + o_in_q, mask=m_m[:, None] & m_d[None, :], other=0.0)  # [BMP, BD]
    p_k = k_ptr + i_b.to(tl.int64) * k_sb + i_kv.to(tl.int64) * k_sh
    p_v = v_ptr + i_b.to(tl.int64) * v_sb + i_kv.to(tl.int64) * v_sh
    o_in_k = o_k[None, :] * k_sn + o_d[:, None]
    o_in_v = o_k[:, None] * v_sn + o_v[None, :]
    p_slot = kv_idx_ptr + ((i_b.to(tl.int64) * heads + i_h) * n_tiles + i_t) * slots

    p_mask = mask_ptr + i_b.to(tl.int64) * mask_sb + i_h.to(tl.int64) * mask_sh
    b_max = tl.full((BMP,), float("-inf"), tl.float32)
    b_sum = tl.zeros((BMP,), tl.float32)
    b_out = tl.zeros((BMP, DVP), tl.float32)
    if DENSE:
        begin, end = 0, (kv_len + BN - 1) // BN
        if CAUSAL:
            top = kv_len - q_len + i_t * BM
            bottom = kv_len - q_len + tl.minimum(i_t * BM + BM, q_len) - 1
            begin, end = tl.maximum(top - window + 1, 0) // BN, bottom // BN + 1
        count = end - begin
    else:
        # Sentinels come last: counted at once, they cost the loop nothing, and it stays one that loads ahead.
        o_s = tl.arange(0, SP)
        count = tl.sum((tl.load(p_slot + o_s, mask=o_s < slots, other=n_blocks) < n_blocks).to(tl.int32))
    for part in range(count * PARTS):
        block = begin + part // PARTS if DENSE else tl.load(p_slot + part // PARTS)
        # 64 bits to the block, 32 within it: half the registers.
        first = block * BN + part % PARTS * BC
        start = first.to(tl.int64)
        o_n = first + o_k
        m_n = (o_k < BN - part % PARTS * BC) & (o_n < kv_len)
        if BD >= D:
            b_k = tl.load(p_k + start * k_sn + o_in_k, mask=m_d[:, None] & m_n[None, :], other=0.0)  # [BD, BC]
            b_s = product(b_q, b_k, WIDEN) * scale  # [BMP, BC]
        else:
            b_s = tl.zeros((BMP, BC), tl.float32)
            for d in range(0, D, BD):
                m_d = o_d < D - d
                b_q = tl.load(p_q + d + o_in_q, mask=m_m[:, None] & m_d[None, :], other=0.0)
                b_k = tl.load(p_k + start * k_sn + d + o_in_k, mask=m_d[:, None] & m_n[None, :], other=0.0)
                b_s += product(b_q, b_k, WIDEN)
            b_s *= scale
        b_v = tl.load(p_v + start * v_sn + o_in_v, mask=m_n[:, None] & m_v[None, :], other=0.0)  # [BC, DVP]
        if SOFTCAP:
            b_s = softcap * tanh(b_s / softcap)
        if MASS:
            p_mass = log_mass_ptr + i_b.to(tl.int64) * mass_sb + i_kv.to(tl.int64) * mass_sh
            b_s += tl.load(p_mass + start + o_k, mask=m_n, other=0.0)[None, :]
        m_seen = m_m[:, None] & m_n[None, :]
        if CAUSAL:
            m_seen &= (o_n[None, :] <= o_pos[:, None]) & (o_n[None, :] > o_pos[:, None] - window)
        if MASK:
            m_seen &= tl.load(p_mask + o_row[:, None] * mask_sm + o_n[None, :] * mask_sn, mask=m_seen, other=0) != 0
        b_s = tl.where(m_seen, b_s, float("-inf"))
        b_new = tl.maximum(b_max, tl.max(b_s, 1))
        # A row that has seen no key yet has no maximum to subtract.
        b_base = tl.where(b_new == float("-inf"), 0.0, b_new)
        b_p = tl.exp(b_s - b_base[:, None])
        b_old = tl.exp(b_max - b_base)
        b_sum = b_sum * b_old + tl.sum(b_p, 1)
        b_out = b_out * b_old[:, None] + product(b_p.to(b_v.dtype), b_v, WIDEN)
        b_max = b_new
    m_some = b_sum > 0
    b_out = tl.where(m_some[:, None], b_out / tl.where(m_some, b_sum, 1.0)[:, None], 0.0)
    b_lse = tl.where(m_some, b_max + tl.log(tl.where(m_some, b_sum, 1.0)), float("-inf"))
    i_out = (i_b.to(tl.int64) * heads + i_h) * rows
    p_out = out_ptr + (i_out + o_row[:, None]) * DV + o_v[None, :]
    tl.store(p_out, b_out.to(out_ptr.dtype.element_ty), mask=m_m[:, None] & m_v[None, :])
    tl.store(lse_ptr + i_out + o_row, b_lse, mask=m_m)


def shape(dtype: torch.dtype, dim: int, block_n: int) -> dict[str, int]:
    """Channels and keys that a product takes, warps, and how far to load ahead: what fits sm_80 to sm_100."""
    if dtype is torch.float32:
        return {
            "BD": min(32, width(dim)),
            "BC": min(16, width(block_n)),
            "num_warps": 8,
            "num_stages": 1,
        }
    return {"BD": width(dim), "BC": width(block_n), "num_warps": 4 if dim <= 128 else 8, "num_stages": 2}


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    kv_idx: Tensor | None,
    q_lens: Tensor,
    kv_lens: Tensor,
    *,
    log_mass: Tensor | None = None,
    mask: Tensor | None = None,
    causal: bool = True,
    block_m: int,
    block_n: int,
    scale: float,
    softcap: float | None = None,
    window: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Output [B, H, M, D_v] in q's type and log-sum-exp float32 [B, H, M]; zeros and -inf for rows without keys.

    Parameters
    ----------
    kv_idx : int32 [B, H, Q_t, slots], optional
        Kept blocks, ascending, then sentinels; all blocks by default.
    log_mass : [B, H_kv, N], optional
        Added to the scores after the softcap.
    mask : bool [B, H, M, N], optional
        What each row sees, besides causality; expanded dimensions are not copied.
    """
    q, k, v = (x if x.stride(3) == 1 else x.contiguous() for x in (q, k, v))
    batch, heads, rows, dim = q.shape
    value_dim = v.shape[3]
    out = q.new_zeros((batch, heads, rows, value_dim))
    lse = q.new_full((batch, heads, rows), -torch.inf, dtype=torch.float32)
    mass = lse if log_mass is None else log_mass.float().contiguous()
    tiles, blocks = -(-rows // block_m), -(-k.shape[2] // block_n)
    slots = 1 if kv_idx is None else kv_idx.shape[3]
    chunk = shape(q.dtype, max(dim, value_dim), block_n)
    attend_kernel[(tiles, heads, batch)](
        q,
        k,
        v,
        q_lens if kv_idx is None else kv_idx,
        mass,
        q_lens if mask is None else mask.view(torch.int8),
        out,
        lse,
        q_lens,
        kv_lens,
        *q.stride()[:3],
        *k.stride()[:3],
        *v.stride()[:3],
        *((0, 0) if log_mass is None else mass.stride()[:2]),
        *((0, 0, 0, 0) if mask is None else mask.stride()),
        heads,
        heads // k.shape[1],
        rows,
        tiles,
        blocks,
        slots,
        scale,
        1.0 if softcap is None else softcap,
        2**31 - 1 if window is None else window,
        D=dim,
        DV=value_dim,
        DVP=width(value_dim),
        BM=block_m,
        BMP=width(block_m),
        BN=block_n,
        PARTS=-(-block_n // chunk["BC"]),
        SP=width(slots, 1),
        DENSE=kv_idx is None,
        CAUSAL=causal,
        MASK=mask is not None,
        MASS=log_mass is not None,
        SOFTCAP=softcap is not None,
        WIDEN=widened(q.dtype),
        **chunk,
        enable_fp_fusion=True,
    )
    return out, lse
