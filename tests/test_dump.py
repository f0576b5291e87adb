"""Dumps of tiny models: what is in them, and that a killed dump is completed byte for byte."""

import hashlib
import json
import subprocess
import sys

import numpy as np
import pytest
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import PreTrainedTokenizerFast

import refsym_gpu
from refsym_gpu.dump import dump_model, dump_scores
from refsym_gpu.haystack import key_value_haystack
from refsym_gpu.models import UnsupportedAttentionError, register_attention
from refsym_gpu.reference import measure_attention, measure_noise, tile_scores
from refsym_theory.errors import InputError
from refsym_theory.selection.score_dump import ScoreDump
from tiny_models import OBSERVABLE, tiny_model, tokens

BLOCKS = {"block_m": 16, "block_n": 8}


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
@pytest.mark.parametrize("family", OBSERVABLE)
def test_a_dump_holds_what_the_reference_computes_from_the_models_own_q_and_k(tmp_path, family, scorer):
    model = tiny_model(family)
    prompts = [tokens(70, seed=1)[0], tokens(41, seed=2)[0]]
    index = dump_scores(model, prompts, out=tmp_path / "dump", scorer=scorer, revision="r1", **BLOCKS)
    dump = ScoreDump.open(index.parent)
    dump.verify()
    assert [prompt.tokens for prompt in dump.settings.prompts] == [70, 41]
    assert dump.settings.prompts[1].sha256 == hashlib.sha256(prompts[1].numpy().tobytes()).hexdigest()
    assert (dump.settings.scorer, dump.settings.revision) == (scorer, "r1")
    for example, ids in enumerate(prompts):
        calls = []
        with torch.inference_mode(), register_attention(model, calls.append):
            model(input_ids=ids[None])
        entries = [entry for entry in dump.entries if entry.example == example]
        assert [entry.layer for entry in entries] == [call.layer for call in calls]
        for call, entry in zip(calls, entries, strict=True):
            shape = {"scale": call.scale, "window": call.window, **BLOCKS}
            tiles = tile_scores(call.query, call.key, scorer=scorer, **shape)
            dense = measure_attention(call.query, call.key, call.value, **shape)
            noise = measure_noise(call.query, call.key, scorer=scorer, **shape)
            with dump.shard(entry) as shard:
                tile = np.repeat(np.arange(entry.geometry.q_tiles), np.diff(shard.indptr))
                assert np.array_equal(tiles.visible[0].nonzero().T.numpy(), [tile, shard.indices])
                assert np.array_equal(tiles.forced[0].nonzero().numpy(), shard.forced)
                for head in range(entry.geometry.heads):
                    assert np.array_equal(shard.scores(head), tiles.scores[0, head, tile, shard.indices])
                    assert np.array_equal(shard.mass(head), dense.mass[0, head, tile, shard.indices])
                    np.testing.assert_allclose(np.bincount(tile, shard.mass(head)), 1, atol=1e-5)
                assert np.array_equal(shard.value_radius, dense.value_radius[0])
                assert np.array_equal(shard.step_sq_sum, noise.step_sq_sum[0])
                assert np.array_equal(shard.step_count, noise.step_count[0])
                assert np.array_equal(shard.half_diff_sq_sum, noise.half_diff_sq_sum[0])
                assert np.array_equal(shard.half_diff_count, noise.half_diff_count[0])
                assert shard.half_diff_count.min() > 0


class Killed(BaseException):
    """Stands for a signal."""


def test_a_killed_dump_is_completed_byte_for_byte_without_running_finished_prompts(tmp_path):
    model = tiny_model("gemma3")
    prompts = [tokens(50, seed=1)[0], tokens(60, seed=2)[0]]
    dump_scores(model, prompts, out=tmp_path / "whole", **BLOCKS)

    def kill(done, total):
        assert total == 4
        if done == 3:
            raise Killed

    with pytest.raises(Killed):
        dump_scores(model, prompts, out=tmp_path / "killed", progress=kill, **BLOCKS)
    with pytest.raises(InputError, match="incomplete"):
        ScoreDump.open(tmp_path / "killed")

    lengths, steps = [], []
    hook = model.base_model.register_forward_pre_hook(
        lambda module, args, kwargs: lengths.append(kwargs["input_ids"].shape[1]), with_kwargs=True
    )
    dump_scores(model, prompts, out=tmp_path / "killed", progress=lambda done, _: steps.append(done), **BLOCKS)
    hook.remove()
    assert lengths == [1, 60]  # one token to find the layers, and the prompt that was under way
    assert steps == [2, 3, 4]
    assert files(tmp_path / "killed") == files(tmp_path / "whole")


def test_other_settings_are_refused_and_force_starts_afresh(tmp_path):
    model = tiny_model("llama")
    dump_scores(model, tokens(30), out=tmp_path, **BLOCKS)
    before = files(tmp_path)
    with pytest.raises(InputError, match="scorer"):
        dump_scores(model, tokens(30), out=tmp_path, scorer="quest", **BLOCKS)
    assert files(tmp_path) == before
    dump_scores(model, tokens(30), out=tmp_path, scorer="quest", force=True, with_mass=False, **BLOCKS)
    dump = ScoreDump.open(tmp_path)
    dump.verify()
    assert (dump.settings.scorer, dump.settings.with_mass) == ("quest", False)


def test_half_precision_models_are_dumped_in_float32(tmp_path):
    dump_scores(tiny_model("llama").bfloat16(), tokens(30), out=tmp_path, **BLOCKS)
    ScoreDump.open(tmp_path).verify()


def test_bad_input_is_refused_in_one_line(tmp_path):
    model = tiny_model("llama")
    with pytest.raises(InputError, match="no token"):
        dump_scores(model, [], out=tmp_path / "a")
    with pytest.raises(InputError, match="no token"):
        dump_scores(model, torch.zeros(0, dtype=torch.long), out=tmp_path / "a")
    with pytest.raises(InputError, match=r"model.eval\(\)"):
        dump_scores(tiny_model("llama").train(), tokens(30), out=tmp_path / "a")
    assert not (tmp_path / "a").exists()
    dump_scores(model, tokens(30), out=tmp_path / "b", **BLOCKS)
    before = files(tmp_path / "b")
    with pytest.raises(UnsupportedAttentionError, match="soft cap"):
        dump_scores(tiny_model("gemma2", "eager"), tokens(30), out=tmp_path / "b", force=True)
    assert files(tmp_path / "b") == before


def test_a_score_that_is_not_finite_is_named(tmp_path):
    model = tiny_model("llama")
    with torch.no_grad():
        model.model.layers[1].self_attn.q_proj.weight[8:16] = torch.inf
    with pytest.raises(InputError, match=r"0-1\.safetensors.*'scores': head 1, tile \d+, block \d+: not finite"):
        dump_scores(model, tokens(30), out=tmp_path, **BLOCKS)


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    """A model on disk whose tokenizer maps the words w0, w1, ... to their numbers."""
    folder = tmp_path_factory.mktemp("Tiny-1.5B")
    tiny_model("qwen3").save_pretrained(folder)
    tokenizer = Tokenizer(WordLevel({f"w{i}": i for i in range(61)}, unk_token="w0"))
    tokenizer.pre_tokenizer = Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="w0").save_pretrained(folder)
    return folder


def words(count):
    return " ".join(f"w{3 + i % 50}" for i in range(count))


def test_a_model_folder_is_dumped_from_text_and_no_path_gets_in(tmp_path, model_folder, capfd):
    index = dump_model(model_folder, [words(40), words(20)], tokens=30, out=tmp_path / "dump", **BLOCKS)
    dump = ScoreDump.open(index.parent)
    dump.verify()
    assert [prompt.tokens for prompt in dump.settings.prompts] == [30, 20]
    assert dump.settings.model == model_folder.name
    assert dump.settings.revision.endswith(" float32")
    assert str(model_folder.parent) not in json.dumps(json.loads(index.read_text()))
    assert capfd.readouterr() == ("", "")
    same = dump_scores(
        tiny_model("qwen3"), torch.arange(3, 33), out=tmp_path / "same", model_id=model_folder.name, **BLOCKS
    )
    shard = "shards/0-0.safetensors"
    assert (same.parent / shard).read_bytes() == (index.parent / shard).read_bytes()


def test_models_and_prompts_that_cannot_be_used_are_refused(tmp_path, model_folder):
    out = tmp_path / "dump"
    with pytest.raises(InputError, match=r"neither a folder with config\.json nor a \.gguf file"):
        dump_model(tmp_path, "w1", tokens=5, out=out)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    with pytest.raises(InputError, match=r"broken\.gguf: Transformers cannot load it"):
        dump_model(broken, "w1", tokens=5, out=out)
    with pytest.raises(InputError, match="prompt 1 is empty"):
        dump_model(model_folder, ["w1", " \n"], tokens=5, out=out)
    with pytest.raises(InputError, match="between 1 and the model's context of 512, not 513"):
        dump_model(model_folder, "w1", tokens=513, out=out)
    assert not out.exists()


def test_the_haystack_is_the_same_everywhere_and_its_answer_is_in_it():
    stack = key_value_haystack(253, seed=2)
    assert hashlib.sha256(stack.text.encode()).hexdigest() == HAYSTACK
    *_, question, last = stack.text.splitlines()
    assert question.startswith("What is the access code for the ")
    assert f"{last} {stack.answer}." in stack.text
    assert stack.text.count(stack.answer) == 1
    assert key_value_haystack(5, seed=1) != key_value_haystack(5, seed=2)
    assert (
        key_value_haystack(7, seed=1, depth=1)
        .text.splitlines()[7]
        .startswith(key_value_haystack(7, seed=1, depth=1).text.splitlines()[-1])
    )
    with pytest.raises(InputError, match="facts"):
        key_value_haystack(0, seed=0)


HAYSTACK = "b27f3ff457c35956ad79b74fcd27474666632772d4cf252c7ec8daf22bb20ec6"


def test_importing_the_package_loads_neither_torch_nor_transformers():
    code = "import sys, refsym_gpu; assert not {'torch', 'transformers'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert all(callable(getattr(refsym_gpu, name)) for name in refsym_gpu.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        refsym_gpu.nothing  # noqa: B018 (the access is the test)
