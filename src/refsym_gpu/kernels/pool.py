"""Summaries of key blocks: mean, minimum and maximum of the real keys, in one pass over K (UG eqs. 1, 2 and 6)."""

from __future__ import annotations

import math

import torch
import triton
import triton.language as tl
from torch import Tensor

from refsym_gpu.kernels.precision import lift, width


@triton.jit
def pool_kernel(
    k_ptr,
    mean_ptr,
    high_ptr,
    low_ptr,
    minimum_ptr,
    maximum_ptr,
    kv_lens_ptr,
    k_sb,
    k_sh,
    k_sn,
    heads,
    n_blocks,
    D: tl.constexpr,
    DP: tl.constexpr,
    BN: tl.constexpr,
    BNP: tl.constexpr,
    LIFT: tl.constexpr,
    MEAN: tl.constexpr,
    EXTREMES: tl.constexpr,
):
    """One block of one key head."""
    i_n, i_h, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    kv_len = tl.load(kv_lens_ptr + i_b)
    if i_n * BN >= kv_len:
        return
    o_k, o_d = tl.arange(0, BNP), tl.arange(0, DP)
    o_n = i_n * BN + o_k
    m_d = o_d < D
    m_k = (o_k < BN) & (o_n < kv_len)
    p_k = k_ptr + i_b.to(tl.int64) * k_sb + i_h.to(tl.int64) * k_sh + o_n[:, None].to(tl.int64) * k_sn + o_d[None, :]
    b_k = tl.load(p_k, mask=m_k[:, None] & m_d[None, :], other=0.0)  # [BNP, DP]
    o_out = ((i_b.to(tl.int64) * heads + i_h) * n_blocks + i_n) * D + o_d
    if MEAN:
        count = tl.minimum(BN, kv_len - i_n * BN)
        b_mean = tl.sum(b_k.to(tl.float32), 0) / count
        b_high = b_mean.to(high_ptr.dtype.element_ty)
        tl.store(mean_ptr + o_out, b_mean, mask=m_d)
        tl.store(high_ptr + o_out, b_high, mask=m_d)
        tl.store(low_ptr + o_out, ((b_mean - b_high.to(tl.float32)) * LIFT).to(low_ptr.dtype.element_ty), mask=m_d)
    if EXTREMES:
        b_f = b_k.to(tl.float32)
        tl.store(minimum_ptr + o_out, tl.min(tl.where(m_k[:, None], b_f, float("inf")), 0), mask=m_d)
        tl.store(maximum_ptr + o_out, tl.max(tl.where(m_k[:, None], b_f, float("-inf")), 0), mask=m_d)


def pool(k: Tensor, kv_lens: Tensor, block_n: int, *, mean: bool, extremes: bool) -> dict[str, Tensor]:
    """Pool keys [B, H_kv, N, D] into float32 [B, H_kv, N_B, D]; NaN beyond a sequence's end.

    With the mean come `high` and `low` in the keys' type: high + low / lift is the mean to twice that type's digits.
    """
    if k.stride(3) != 1:
        k = k.contiguous()
    batch, heads, longest, dim = k.shape
    blocks = -(-longest // block_n)
    shape = (batch, heads, blocks, dim)

    def empty(wanted: bool, dtype: torch.dtype = torch.float32) -> Tensor:
        return k.new_full(shape if wanted else (1,), math.nan, dtype=dtype)

    out = {
        "mean": empty(mean),
        "high": empty(mean, k.dtype),
        "low": empty(mean, k.dtype),
        "minimum": empty(extremes),
        "maximum": empty(extremes),
    }
    pool_kernel[(blocks, heads, batch)](
        k,
        *out.values(),
        kv_lens,
        k.stride(0),
        k.stride(1),
        k.stride(2),
        heads,
        blocks,
        D=dim,
        DP=width(dim),
        BN=block_n,
        BNP=width(block_n, 1),
        LIFT=lift(k.dtype),
        MEAN=mean,
        EXTREMES=extremes,
        num_warps=4,
    )
    return {name: value for name, value in out.items() if value.shape == shape}
