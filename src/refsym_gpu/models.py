"""A Transformers model's attention from inside: watched, or replaced during prefill, layer by layer.

The hook goes through Transformers' attention interface. It registers the mask function too: without one the
library hands over no mask at all, and sliding-window models run as full attention without a word. Where attention
is only watched the output is computed by the very function that the model would have called, so logits are the
same to the last bit.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS
from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

from refsym_theory.errors import InputError

BASES = ("sdpa", "eager")

_REFUSED = {
    "softcap": "a soft cap on the logits",
    "s_aux": "attention sinks",
    "sinks": "attention sinks",
    "position_bias": "an attention bias",
    "attention_bias": "an attention bias",
    "alibi": "an attention bias (ALiBi)",
    "head_mask": "a head mask",
    "cu_seq_lens_q": "packed sequences",
    "cu_seq_lens_k": "packed sequences",
}
# Tensors that reach the attention function and change nothing there: rotary embedding is done by then.
_HARMLESS = {"position_ids", "cache_position", "position_embeddings"}
_ROWS_AT_ONCE = 1024


class UnsupportedAttentionError(InputError):
    """The model does something in attention that block scores do not describe; the message names it."""


@dataclass(frozen=True, eq=False)
class AttentionCall:
    """One attention layer at work.

    Attributes
    ----------
    layer : int
        The module's own ``layer_idx``: hybrid models call attention on some layers only.
    query : [B, H, M, D]
        After rotary embedding.
    key, value : [B, H_kv, N, D], [B, H_kv, N, D_v]
        After rotary embedding, not repeated; N > M behind a cached prefix.
    scale : float
        Factor on q.k.
    window : int or None
        Keys that a row sees, itself included; None for all.
    """

    layer: int
    query: Tensor
    key: Tensor
    value: Tensor
    scale: float
    window: int | None


Observer = Callable[[AttentionCall], None]
Attention = Callable[[AttentionCall], Tensor]


@dataclass(frozen=True)
class _Hook:
    observe: Observer | None
    attend: Attention | None


_hooks: WeakKeyDictionary[nn.Module, _Hook] = WeakKeyDictionary()


@contextmanager
def register_attention(
    model: PreTrainedModel,
    observe: Observer | None = None,
    *,
    attend: Attention | None = None,
    policy: str | None = None,
    **settings: Any,
) -> Iterator[None]:
    """Watch or replace attention at every layer of ``model`` while the context is open.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        With attention implementation "sdpa" or "eager"; watched, its outputs do not change by a bit.
    observe : callable, optional
        Gets an :class:`AttentionCall` before each layer's attention; what it raises ends the forward.
    attend : callable, optional
        Gets the call of a prefill (more than one query row) and returns its output [B, H, M, D_v] in place of the
        layer's own; decoding stays dense.
    policy, settings
        In place of ``attend``: those of :class:`refsym_gpu.sparse.SparseAttention`, such as
        ``policy="router", scorer="quest", k=33, rho=2, q="0.4"``.

    Raises
    ------
    UnsupportedAttentionError
        On entering: another attention implementation. During a forward: soft cap, attention sinks, bias,
        dropout, attention that is not causal, or a mask that is not causal with the layer's window (left
        padding, packed sequences, static caches, chunked attention).
    InputError
        The model is being observed already, there is nothing to do, or a setting is out of range.
    """
    if policy is not None:
        if attend is not None:
            raise InputError("attend and policy both replace attention; give one of them")
        if "k" not in settings:
            raise InputError(f"policy {policy!r} needs k, the blocks that a tile keeps")
        from refsym_gpu.sparse import SparseAttention

        attend = SparseAttention(policy, **settings)
    elif settings:
        raise InputError(f"{', '.join(settings)}: settings of a policy; name one")
    if observe is None and attend is None:
        raise InputError("register_attention needs observe, attend or policy")
    modules = list(model.modules())
    if any(module in _hooks for module in modules):
        raise InputError("the model is being observed already")
    base = model.config._attn_implementation
    if base not in BASES:
        raise UnsupportedAttentionError(
            f"attention implementation {base!r} cannot be observed; load the model with sdpa or eager"
        )
    configs = {id(part.config): part.config for part in modules if isinstance(part, PreTrainedModel)}
    before = [(config, config._attn_implementation) for config in configs.values()]
    name = f"refsym_{base}"
    AttentionInterface.register(name, _attend_eager if base == "eager" else _attend_sdpa)
    AttentionMaskInterface.register(name, ALL_MASK_ATTENTION_FUNCTIONS[base])
    try:
        _hooks.update(dict.fromkeys(modules, _Hook(observe, attend)))
        model.set_attn_implementation(name)
        yield
    finally:
        for module in modules:
            del _hooks[module]
        # Setting a config sets its parts as well, and parts come after their wholes.
        for config, implementation in before:
            config._attn_implementation = implementation


def _attend_sdpa(*args: Any, **kwargs: Any) -> Any:
    return _attend("sdpa", *args, **kwargs)


def _attend_eager(*args: Any, **kwargs: Any) -> Any:
    return _attend("eager", *args, **kwargs)


def _attend(
    base: str,
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    **kwargs: Any,
) -> Any:
    """Show the call to the observer; then attend in the model's place, or do what it would have done."""
    call, hook = _describe(module, query, key, value, kwargs), _hooks[module]
    _check_causal(call, attention_mask, base)
    if hook.observe is not None:
        hook.observe(call)
    if hook.attend is not None and query.shape[2] > 1:
        if torch.is_grad_enabled() and query.requires_grad:
            raise UnsupportedAttentionError(
                f"layer {call.layer} needs gradients, which replaced attention has not; use torch.inference_mode()"
            )
        return hook.attend(call).transpose(1, 2).contiguous(), None
    # A model file may override functions of the interface, and brings its own eager function.
    namespace = vars(sys.modules[type(module).__module__])
    interface = namespace.get("ALL_ATTENTION_FUNCTIONS", ALL_ATTENTION_FUNCTIONS)
    attend = interface.get_interface(base, namespace.get("eager_attention_forward"))
    return attend(module, query, key, value, attention_mask, **kwargs)


def _describe(module: nn.Module, query: Tensor, key: Tensor, value: Tensor, kwargs: dict[str, Any]) -> AttentionCall:
    """Check everything about the call but its mask."""
    name = type(module).__name__
    layer = getattr(module, "layer_idx", None)
    if not isinstance(layer, int):
        raise UnsupportedAttentionError(f"{name} has no layer_idx, so its layer cannot be named")
    where = f"layer {layer} ({name})"
    for argument, meaning in _REFUSED.items():
        if kwargs.get(argument) is not None:
            raise UnsupportedAttentionError(f"{where} uses {meaning} ({argument}), which is not supported")
    for argument, given in kwargs.items():
        if isinstance(given, Tensor) and argument not in _HARMLESS:
            raise UnsupportedAttentionError(f"{where} passes the tensor {argument!r}, which is not supported")
    if kwargs.get("dropout"):
        raise UnsupportedAttentionError(f"{where} uses dropout; call model.eval() first")
    is_causal = kwargs.get("is_causal")
    if not (getattr(module, "is_causal", True) if is_causal is None else is_causal):
        raise UnsupportedAttentionError(f"{where} is not causal, which is not supported")
    if query.shape[1] % key.shape[1] or query.shape[2] > key.shape[2]:
        raise UnsupportedAttentionError(
            f"{where} has query {list(query.shape)} on key {list(key.shape)}: heads or rows do not fit"
        )
    scale = kwargs.get("scaling")
    window = kwargs.get("sliding_window", getattr(module, "sliding_window", None))
    return AttentionCall(
        layer=layer,
        query=query.detach(),
        key=key.detach(),
        value=value.detach(),
        scale=query.shape[-1] ** -0.5 if scale is None else float(scale),
        window=None if window is None else int(window),
    )


def _check_causal(call: AttentionCall, mask: Tensor | None, base: str) -> None:
    """Compare the mask with bottom-right aligned causality under the layer's window."""
    rows, keys = call.query.shape[2], call.key.shape[2]
    expected = "causal" if call.window is None else f"causal with a window of {call.window}"
    if mask is None:
        # Without a mask sdpa aligns causality at the top left, and eager masks nothing.
        aligned = rows == 1 or (base == "sdpa" and rows == keys)
        if not aligned or (call.window is not None and call.window < keys):
            raise UnsupportedAttentionError(
                f"layer {call.layer} has {rows} query rows on {keys} keys and no mask, expected {expected}"
            )
        return
    if mask.ndim != 4 or mask.shape[2:] != (rows, keys):
        raise UnsupportedAttentionError(
            f"layer {call.layer} has a mask {list(mask.shape)} for {rows} query rows on {keys} keys"
        )
    key = torch.arange(keys, device=mask.device)
    for start in range(0, rows, _ROWS_AT_ONCE):
        part = mask[:, :, start : start + _ROWS_AT_ONCE]
        allowed = part if part.dtype == torch.bool else part == 0
        if part.dtype != torch.bool and not (allowed | (part <= torch.finfo(part.dtype).min)).all():
            raise UnsupportedAttentionError(f"layer {call.layer} uses an attention bias, which is not supported")
        position = keys - rows + torch.arange(start, start + part.shape[2], device=mask.device)[:, None]
        causal = key <= position
        if call.window is not None:
            causal &= key > position - call.window
        if start == 0 and causal[:, 0].any() and (~allowed[..., 0] | ~causal[:, 0]).all(dim=-1).any():
            raise UnsupportedAttentionError(f"layer {call.layer} has left padding, which is not supported")
        if not (allowed == causal).all():
            raise UnsupportedAttentionError(
                f"layer {call.layer} has a mask that is not {expected} (padding, packing or chunks), "
                "which is not supported"
            )
