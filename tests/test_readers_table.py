import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refsym_stats.errors import InputError
from refsym_stats.readers import read_records

FRAME = pd.DataFrame(
    {
        "arm": ["a", "b"] * 3,
        "item": ["q1", "q1", "q2", "q2", "q10", "q10"],
        "cluster": ["v1", "v1", "v1", "v1", "v2", "v2"],
        "correct": [1, 0, 1, 1, 0, 0],
    }
)


def write(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_json(path, orient="records")
    return path


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".json"])
def test_one_table_reads_the_same_in_every_format(tmp_path, suffix):
    found = read_records(write(FRAME, tmp_path / f"table{suffix}"))
    pd.testing.assert_frame_equal(found.frame, read_records(FRAME).frame)
    assert found.frame["item"].cat.categories.tolist() == ["q1", "q2", "q10"]
    assert not found.own_clusters
    (source,) = found.sources
    assert (source.format, source.rows) == (suffix[1:], 6)


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".jsonl", ".json"])
def test_a_file_without_a_telling_name_is_told_by_its_content(tmp_path, suffix):
    nameless = write(FRAME, tmp_path / f"table{suffix}").rename(tmp_path / "table")
    pd.testing.assert_frame_equal(read_records(nameless).frame, read_records(FRAME).frame)


def test_a_data_frame_is_hashed_by_content_and_not_by_row_order():
    one, shuffled = read_records(FRAME), read_records(FRAME.sample(frac=1, random_state=3))
    other = read_records(FRAME.assign(correct=[1, 0, 1, 1, 0, 1]))
    assert one.sources == shuffled.sources != other.sources
    assert len(one.sources[0].sha256) == 64


def test_two_columns_of_one_name_are_refused():
    with pytest.raises(InputError, match="DataFrame: two columns are called item"):
        read_records(pd.concat([FRAME, FRAME[["item"]]], axis=1))


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path):
    import hashlib

    path = write(FRAME, tmp_path / "t.csv")
    assert read_records(path).sources[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_one_row_is_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("item,score\nq,0.5")
    found = read_records(tmp_path / "t.csv")
    assert found.frame["score"].tolist() == [0.5]
    assert found.own_clusters


def test_labels_given_for_all_rows_fill_absent_columns_only(tmp_path):
    path = write(FRAME.drop(columns="arm").iloc[::2], tmp_path / "t.csv")
    found = read_records(path, arm="dense", seed=3, benchmark="mvbench").frame
    assert found[["arm", "seed", "benchmark"]].drop_duplicates().to_numpy().tolist() == [["dense", "3", "mvbench"]]
    with pytest.raises(InputError, match=r"it has a column 'arm', and arm= is given"):
        read_records(FRAME, arm="dense")
    with pytest.raises(InputError, match="arm is given twice"):
        read_records(FRAME, arm="dense", columns={"arm": "arm"})


def test_csv_labels_stay_text(tmp_path):
    (tmp_path / "t.csv").write_text("item,correct\n007,1\n7,0\nNA,True\n2.0,False\n")
    found = read_records(tmp_path / "t.csv").frame
    assert dict(zip(found["item"], found["correct"], strict=True)) == {"007": 1, "7": 0, "NA": 1, "2.0": 0}


def test_csv_labels_that_are_all_digits_stay_text(tmp_path):
    (tmp_path / "t.csv").write_text("item,seed,correct\n007,1.0,1\n7,1.0,0\n")
    found = read_records(tmp_path / "t.csv").frame
    assert sorted(found["item"]) == ["007", "7"]
    assert set(found["seed"]) == {"1.0"}


def test_csv_fields_may_hold_newlines_commas_and_quotes(tmp_path):
    (tmp_path / "t.csv").write_text('item,correct\r\n"a\nb",1\r\n"c,""d""",0\r\n', newline="")
    assert set(read_records(tmp_path / "t.csv").frame["item"]) == {"a\nb", 'c,"d"'}


def test_csv_with_a_byte_order_mark_and_tabs(tmp_path):
    (tmp_path / "t.tsv").write_bytes("\ufeffitem\tcorrect\nü\t1\n".encode())
    assert read_records(tmp_path / "t.tsv").frame["item"].tolist() == ["ü"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("item,correct", "no rows"),
        ("item,correct\n", "no rows"),
        ("item,correct\na,1\nb\n", r"row 2: Expected 2 columns, got 1"),
        ("item,correct\na,1,2\n", r"row 1: Expected 2 columns, got 3"),
        ('item,correct\n"a,1\nb,0\n', "odd number of quotes"),
        ("item,item,correct\na,b,1\n", "two columns are called item"),
        ("item,correct\na,1\n,0\n", r"item is missing in row 2"),
        ("item,correct\na,1\nb,\n", r"correct is .*nan.* in row 2"),
        ("item,correct\na,1\nb,yes\n", r"correct is yes in row.*2"),
        ("item,cluster,correct\na,v,1\nb,,0\n", r"cluster is missing in row 2"),
        ("item;correct\na;1\n", r"no column 'item'.*item;correct"),
    ],
)
def test_a_bad_csv_gets_one_clear_line(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_records(tmp_path / "t.csv")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(tmp_path / "t.csv"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "no rows"),
        ("\n", "no rows"),
        ('{"item": 1, "correct": 1}\n{"item": 2,\n', "line 2 is not JSON"),
        ('{"item": 1, "correct": 1}\n\n[1]\n', "line 3 is not an object"),
        ('[{"item": 1, "correct": 1}, 5]', "row 2 is not an object"),
        ('[{"item": 1},\n oops]', "not JSON .*line 2 column 2"),
        ('[{"item": NaN, "correct": 1}]', "item is missing in row 1"),
        ('[{"item": 1, "score": NaN}]', "score is .*nan.* in row 1"),
        ('[{"item": 1, "score": Infinity}]', "score is .*inf.* in row 1"),
        ('[{"item": {"id": 1}, "correct": 1}]', "item has parts in row 1; map one of them by a dotted path"),
        ('{"item": 1, "correct": 1}\n{"correct": 1}', "item is missing in row 2"),
        (r'[{"item": "\ud800", "correct": 1}]', "item holds half a surrogate pair, which is no text, in row 1"),
        (
            f'[{{"item": 1, "score": 2}}, {{"item": 2, "score": {10**400}}}]',
            r"score is 1000.*\.\.\. in row 2; it must be a finite",
        ),
        ("[" * 200_000, "nested too deep"),
        ('{"item": ' + "9" * 5000 + "}", "too many digits"),
    ],
)
def test_bad_json_gets_one_clear_line(tmp_path, text, message):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        read_records(tmp_path / "t.json")
    assert "\n" not in str(caught.value)


def test_a_compressed_file_is_named_as_such(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"item,correct\nq,1\n"))
    with pytest.raises(InputError, match="compressed with gzip; unpack it first"):
        read_records(path)


def test_bytes_that_are_not_utf8_are_placed(tmp_path):
    (tmp_path / "t.jsonl").write_bytes(b'{"item": "a", "correct": 1}\n{"item": "\xff", "correct": 1}\n')
    with pytest.raises(InputError, match=r"line 2 is not UTF-8 \(byte 0xff at offset 38\)"):
        read_records(tmp_path / "t.jsonl")
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfitem,correct\n\xe9,1\n")
    with pytest.raises(InputError, match=r"line 2 is not UTF-8 \(byte 0xe9 at offset 16\)"):
        read_records(tmp_path / "t.csv")


def test_json_keeps_big_and_unicode_ids_and_bare_line_separators(tmp_path):
    rows = [{"item": 2**70 + i, "correct": 1} for i in range(2)] + [{"item": "naïve\u2028問", "correct": 0}]
    (tmp_path / "t.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    items = set(read_records(tmp_path / "t.jsonl").frame["item"])
    assert items == {str(2**70), str(2**70 + 1), "naïve\u2028問"}


def test_big_ids_keep_their_last_digit_beside_a_missing_value(tmp_path):
    (tmp_path / "t.json").write_text(f'[{{"item": {2**53 + 1}, "correct": 1}}, {{"item": null, "correct": 1}}]')
    with pytest.raises(InputError, match="item is missing in row 2"):
        read_records(tmp_path / "t.json")
    (tmp_path / "t.json").write_text(f'[{{"item": {2**53 + 1}, "correct": 1}}, {{"item": 0.5, "correct": 1}}]')
    assert set(read_records(tmp_path / "t.json").frame["item"]) == {str(2**53 + 1), "0.5"}


def test_dotted_paths_lead_into_json(tmp_path):
    rows = [{"id": i, "meta": {"video": f"v{i}", "scores": [0.25, i]}, "a.b": {"c": "x"}} for i in range(2)]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    columns = {"item": "id", "cluster": "meta.video", "score": "meta.scores.1", "arm": "a.b.c"}
    found = read_records(tmp_path / "t.json", columns=columns).frame
    assert found[["item", "cluster", "score", "arm"]].to_numpy().tolist() == [
        ["0", "v0", 0.0, "x"],
        ["1", "v1", 1.0, "x"],
    ]
    with pytest.raises(InputError, match=r"no column 'meta\.nowhere' for cluster"):
        read_records(tmp_path / "t.json", columns=columns | {"cluster": "meta.nowhere"})
    del rows[1]["meta"]["video"]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    with pytest.raises(InputError, match=r"cluster is missing in row 2"):
        read_records(tmp_path / "t.json", columns=columns)


def test_a_null_in_a_parquet_column_is_an_error_and_never_a_cluster(tmp_path):
    FRAME.assign(cluster=["v1", None, "v1", "v1", "v2", "v2"]).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"cluster is missing in row 2"):
        read_records(tmp_path / "t.parquet")


def test_parquet_keeps_the_options_that_an_item_has(tmp_path):
    frame = pd.DataFrame(
        {"item": [1, 2], "correct": [1, 0], "p_0": [0.5, 0.25], "p_1": [0.5, 0.25], "p_2": [None, 0.5]}
    )
    frame.to_parquet(tmp_path / "t.parquet")
    values = read_records(tmp_path / "t.parquet").frame[["p_0", "p_1", "p_2"]].to_numpy()
    np.testing.assert_array_equal(values, [[0.5, 0.5, np.nan], [0.25, 0.25, 0.5]])


def test_a_cut_parquet_file_is_named(tmp_path):
    FRAME.to_parquet(tmp_path / "t.parquet")
    (tmp_path / "t.parquet").write_bytes((tmp_path / "t.parquet").read_bytes()[:-20])
    with pytest.raises(InputError, match="not a whole Parquet file") as caught:
        read_records(tmp_path / "t.parquet")
    assert "\n" not in str(caught.value)


def test_an_absent_column_is_answered_with_those_there_are(tmp_path):
    FRAME.rename(columns={"item": "question"}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"no column 'item'.*arm, question, cluster, correct.*order_paired=True"):
        read_records(tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"no column 'id' for item; it has arm, question, cluster, correct"):
        read_records(tmp_path / "t.parquet", columns={"item": "id"})


def test_duplicate_keys_name_their_rows(tmp_path):
    path = write(pd.concat([FRAME, FRAME.iloc[:1]]), tmp_path / "t.csv")
    with pytest.raises(InputError, match=r"rows 1, 7 have the same key as another \(arm a, item q1\)"):
        read_records(path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "xlsx"}, "must be one of table, lm_eval"),
        ({"format": "lm_eval"}, "a DataFrame is a table"),
        ({"filter": "none"}, "filter means nothing for a table"),
        ({"metric": "acc"}, "metric means nothing for a table"),
        ({"grades": {"C": 1}}, "grades means nothing for a table"),
        ({"normalise": "bytes"}, "normalise is 'bytes'"),
        ({"grades": {"C": float("nan")}}, "must be a finite number"),
        ({"columns": {"items": "item"}}, "cannot map 'items'"),
    ],
)
def test_an_option_without_a_use_is_refused(settings, message):
    with pytest.raises(InputError, match=message):
        read_records(FRAME, **settings)


def test_an_absent_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.csv: no such file"):
        read_records(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="a folder without"):
        read_records(tmp_path)


words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8).filter(str.strip)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(items=st.lists(words, min_size=1, max_size=6, unique_by=str.strip), data=st.data())
def test_any_labels_survive_csv_and_json_alike(tmp_path_factory, items, data):
    scores = data.draw(st.lists(st.floats(-1e6, 1e6), min_size=len(items), max_size=len(items)))
    folder = tmp_path_factory.mktemp("labels")
    frame = pd.DataFrame({"item": items, "score": scores})
    expected = read_records(frame).frame
    (folder / "t.json").write_text(json.dumps(frame.to_dict("records")))
    pd.testing.assert_frame_equal(read_records(folder / "t.json").frame, expected)
    text = io.StringIO()
    frame.to_csv(text, index=False, quoting=1)
    (folder / "t.csv").write_bytes(text.getvalue().encode())
    pd.testing.assert_frame_equal(read_records(folder / "t.csv").frame, expected, check_exact=True)
