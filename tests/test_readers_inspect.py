import json
import math
import zipfile

import pytest

from eval_logs import (
    DEFLATED,
    LINK,
    STORED,
    ZSTANDARD,
    Member,
    inspect_log,
    inspect_members,
    inspect_sample,
    zip_bytes,
)
from refsym_stats.combination import combined
from refsym_stats.errors import InputError
from refsym_stats.readers import archive, read_records

GRADES = {"C": 1, "I": 0}


def letters(text="CICI", epochs=1, **changes):
    return [
        inspect_sample(i + 1, epoch + 1, match=letter, metadata={"video": f"v{i // 2}"}, **changes)
        for epoch in range(epochs)
        for i, letter in enumerate(text)
    ]


def fails(message, *arguments, **settings):
    with pytest.raises(InputError, match=message) as caught:
        read_records(*arguments, **settings)
    assert "\n" not in str(caught.value)


def written(path, members):
    path.write_bytes(zip_bytes(members))
    return path


@pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
def test_a_log_joins_on_id_and_epoch(tmp_path, method):
    path = inspect_log(tmp_path / "a.eval", letters(epochs=2), epochs=2, ids=[1, 2, 3, 4], method=method)
    found = read_records(path, grades=GRADES, columns={"cluster": "metadata.video"})
    assert found.frame["correct"].tolist() == [1, 0, 1, 0] * 2
    assert found.frame["seed"].tolist() == ["1"] * 4 + ["2"] * 4
    assert found.frame["cluster"].tolist() == ["v0", "v0", "v1", "v1"] * 2
    assert found.frame[["benchmark", "arm"]].iloc[0].tolist() == ["tiny", "mockllm/model"]
    assert "The seed is the log's epoch." in found.notes
    assert not any("missing" in note for note in found.notes)
    assert found.sources[0].format == "inspect_ai"


def test_the_builders_zip_is_one_that_others_read(tmp_path):
    path = inspect_log(tmp_path / "a.eval", letters(), method=DEFLATED)
    with zipfile.ZipFile(path) as log:
        assert log.testzip() is None
        assert json.loads(log.read("samples/2_epoch_1.json"))["scores"]["match"]["value"] == "I"


def test_a_letter_without_a_grade_names_letters_and_samples(tmp_path):
    path = inspect_log(tmp_path / "a.eval", letters("CIPN"))
    fails(
        r"no grade for 'P' in samples 3 epoch 1; 'N' in samples 4 epoch 1; .*grades=\{'C': 1, 'I': 0, 'P': \.\.\.",
        path,
        grades=GRADES,
    )
    fails(r"no grade for 'C' in samples 1 epoch 1", path)
    found = read_records(path, grades=GRADES | {"P": 0.5, "N": 0})
    assert found.frame["score"].tolist() == [1.0, 0.0, 0.5, 0.0]


def test_a_scale_with_a_half_is_a_score_also_where_no_half_occurs(tmp_path):
    scale = GRADES | {"P": 0.5}
    one = read_records(inspect_log(tmp_path / "a.eval", letters("CP"), model="a"), grades=scale)
    two = read_records(inspect_log(tmp_path / "b.eval", letters("CI"), model="b"), grades=scale)
    assert combined([one, two]).frame["score"].tolist() == [1.0, 0.5, 1.0, 0.0]


def test_numbers_need_no_grades(tmp_path):
    samples = [inspect_sample(i, match=value) for i, value in enumerate([True, 0, 1.0])]
    path = inspect_log(tmp_path / "a.eval", samples)
    assert read_records(path).frame["correct"].tolist() == [1, 0, 1]
    assert read_records(path, columns={"score": "scores.match.value"}).frame["score"].tolist() == [1.0, 0.0, 1.0]
    path = inspect_log(tmp_path / "b.eval", [inspect_sample(1, match=0.25)])
    assert read_records(path).frame["score"].tolist() == [0.25]


def test_an_errored_or_unscored_or_invalidated_sample_is_missing_and_not_wrong(tmp_path):
    samples = letters("CICICC")
    samples[1] |= {"error": {"message": "boom", "traceback": "", "traceback_ansi": ""}, "metadata": {}}
    samples[2]["scores"]["match"]["value"] = math.nan
    samples[3] |= {"invalidation": {"author": "me"}}
    samples[4]["scores"] = {}
    path = inspect_log(tmp_path / "a.eval", samples, ids=[1, 2, 3, 4, 5, 6, 7], status="cancelled")
    found = read_records(path, grades=GRADES, columns={"cluster": "metadata.video"})
    assert found.frame["item"].tolist() == ["1", "6"]
    assert found.frame["correct"].tolist() == [1, 1]
    said = " ".join(found.notes)
    assert "1 of 6 samples ended in an error (2 epoch 1)" in said
    assert "2 of 6 samples had no score (3 epoch 1, 5 epoch 1)" in said
    assert "1 of 6 samples were invalidated (4 epoch 1)" in said
    assert "Not in the log, and so missing: 1 of 7 planned samples (7 epoch 1)" in said
    assert "its status is 'cancelled'" in said


def test_a_log_where_all_is_missing_has_no_records(tmp_path):
    samples = [inspect_sample(1, error="boom")]
    fails(
        r"none of its 1 samples has a score \(1 of 1 samples ended in an error",
        inspect_log(tmp_path / "a.eval", samples),
    )


def test_a_run_that_is_still_on_is_read_from_its_journal(tmp_path):
    path = inspect_log(tmp_path / "a.eval", letters(), status="started")
    found = read_records(path, grades=GRADES)
    assert len(found.frame) == 4
    assert any("its status is 'started'" in note for note in found.notes)


def test_several_scorers_must_be_chosen_from(tmp_path):
    samples = [inspect_sample(i, match="C", judge={"style": 0.5, "fact": i}) for i in range(2)]
    path = inspect_log(tmp_path / "a.eval", samples)
    fails(r"several scorers \(match, judge\); say which: metric='match', for one", path, grades=GRADES)
    assert read_records(path, metric="match", grades=GRADES).frame["correct"].tolist() == [1, 1]
    assert read_records(path, metric="judge.fact").frame["correct"].tolist() == [0, 1]
    fails(r"its score has parts \(style, fact\)", path, metric="judge")
    fails("no score 'other'; its scorers are match, judge", path, metric="other")


def test_epochs_go_where_they_are_told(tmp_path):
    path = inspect_log(tmp_path / "a.eval", letters("CI", epochs=2))
    fails(r"epochs 1, 2 and seed= is given; put the epoch elsewhere", path, grades=GRADES, seed=7)
    found = read_records(path, grades=GRADES, seed=7, columns={"partition": "epoch"}).frame
    assert found[["seed", "partition"]].drop_duplicates().to_numpy().tolist() == [["7", "1"], ["7", "2"]]
    one = inspect_log(tmp_path / "b.eval", letters("CI"))
    assert set(read_records(one, grades=GRADES, seed=7).frame["seed"]) == {"7"}


def test_a_missing_cluster_is_an_error_that_names_the_sample(tmp_path):
    samples = letters()
    samples[2]["metadata"] = {}
    path = inspect_log(tmp_path / "a.eval", samples)
    fails(
        "samples/3_epoch_1.json: 'metadata.video' is missing",
        path,
        grades=GRADES,
        columns={"cluster": "metadata.video"},
    )


def test_one_sample_twice_is_an_error_but_a_superseded_member_is_not(tmp_path):
    members = inspect_members(letters())
    again = Member("samples/other_epoch_1.json", members[1].data)
    fails(
        "sample 1 epoch 1 stands in both samples/1_epoch_1.json and samples/other",
        written(tmp_path / "a.eval", [*members, again]),
        grades=GRADES,
    )
    newer = Member("samples/2_epoch_1.json", json.dumps(inspect_sample(2, match="C")).encode())
    found = read_records(written(tmp_path / "b.eval", [*members, newer]), grades=GRADES)
    assert found.frame["correct"].tolist() == [1, 1, 1, 0]
    assert any(note.startswith("1 members were superseded") for note in found.notes)


def test_ids_may_be_words_big_numbers_and_paths(tmp_path):
    ids = ["問/1", 2**70, "a b"]
    found = read_records(inspect_log(tmp_path / "a.eval", [inspect_sample(i, match=1) for i in ids]))
    assert set(found.frame["item"]) == {"問/1", str(2**70), "a b"}


@pytest.mark.parametrize("keep", [0, 1, 30, 0.5, -1, -22, -200])
def test_a_cut_zip_gets_one_clear_line(tmp_path, keep):
    whole = zip_bytes(inspect_members(letters()))
    path = tmp_path / "a.eval"
    path.write_bytes(whole[: int(keep * len(whole)) if isinstance(keep, float) else keep])
    fails("a.eval: not a whole zip file", path, grades=GRADES)


@pytest.mark.parametrize("method", [STORED, DEFLATED, ZSTANDARD])
def test_no_damaged_byte_goes_unseen(tmp_path, method):
    whole = bytearray(zip_bytes(inspect_members(letters("C"), method=method)))
    start = whole.index(b"samples/1_epoch_1.json") + len(b"samples/1_epoch_1.json")
    for offset in range(start, start + 60, 7):
        damaged = bytearray(whole)
        damaged[offset] ^= 0x20
        (tmp_path / "a.eval").write_bytes(damaged)
        fails("its data are damaged|zip bomb", tmp_path / "a.eval", grades=GRADES)


@pytest.mark.parametrize(
    "name",
    ["../samples/9.json", "/etc/passwd", "samples/../../x.json", "..\\x.json", "C:/x.json", "samples/\x00/x.json"],
)
def test_names_that_lead_outside_are_refused(tmp_path, name):
    path = written(tmp_path / "a.eval", [*inspect_members(letters()), Member(name, b"{}")])
    fails("has a name that leads outside the archive", path, grades=GRADES)


@pytest.mark.parametrize(
    ("trick", "message"),
    [
        (Member("samples/9.json", b"x", attributes=LINK), "is a link"),
        (Member("samples/9.json", b"x", flags=1), "is encrypted"),
        (Member("samples/9.json", b"x", method=14), "compressed by method 14; stored, deflate, zstandard are read"),
        (Member("samples/9.json", b"{}", local_name="samples/8.json"), "named otherwise at its place"),
        (Member("samples/9.json", b"{}", crc=1), "damaged"),
        (Member("samples/9.json", b"{}", size=3), "damaged"),
        (Member("samples/9.json", b" " * 5000, size=10), "inflates beyond the 10 bytes it declares"),
        (Member("samples/9.json", b" " * 5000, size=10, method=DEFLATED), "inflates beyond the 10 bytes"),
        (Member("samples/9.json", b" " * 2**26), "zip bomb"),
        (
            Member("samples/9.json", b" " * 2**26, method=DEFLATED),
            r"declares 67108864 bytes out of \d+; it may be a zip bomb",
        ),
        (Member("samples/9.json", b"x", size=2**31), "zip bomb"),
        (Member("samples/9.json", b'{"id": "\xff"}'), r"samples/9.json: line 1 is not UTF-8 \(byte 0xff at offset 8\)"),
        (Member("samples/9.json", b'{"id":\n 1,}'), "samples/9.json: not JSON .* line 2"),
        (Member("samples/9.json", b"[]"), "not a JSON object"),
        (Member("samples/9.json", b'{"id": 9, "epoch": "1"}'), "epoch is '1', not an integer"),
        (Member("samples/9.json", b'{"epoch": 1}'), "'id' is missing"),
        (Member("samples/9.json", b'{"id": 9, "epoch": 1, "scores": [1]}'), "scores are not an object"),
    ],
)
def test_a_member_that_is_not_to_be_trusted_gets_one_clear_line(tmp_path, trick, message):
    fails(message, written(tmp_path / "a.eval", [*inspect_members(letters()), trick]), grades=GRADES)


def test_many_members_and_large_sums_are_refused(tmp_path, monkeypatch):
    path = inspect_log(tmp_path / "a.eval", letters())
    monkeypatch.setattr(archive, "TOTAL_BYTES", 1000)
    fails("bytes in all, more than 1000; it may be a zip bomb", path, grades=GRADES)
    monkeypatch.setattr(archive, "MEMBERS", 3)
    fails("8 members, more than 3", path, grades=GRADES)


def test_a_large_sample_is_read_in_many_pieces(tmp_path):
    sample = inspect_sample(1, match=1, metadata={"log": "".join(map(str, range(700_000)))})
    for method in (STORED, DEFLATED, ZSTANDARD):
        assert len(read_records(inspect_log(tmp_path / "a.eval", [sample], method=method)).frame) == 1


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([], "a zip without header.json"),
        ([Member("header.json", b"{}")], "header.json has no 'eval'"),
        ([Member("header.json", b'{"eval": {"task": "t", "model": "m"}}')], "no samples"),
    ],
)
def test_a_zip_that_is_no_log_is_named(tmp_path, members, message):
    fails(message, written(tmp_path / "a.eval", members))
    fails(message, written(tmp_path / "renamed.zip", members))


def test_options_of_other_formats_are_refused(tmp_path):
    path = inspect_log(tmp_path / "a.eval", letters())
    fails("filter means nothing for an Inspect log", path, filter="none")
    fails("normalise means nothing for an Inspect log", path, normalise="length")
    fails("correct and score are both mapped", path, columns={"score": "a", "correct": "b"})
