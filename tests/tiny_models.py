"""Small random models of several families, built without a network."""

import torch
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    Gemma3TextConfig,
    GptOssConfig,
    LlamaConfig,
    MistralConfig,
    Qwen2Config,
    Qwen3Config,
    Qwen3NextConfig,
)

SMALL = {
    "vocab_size": 61,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
SLIDING = {"layer_types": ["sliding_attention", "full_attention"]}
CONFIGS = {
    "llama": lambda: LlamaConfig(**SMALL),
    "mistral": lambda: MistralConfig(**SMALL, sliding_window=24),
    "qwen2": lambda: Qwen2Config(**SMALL, use_sliding_window=True, sliding_window=16, **SLIDING),
    "qwen3": lambda: Qwen3Config(**SMALL),
    "gemma3": lambda: Gemma3TextConfig(**SMALL, sliding_window=16, query_pre_attn_scalar=20, **SLIDING),
    "gemma2": lambda: Gemma2Config(**SMALL, sliding_window=16, **SLIDING),
    "gpt_oss": lambda: GptOssConfig(**SMALL, sliding_window=16, num_local_experts=2, num_experts_per_tok=1, **SLIDING),
    "qwen3_next": lambda: Qwen3NextConfig(
        **{**SMALL, "num_hidden_layers": 3},
        layer_types=["linear_attention", "full_attention", "linear_attention"],
        linear_num_key_heads=2,
        linear_num_value_heads=2,
        linear_key_head_dim=8,
        linear_value_head_dim=8,
        num_experts=0,
        mlp_only_layers=[0, 1, 2],
    ),
}
OBSERVABLE = ("llama", "mistral", "qwen2", "qwen3", "gemma3", "qwen3_next")


def tiny_model(family, attention="sdpa"):
    """A model of the family with weights large enough for attention to be uneven."""
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(CONFIGS[family](), attn_implementation=attention)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith(("q_proj.weight", "k_proj.weight")):
                weight.mul_(12)
    return model.eval()


def tokens(length, seed=0, batch=1):
    """Random token ids [batch, length]."""
    return torch.randint(3, 61, (batch, length), generator=torch.Generator().manual_seed(seed))
