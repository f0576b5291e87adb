"""Attention over kept blocks, and over all keys weighted by their masses; by Triton kernels or in plain torch.

:mod:`refsym_gpu.reference_attention` says what is computed. Each operation is a custom operator of torch.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from refsym_gpu import reference_attention as reference
from refsym_gpu.implementation import Implementation, by_kernels, lengths_on
from refsym_gpu.inputs import geometries

ROWS = 64
"""Rows of a tile, and keys of a block, where nothing is selected."""


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
    impl: Implementation = "triton",
) -> tuple[Tensor, Tensor]:
    """Causal attention of each tile to its kept blocks (UG eq. 14).

    Parameters
    ----------
    q, k, v : [B, H, M, D], [B, H_kv, N, D], [B, H_kv, N, D_v]
        Of one type; H a multiple of H_kv.
    kv_idx : int32 [B, H, Q_t, slots]
        Kept blocks, ascending, then any number that is no block of the sequence: `Selection.kv_idx`.
    log_mass : [B, H_kv, N], optional
        Logarithm of each key's mass, added after the softcap (RS eq. 1); -inf leaves a key out.
    block_m, block_n : rows of a tile, keys of a block
    scale : factor on q.k; D**-0.5 by default
    softcap : scores become ``softcap * tanh(score / softcap)``
    window : keys that a row sees, itself included; None for all
    q_lens, kv_lens : real rows and keys of each sequence; all by default
    impl : "triton" or "reference"
        Kernels run on CUDA tensors; CPU tensors fall back to the reference.

    Returns
    -------
    out : [B, H, M, D_v] in q's type
        Zeros where a row sees none of the kept keys, and beyond a sequence's end.
    lse : float32 [B, H, M]
        Log-sum-exp of the scores; -inf where the output is zeros for want of keys.

    Raises
    ------
    InputError
        Shapes, types or sizes that do not fit, or an unknown implementation.
    """
    reference.check_attention(q, k, v, log_mass, softcap)
    layers = geometries(q, k, block_m, block_n, scale, window, q_lens, kv_lens)
    reference.check_kv_idx(q, k, kv_idx, block_m, block_n)
    by_kernels(impl, q)
    rows, keys = [layer.q_len for layer in layers], [layer.kv_len for layer in layers]
    factor = layers[0].scale
    out, lse = _sparse(q, k, v, kv_idx, log_mass, block_m, block_n, factor, softcap, window, rows, keys, impl)
    return out, lse


@torch.library.custom_op("refsym::block_sparse_attention", mutates_args=())
def _sparse(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    kv_idx: Tensor,
    log_mass: Tensor | None,
    block_m: int,
    block_n: int,
    scale: float,
    softcap: float | None,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
    impl: str,
) -> tuple[Tensor, Tensor]:
    sizes: dict[str, Any] = {"block_m": block_m, "block_n": block_n, "scale": scale, "softcap": softcap}
    if not by_kernels(impl, q):
        return reference.block_sparse_attention(
            q, k, v, kv_idx, log_mass=log_mass, window=window, q_lens=q_lens, kv_lens=kv_lens, **sizes
        )
    from refsym_gpu.kernels.attend import attend

    rows, keys = (lengths_on(q.device, list(lengths)) for lengths in (q_lens, kv_lens))
    return attend(q, k, v, kv_idx, rows, keys, log_mass=log_mass, window=window, **sizes)


@_sparse.register_fake
def _(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    kv_idx: Tensor,
    log_mass: Tensor | None,
    block_m: int,
    block_n: int,
    scale: float,
    softcap: float | None,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
    impl: str,
) -> tuple[Tensor, Tensor]:
    return _outputs(q, v)


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
    impl: Implementation = "triton",
) -> tuple[Tensor, Tensor]:
    """Attention in which a key of mass m counts as m keys (RS eq. 1); differentiable.

    Parameters
    ----------
    q, k, v, log_mass, scale, softcap, window, q_lens, kv_lens, impl
        As for :func:`block_sparse_attention`.
    visible : bool [B, H, M, N], optional
        What a row sees, besides causality; 1 stands for any size.
    causal : bool
        Rows sit at the end of the keys, and see none behind themselves.

    Returns
    -------
    out, lse
        As for :func:`block_sparse_attention`; both have gradients.

    Raises
    ------
    InputError
        Shapes, types or sizes that do not fit, or an unknown implementation.
    """
    if not by_kernels(impl, q):
        return reference.mass_weighted_attention(
            q,
            k,
            v,
            log_mass,
            visible=visible,
            causal=causal,
            scale=scale,
            softcap=softcap,
            window=window,
            q_lens=q_lens,
            kv_lens=kv_lens,
        )
    reference.check_attention(q, k, v, log_mass, softcap)
    rows, keys = reference.check_dense(q, k, causal, window, q_lens, kv_lens)
    reference.check_visible(q, k, visible)
    factor = q.shape[3] ** -0.5 if scale is None else float(scale)
    out, lse = _weighted(q, k, v, log_mass, visible, causal, factor, softcap, window, rows, keys)
    return out, lse


@torch.library.custom_op("refsym::mass_weighted_attention", mutates_args=())
def _weighted(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    log_mass: Tensor | None,
    visible: Tensor | None,
    causal: bool,
    scale: float,
    softcap: float | None,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
) -> tuple[Tensor, Tensor]:
    sizes: dict[str, Any] = {"causal": causal, "scale": scale, "softcap": softcap, "window": window}
    from refsym_gpu.kernels.attend import attend

    rows, keys = (lengths_on(q.device, list(lengths)) for lengths in (q_lens, kv_lens))
    mask = reference.check_visible(q, k, visible)
    return attend(q, k, v, None, rows, keys, log_mass=log_mass, mask=mask, block_m=ROWS, block_n=ROWS, **sizes)


@_weighted.register_fake
def _(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    log_mass: Tensor | None,
    visible: Tensor | None,
    causal: bool,
    scale: float,
    softcap: float | None,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
) -> tuple[Tensor, Tensor]:
    return _outputs(q, v)


@torch.library.custom_op("refsym::mass_weighted_attention_backward", mutates_args=())
def _weighted_backward(
    grad: Tensor,
    grad_lse: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    log_mass: Tensor | None,
    visible: Tensor | None,
    out: Tensor,
    lse: Tensor,
    causal: bool,
    scale: float,
    softcap: float | None,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    sizes: dict[str, Any] = {"causal": causal, "scale": scale, "softcap": softcap, "window": window}
    from refsym_gpu.kernels.backward import gradients

    rows, keys = (lengths_on(q.device, list(lengths)) for lengths in (q_lens, kv_lens))
    mask = reference.check_visible(q, k, visible)
    dq, dk, dv, dmass = gradients(q, k, v, out, lse, grad, grad_lse, rows, keys, log_mass=log_mass, mask=mask, **sizes)
    return dq, dk, dv, q.new_empty(0) if dmass is None else dmass


@_weighted_backward.register_fake
def _(
    grad: Tensor,
    grad_lse: Tensor,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    log_mass: Tensor | None,
    visible: Tensor | None,
    out: Tensor,
    lse: Tensor,
    causal: bool,
    scale: float,
    softcap: float | None,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    mass = q.new_empty(0) if log_mass is None else torch.empty_like(log_mass)
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v), mass


def _save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    q, k, v, log_mass, visible, *ctx.rest = inputs
    ctx.save_for_backward(q, k, v, log_mass, visible, *output)


def _backward(ctx: Any, grad: Tensor, grad_lse: Tensor) -> tuple[Tensor | None, ...]:
    log_mass = ctx.saved_tensors[3]
    dq, dk, dv, dmass = _weighted_backward(grad, grad_lse, *ctx.saved_tensors, *ctx.rest)
    return dq, dk, dv, None if log_mass is None else dmass, None, *(None for _ in ctx.rest)


_weighted.register_autograd(_backward, setup_context=_save)


def _outputs(q: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    dtype = torch.float64 if q.dtype == torch.float64 else torch.float32
    return q.new_empty((*q.shape[:3], v.shape[3])), q.new_empty(q.shape[:3], dtype=dtype)
