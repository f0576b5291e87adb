"""The study of duplication: copies are what they say, records resume, findings follow from the records."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from refsym.commands.study import load_study  # noqa: E402
from refsym.report.study import render_study  # noqa: E402
from refsym.study import read_records  # noqa: E402
from refsym.study.tiny import Tokenizer  # noqa: E402
from refsym_stats import Plan, compare, record_table  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402
from tiny_models import tiny_model, tokens  # noqa: E402

FOLDER = Path(__file__).parents[1] / "studies" / "duplication"
LENGTH, GROUP = 23, (6, 14)
EXACT = 1e-12

study = load_study(FOLDER)


@pytest.fixture(scope="module", params=["llama", "qwen3"])
def model(request):
    return tiny_model(request.param).double()


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    path = tmp_path_factory.mktemp("duplication") / "records.parquet"
    study.main(["--quick", "--out", str(path)])
    return path


def logits(model, layout):
    with torch.inference_mode():
        return study.last_logits(model, tokens(LENGTH)[0], layout)


def apart(model, layout):
    return float((logits(model, layout) - logits(model, study.plain(LENGTH))).abs().max())


# Copies


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_copies_of_mass_one_kth_change_nothing(model, k):
    assert apart(model, study.duplicated(LENGTH, GROUP, k, measure=True)) <= EXACT


@pytest.mark.parametrize("group", [(0, 1), (0, LENGTH), (LENGTH - 1, LENGTH), (3, 4)])
def test_copies_change_nothing_wherever_the_group_lies(model, group):
    assert apart(model, study.duplicated(LENGTH, group, 3, measure=True)) <= EXACT


def test_every_copy_leaves_every_layer_as_its_parent_does(model):
    layout = study.duplicated(LENGTH, GROUP, 3, measure=True)
    embedded = model.get_input_embeddings()(tokens(LENGTH)[0])
    with torch.inference_mode():
        own = model(input_ids=tokens(LENGTH), output_hidden_states=True).hidden_states
        copied = model(
            inputs_embeds=embedded[layout.parent][None],
            position_ids=layout.parent[None],
            attention_mask=layout.mask[None, None],
            output_hidden_states=True,
        ).hidden_states
    assert len(own) == model.config.num_hidden_layers + 1
    for before, after in zip(own, copied, strict=True):
        torch.testing.assert_close(after, before[:, layout.parent], rtol=0, atol=EXACT)


@pytest.mark.parametrize("k", [2, 3])
def test_standard_copies_weigh_as_log_k_on_the_original_keys(model, k):
    # Nothing is duplicated here: the same attention, written as a bias.
    mask = torch.zeros(LENGTH, LENGTH, dtype=torch.float64)
    mask[:, slice(*GROUP)] = math.log(k)
    mask.masked_fill_(torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1), -torch.inf)
    expected = logits(model, study.Layout(torch.arange(LENGTH), mask))
    found = logits(model, study.duplicated(LENGTH, GROUP, k, measure=False))
    assert float((found - expected).abs().max()) <= EXACT
    assert apart(model, study.duplicated(LENGTH, GROUP, k, measure=False)) > 1e-3


def test_a_wrong_mass_position_or_mask_is_no_copy(model):
    right = study.duplicated(LENGTH, GROUP, 3, measure=True)
    copies = torch.bincount(right.parent)[right.parent] > 1
    broken = {
        "mass 1/2 in place of 1/3": right.mask + math.log(3 / 2) * copies,
        "one copy without its mass": right.mask + math.log(3) * (torch.arange(len(copies)) == GROUP[0] + 1),
        "later copies unseen": study.duplicated(LENGTH, GROUP, 3, measure=True, causal=True).mask,
        "the future seen": torch.zeros_like(right.mask),
    }
    for name, mask in broken.items():
        assert apart(model, study.Layout(right.parent, mask)) > 1e-6, name
    # Positions counted anew, token for token.
    embedded = model.get_input_embeddings()(tokens(LENGTH)[0])[right.parent]
    with torch.inference_mode():
        counted = model(
            inputs_embeds=embedded[None],
            position_ids=torch.arange(len(right.parent))[None],
            attention_mask=right.mask[None, None],
        ).logits[0, -1]
    assert float((counted - logits(model, study.plain(LENGTH))).abs().max()) > 1e-6


def test_controls_change_nothing_in_exact_arithmetic(model):
    assert apart(model, study.shifted(LENGTH, study.CONSTANT)) <= EXACT
    lengthened = study.lengthened(LENGTH, GROUP)
    assert len(lengthened.parent) == LENGTH + GROUP[1] - GROUP[0]
    assert apart(model, lengthened) <= EXACT


def test_the_null_and_the_zero_mask_are_one_mask():
    null = [study.duplicated(LENGTH, GROUP, 1, measure=measure) for measure in (False, True)]
    zeros = study.shifted(LENGTH, 0.0)
    for layout in null:
        assert torch.equal(layout.parent, zeros.parent)
        assert torch.equal(layout.mask, zeros.mask)


def test_the_unmodified_sequence_is_what_the_model_makes_of_its_tokens(model):
    with torch.inference_mode():
        expected = model(input_ids=tokens(LENGTH), logits_to_keep=1).logits[0, -1]
    assert torch.equal(logits(model, study.plain(LENGTH)), expected)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 9), st.data(), st.integers(1, 4), st.booleans(), st.booleans())
def test_masks_are_those_of_a_loop_over_pairs(length, data, k, measure, causal):
    first = data.draw(st.integers(0, length - 1))
    last = data.draw(st.integers(first + 1, length))
    found = study.duplicated(length, (first, last), k, measure=measure, causal=causal)
    copies = [(i, c) for i in range(length) for c in range(k if first <= i < last else 1)]
    assert found.parent.tolist() == [i for i, _ in copies]
    for a, (i, c) in enumerate(copies):
        for b, (j, d) in enumerate(copies):
            seen = j < i or (j == i and (d <= c or not causal))
            weight = 1 / k if measure and first <= j < last else 1.0
            expected = math.log(weight) if seen else -math.inf
            assert float(found.mask[a, b]) == pytest.approx(expected, abs=1e-15)


# Questions


def row(i, task="t", words=5, answer=0):
    return {
        "id": f"{task}-{i}",
        "task": task,
        "cluster": f"{task} {i // 2}",
        "prompt": "word " * words,
        "options": ["right", "wrong", "odd"],
        "answer": answer,
    }


def written(path, rows):
    path.write_text("".join(json.dumps(entry) + "\n" for entry in rows), encoding="utf-8")
    return path


def test_the_group_is_the_second_half_of_the_prompt():
    entry = row(0) | {"prompt": "one two three four five six seven"}
    question = study.as_question(entry, Tokenizer())
    expected = Tokenizer()(entry["prompt"]).input_ids[4:]
    assert question.tokens[slice(*question.group)].tolist() == expected


def test_options_are_shuffled_and_the_answer_goes_with_them():
    class Words(Tokenizer):
        said = ""

        def __call__(self, text, **kwargs):
            Words.said += text
            return super().__call__(text, **kwargs)

    places = set()
    for i in range(12):
        Words.said = ""
        question = study.as_question(row(i), Words())
        assert f"\n{'ABC'[question.answer]}. right" in Words.said
        places.add(question.answer)
    assert places == {0, 1, 2}


def test_questions_are_chosen_in_turn_by_task_and_run_shortest_first(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "QUESTIONS", 5)
    rows = [row(i, "many", 9 - i) for i in range(9)] + [row(i, "few", 40 + i) for i in range(2)]
    rows.append(row(0, "long", study.LONGEST))
    found = study.read_questions(written(tmp_path / "q.jsonl", rows), Tokenizer())
    assert [question.item for question in found] == ["many-8", "many-7", "many-6", "few-0", "few-1"]


@pytest.mark.parametrize("answer", [3, -1, "A", None])
def test_an_answer_that_is_no_option_is_named(tmp_path, answer):
    path = written(tmp_path / "q.jsonl", [row(0, answer=answer)])
    with pytest.raises(InputError, match=r"question t-0: answer .* is the index of none of 3 options"):
        study.read_questions(path, Tokenizer())


def test_too_few_questions_are_refused(tmp_path):
    with pytest.raises(InputError, match="1 questions of at most 192 tokens; 660 are needed"):
        study.read_questions(written(tmp_path / "q.jsonl", [row(0)]), Tokenizer())


def test_an_id_that_comes_twice_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(study, "QUESTIONS", 2)
    with pytest.raises(InputError, match="t-0 comes twice"):
        study.read_questions(written(tmp_path / "q.jsonl", [row(0), row(0)]), Tokenizer())


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(InputError, match="make model"):
        study.main(["--model", str(tmp_path / "none"), "--data", str(tmp_path)])


# Records


def test_records_hold_every_arm_of_every_question(records):
    rows, _ = read_records(records)
    table = pd.DataFrame(rows)
    assert not table.duplicated(["benchmark", "arm", "item"]).any()
    assert table.groupby("dtype")["item"].nunique().to_dict() == {"float32": 6, "bfloat16": 2}
    assert set(table.groupby("item")["arm"].nunique()) == {10, 20}
    assert table[["p_0", "p_1", "p_2"]].sum(axis=1).to_numpy() == pytest.approx(1)
    assert table["p_3"].isna().all()
    own = table["arm"].str.startswith("unmodified")
    assert (table.loc[own, "deviation_all"] == 0).all()
    measure = table["arm"].isin(["measure, k=2", "measure, k=3"])
    standard = table["arm"].isin(["standard, k=2", "standard, k=3"])
    assert table.loc[measure, "deviation"].max() < 1e-5 < table.loc[standard, "deviation"].min()


def test_an_interrupted_run_resumes_to_the_same_records(records, tmp_path, monkeypatch):
    path, asked = tmp_path / "records.parquet", []
    answered = study.answered

    def stopping(model, question):
        asked.append(question.item)
        if len(asked) == 8:  # two of the seven before were in bfloat16
            raise KeyboardInterrupt
        return list(answered(model, question))

    monkeypatch.setattr(study, "answered", stopping)
    with pytest.raises(KeyboardInterrupt):
        study.main(["--quick", "--out", str(path)])
    assert len({entry["item"] for entry in read_records(path)[0]}) == 5
    asked.clear()
    study.main(["--quick", "--out", str(path)])
    assert asked == ["made up 5"]
    assert read_records(path) == read_records(records)


def test_records_of_another_version_are_refused(records, tmp_path, monkeypatch):
    path = tmp_path / "records.parquet"
    path.write_bytes(records.read_bytes())
    monkeypatch.setattr(study, "FORMAT", study.FORMAT + 1)
    with pytest.raises(InputError, match=r"made with other settings \(format\)"):
        study.main(["--quick", "--out", str(path)])


# Findings


def findings(path):
    return {finding.quantity: finding for finding in study.account(path).findings}


def doctored(records, tmp_path, change):
    """Records with one answer changed."""
    from refsym.study import Records

    rows, wanted = read_records(records)
    for entry in rows:
        change(entry)
    path = tmp_path / "doctored.parquet"
    Records(path, wanted).add(rows)
    return path


def test_the_account_of_the_quick_run_holds_and_renders(records):
    account = study.account(records)
    assert {finding.verdict for finding in account.findings} == {"agrees", "holds", "measured", "not comparable"}
    page = render_study(account.record("0" * 64), comparison=True)
    assert "strictly causal" in page


def test_a_changed_answer_of_the_measure_arm_fails_unless_its_margin_is_rounding(records, tmp_path):
    quantity = "Measure, k = 2: changed answers that rounding does not explain"

    def flip(entry):
        if entry["item"] == "made up 0" and entry["arm"] == "measure, k=2":
            entry["answer"] = (entry["answer"] + 1) % 3

    def tie(entry):
        flip(entry)
        if entry["item"] == "made up 0" and entry["arm"] == "unmodified":
            entry["margin"] = 1e-9

    assert findings(records)[quantity].verdict == "holds"
    assert findings(doctored(records, tmp_path, flip))[quantity].verdict == "fails"
    (tmp_path / "doctored.parquet").unlink()
    explained = findings(doctored(records, tmp_path, tie))
    assert explained[quantity].verdict == "holds"
    assert explained["Measure, k = 2: changed answers of 6"].found == 1


def test_transitions_and_mcnemar_are_counted_from_the_records(records, tmp_path):
    # Six questions: two go wrong, one comes right, one wrong answer gives way to another.
    before = {0: (1, 1), 1: (1, 1), 2: (0, 0), 3: (0, 0), 4: (1, 1), 5: (0, 0)}
    after = {0: (0, 0), 1: (0, 2), 2: (1, 1), 3: (0, 2), 4: (1, 1), 5: (0, 0)}

    def change(entry):
        place = int(entry["item"].split()[-1])
        if entry["dtype"] == "float32":
            told = after if entry["arm"] == "standard, k=3" else before
            entry["correct"], entry["answer"] = told[place]

    found = findings(doctored(records, tmp_path, change))
    counts = {words: found[f"Standard, k = 3: {words}"].found for words in ("right to wrong", "wrong to right")}
    assert counts == {"right to wrong": 2, "wrong to right": 1}
    assert found["Standard, k = 3: wrong to another wrong"].found == 1
    assert found["Standard, k = 3: changed answers of 6"].found == 4
    assert found["Standard, k = 3: McNemar's exact p, nominal"].found == 1.0
    accuracy = found["Standard, k = 3: accuracy less that of the unmodified sequence, pp"]
    assert accuracy.found == pytest.approx(-100 / 6)
    assert "3 passages" in accuracy.interval


def test_divergence_is_from_the_unmodified_sequence_in_the_same_precision(records):
    table = pd.DataFrame(read_records(records)[0])
    found = study.held_against_own(table.to_dict("records"))
    for dtype, label in (("float32", ""), ("bfloat16", " (bfloat16)")):
        rows = {
            name: table[table["arm"] == f"{name}{label}"].set_index("item") for name in ("unmodified", "standard, k=3")
        }
        own, arm = (rows[name][["p_0", "p_1", "p_2"]].to_numpy() for name in rows)
        expected = (own * np.log(own / arm)).sum(axis=1)
        here = found[(found["arm"] == "standard, k=3") & (found["dtype"] == dtype)]
        assert here["kl"].to_numpy() == pytest.approx(expected, abs=1e-15)
        assert (here["kl"] > 0).all()


def test_the_plan_compares_the_arms_of_the_study(records):
    plan = Plan.read(FOLDER / "plan.toml")
    compared = compare(record_table(pd.DataFrame(read_records(records)[0])), plan)
    assert len(compared.contrasts) == sum(family.size for family in plan.families)
    assert all(contrast.benchmark == "answers" for family in plan.families for contrast in family.contrasts)
