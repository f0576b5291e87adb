"""The attention of the last token at every layer and head of a model, over a sequence laid out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS

NAME = "refsym_probe"


def causal_mask(log_mass: Tensor) -> Tensor:
    """Additive mask [N, N] of a causal sequence whose keys carry these log-masses [N]."""
    seen = torch.ones(len(log_mass), len(log_mass), dtype=torch.bool).tril()
    return torch.where(seen, log_mass, -torch.inf)


@torch.inference_mode()
def last_row(model: Any, embedded: Tensor, positions: Tensor, mask: Tensor) -> Tensor:
    """Logarithm of the last token's attention, float64 [layers, heads, N].

    Parameters
    ----------
    embedded : [N, channels]
        What enters the first layer.
    positions : [N]
        Rotary coordinates; they need not be integers.
    mask : [N, N]
        Added to the logits, -inf where a row does not see a key.
    """
    rows: list[Tensor] = []
    with _probed(model, rows):
        model.model(
            inputs_embeds=embedded[None],
            position_ids=positions[None],
            attention_mask=mask[None, None].to(embedded.dtype),
            use_cache=False,
        )
    return torch.stack(rows)


@contextmanager
def _probed(model: Any, rows: list[Tensor]) -> Iterator[None]:
    def attend(
        module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scaling: float, **_: Any
    ) -> tuple[Tensor, None]:
        group = query.shape[1] // key.shape[1]
        key, value = key.repeat_interleave(group, dim=1), value.repeat_interleave(group, dim=1)
        # In float64, so that no probability is rounded to zero.
        log = ((query @ key.mT).double() * scaling + mask.double()).log_softmax(dim=-1)
        rows.append(log[0, :, -1])
        return (log.exp().to(value.dtype) @ value).transpose(1, 2).contiguous(), None

    before = model.config._attn_implementation
    AttentionInterface.register(NAME, attend)
    AttentionMaskInterface.register(NAME, ALL_MASK_ATTENTION_FUNCTIONS["sdpa"])
    model.set_attn_implementation(NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(before)
