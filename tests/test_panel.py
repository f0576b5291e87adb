"""Records as arrays, absent observations, endpoints."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import linregress

from refsym_stats.absence import bounds, settled
from refsym_stats.combination import combined
from refsym_stats.endpoints import (
    ENDPOINTS,
    applicable,
    item_values,
    least_accuracy,
    pairwise_jsd,
    robust_accuracy,
    worst_partition,
)
from refsym_stats.errors import InputError
from refsym_stats.paired_answers import paired_recall, transitions
from refsym_stats.panel import panels
from refsym_stats.records import natural, record_table
from refsym_stats.slopes import rate_slopes


def table(seed: int = 0, items: int = 7, **axes: int) -> pd.DataFrame:
    """All combinations, with random outcomes, answers and probabilities over a varying number of options."""
    random = np.random.default_rng(seed)
    sizes = {"arm": 2, "seed": 3, "partition": 2, "budget": 2} | axes
    index = pd.MultiIndex.from_product(
        [[f"{name}{i}" for i in range(size)] for name, size in sizes.items()] + [range(items)],
        names=[*sizes, "item"],
    )
    frame = index.to_frame(index=False)
    frame["cluster"] = frame["item"] // 2
    frame["correct"] = random.integers(0, 2, len(frame))
    frame["answer"] = np.array(list("ABC"))[random.integers(0, np.where(frame["item"] % 3 == 0, 2, 3))]
    weights = random.exponential(size=(len(frame), 3))
    weights[frame["item"] % 3 == 0, 2] = np.nan  # two options only
    weights /= np.nansum(weights, axis=1, keepdims=True)
    for j in range(3):
        frame[f"p_{j}"] = weights[:, j]
    return frame


def shuffled(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=seed, ignore_index=True)


def test_labels_stand_in_natural_order_and_whole_floats_are_integers():
    words = ["10", "9", "b", "a2", "a10", "2.5"]
    assert sorted(words, key=natural) == ["2.5", "9", "10", "a2", "a10", "b"]
    frame = pd.DataFrame({"item": [10.0, 9.0, 2.5], "correct": [1, 0, 1]})
    assert list(record_table(frame).frame["item"].cat.categories) == ["2.5", "9", "10"]


@pytest.mark.parametrize("hash_seed", ["1", "2", "3"])
def test_labels_stand_in_one_order_whatever_the_hash_seed(hash_seed):
    words = ["nan", "10", "1e1", "010", "7", "007", "inf", "1_0", "b", "-3", "+3", "2.50", "2.5"]
    code = (
        "import pandas as pd\nfrom refsym_stats.records import labels\n"
        f"print(*labels(pd.Series({words!r}), 'item', 'here').categories)"
    )
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "-3 1_0 1e1 2.5 2.50 +3 007 7 010 10 b inf nan\n"


def test_every_observation_stands_in_its_place():
    frame = shuffled(table(), 1)
    found = panels(record_table(frame))
    assert set(found) == {("-", "budget0"), ("-", "budget1")}
    for row in frame.sample(40, random_state=2).itertuples():
        panel = found["-", row.budget]
        at = (
            panel.arms.index(row.arm),
            panel.seeds.index(row.seed),
            panel.items.index(str(row.item)),
            panel.partitions.index(row.partition),
        )
        assert panel.correct[at] == row.correct
        assert panel.clusters[at[2]] == str(row.cluster)
        given = np.nan_to_num([row.p_0, row.p_1, row.p_2])
        np.testing.assert_allclose(panel.probabilities[at], given, rtol=1e-12)


def test_endpoints_against_loops_over_the_table():
    frame = table(3)
    records = record_table(frame)
    robust = robust_accuracy(records).set_index(["budget", "arm", "seed"])["value"]
    jsd = pairwise_jsd(records).set_index(["budget", "arm", "seed"])["value"]
    for key, group in frame.groupby(["budget", "arm", "seed"]):
        assert robust[key] == group.groupby("item")["correct"].all().mean()
        pairs = []
        for _, rows in group.groupby("item"):
            p, q = rows[["p_0", "p_1", "p_2"]].fillna(0).to_numpy()
            middle = (p + q) / 2
            total = sum(x * np.log(x / m) / 2 for d in (p, q) for x, m in zip(d, middle, strict=True) if x > 0)
            pairs.append(total)
        assert jsd[key] == pytest.approx(np.mean(pairs), rel=1e-12)
    panel = panels(records)["-", "budget0"]
    part = frame[frame["budget"] == "budget0"]
    accuracy = item_values(panel, ENDPOINTS["accuracy"])
    assert accuracy.numerators.dtype == np.int64
    assert accuracy.denominator == 2
    by_arm = part.groupby("arm")["correct"].mean().to_numpy()
    np.testing.assert_allclose(accuracy.means().mean(axis=1), by_arm, rtol=1e-12)
    by_cell = part.groupby(["arm", "seed", "partition"])["correct"].mean().groupby(["arm", "seed"]).min().to_numpy()
    np.testing.assert_allclose(least_accuracy(panel).reshape(-1), by_cell, rtol=1e-12)
    worst = worst_partition(records)
    np.testing.assert_allclose(worst.loc[worst["budget"] == "budget0", "value"], by_cell, rtol=1e-12)
    assert list(worst) == ["benchmark", "budget", "arm", "seed", "n", "value"]
    same = part.groupby(["arm", "seed", "item"])["answer"].nunique().eq(1).groupby(["arm", "seed"]).mean().to_numpy()
    np.testing.assert_allclose(item_values(panel, ENDPOINTS["consistency"]).means().reshape(-1), same, rtol=1e-12)


def test_kl_and_flips_read_the_reference():
    panel = panels(record_table(table(4)))["-", "budget0"]
    answers = panel.answer[0, :, :, 0]
    flips = item_values(panel, ENDPOINTS["flips"], answers)
    np.testing.assert_array_equal(flips.numerators[0], (panel.answer[0, :, :, 1] != answers).astype(int))
    distributions = panel.probabilities[0, :, :, 0]
    kl = item_values(panel, ENDPOINTS["kl"], distributions)
    p, q = distributions[0, 1], panel.probabilities[1, 0, 1]
    expected = np.mean([sum(a * np.log(a / b) for a, b in zip(p, row, strict=True) if a > 0) for row in q])
    assert kl.numerators[1, 0, 1] == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InputError, match=r"kl .* needs a reference"):
        item_values(panel, ENDPOINTS["kl"])


def test_an_endpoint_says_what_it_needs():
    frame = table(5, partition=1).drop(columns=["answer", "p_0", "p_1", "p_2"])
    panel = panels(record_table(frame))["-", "budget0"]
    assert [endpoint.name for endpoint in applicable(panel)] == ["accuracy"]
    with pytest.raises(InputError, match=r"jsd in budget budget0 needs columns p_0"):
        item_values(panel, ENDPOINTS["jsd"])
    with pytest.raises(InputError, match=r"robust_accuracy .* needs 2 partitions"):
        item_values(panel, ENDPOINTS["robust_accuracy"])


def test_absent_observations_follow_the_rule():
    frame = table(6)
    lost = (frame["arm"] == "arm1") & (frame["item"] == 3) & (frame["budget"] == "budget0") & (frame["seed"] == "seed2")
    panel = panels(record_table(frame[~lost]))["-", "budget0"]
    with pytest.raises(
        InputError,
        match=r"budget budget0: of 7 items, arm arm1 lacks 1 \(3\), in some or all seeds and partitions; complete",
    ):
        settled(panel, "error")
    kept, absent = settled(panel, "complete-items")
    assert kept.items == tuple("012456")
    assert absent.by_arm == {"arm1": ("3",)}
    wrong, gone = settled(panel, "wrong")
    assert wrong.correct[1, 2, 3].tolist() == [0, 0]
    assert absent.given_up == ()
    assert gone.given_up == ("answer", "probabilities")
    assert wrong.answer is None
    assert wrong.probabilities is None
    low, high = bounds(panel, ENDPOINTS["accuracy"], "arm1", "arm0")
    ends = []
    for value in (0, 1):
        filled = frame.copy()
        filled.loc[lost, "correct"] = value
        means = filled[filled["budget"] == "budget0"].groupby("arm")["correct"].mean()
        ends.append(means["arm1"] - means["arm0"])
    np.testing.assert_allclose([low, high], ends, rtol=1e-12)


def test_nothing_complete_is_an_error():
    frame = table(7, items=2)
    lost = ((frame["arm"] == "arm0") & (frame["item"] == 0)) | ((frame["arm"] == "arm1") & (frame["item"] == 1))
    panel = panels(record_table(frame[~lost]))["-", "budget0"]
    with pytest.raises(InputError, match="no item is complete"):
        settled(panel, "complete-items")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.assign(correct=f["correct"].astype(float).where(f.index != 4)), "correct is nan in row 5"),
        (lambda f: f.assign(correct=f["correct"].where(f.index != 4, 2)), "correct is 2 in row 5; it must be 0 or 1"),
        (lambda f: f.assign(cluster=f["cluster"].astype(float).where(f.index != 2)), "cluster is missing in row 3"),
        (lambda f: pd.concat([f, f.iloc[[0]]]), r"rows 1, \d+ have the same key"),
        (lambda f: f.assign(cluster=f["cluster"].where(f.index != 1, 99)), "item 1 is in clusters 99, 0 .rows 2, 9"),
        (lambda f: f.assign(p_0=0.9), r"option probabilities sum to .* in rows"),
        (lambda f: f.assign(p_0=f["p_0"].where(f.index != 1, np.nan)), "a probability is missing before"),
        (lambda f: f.drop(columns="p_0"), "option probabilities need p_0 to p_1"),
        (lambda f: f.assign(p_0=-f["p_0"]), "or one is negative"),
        (lambda f: f.drop(columns="item"), "no column 'item'"),
        (lambda f: f.drop(columns="correct"), "no outcome"),
        (lambda f: f.iloc[:0], "no rows"),
        (lambda f: f.assign(answer=""), "answer is empty"),
        (lambda f: f.assign(answer=f["p_2"].isna().map({True: "C", False: "A"})), "answer C in rows .* 2 options"),
        (lambda f: f.assign(answer=np.where(f.index == 5, 7, 0)), r"answer 7 in row 6, but the item has \d options"),
        (lambda f: f.assign(answer=np.where(f.index == 5, 3, 0)), "answer 3 in row 6"),
    ],
)
def test_bad_tables_get_one_clear_line(change, message):
    with pytest.raises(InputError, match=message) as caught:
        record_table(change(table()))
    assert "\n" not in str(caught.value)


def test_answers_may_be_words_letters_or_numbers_from_zero_or_one():
    frame = table()
    options = frame[["p_0", "p_1", "p_2"]].notna().sum(axis=1)
    for answers in (
        options - 1,
        options,
        (options - 1).map(dict(enumerate("ABC"))),
        options.map(lambda n: f"word {n}"),
    ):
        assert record_table(frame.assign(answer=answers)).frame["answer"].notna().all()


def test_columns_are_mapped_and_unknown_ones_named():
    frame = table().rename(columns={"item": "question_id", "correct": "acc"})
    found = record_table(frame, columns={"item": "question_id", "correct": "acc"})
    assert found.frame.equals(record_table(table()).frame)
    with pytest.raises(InputError, match="no column 'qid' for item; it has arm, seed"):
        record_table(frame, columns={"item": "qid"})
    with pytest.raises(InputError, match="cannot map 'itme'"):
        record_table(frame, columns={"itme": "question_id"})


def test_row_order_changes_nothing():
    assert record_table(table()).frame.equals(record_table(shuffled(table(), 3)).frame)


def test_files_are_combined_and_one_key_stands_once():
    frame = table()
    whole = record_table(frame)
    parts = [record_table(frame[frame["arm"] == arm]) for arm in ("arm1", "arm0")]
    assert combined(parts).frame.equals(whole.frame)
    with pytest.raises(InputError, match="the same key"):
        combined([whole, parts[0]])
    with pytest.raises(InputError, match="some have a cluster column"):
        combined([parts[0], replace(parts[1], own_clusters=True)])


def test_transitions_count_every_pair_once():
    before, after = np.array([1, 1, 0, 0, 0]), np.array([1, 0, 1, 0, 0])
    found = transitions(before, after, (np.array(list("ABCDE")), np.array(list("ABCDF"))))
    assert found == {"C to C": 1, "C to W": 1, "W to C": 1, "W to W, same answer": 1, "W to W, another answer": 1}
    assert transitions(before, after) == {"C to C": 1, "C to W": 1, "W to C": 1, "W to W": 2}


def test_paired_recall_divides_by_what_dense_has():
    assert paired_recall([1, 0, 1, 1], [1, 1, 0, 0]) == 0.5
    assert paired_recall([1, 1], [0, 0]) is None


@pytest.mark.parametrize(
    ("pair", "message"),
    [(([1, 0], [1]), r"shapes \(2,\) and \(1,\)"), (([1, np.nan], [1, 0]), "must be 0 or 1"), (([2], [1]), "0 or 1")],
)
def test_what_does_not_pair_is_refused(pair, message):
    for procedure in (transitions, paired_recall):
        with pytest.raises(InputError, match=message):
            procedure(*pair)
    with pytest.raises(InputError, match=r"answers of shape \(1,\)"):
        transitions([1, 0], [1, 0], (["a"], ["a", "b"]))


def test_rate_slopes_are_least_squares():
    random = np.random.default_rng(0)
    values, rates = random.normal(size=(4, 5)), random.normal(size=5)
    expected = [linregress(rates, line).slope for line in values]
    np.testing.assert_allclose(rate_slopes(values, rates), expected, rtol=1e-12)
    with pytest.raises(InputError, match="all rates are equal"):
        rate_slopes(values, np.ones(5))
