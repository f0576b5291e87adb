import json
import math

import numpy as np
import pytest

from eval_logs import digest, lm_run, lm_sample, lmms_run, lmms_sample, write_lines
from refsym_stats.combination import combined
from refsym_stats.errors import InputError
from refsym_stats.readers import read_records


def choices(n=3, **changes):
    """Multiple-choice samples with three options, the first the likeliest."""
    return [lm_sample(i, lls=[-1.0, -2.0 - i, -3.0], acc=1.0, acc_norm=0.0, **changes) for i in range(n)]


def fails(message, *arguments, **settings):
    with pytest.raises(InputError, match=message) as caught:
        read_records(*arguments, **settings)
    assert "\n" not in str(caught.value)


def test_a_multiple_choice_log_gives_outcome_probabilities_and_answer(tmp_path):
    path = lm_run(tmp_path / "org__model", choices())
    found = read_records(path)
    assert found.frame["item"].tolist() == [f"{i}#{digest(f'document {i}')[:8]}" for i in range(3)]
    assert found.frame[["benchmark", "arm"]].drop_duplicates().to_numpy().tolist() == [["tiny", "org/model"]]
    assert found.frame["correct"].tolist() == [1, 1, 1]
    assert found.frame["answer"].tolist() == ["0"] * 3
    for i, row in enumerate(found.frame[["p_0", "p_1", "p_2"]].to_numpy()):
        weights = [math.exp(-1.0), math.exp(-2.0 - i), math.exp(-3.0)]
        np.testing.assert_allclose(row, np.array(weights) / sum(weights), rtol=1e-14)
    assert found.sources[0].rows == 3
    said = " ".join(found.notes)
    assert "not length-normalised" in said
    assert "after the model in results_" in said
    assert "correct is the metric acc" in said
    assert "disagrees" not in said


def test_a_folder_is_a_run_with_a_source_a_file(tmp_path):
    lm_run(tmp_path, choices(2), task="arc_easy")
    lm_run(tmp_path, [lm_sample(0, exact_match=0.0)], task="gsm8k_cot")
    with pytest.raises(InputError, match="line 1: no option log-likelihoods, other samples have them"):
        read_records(tmp_path)
    lm_run(tmp_path, [lm_sample(0, lls=[-1, -2], acc=0.0)], task="gsm8k_cot")
    found = read_records(tmp_path)
    assert found.frame["benchmark"].tolist() == ["arc_easy", "arc_easy", "gsm8k_cot"]
    assert [source.rows for source in found.sources] == [2, 1]
    assert math.isnan(found.frame["p_2"].iloc[2])


def test_two_runs_of_a_task_in_one_folder_are_not_chosen_between(tmp_path):
    lm_run(tmp_path, choices())
    lm_run(tmp_path, choices(), date="2025-03-05T05-06-07.1")
    fails(r"two runs of tiny \(samples_tiny_2025-03-04.*, samples_tiny_2025-03-05.*\)", tmp_path)


def test_a_folder_of_runs_says_which_to_read(tmp_path):
    lm_run(tmp_path / "org__model", choices())
    fails("no lm_eval samples in this folder; read one of its folders org__model", tmp_path)


def test_several_filters_must_be_chosen_from(tmp_path):
    strict = [lm_sample(i, filter="strict-match", exact_match=0.0) for i in range(2)]
    flexible = [lm_sample(i, filter="flexible-extract", exact_match=1.0) for i in range(2)]
    path = lm_run(tmp_path, strict + flexible)
    fails(r"several filters \(strict-match, flexible-extract\); say which: filter=", path)
    fails(r"no filter 'none'; it has strict-match, flexible-extract", path, filter="none")
    assert read_records(path, filter="flexible-extract").frame["correct"].tolist() == [1, 1]
    found = read_records(path, filter="strict-match")
    assert found.frame["correct"].tolist() == [0, 0]
    assert "Filter: strict-match (tiny)." in found.notes
    assert "p_0" not in found.frame


def test_in_a_folder_a_task_without_filters_needs_no_choice(tmp_path):
    lm_run(tmp_path, [lm_sample(0, filter=name, exact_match=1.0) for name in ("a", "b")], task="gsm8k")
    lm_run(tmp_path, [lm_sample(0, exact_match=1.0)], task="triviaqa")
    assert len(read_records(tmp_path, filter="a").frame) == 2
    fails("no filter 'a'; it has none", tmp_path / "samples_triviaqa_2025-03-04T05-06-07.123456.jsonl", filter="a")


def test_one_doc_id_has_one_hash_also_across_filters(tmp_path):
    mixed = [lm_sample(0, filter="a", acc=1.0), lm_sample(0, filter="b", acc=1.0, document="another")]
    fails(r"doc_id 0 has two doc_hashes \(lines 1 and 2\)", lm_run(tmp_path, mixed), filter="a")


def test_an_appended_log_is_not_read_twice(tmp_path):
    path = lm_run(tmp_path, choices(2) + choices(1))
    fails("lines 1 and 3 have the same doc_id 0; the file was appended to", path)


def test_arms_that_saw_different_documents_do_not_pair(tmp_path):
    first = read_records(lm_run(tmp_path / "a", choices()))
    again = read_records(lm_run(tmp_path / "b", choices(), model="b"))
    assert len(combined([first, again]).frame) == 6
    other = read_records(
        lm_run(tmp_path / "c", [*choices(2), lm_sample(2, lls=[-1, -2], acc=1.0, document="x")], model="c")
    )
    with pytest.raises(InputError, match=r"doc_id under two doc_hashes \(tiny 2\)"):
        combined([first, other])
    bare = read_records(tmp_path / "c", columns={"item": "doc_id"})
    assert bare.frame["item"].tolist() == ["0", "1", "2"]


def test_any_metric_can_be_the_outcome(tmp_path):
    rows = [lm_sample(i, acc=1.0, f1=[1, 0], rouge={"l": 0.25 + i}, bleu=0.5, whole=i) for i in range(2)]
    path = lm_run(tmp_path, rows)
    assert read_records(path, metric="bleu").frame["score"].tolist() == [0.5, 0.5]
    assert read_records(path, metric="rouge.l").frame["score"].tolist() == [0.25, 1.25]
    assert read_records(path, metric="whole").frame["correct"].tolist() == [0, 1]
    assert read_records(path, columns={"score": "whole"}).frame["score"].tolist() == [0.0, 1.0]
    fails(
        r"line 1: metric 'f1' is '\[1, 0\]', not a number; its metrics are acc, bleu, whole, rouge.l", path, metric="f1"
    )
    fails("line 1: metric 'nothing' is missing", path, metric="nothing")
    fails("the outcome is given twice", path, metric="acc", columns={"score": "whole"})


def test_values_that_went_through_str_are_numbers(tmp_path):
    path = lm_run(tmp_path, [lm_sample(0, acc="True"), lm_sample(1, acc="0.0"), lm_sample(2, acc=False)])
    assert read_records(path).frame["correct"].tolist() == [1, 0, 0]


def test_without_a_usual_metric_the_caller_is_asked(tmp_path):
    fails(
        r"no acc and no exact_match; say which metric: metric= one of bleu", lm_run(tmp_path, [lm_sample(0, bleu=0.5)])
    )


def test_a_nan_metric_is_missing_and_its_line_is_named(tmp_path):
    path = lm_run(tmp_path, [lm_sample(0, acc=1.0), lm_sample(1, acc=math.nan)])
    assert "NaN" in path.read_text()
    fails("line 2: metric 'acc' is missing", path)


def test_clusters_come_from_inside_the_document(tmp_path):
    rows = [lm_sample(i, acc=1.0, doc={"passage": {"id": f"p{i // 2}"}}) for i in range(4)]
    path = lm_run(tmp_path, rows)
    assert read_records(path).own_clusters
    assert read_records(path, columns={"cluster": "doc.passage.id"}).frame["cluster"].tolist() == [
        "p0",
        "p0",
        "p1",
        "p1",
    ]
    fails("line 1: 'doc.passage' has parts; name one of doc.passage.id", path, columns={"cluster": "doc.passage"})
    rows[2]["doc"] = {"passage": {"id": None}}
    fails("line 3: 'doc.passage.id' is missing", lm_run(tmp_path, rows), columns={"cluster": "doc.passage.id"})


def test_length_normalisation_divides_by_characters_as_acc_norm_does(tmp_path):
    texts = ["a long option", "ü"]
    row = lm_sample(0, lls=[-13.0, -2.0], texts=texts, acc=0.0, acc_norm=1.0)
    found = read_records(lm_run(tmp_path, [row]), normalise="length")
    weights = np.exp([-13.0 / 13, -2.0 / 1])
    np.testing.assert_allclose(found.frame[["p_0", "p_1"]].to_numpy()[0], weights / weights.sum(), rtol=1e-14)
    assert found.frame["answer"].tolist() == ["0"]
    assert any("divided by the option's characters" in note for note in found.notes)
    plain = read_records(tmp_path)
    assert plain.frame["answer"].tolist() == ["1"]
    assert not any("disagrees" in note for note in (*found.notes, *plain.notes))
    fails("normalise= is for multiple-choice logs", lm_run(tmp_path, [lm_sample(0, acc=1.0)]), normalise="length")


def test_an_answer_that_the_harness_did_not_see_so_is_counted(tmp_path):
    path = lm_run(tmp_path, [lm_sample(0, lls=[-1, -2], acc=0.0), lm_sample(1, lls=[-1, -2], acc=1.0)])
    assert any(
        "In 1 of 2 samples the answer" in note and "disagrees with acc" in note for note in read_records(path).notes
    )


def test_mutual_information_logs_hold_the_options_twice(tmp_path):
    path = lm_run(tmp_path, [lm_sample(0, lls=[-1, -2, -9, -8], acc=1.0, acc_mutual_info=0.0)])
    found = read_records(path).frame
    assert found.filter(like="p_").columns.tolist() == ["p_0", "p_1"]


def test_log_likelihoods_without_a_distribution_are_refused(tmp_path):
    fails(
        "line 1: its option log-likelihoods are", lm_run(tmp_path, [lm_sample(0, lls=[-math.inf, -math.inf], acc=1.0)])
    )
    fails("line 1: its option log-likelihoods are", lm_run(tmp_path, [lm_sample(0, lls=[math.nan, -1], acc=1.0)]))
    found = read_records(lm_run(tmp_path, [lm_sample(0, lls=[-800.0, -math.inf, -801.0], acc=1.0)])).frame
    np.testing.assert_allclose(
        found[["p_0", "p_1", "p_2"]].to_numpy()[0], [1 / (1 + math.exp(-1)), 0, 1 / (1 + math.e)]
    )


def test_the_arm_is_told_or_taken_from_results_or_folder(tmp_path):
    path = lm_run(tmp_path / "folder", choices())
    assert read_records(path, arm="mine", seed=4).frame[["arm", "seed"]].iloc[0].tolist() == ["mine", "4"]
    lm_run(tmp_path / "folder", [], task="other", model="org/b", date="2025-03-09T05-06-07.1").unlink()
    assert set(read_records(path).frame["arm"]) == {"org/model"}
    (tmp_path / "folder" / "results_2025-03-04T05-06-07.123456.json").unlink()
    lm_run(tmp_path / "folder", [], task="other", model="org/c", date="2025-03-10T05-06-07.1").unlink()
    fails(r"several models \(org/b, org/c\); say which arm this is", path)
    for file in (tmp_path / "folder").glob("results_*"):
        file.unlink()
    found = read_records(path)
    assert set(found.frame["arm"]) == {"folder"}
    assert "The arm is named 'folder' after its folder." in found.notes


def test_a_log_under_another_name_is_told_by_its_fields(tmp_path):
    path = write_lines(tmp_path / "mine.jsonl", choices())
    assert read_records(path).sources[0].format == "lm_eval"
    path = write_lines(tmp_path / "video.jsonl", [lmms_sample(0, acc=1.0)])
    assert read_records(path).sources[0].format == "lmms_eval"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b'{"doc_id": 0}\n{"doc_id": 1,\n', "line 2 is not JSON"),
        (b'{"doc_id": 0, "acc": 1.0}\n{"acc": 1.0}\n', "line 2 has no doc_id"),
        (b'{"doc_id": 0}\n\xc3\n', "line 2 is not UTF-8"),
    ],
)
def test_a_damaged_log_gets_one_clear_line(tmp_path, data, message):
    path = tmp_path / "samples_tiny_2025-03-04T05-06-07.123456.jsonl"
    path.write_bytes(data)
    fails(message, path)


def test_options_of_other_formats_are_refused(tmp_path):
    path = lm_run(tmp_path, choices())
    fails("grades means nothing for a lm_eval log", path, grades={"C": 1})
    fails("order_paired is for a table", path, order_paired=True, format="lm_eval")


def videos(n=4):
    return [
        lmms_sample(
            i, videomme_perception_score={"question_id": f"{i:03d}-1", "score": float(i % 2), "videoID": f"v{i // 2}"}
        )
        for i in range(n)
    ]


def test_a_metric_may_be_a_dict_that_holds_outcome_and_cluster(tmp_path):
    path = lmms_run(tmp_path / "org__vision", videos())
    found = read_records(path, columns={"cluster": "videomme_perception_score.videoID"})
    assert found.frame["correct"].tolist() == [0, 1, 0, 1]
    assert found.frame["cluster"].tolist() == ["v0", "v0", "v1", "v1"]
    assert found.frame[["benchmark", "arm", "item"]].iloc[0].tolist() == ["videomme", "org/vision", "0"]
    assert "Outcome: correct is the metric videomme_perception_score.score." in found.notes
    assert read_records(tmp_path / "org__vision", metric="videomme_perception_score.score").frame["correct"].sum() == 2


def test_a_missing_video_id_is_never_a_cluster(tmp_path):
    rows = videos()
    del rows[1]["videomme_perception_score"]["videoID"]
    fails(
        "line 2: 'videomme_perception_score.videoID' is missing",
        lmms_run(tmp_path, rows),
        columns={"cluster": "videomme_perception_score.videoID"},
    )


def test_several_metrics_of_a_vision_log_must_be_chosen_from(tmp_path):
    path = lmms_run(tmp_path, [lmms_sample(0, gpt_score={"rating": 0.5, "scale": 5}, exact=1.0)])
    fails("say which metric: metric= one of exact, gpt_score.rating, gpt_score.scale", path)
    assert read_records(path, metric="gpt_score.rating").frame["score"].tolist() == [0.5]


def test_a_vision_log_of_two_filters_cannot_be_told_apart(tmp_path):
    path = lmms_run(tmp_path, [lmms_sample(0, acc=1.0), lmms_sample(0, acc=0.0)])
    fails(r"lines 1 and 2 have the same doc_id 0; .*several filters", path)
    fails("filter means nothing for a lmms_eval log", path, filter="none")


def test_a_vision_log_says_that_documents_were_not_compared(tmp_path):
    assert any("not checked" in note for note in read_records(lmms_run(tmp_path, videos())).notes)


def test_a_label_that_cannot_be_written_is_refused(tmp_path):
    path = tmp_path / "samples_tiny_2025-03-04T05-06-07.123456.jsonl"
    path.write_text(
        json.dumps(lm_sample("\ud800x".encode("utf-8", "replace").decode(), acc=1.0)).replace("?x", r"\ud800x")
    )
    fails("line 1: 'doc_id' holds half a surrogate pair", path)


def test_mixed_scales_in_a_folder_are_one_score(tmp_path):
    lm_run(tmp_path, [lm_sample(0, acc=1.0)], task="a")
    lm_run(tmp_path, [lm_sample(0, exact_match=0.5)], task="b")
    assert read_records(tmp_path).frame["score"].tolist() == [1.0, 0.5]


def test_unicode_and_big_doc_ids_survive(tmp_path):
    rows = [lm_sample("問 1", acc=1.0), lm_sample(2**80, acc=1.0)]
    items = read_records(lm_run(tmp_path, rows), columns={"item": "doc_id"}).frame["item"]
    assert set(items) == {"問 1", str(2**80)}
    assert json.loads((next(tmp_path.glob("samples*"))).read_text().split("\n")[0])["doc_id"] == "問 1"
