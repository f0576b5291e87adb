"""Attention in plain torch: over kept blocks, and over all keys weighted by their masses; the kernels' specification.

A key's score is ``scale * q.k``, then the softcap ``c tanh(score / c)`` if there is one, then its log mass: that is
attention under masses (RS eq. 1). Rows sit at the end of the keys, as in :mod:`refsym_gpu.reference`; a row that sees
no key gets zeros and a log-sum-exp of -inf. Computed in float32, or in float64 if q is.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from refsym_gpu.inputs import check_heads, check_lens, geometries
from refsym_theory.errors import InputError


def block_sparse_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    kv_idx: Tensor,
    *,
    log_mass: Tensor | None = None,
    block_m: int = 64,
    block_n: int = 64,
    scale: float | None = None,
    softcap: float | None = None,
    window: int | None = None,
    q_lens: Sequence[int] | None = None,
    kv_lens: Sequence[int] | None = None,
) -> tuple[Tensor, Tensor]:
    """Attend to the kept blocks of each tile; see :func:`refsym_gpu.attention.block_sparse_attention`."""
    check_attention(q, k, v, log_mass, softcap)
    layers = geometries(q, k, block_m, block_n, scale, window, q_lens, kv_lens)
    check_kv_idx(q, k, kv_idx, block_m, block_n)
    head = torch.arange(q.shape[1], device=q.device)[:, None] // (q.shape[1] // k.shape[1])
    within = torch.arange(block_n, device=q.device)
    out, lse = _empty(q, v)
    for b, layer in enumerate(layers):
        for tile in range(layer.q_tiles):
            rows = slice(tile * block_m, min((tile + 1) * block_m, layer.q_len))
            blocks = kv_idx[b, :, tile].long()
            blocks = blocks[:, : max(1, int((blocks < layer.n_blocks).sum(dim=1).max()))]  # [H, kept]
            keys = (blocks[..., None] * block_n + within).flatten(1)  # [H, kept * block_n]
            real = keys < layer.kv_len
            keys = keys.clamp(max=layer.kv_len - 1)
            seen = real[:, None] & _causal(layer.offset, layer.window, rows, keys[:, None])  # [H, rows, keys]
            mass = None if log_mass is None else log_mass[b][head, keys]
            part = q[b, :, rows], k[b][head, keys], v[b][head, keys]
            out[b, :, rows], lse[b, :, rows] = _attend(*part, mass, seen, layer.scale, softcap)
    return out, lse


def mass_weighted_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    log_mass: Tensor | None = None,
    *,
    visible: Tensor | None = None,
    causal: bool = True,
    scale: float | None = None,
    softcap: float | None = None,
    window: int | None = None,
    q_lens: Sequence[int] | None = None,
    kv_lens: Sequence[int] | None = None,
) -> tuple[Tensor, Tensor]:
    """Attend to all visible keys; see :func:`refsym_gpu.attention.mass_weighted_attention`. Differentiable."""
    check_attention(q, k, v, log_mass, softcap)
    rows, keys = check_dense(q, k, causal, window, q_lens, kv_lens)
    mask = check_visible(q, k, visible)
    heads, group = q.shape[1], q.shape[1] // k.shape[1]
    factor = q.shape[3] ** -0.5 if scale is None else float(scale)
    outs, sums = [], []
    for b, (m, n) in enumerate(zip(rows, keys, strict=True)):
        seen = torch.ones(1, 1, dtype=torch.bool, device=q.device)
        if causal:
            seen = _causal(n - m, window, slice(0, m), torch.arange(n, device=q.device))
        seen = seen.expand(heads, m, n)
        if mask is not None:
            seen = seen & mask[b, :, :m, :n]
        near, far = (x[b, :, :n].repeat_interleave(group, dim=0) for x in (k, v))
        mass = None if log_mass is None else log_mass[b, :, :n].repeat_interleave(group, dim=0)
        out, lse = _attend(q[b, :, :m], near, far, mass, seen, factor, softcap)
        beyond = q.shape[2] - m
        outs.append(torch.nn.functional.pad(out, (0, 0, 0, beyond)))
        sums.append(torch.nn.functional.pad(lse, (0, beyond), value=-math.inf))
    return torch.stack(outs), torch.stack(sums)


def check_attention(q: Tensor, k: Tensor, v: Tensor, log_mass: Tensor | None, softcap: float | None) -> None:
    """Raise InputError where values, log masses or softcap do not fit the keys."""
    if v.ndim != 4 or v.shape[:3] != k.shape[:3]:
        raise InputError(f"v {list(v.shape)} must have the batch, heads and keys of k {list(k.shape)}")
    if not q.dtype == k.dtype == v.dtype:
        raise InputError(f"q, k and v must have one type, got {q.dtype}, {k.dtype} and {v.dtype}")
    if log_mass is not None and log_mass.shape != k.shape[:3]:
        raise InputError(f"log_mass {list(log_mass.shape)} must be [B, H_kv, N] = {list(k.shape[:3])}")
    if softcap is not None and not (math.isfinite(softcap) and softcap > 0):
        raise InputError(f"softcap must be a finite positive number, not {softcap}")


def check_kv_idx(q: Tensor, k: Tensor, kv_idx: Tensor, block_m: int, block_n: int) -> None:
    """Raise InputError unless kv_idx is int32 [B, H, Q_t, slots] for these tiles."""
    wanted = (q.shape[0], q.shape[1], -(-q.shape[2] // block_m))
    if kv_idx.ndim != 4 or tuple(kv_idx.shape[:3]) != wanted or kv_idx.shape[3] < 1 or kv_idx.dtype != torch.int32:
        raise InputError(
            f"kv_idx must be int32 [B, H, Q_t, slots] with [B, H, Q_t] = {list(wanted)}, got {kv_idx.dtype} "
            f"{list(kv_idx.shape)}"
        )


def check_visible(q: Tensor, k: Tensor, visible: Tensor | None) -> Tensor | None:
    """Expand a mask to [B, H, M, N], without a copy; InputError where it cannot be."""
    if visible is None:
        return None
    wanted = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
    fits = visible.ndim == 4 and all(size in (1, full) for size, full in zip(visible.shape, wanted, strict=True))
    if visible.dtype != torch.bool or not fits:
        raise InputError(
            f"visible must be bool [B, H, M, N] = {list(wanted)}, or 1 in place of a size, got {visible.dtype} "
            f"{list(visible.shape)}"
        )
    return visible.expand(wanted)


def check_dense(
    q: Tensor,
    k: Tensor,
    causal: bool,
    window: int | None,
    q_lens: Sequence[int] | None,
    kv_lens: Sequence[int] | None,
) -> tuple[list[int], list[int]]:
    """Return rows and keys of each sequence; InputError where they do not fit."""
    check_heads(q, k)
    rows = check_lens("q_lens", q_lens, q.shape[0], q.shape[2])
    keys = check_lens("kv_lens", kv_lens, k.shape[0], k.shape[2])
    if window is not None and (window < 1 or not causal):
        raise InputError(f"window {window}: a positive number of keys back from a row's position, with causal=True")
    if causal and any(m > n for m, n in zip(rows, keys, strict=True)):
        raise InputError(f"causal rows sit at the end of the keys: {rows} rows do not fit {keys} keys")
    return rows, keys


def _empty(q: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    out = q.new_zeros((*q.shape[:3], v.shape[3]))
    return out, q.new_full(q.shape[:3], -math.inf, dtype=_computed(q))


def _computed(q: Tensor) -> torch.dtype:
    return torch.float64 if q.dtype == torch.float64 else torch.float32


def _causal(offset: int, window: int | None, rows: slice, keys: Tensor) -> Tensor:
    """Which rows see which keys, [rows, keys]."""
    position = offset + torch.arange(rows.start, rows.stop, device=keys.device)[:, None]
    seen = keys <= position
    return seen if window is None else seen & (keys > position - window)


def _attend(
    q: Tensor, k: Tensor, v: Tensor, log_mass: Tensor | None, seen: Tensor, scale: float, softcap: float | None
) -> tuple[Tensor, Tensor]:
    """Attention of [..., M, D] to [..., N, D], and its log-sum-exp."""
    dtype = _computed(q)
    scores = (q.to(dtype) @ k.to(dtype).mT) * scale
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if log_mass is not None:
        scores = scores + log_mass.to(dtype)[..., None, :]
    scores = scores.masked_fill(~seen, -math.inf)
    lse = scores.logsumexp(dim=-1)
    # A row without keys, or of keys without mass, weighs nothing.
    none = lse == -math.inf
    weights = (scores - lse.masked_fill(none, 0.0)[..., None]).exp()
    return (weights @ v.to(dtype)).to(q.dtype), lse
