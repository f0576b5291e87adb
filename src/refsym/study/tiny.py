"""A model and a tokenizer made on the spot, so that --quick needs no download."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import torch
from transformers.models.llama import LlamaConfig, LlamaForCausalLM

VOCABULARY = 257


def tiny_model(seed: int = 0) -> tuple[LlamaForCausalLM, Tokenizer]:
    """Two layers of 4 heads over 2 key heads, 16 channels each, random weights of this seed; and its tokenizer."""
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=8_192,
        tie_word_embeddings=True,
    )
    before = torch.random.get_rng_state()
    torch.manual_seed(seed)
    model = LlamaForCausalLM(config)
    model.train(False)
    model.set_attn_implementation("sdpa")
    torch.random.set_rng_state(before)
    # As initialised, attention is flat; sharper, blocks differ.
    with torch.no_grad():
        for layer in model.model.layers:
            layer.self_attn.q_proj.weight.mul_(20)
            layer.self_attn.k_proj.weight.mul_(20)
    return model, Tokenizer()


class Tokenizer:
    """A token a word, digit or sign, whatever the language."""

    def __call__(
        self,
        text: str,
        *,
        return_tensors: str | None = None,
        return_offsets_mapping: bool = False,
        add_special_tokens: bool = True,
    ) -> Any:
        """Ids of a text, as Transformers' fast tokenizers give them."""
        found = list(re.finditer(r"\s?(?:[^\W\d_]+|\d|[^\w\s]|_)|\s", text))
        ids: Any = [sum(match[0].encode()) % VOCABULARY for match in found]
        if return_tensors == "pt":
            ids = torch.tensor([ids])
        out = SimpleNamespace(input_ids=ids)
        if return_offsets_mapping:
            out.offset_mapping = [match.span() for match in found]
        return out
