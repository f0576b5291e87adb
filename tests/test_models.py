"""The hook into Transformers changes no logit, sees what the model computes, refuses what it cannot say."""

import pytest
import torch
from transformers import DynamicCache, StaticCache

from refsym_gpu import models
from refsym_gpu.models import BASES, UnsupportedAttentionError, register_attention
from refsym_theory.errors import InputError
from tiny_models import OBSERVABLE, tiny_model, tokens

WINDOWS = {
    "llama": [None, None],
    "mistral": [24, 24],
    "qwen2": [16, None],
    "qwen3": [None, None],
    "gemma3": [16, None],
    "qwen3_next": [None],
}


@pytest.fixture(autouse=True)
def _short_pieces(monkeypatch):
    """Masks are compared piece by piece: make every mask here take several pieces."""
    monkeypatch.setattr(models, "_ROWS_AT_ONCE", 16)


def observe(model, **inputs):
    calls = []
    with torch.inference_mode(), register_attention(model, calls.append):
        output = model(**inputs)
    return output.logits, calls


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("family", OBSERVABLE)
def test_logits_are_the_models_own_to_the_last_bit(family, base):
    model = tiny_model(family, base)
    ids = tokens(70, batch=2)
    with torch.inference_mode():
        before = model(input_ids=ids).logits
    seen, calls = observe(model, input_ids=ids)
    assert torch.equal(seen, before)
    assert model.config._attn_implementation == base
    with torch.inference_mode():
        assert torch.equal(model(input_ids=ids).logits, before)
    assert [call.window for call in calls] == WINDOWS[family]


def dense_output(call):
    """Attention by hand from what was observed: if q, k, v, scale or window were wrong, so would this be."""
    group = call.query.shape[1] // call.key.shape[1]
    key, value = (x.double().repeat_interleave(group, dim=1) for x in (call.key, call.value))
    logits = call.query.double() @ key.mT * call.scale
    rows, keys = logits.shape[-2:]
    position = keys - rows + torch.arange(rows)[:, None]
    seen = torch.arange(keys) <= position
    if call.window is not None:
        seen &= torch.arange(keys) > position - call.window
    return logits.masked_fill(~seen, -torch.inf).softmax(dim=-1) @ value


@pytest.mark.parametrize("family", OBSERVABLE)
def test_what_is_observed_reproduces_the_attention_output(family):
    model = tiny_model(family)
    outputs = []
    hooks = [
        module.o_proj.register_forward_pre_hook(lambda _, args: outputs.append(args[0]))
        for module in model.modules()
        if hasattr(module, "o_proj") and family != "qwen3_next"  # its output is gated before o_proj
    ]
    _, calls = observe(model, input_ids=tokens(70))
    for hook in hooks:
        hook.remove()
    for call, output in zip(calls, outputs, strict=family != "qwen3_next"):
        expected = dense_output(call).transpose(1, 2).flatten(2)
        torch.testing.assert_close(output.double(), expected, rtol=1e-5, atol=1e-6)


def test_query_and_key_are_those_after_rotary_embedding():
    model = tiny_model("llama")
    ids = tokens(40)
    _, calls = observe(model, input_ids=ids)
    inner = model.model
    with torch.inference_mode():
        hidden = inner.layers[0].input_layernorm(inner.embed_tokens(ids))
        attention = inner.layers[0].self_attn
        frequency = 1 / model.config.rope_parameters["rope_theta"] ** (torch.arange(0, 8, 2) / 8)
        angle = torch.cat([torch.outer(torch.arange(40.0), frequency)] * 2, dim=-1)

        def rotated(projection, heads):
            x = projection(hidden).reshape(1, 40, heads, 8).transpose(1, 2)
            half = torch.cat([-x[..., 4:], x[..., :4]], dim=-1)
            return x * angle.cos() + half * angle.sin()

        torch.testing.assert_close(calls[0].query, rotated(attention.q_proj, 4), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(calls[0].key, rotated(attention.k_proj, 2), rtol=1e-4, atol=1e-4)
        value = attention.v_proj(hidden).reshape(1, 40, 2, 8).transpose(1, 2)
        assert torch.equal(calls[0].value, value)


def test_layers_and_scales_are_those_of_the_modules():
    assert [call.layer for call in observe(tiny_model("qwen3_next"), input_ids=tokens(20))[1]] == [1]
    _, calls = observe(tiny_model("gemma3"), input_ids=tokens(20))
    assert [call.layer for call in calls] == [0, 1]
    assert [call.scale for call in calls] == [20**-0.5] * 2
    assert {call.key.shape[1] for call in calls} == {2}


@pytest.mark.parametrize("base", BASES)
def test_a_cached_prefix_is_observed_bottom_right_aligned(base):
    model = tiny_model("mistral", base)
    ids = tokens(50)
    cache = DynamicCache()
    with torch.inference_mode():
        model(input_ids=ids[:, :30], cache=cache)
    _, calls = observe(model, input_ids=ids[:, 30:], cache=cache)
    assert [(call.query.shape[2], call.key.shape[2]) for call in calls] == [(20, 50)] * 2
    _, whole = observe(model, input_ids=ids)
    torch.testing.assert_close(dense_output(calls[1]), dense_output(whole[1])[:, :, 30:], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("family", "name"), [("gemma2", "a soft cap on the logits"), ("gpt_oss", "attention sinks")])
def test_other_kinds_of_attention_are_refused_by_name(family, name):
    model = tiny_model(family, "eager")
    with pytest.raises(UnsupportedAttentionError, match=name):
        observe(model, input_ids=tokens(20))
    assert model.config._attn_implementation == "eager"


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("family", ["llama", "mistral"])
def test_padding_is_refused_by_name(family, base):
    mask = torch.ones(1, 40, dtype=torch.long)
    mask[:, :3] = 0
    with pytest.raises(UnsupportedAttentionError, match="left padding"):
        observe(tiny_model(family, base), input_ids=tokens(40), attention_mask=mask)
    with pytest.raises(UnsupportedAttentionError, match=r"not causal.*padding"):
        observe(tiny_model(family, base), input_ids=tokens(40), attention_mask=mask.flip(1))


def test_packed_sequences_are_refused():
    positions = torch.cat([torch.arange(20), torch.arange(20)])[None]
    with pytest.raises(UnsupportedAttentionError, match=r"not causal.*packing"):
        observe(tiny_model("llama"), input_ids=tokens(40), position_ids=positions, use_cache=False)


def test_a_static_cache_is_refused():
    model = tiny_model("llama")
    cache = StaticCache(config=model.config, max_cache_len=64)
    with pytest.raises(UnsupportedAttentionError, match="40 query rows on 64 keys"):
        observe(model, input_ids=tokens(40), cache=cache)


def test_a_bias_in_the_mask_is_refused():
    with pytest.raises(UnsupportedAttentionError, match="attention bias"):
        observe(tiny_model("llama"), input_ids=tokens(8), attention_mask=torch.full((1, 1, 8, 8), -0.5))


def test_attention_that_is_not_causal_is_refused():
    model = tiny_model("llama")
    for layer in model.model.layers:
        layer.self_attn.is_causal = False
    with pytest.raises(UnsupportedAttentionError, match=r"layer 0 \(LlamaAttention\) is not causal"):
        observe(model, input_ids=tokens(8))


def test_dropout_is_refused():
    model = tiny_model("llama").train()
    for layer in model.model.layers:
        layer.self_attn.attention_dropout = 0.1
    with pytest.raises(UnsupportedAttentionError, match=r"dropout; call model.eval"):
        observe(model, input_ids=tokens(8))


def test_a_model_is_observed_once_at_a_time_and_let_go_after_an_error():
    model = tiny_model("llama")
    with (
        register_attention(model, print),
        pytest.raises(InputError, match="observed already"),
        register_attention(model, print),
    ):
        pass

    def fail(call):
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"), register_attention(model, fail):
        model(input_ids=tokens(8))
    assert len(observe(model, input_ids=tokens(8))[1]) == 2


def test_an_implementation_that_cannot_be_observed_is_refused():
    model = tiny_model("llama")
    model.config._attn_implementation = "flex_attention"
    with pytest.raises(UnsupportedAttentionError, match="'flex_attention' cannot be observed"):
        observe(model, input_ids=tokens(8))
