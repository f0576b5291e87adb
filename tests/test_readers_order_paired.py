import json

import pandas as pd
import pytest

from refsym_stats.errors import InputError
from refsym_stats.readers import read_records


def log(n=3, policies=("dense", "sigma"), tasks=("qa", "code"), **fields):
    """Rows as such logs have them: a block of rows a policy, without an example id."""
    return [
        {"task": task, "policy": policy, "score": 0.25 * i + 0.1 * (policy == "dense"), "length": 4096 + 10 * i}
        | {name: value(i, policy) for name, value in fields.items()}
        for policy in policies
        for task in tasks
        for i in range(n)
    ]


def written(path, rows):
    path.write_text(json.dumps(rows))
    return path


def fails(message, *arguments, **settings):
    with pytest.raises(InputError, match=message) as caught:
        read_records(*arguments, **settings)
    assert "\n" not in str(caught.value)


def test_the_i_th_rows_of_all_arms_are_one_example(tmp_path):
    found = read_records(written(tmp_path / "log.json", log()), order_paired=True)
    wide = found.frame.pivot_table(index=["benchmark", "item"], columns="arm", values="score", observed=True)
    assert wide.index.tolist() == [(task, item) for task in ("code", "qa") for item in ("1", "2", "3")]
    assert (wide["dense"] - wide["sigma"]).round(12).eq(0.1).all()
    assert found.sources[0].format == "order_paired"
    assert "Agree row by row between the arms: length." in found.notes


def test_interleaved_rows_pair_the_same(tmp_path):
    rows = sorted(log(), key=lambda row: row["length"])
    pd.testing.assert_frame_equal(
        read_records(written(tmp_path / "a.json", rows), order_paired=True).frame,
        read_records(pd.DataFrame(log()), order_paired=True).frame,
    )


def test_pairing_by_order_is_never_guessed(tmp_path):
    path = written(tmp_path / "log.json", log())
    fails(r"no column 'item'.*say order_paired=True", path)
    fails(r"no column 'item'.*say order_paired=True", path, columns={"arm": "policy", "benchmark": "task"})


def test_a_log_with_ids_needs_no_pairing(tmp_path):
    path = written(tmp_path / "log.json", log(item=lambda i, _: i))
    fails("it has item ids", path, order_paired=True)
    fails("it has item ids", written(tmp_path / "b.json", log()), order_paired=True, columns={"item": "length"})


def test_unequal_counts_cannot_pair(tmp_path):
    rows = log()
    del rows[4]
    fails(
        r"rows per policy differ in code \(dense 2, sigma 3\)", written(tmp_path / "log.json", rows), order_paired=True
    )


def test_every_seed_of_an_arm_is_a_sequence(tmp_path):
    rows = log(seed=lambda *_: 0) + log(seed=lambda *_: 1)
    assert len(read_records(written(tmp_path / "log.json", rows), order_paired=True).frame) == 24
    fails(
        r"rows per policy differ in qa \(dense 0 3, .* 2",
        written(tmp_path / "log.json", [row for i, row in enumerate(rows) if i != 12]),
        order_paired=True,
    )


def test_a_field_of_the_example_must_agree_row_by_row(tmp_path):
    rows = log()
    rows[6], rows[7] = rows[7], rows[6]
    fails(r"length differs in rows 1 and 7, both qa example 1", written(tmp_path / "log.json", rows), order_paired=True)
    rows = log(prompt_hash=lambda i, policy: f"{i}{policy}")
    fails("prompt_hash differs in rows 1 and 7", written(tmp_path / "log.json", rows), order_paired=True)
    rows = log(video=lambda i, policy: f"v{i}{policy}")
    fails("video differs", written(tmp_path / "log.json", rows), order_paired=True, columns={"cluster": "video"})
    rows = log(gold=lambda i, _: ["a", i])
    assert any("gold" in note for note in read_records(written(tmp_path / "log.json", rows), order_paired=True).notes)


def test_the_notes_say_what_could_not_be_checked(tmp_path):
    rows = log(latency=lambda i, policy: i + (policy == "dense"), model=lambda *_: "m")
    found = read_records(written(tmp_path / "log.json", rows), order_paired=True)
    assert any(note.endswith("say nothing of order: model.") for note in found.notes)
    assert any(note.endswith("not for parts of the example: latency.") for note in found.notes)
    for row in rows:
        del row["length"]
    found = read_records(written(tmp_path / "log.json", rows), order_paired=True)
    assert any("that the order is the same is not checked" in note for note in found.notes)


def test_names_can_be_mapped(tmp_path):
    rows = [{"suite": row["task"], "rule": row["policy"], "right": row["score"] > 0.2} for row in log()]
    columns = {"benchmark": "suite", "arm": "rule", "correct": "right"}
    found = read_records(written(tmp_path / "log.json", rows), order_paired=True, columns=columns)
    assert found.frame["correct"].tolist() == [0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 1]
    fails("no column 'x' for arm", tmp_path / "log.json", order_paired=True, columns=columns | {"arm": "x"})
    fails("no arm, so there is nothing to pair", tmp_path / "log.json", order_paired=True, columns={"correct": "right"})


def test_missing_values_and_nan_tokens_name_their_rows(tmp_path):
    rows = log()
    rows[3]["score"] = float("nan")
    fails("score is .*nan.* in row 4", written(tmp_path / "log.json", rows), order_paired=True)
    rows = log()
    rows[3]["policy"] = None
    fails(
        r"policy is missing in row 4|arm is missing in row 4", written(tmp_path / "log.json", rows), order_paired=True
    )


def test_other_tables_pair_by_order_too(tmp_path):
    frame = pd.DataFrame(log())
    expected = read_records(frame, order_paired=True).frame
    frame.to_parquet(tmp_path / "log.parquet")
    frame.to_csv(tmp_path / "log.csv", index=False)
    for name in ("log.parquet", "log.csv"):
        found = read_records(tmp_path / name, order_paired=True)
        pd.testing.assert_frame_equal(found.frame, expected)
        assert "Agree row by row between the arms: length." in found.notes


def test_one_benchmark_needs_no_task_column(tmp_path):
    rows = [{name: value for name, value in row.items() if name != "task"} for row in log(tasks=("qa",))]
    found = read_records(written(tmp_path / "log.json", rows), order_paired=True, benchmark="qa")
    assert set(found.frame["benchmark"]) == {"qa"}
