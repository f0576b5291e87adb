"""The study of triggers: its records on a tiny model, what it resumes, what it refuses."""

import importlib.util
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from refsym_stats import Plan, record_table  # noqa: E402
from tiny_models import tiny_model  # noqa: E402

FOLDER = Path(__file__).parents[1] / "studies" / "selection"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("selection_run", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their own module up
    spec.loader.exec_module(module)
    return module


class Words:
    """A tokenizer of one token a word."""

    def __call__(self, text, return_tensors):
        words = text.split()
        return SimpleNamespace(input_ids=torch.tensor([[3 + len(word) % 58 for word in words]]))


@pytest.fixture(scope="module")
def model():
    found = tiny_model("llama")
    found.config.max_position_embeddings = 2_048
    return found


def test_every_arm_is_held_against_dense_attention_on_every_context(study, model):
    # The kernels' interpreter is not for this: the study runs as it does where there is no card.
    rules = {name: study.replace(rule, impl="reference") for name, rule in study.arms(4).items()}
    context = study.Context("c", "t", torch.randint(3, 61, (1, 1_152), generator=torch.Generator().manual_seed(0)))
    rows = study.compared(model, context, rules)
    assert [row["arm"] for row in rows] == list(rules)
    for row in rows:
        assert row["score"] <= 1e-12
        assert 0 <= row["same_first"] <= 1
        expected = {"top-k": 4, "uniform": 5}.get(row["arm"])
        # ceil(0.4 T) of T tiles, or cells, expand from 4 to 8 blocks.
        assert row["blocks"] == expected or (expected is None and 5.6 <= row["blocks"] <= 6.4)
    again = study.compared(model, context, {name: rules[name] for name in ("random", "sigma")})
    assert [row["score"] for row in again] == [row["score"] for row in rows[2:4]]


def test_the_committed_plan_names_the_arms_of_the_study(study):
    plan = Plan.read(FOLDER / "plan.toml")
    assert set(plan.arms) <= set(study.arms())
    assert plan.families[0].size == len(plan.families[0].contrasts) == 6


def test_rules_keep_the_same_blocks_on_average(study):
    for name, rule in study.arms().items():
        slots = study.Fraction(rule.rho) * rule.k
        average = rule.k if name in ("top-k", "uniform") else rule.k * (1 + study.Fraction(rule.q))
        assert slots == 16
        assert (float(average) == 8) if name == "top-k" else 11 <= average < 12


def test_contexts_are_of_one_task_each_and_do_not_overlap(study, tmp_path):
    data = tmp_path / "questions.jsonl"
    prompts = [{"task": t, "cluster": "c", "prompt": f"{t} word\u2028 number {i}"} for t in "ab" for i in range(40)]
    data.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [*prompts, prompts[0]]))
    found = list(study.contexts(data, Words(), 50, 2))
    assert [(context.item, context.cluster) for context in found] == [
        ("a 0", "a"),
        ("a 1", "a"),
        ("b 0", "b"),
        ("b 1", "b"),
    ]
    assert all(context.tokens.shape == (1, 50) for context in found)


def test_a_study_resumes_and_refuses_other_settings(study, model, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "load_model", lambda path: (model, Words()))
    rules = {"top-k": study.arms(4)["top-k"], "sigma": study.arms(4)["sigma"]}
    rules = {name: study.replace(rule, impl="reference") for name, rule in rules.items()}
    monkeypatch.setattr(study, "arms", lambda *a, **k: rules)
    out = tmp_path / "records.parquet"
    words = [str(tmp_path), "--quick", "--tokens", "1280", "--out", str(out)]
    ids = torch.arange(1_280)[None] % 50 + 3
    ready = [study.Context("one", "one", ids)]
    monkeypatch.setattr(study, "generated", lambda tokenizer, tokens: iter(ready))
    study.main(words)
    first = study.pq.read_table(out)
    ready.append(study.Context("two", "two", ids.flip(1)))
    capsys.readouterr()
    study.main(words)
    assert capsys.readouterr().err.count("1/1 two") == 1
    table = study.pq.read_table(out)
    assert table.slice(0, first.num_rows).equals(first)
    assert record_table(table.to_pandas()).frame["item"].cat.categories.tolist() == ["one", "two"]
    with pytest.raises(SystemExit, match=r"other settings \(tokens\); --force"):
        study.main([*words[:3], "1216", *words[4:]])
    with pytest.raises(SystemExit, match="--data FILE is needed"):
        study.main([str(tmp_path), "--out", str(out)])
