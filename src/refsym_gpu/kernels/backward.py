"""Gradients of dense mass-weighted attention: keys, values and log masses block by block, queries tile by tile.

Probabilities are taken again from the scores and the forward pass's log-sum-exp; nothing is added atomically, so that
the same inputs give the same bits.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from refsym_gpu.kernels.precision import product, widened, width
from refsym_gpu.kernels.softcap import tanh


@triton.jit
def _probabilities(b_s, b_mass, b_lse, m_seen, softcap, SOFTCAP: tl.constexpr):
    """Softmax of scaled products [BM, BC], and the derivative of the softcap."""
    b_slope = tl.full(b_s.shape, 1.0, tl.float32)
    if SOFTCAP:
        b_tanh = tanh(b_s / softcap)
        b_slope = 1.0 - b_tanh * b_tanh
        b_s = softcap * b_tanh
    b_s = tl.where(m_seen, b_s + b_mass[None, :] - b_lse[:, None], float("-inf"))
    return tl.exp(b_s), b_slope


@triton.jit
def _seen(p_mask, o_row, o_pos, o_n, m_row, m_n, mask_sm, mask_sn, window, CAUSAL: tl.constexpr, MASK: tl.constexpr):
    m_seen = m_row[:, None] & m_n[None, :]
    if CAUSAL:
        m_seen &= (o_n[None, :] <= o_pos[:, None]) & (o_n[None, :] > o_pos[:, None] - window)
    if MASK:
        m_seen &= tl.load(p_mask + o_row[:, None] * mask_sm + o_n[None, :] * mask_sn, mask=m_seen, other=0) != 0
    return m_seen


@triton.jit
def key_gradient_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    log_mass_ptr,
    mask_ptr,
    grad_ptr,
    lse_ptr,
    delta_ptr,
    dk_ptr,
    dv_ptr,
    dmass_ptr,
    q_lens_ptr,
    kv_lens_ptr,
    mask_sb,
    mask_sh,
    mask_sm,
    mask_sn,
    kv_heads,
    group,
    rows,
    keys,
    scale,
    softcap,
    window,
    D: tl.constexpr,
    DP: tl.constexpr,
    DV: tl.constexpr,
    DVP: tl.constexpr,
    BM: tl.constexpr,
    BC: tl.constexpr,
    CAUSAL: tl.constexpr,
    MASK: tl.constexpr,
    MASS: tl.constexpr,
    SOFTCAP: tl.constexpr,
    WIDEN: tl.constexpr,
):
    """One block of one key head, over all rows of its group of query heads."""
    i_n, i_h, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    q_len, kv_len = tl.load(q_lens_ptr + i_b), tl.load(kv_lens_ptr + i_b)
    if i_n * BC >= kv_len:
        return
    o_m, o_k, o_d, o_v = tl.arange(0, BM), tl.arange(0, BC), tl.arange(0, DP), tl.arange(0, DVP)
    o_n = i_n * BC + o_k
    m_n, m_d, m_v = o_n < kv_len, o_d < D, o_v < DV
    i_key = (i_b.to(tl.int64) * kv_heads + i_h) * keys + i_n * BC
    p_k = i_key * D + o_k[:, None] * D + o_d[None, :]
    p_v = i_key * DV + o_k[:, None] * DV + o_v[None, :]
    m_k, m_kv = m_n[:, None] & m_d[None, :], m_n[:, None] & m_v[None, :]
    b_k = tl.load(k_ptr + p_k, mask=m_k, other=0.0)  # [BC, DP]
    b_v = tl.load(v_ptr + p_v, mask=m_kv, other=0.0)  # [BC, DVP]
    b_mass = tl.zeros((BC,), tl.float32)
    if MASS:
        b_mass = tl.load(log_mass_ptr + i_key + o_k, mask=m_n, other=0.0)
    b_dk, b_dv = tl.zeros((BC, DP), tl.float32), tl.zeros((BC, DVP), tl.float32)
    b_dmass = tl.zeros((BC,), tl.float32)
    offset = kv_len - q_len
    begin, end = 0, (q_len + BM - 1) // BM
    if CAUSAL:
        begin = tl.maximum(i_n * BC - offset, 0) // BM
        # The last key's window ends before this row; two sums that could pass 2^31 are not taken.
        ahead = tl.minimum(window, kv_len)
        end = tl.minimum(end, (tl.maximum(i_n * BC + BC - 1 + ahead - offset, 0) + BM - 1) // BM)
    for step in range(group * (end - begin)):
        i_q = i_h * group + step // (end - begin)
        i_row = (begin + step % (end - begin)) * BM
        o_row = i_row + o_m
        m_m = o_row < q_len
        first = (i_b.to(tl.int64) * kv_heads * group + i_q) * rows + i_row
        b_q = tl.load(q_ptr + first * D + o_m[:, None] * D + o_d[None, :], mask=m_m[:, None] & m_d[None, :], other=0.0)
        p_grad = grad_ptr + first * DV + o_m[:, None] * DV + o_v[None, :]
        b_grad = tl.load(p_grad, mask=m_m[:, None] & m_v[None, :], other=0.0)  # [BM, DVP]
        b_lse = tl.load(lse_ptr + first + o_m, mask=m_m, other=float("-inf"))
        b_delta = tl.load(delta_ptr + first + o_m, mask=m_m, other=0.0)
        # A row without keys has no log-sum-exp, and no gradient.
        m_row = b_lse > float("-inf")
        p_mask = mask_ptr + i_b.to(tl.int64) * mask_sb + i_q.to(tl.int64) * mask_sh
        m_seen = _seen(p_mask, o_row, offset + o_row, o_n, m_row, m_n, mask_sm, mask_sn, window, CAUSAL, MASK)
        b_s = product(b_q, tl.trans(b_k), WIDEN) * scale  # [BM, BC]
        b_p, b_slope = _probabilities(b_s, b_mass, tl.where(m_row, b_lse, 0.0), m_seen, softcap, SOFTCAP)
        b_dv += product(tl.trans(b_p).to(b_grad.dtype), b_grad, WIDEN)
        b_ds = b_p * (product(b_grad, tl.trans(b_v), WIDEN) - b_delta[:, None])
        b_dmass += tl.sum(b_ds, 0)
        b_dk += product(tl.trans(b_ds * b_slope).to(b_q.dtype), b_q, WIDEN)
    tl.store(dk_ptr + p_k, (b_dk * scale).to(dk_ptr.dtype.element_ty), mask=m_k)
    tl.store(dv_ptr + p_v, b_dv.to(dv_ptr.dtype.element_ty), mask=m_kv)
    if MASS:
        tl.store(dmass_ptr + i_key + o_k, b_dmass, mask=m_n)


@triton.jit
def query_gradient_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    log_mass_ptr,
    mask_ptr,
    grad_ptr,
    lse_ptr,
    delta_ptr,
    dq_ptr,
    q_lens_ptr,
    kv_lens_ptr,
    mask_sb,
    mask_sh,
    mask_sm,
    mask_sn,
    kv_heads,
    group,
    rows,
    keys,
    scale,
    softcap,
    window,
    D: tl.constexpr,
    DP: tl.constexpr,
    DV: tl.constexpr,
    DVP: tl.constexpr,
    BM: tl.constexpr,
    BC: tl.constexpr,
    CAUSAL: tl.constexpr,
    MASK: tl.constexpr,
    MASS: tl.constexpr,
    SOFTCAP: tl.constexpr,
    WIDEN: tl.constexpr,
):
    """One tile of one query head, over all keys that it sees."""
    i_t, i_q, i_b = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    q_len, kv_len = tl.load(q_lens_ptr + i_b), tl.load(kv_lens_ptr + i_b)
    if i_t * BM >= q_len:
        return
    o_m, o_k, o_d, o_v = tl.arange(0, BM), tl.arange(0, BC), tl.arange(0, DP), tl.arange(0, DVP)
    o_row = i_t * BM + o_m
    m_m, m_d, m_v = o_row < q_len, o_d < D, o_v < DV
    first = (i_b.to(tl.int64) * kv_heads * group + i_q) * rows + i_t * BM
    p_q = first * D + o_m[:, None] * D + o_d[None, :]
    b_q = tl.load(q_ptr + p_q, mask=m_m[:, None] & m_d[None, :], other=0.0)
    p_grad = grad_ptr + first * DV + o_m[:, None] * DV + o_v[None, :]
    b_grad = tl.load(p_grad, mask=m_m[:, None] & m_v[None, :], other=0.0)
    b_lse = tl.load(lse_ptr + first + o_m, mask=m_m, other=float("-inf"))
    b_delta = tl.load(delta_ptr + first + o_m, mask=m_m, other=0.0)
    m_row = b_lse > float("-inf")
    b_lse = tl.where(m_row, b_lse, 0.0)
    p_mask = mask_ptr + i_b.to(tl.int64) * mask_sb + i_q.to(tl.int64) * mask_sh
    b_dq = tl.zeros((BM, DP), tl.float32)
    offset = kv_len - q_len
    begin, end = 0, (kv_len + BC - 1) // BC
    if CAUSAL:
        begin = tl.maximum(offset + i_t * BM - window + 1, 0) // BC
        end = (offset + tl.minimum(i_t * BM + BM, q_len) - 1) // BC + 1
    for i_n in range(begin, end):
        o_n = i_n * BC + o_k
        m_n = o_n < kv_len
        i_key = (i_b.to(tl.int64) * kv_heads + i_q // group) * keys + i_n * BC
        p_k = k_ptr + i_key * D + o_k[:, None] * D + o_d[None, :]
        p_v = v_ptr + i_key * DV + o_k[:, None] * DV + o_v[None, :]
        b_k = tl.load(p_k, mask=m_n[:, None] & m_d[None, :], other=0.0)
        b_v = tl.load(p_v, mask=m_n[:, None] & m_v[None, :], other=0.0)
        b_mass = tl.zeros((BC,), tl.float32)
        if MASS:
            b_mass = tl.load(log_mass_ptr + i_key + o_k, mask=m_n, other=0.0)
        m_seen = _seen(p_mask, o_row, offset + o_row, o_n, m_row, m_n, mask_sm, mask_sn, window, CAUSAL, MASK)
        b_s = product(b_q, tl.trans(b_k), WIDEN) * scale
        b_p, b_slope = _probabilities(b_s, b_mass, b_lse, m_seen, softcap, SOFTCAP)
        b_ds = b_p * (product(b_grad, tl.trans(b_v), WIDEN) - b_delta[:, None]) * b_slope
        b_dq += product(b_ds.to(b_k.dtype), b_k, WIDEN)
    tl.store(dq_ptr + p_q, (b_dq * scale).to(dq_ptr.dtype.element_ty), mask=m_m[:, None] & m_d[None, :])


def shape(dtype: torch.dtype, dim: int, *, queries: bool) -> dict[str, int]:
    """Rows and keys that a product takes, and warps: what fits the registers on sm_80 to sm_100."""
    if dtype is torch.float32:
        return {"BM": 16, "BC": 16, "num_warps": 8, "num_stages": 1}
    if dim <= 64:
        return {"BM": 64, "BC": 64, "num_warps": 4, "num_stages": 1}
    size = 64 if queries and dim <= 128 else 32
    return {"BM": size, "BC": size, "num_warps": 4 if not queries and dim <= 128 else 8, "num_stages": 1}


def gradients(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    out: Tensor,
    lse: Tensor,
    grad: Tensor,
    grad_lse: Tensor | None,
    q_lens: Tensor,
    kv_lens: Tensor,
    *,
    log_mass: Tensor | None,
    mask: Tensor | None,
    causal: bool,
    scale: float,
    softcap: float | None,
    window: int | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Gradients of q, k, v and log_mass from those of the output and, if any, of its log-sum-exp; else as `attend`."""
    q, k, v, grad = (x.contiguous() for x in (q, k, v, grad))
    batch, heads, rows, dim = q.shape
    kv_heads, keys = k.shape[1:3]
    delta = (grad.float() * out.float()).sum(dim=-1)
    if grad_lse is not None:
        delta = delta - grad_lse
    mass = lse if log_mass is None else log_mass.float().contiguous()
    dq, dk, dv = (torch.zeros_like(x) for x in (q, k, v))
    dmass = torch.zeros(k.shape[:3] if log_mass is not None else (1,), dtype=torch.float32, device=q.device)
    inputs = (q, k, v, mass, q_lens if mask is None else mask.view(torch.int8), grad, lse, delta)
    sizes = (
        *((0, 0, 0, 0) if mask is None else mask.stride()),
        kv_heads,
        heads // kv_heads,
        rows,
        keys,
        scale,
        1.0 if softcap is None else softcap,
        2**31 - 1 if window is None else window,
    )
    constants = {
        "D": dim,
        "DP": width(dim),
        "DV": v.shape[3],
        "DVP": width(v.shape[3]),
        "CAUSAL": causal,
        "MASK": mask is not None,
        "MASS": log_mass is not None,
        "SOFTCAP": softcap is not None,
        "WIDEN": widened(q.dtype),
        "enable_fp_fusion": True,
    }
    widest = max(dim, v.shape[3])
    parts = shape(q.dtype, widest, queries=False)
    grid = (triton.cdiv(keys, parts["BC"]), kv_heads, batch)
    key_gradient_kernel[grid](*inputs, dk, dv, dmass, q_lens, kv_lens, *sizes, **constants, **parts)
    parts = shape(q.dtype, widest, queries=True)
    grid = (triton.cdiv(rows, parts["BM"]), heads, batch)
    query_gradient_kernel[grid](*inputs, dq, q_lens, kv_lens, *sizes, **constants, **parts)
    return dq, dk, dv, None if log_mass is None else dmass.to(log_mass.dtype)
