"""What the studies of selection compare: rules of one budget, prompts of known evidence, texts that share nothing."""

import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from refsym.commands.study import load_study  # noqa: E402
from refsym.study.contexts import in_turn  # noqa: E402
from refsym.study.questions import read_rows  # noqa: E402
from refsym.study.sparse_arms import Watched, arms, divergence, log_probabilities, prefill  # noqa: E402
from refsym.study.tiny import Tokenizer, tiny_model  # noqa: E402
from refsym_gpu import implementation  # noqa: E402
from refsym_gpu.dump import dump_scores  # noqa: E402
from refsym_gpu.models import AttentionCall  # noqa: E402
from refsym_stats import Plan  # noqa: E402
from refsym_theory import ScoreDump, certify  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402

STUDIES = Path(__file__).parents[1] / "studies"


@pytest.fixture(autouse=True)
def without_the_interpreter(monkeypatch):
    monkeypatch.setattr(implementation, "INTERPRETED", False)


@pytest.mark.parametrize("name", ["selection", "retrieval"])
def test_a_plan_names_benchmarks_and_arms_that_the_study_has(name):
    module, plan = load_study(STUDIES / name), Plan.read(STUDIES / name / "plan.toml")
    rules = {setting.name: setting.rules() for setting in module.SETTINGS}
    for family in plan.families:
        assert family.size == len(family.contrasts)
        for contrast in family.contrasts:
            assert {contrast.arm, contrast.comparator} <= set(rules[contrast.benchmark])


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
@pytest.mark.parametrize(("k", "rho", "q"), [(8, 2, "0.4"), (4, 2, "0.4"), (6, 3, "0.2"), (5, 2, "0.4")])
def test_rules_keep_the_same_blocks_on_average(k, rho, q, scorer):
    average = k * (1 + Fraction(q) * (rho - 1))
    for name, rule in arms(k, rho, q, scorer=scorer, threshold=0.1).items():
        assert rule.scorer == scorer
        assert Fraction(rule.rho) * rule.k == rho * k
        if name == "top-k":
            assert rule.k == k
        elif name == "uniform":
            assert average - 1 < rule.k <= average
        else:
            assert rule.k + Fraction(rule.q) * (rho * k - rule.k) == average


def test_what_a_rule_kept_is_counted_where_tiles_are_eligible():
    generator = torch.Generator().manual_seed(0)
    q, key, value = (torch.randn(1, heads, 1_000, 16, generator=generator) for heads in (4, 2, 2))
    call = AttentionCall(0, q, key, value, 0.25, None)
    for name, rule in arms(4, threshold=0.1).items():
        watched = Watched(rule, [[0], [15], [3, 4]])
        watched(call)
        index = rule.kept(call)
        counts = (index < 16).sum(-1)[0]
        # 16 tiles; those that see more than 8 blocks.
        assert watched.tiles == 4 * 8
        assert watched.blocks == pytest.approx(float(counts[:, 8:].double().mean())), name
        assert watched.hit_rates[:2] == [1.0, 1.0]
        last = index[0, :, -1]
        assert watched.hit_rates[2] == pytest.approx(
            sum(float((last == b).any(-1).double().mean()) for b in (3, 4)) / 2
        )
        low, high = {"top-k": (4, 4), "uniform": (5, 5), "sigma, threshold": (4, 8)}.get(name, (5.5, 6.1))
        assert low <= watched.blocks <= high


def test_a_prefill_in_two_parts_is_the_prefill_at_once():
    model, tokenizer = tiny_model()
    ids = tokenizer("word " * 300, return_tensors="pt").input_ids
    with torch.inference_mode():
        whole = prefill(model, ids, None, None).hidden
        before = prefill(model, ids[:, :128], None, None).cache
        rest = prefill(model, ids[:, 128:], before, None).hidden
        again = prefill(model, ids[:, 128:], before, None).hidden  # the cache is not used up
        own = log_probabilities(model, rest)
    torch.testing.assert_close(rest, whole[128:], rtol=1e-4, atol=1e-5)
    assert torch.equal(rest, again)
    assert float(divergence(own, own).abs().max()) == 0


def test_evidence_lies_in_the_blocks_that_are_named():
    module = load_study(STUDIES / "retrieval")
    tokenizer = Tokenizer()
    for task in ("needles", "chase"):
        for prompt in module.generated(module.Setting(task, task, 3, 700), tokenizer):
            assert 500 < prompt.tokens.shape[1] <= 700
            assert len(prompt.evidence) == (4 if task == "chase" else 1)
            digits = prompt.candidates[prompt.answer]
            last = prompt.evidence[-1]
            held = prompt.tokens[0, last[0] * 64 : (last[-1] + 1) * 64].tolist()
            assert any(held[i : i + 5] == [*digits][-5:] for i in range(len(held)))


def test_candidates_are_ranked_by_their_whole_log_probability():
    module = load_study(STUDIES / "retrieval")
    model, tokenizer = tiny_model()
    ids = tokenizer("a few words to begin with", return_tensors="pt").input_ids
    candidates = [[5, 9, 11], [5, 9], [200]]
    with torch.inference_mode():
        found = prefill(model, ids, None, None)
        first = log_probabilities(model, found.hidden[-1:])[0]
        scores = module.candidate_scores(model, found, first, candidates)
        for candidate, score in zip(candidates, scores, strict=True):
            whole = torch.cat([ids, torch.tensor([candidate])], dim=1)
            log = log_probabilities(model, prefill(model, whole, None, None).hidden)
            start = ids.shape[1] - 1
            assert score == pytest.approx(sum(float(log[start + i, t]) for i, t in enumerate(candidate)), abs=1e-5)


def test_contexts_share_no_passage_and_take_tasks_in_turn(tmp_path):
    data = tmp_path / "questions.jsonl"
    rows = [
        {
            "id": f"{t}{i}",
            "task": t,
            "cluster": f"{t}{i}",
            "prompt": f"{t} passage {i} " + "word " * 60,
            "options": [],
            "answer": 0,
        }
        for t in "ab"
        for i in range(200)
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[0]]))

    class Words:
        def __call__(self, text, return_tensors):
            return SimpleNamespace(input_ids=torch.tensor([[hash(word) % 1_000 for word in text.split()]]))

    found = in_turn(data, Words(), 500, 6)
    assert [context.item for context in found] == ["a 0", "b 0", "a 1", "b 1", "a 2", "b 2"]
    assert all(context.tokens.shape == (1, 500) for context in found)
    assert len({tuple(context.tokens[0].tolist()) for context in found}) == 6


def test_captured_gain_is_that_of_the_certificate_of_the_same_run(tmp_path):
    study = load_study(STUDIES / "triggers")
    model, tokenizer = tiny_model()
    (context,) = study.generated(tokenizer, 704, 1)
    rows = pd.DataFrame(study.observed(model, context, ((3, 2),)))
    for scorer in ("kmean", "quest"):
        dump_scores(model, context.tokens, out=tmp_path / scorer, scorer=scorer, model_id="tiny")
        certificate = certify(ScoreDump.open(tmp_path / scorer), k=3, rho=2, q="0.4", draws=0)
        for value, currency in (("identification", "value"), ("output", "mass")):
            for policy, name in (("sigma", "sigma"), ("gap", "gap"), ("best_value", "best_value")):
                for level in ("tile", "cell"):
                    ours = rows.query(
                        f"scorer == '{scorer}' and policy == '{name}' and level == '{level}' and q == 0.4"
                    )
                    theirs = certificate.layers.query(
                        f"policy == '{policy}' and level == '{level}' and value == '{value}'"
                    ).set_index("layer")
                    for _, row in ours.iterrows():
                        best, chance = row[f"best_{currency}"], row[f"chance_{currency}"]
                        found = (row[f"gained_{currency}"] - chance) / (best - chance)
                        assert found == pytest.approx(theirs.loc[row["layer"], "captured"], rel=1e-6, abs=1e-6)


def test_errors_of_a_layer_are_those_of_a_loop():
    study = load_study(STUDIES / "triggers")
    generator = torch.Generator().manual_seed(1)
    q, key, value = (torch.randn(1, heads, 100, 16, generator=generator) for heads in (2, 1, 1))
    call = AttentionCall(0, q, key, value, 0.25, None)
    rule = study.SparseAttention("topk", k=3, rho=2, block_m=16, block_n=16)
    _, chosen, worth, _ = study.worth(call, rule)
    kept = {
        more: study.keep(rule.scores(call, "kmean"), chosen, torch.full_like(chosen.sigma, more, dtype=torch.bool))
        for more in (False, True)
    }
    eligible = chosen.eligible[0].nonzero()[:, 0].tolist()
    assert eligible
    for h in range(2):
        for i, t in enumerate(eligible):
            error = {}
            for more, index in kept.items():
                error[more] = 0.0
                for row in range(16 * t, min(100, 16 * t + 16)):
                    keys = [j for j in range(row + 1) if j // 16 in index[0, h, t].tolist()]
                    logits = (key[0, 0, : row + 1].double() @ q[0, h, row].double()) * 0.25
                    dense = logits.softmax(0) @ value[0, 0, : row + 1].double()
                    sparse = logits[keys].softmax(0) @ value[0, 0, keys].double()
                    error[more] += float((sparse - dense).square().sum())
            assert worth["output"][h, i] == pytest.approx(error[False] - error[True], rel=1e-4, abs=1e-5)


def test_a_line_that_is_no_question_is_named(tmp_path):
    data = tmp_path / "questions.jsonl"
    data.write_text('{"id": 1}\n')
    with pytest.raises(InputError, match=r"questions\.jsonl, line 1: lacks answer, cluster, options, prompt, task"):
        read_rows(data)
    data.write_text("\nnot json\n")
    with pytest.raises(InputError, match=r"line 2: no JSON"):
        read_rows(data)
