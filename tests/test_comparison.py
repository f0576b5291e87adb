"""Plans, and what comes of them."""

import json
import tomllib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refsym_stats import Plan, compare, crossed_bootstrap, mcnemar_exact, paired_t, sign_flip
from refsym_stats.comparison_record import contrast_table, record
from refsym_stats.errors import InputError
from refsym_stats.plan import Inference, Reading
from refsym_stats.plan_draft import draft
from refsym_stats.records import record_table
from refsym_stats.synthetic import LAWS, deployment

PLAN = """
format = 1
title = "A study"
[units]
cluster = "cluster"
seed = "seed"
[inference]
draws = 400
random_seed = 5
[[family]]
name = "primary"
size = 4
[[family.contrast]]
endpoint = ["robust_accuracy", "jsd"]
arm = "measure"
comparator = ["count", "standard"]
budget = 8
"""


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return deployment(1, items=120, clusters=100, seeds=3)


def plan(tmp_path, text: str = PLAN) -> Plan:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return Plan.read(path)


def test_a_planned_contrast_holds_what_the_procedures_say(tmp_path, frame):
    found = compare(record_table(frame), plan(tmp_path))
    assert [(c.endpoint.name, c.contrast.comparator) for c in found.contrasts] == [
        ("robust_accuracy", "count"),
        ("robust_accuracy", "standard"),
        ("jsd", "count"),
        ("jsd", "standard"),
    ]
    at = frame[frame["budget"] == "8"]
    robust = at.groupby(["arm", "seed", "item"])["correct"].all().astype(int).unstack()  # noqa: PD010
    clusters = at.groupby("item")["cluster"].first().to_numpy()
    lines = [robust.loc["measure"].to_numpy() - robust.loc[arm].to_numpy() for arm in ("count", "standard")]
    first = found.contrasts[0]
    assert first.estimate == pytest.approx(100 * lines[0].mean(), rel=1e-12)
    source = sign_flip(lines[0].sum(axis=0), clusters=clusters)
    assert first.source.p_value == source.p_value
    seed = paired_t(100 * lines[0].mean(axis=1))
    assert first.seed.p_value == pytest.approx(seed.p_value, rel=1e-12)
    assert first.p == max(first.source.p_value, first.seed.p_value)
    assert first.adjusted == pytest.approx(min(1, 4 * first.p), rel=1e-12)
    jsd = [c for c in found.contrasts if c.endpoint.name == "jsd"]
    assert {c.interval.draws for c in jsd} == {400}
    # The family's stack, as the bootstrap itself would be asked.
    assert first.interval.low < first.estimate < first.interval.high
    alone = crossed_bootstrap(100.0 * lines[0], clusters, draws=400, seed=5)
    assert first.interval.standard_error == pytest.approx(alone.standard_error, rel=0.15)
    pairs = {seed: (before, after) for seed, before, after in first.by_seed}
    assert pairs["0"][1] - pairs["0"][0] == pytest.approx(100 * lines[0][0].mean(), abs=1e-10)


def test_what_is_not_planned_is_exploratory_and_not_adjusted(tmp_path, frame):
    found = compare(record_table(frame), plan(tmp_path))
    planned = {
        (c.endpoint.name, frozenset((c.contrast.arm, c.contrast.comparator)), c.contrast.budgets)
        for c in found.contrasts
    }
    others = {
        (c.endpoint.name, frozenset((c.contrast.arm, c.contrast.comparator)), c.contrast.budgets)
        for c in found.exploratory
    }
    assert not planned & others
    assert len(others) == len(found.exploratory) == 4 * 3 * 4 - 4
    assert {c.adjusted for c in found.exploratory} == {None}
    assert (
        len(compare(record_table(frame), Plan.explore(Reading(), Inference(seed="seed", draws=200))).exploratory) == 48
    )


def test_row_order_changes_no_bit(tmp_path, frame):
    chosen = plan(tmp_path)
    tables = [
        contrast_table(compare(record_table(part), chosen))
        for part in (frame, frame.sample(frac=1, random_state=3, ignore_index=True))
    ]
    pd.testing.assert_frame_equal(*tables, rtol=0, atol=0)


def test_swapping_the_arms_turns_every_sign(tmp_path, frame):
    one = compare(record_table(frame), plan(tmp_path)).contrasts
    text = PLAN.replace('arm = "measure"', 'arm = "count"').replace('["count", "standard"]', '["measure"]')
    two = compare(record_table(frame), plan(tmp_path, text)).contrasts
    for mine, theirs in ((one[0], two[0]), (one[2], two[1])):
        assert theirs.estimate == pytest.approx(-mine.estimate, rel=1e-12)
        assert theirs.p == pytest.approx(mine.p, rel=1e-9)
        assert (theirs.robust.low, theirs.robust.high) == pytest.approx((-mine.robust.high, -mine.robust.low), rel=1e-9)


def test_arms_that_coincide_are_an_identity_not_a_certainty(tmp_path, frame):
    found = compare(record_table(frame), plan(tmp_path, PLAN.replace("budget = 8", "budget = 16"))).contrasts
    for contrast in found:
        assert contrast.estimate == 0
        assert contrast.interval.low is None
        assert contrast.robust.standard_error is None
        assert contrast.p == contrast.adjusted == 1.0
        assert contrast.detectable is None


def test_one_seed_and_a_binary_outcome_bring_mcnemar(tmp_path, frame):
    one = frame[(frame["seed"] == 0) & (frame["partition"] == "uniform")]
    text = PLAN.replace('seed = "seed"', 'seed = "none"').replace('["robust_accuracy", "jsd"]', '"accuracy"')
    found = compare(record_table(one), plan(tmp_path, text)).contrasts[0]
    wide = one[one["budget"] == "8"].pivot_table(index="item", columns="arm", values="correct")
    up = int(((wide["measure"] == 1) & (wide["count"] == 0)).sum())
    down = int(((wide["measure"] == 0) & (wide["count"] == 1)).sum())
    assert found.mcnemar.p_value == mcnemar_exact(up, down).p_value
    assert found.seed is None
    assert found.p == found.source.p_value
    with pytest.raises(InputError, match="one seed, but the plan has seeds as units"):
        compare(record_table(one), plan(tmp_path, PLAN.replace('["robust_accuracy", "jsd"]', '"accuracy"')))


def test_a_declared_margin_tests_equivalence(tmp_path, frame):
    text = PLAN.replace("budget = 8", "budget = 8\nmargin = 50.0").replace('["robust_accuracy", "jsd"]', '"accuracy"')
    found = compare(record_table(frame), plan(tmp_path, text)).contrasts
    assert found[0].equivalence.p_value < 0.05
    assert compare(record_table(frame), plan(tmp_path)).contrasts[0].equivalence is None


def test_holm_is_never_above_bonferroni(tmp_path, frame):
    text = (
        PLAN.replace('"robust_accuracy"', '"consistency"').replace('seed = "seed"', 'seed = "none"').replace("8", "2")
    )
    one = compare(record_table(frame), plan(tmp_path, text)).contrasts
    two = compare(
        record_table(frame), plan(tmp_path, text.replace("size = 4", 'size = 4\ncorrection = "holm"'))
    ).contrasts
    assert sorted(c.p for c in one)[1] < 0.2
    assert all(b.adjusted <= a.adjusted for a, b in zip(one, two, strict=True))
    assert any(b.adjusted < a.adjusted for a, b in zip(one, two, strict=True))


def test_budgets_are_averaged_within_the_item(tmp_path, frame):
    text = PLAN.replace("budget = 8", 'budget = ["8", "4"]').replace('["robust_accuracy", "jsd"]', '"accuracy"')
    found = compare(record_table(frame), plan(tmp_path, text)).contrasts[0]
    means = frame[frame["budget"].isin(["8", "4"])].groupby("arm")["correct"].mean()
    assert found.estimate == pytest.approx(100 * (means["measure"] - means["count"]), rel=1e-10)


def test_kl_to_a_reference_distribution(tmp_path, frame):
    text = (
        PLAN.replace('["robust_accuracy", "jsd"]', '"kl"')
        + '\n[reference]\narm = "standard"\nbudget = "16"\npartition = "uniform"\n'
    )
    found = compare(record_table(frame), plan(tmp_path, text)).contrasts[0]
    columns = [f"p_{j}" for j in range(4)]
    keyed = frame.set_index(["arm", "budget", "partition", "seed", "item"])[columns].sort_index()
    reference = keyed.loc["standard", "16", "uniform"]
    means = {}
    for arm in ("measure", "count"):
        rows = keyed.loc[arm, "8"]
        base = reference.reindex(rows.index.droplevel("partition")).to_numpy()
        means[arm] = (base * np.log(base / rows.to_numpy())).sum(axis=1).mean()
    assert found.estimate == pytest.approx(means["measure"] - means["count"], rel=1e-9)


def test_absent_items_are_reported_with_bounds(tmp_path, frame):
    lost = (frame["arm"] == "count") & (frame["item"].isin([3, 5]))
    with pytest.raises(InputError, match=r"arm count lacks 2 \(3, 5\)"):
        compare(record_table(frame[~lost]), plan(tmp_path))
    text = PLAN.replace("[units]", '[read]\nmissing = "complete-items"\n[units]')
    found = compare(record_table(frame[~lost]), plan(tmp_path, text))
    assert found.contrasts[0].robust.n == 118
    assert {absent.items for absent in found.absent} == {2}
    wrong = PLAN.replace("[units]", '[read]\nmissing = "wrong"\n[units]')
    with pytest.raises(InputError, match='jsd in benchmark synthetic, budget 8: missing = "wrong" makes absent'):
        compare(record_table(frame[~lost]), plan(tmp_path, wrong))
    accuracies = plan(tmp_path, wrong.replace(', "jsd"', ""))
    assert {absent.given_up for absent in compare(record_table(frame[~lost]), accuracies).absent} == {
        ("answer", "probabilities")
    }
    low, high = found.contrasts[0].bounds
    truth = compare(record_table(frame), plan(tmp_path)).contrasts[0].estimate
    assert low <= truth <= high


def test_the_record_is_plain_json_and_names_its_inputs(tmp_path, frame):
    chosen = plan(tmp_path)
    table = record_table(frame)
    plain = record(compare(table, chosen), table)
    assert json.loads(json.dumps(plain, allow_nan=False))["plan"]["sha256"] == chosen.sha256
    assert len(plain["contrasts"]) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("[units]", "[unit]"), "unknown key 'unit'; did you mean 'units'"),
        (("draws = 400", "drows = 400"), "unknown key 'drows'; did you mean 'draws'"),
        (("draws = 400", "draws = 3"), "draws 3: an integer of at least 100"),
        (("draws = 400", "level = 1.5"), "level 1.5"),
        (("draws = 400", 'level = "x"'), "level 'x': a number between 0 and 1"),
        (("draws = 400", "alternative = 3"), "alternative 3: one of"),
        (("[units]", '[read]\ngrades = { C = "1" }\n[units]'), "grades: C is '1'; a finite number is needed"),
        (("[units]", "[read]\ngrades = { C = inf }\n[units]"), "grades: C is inf; a finite number"),
        (("[units]", "[read]\ngrades = 3\n[units]"), "grades must be a table"),
        (("[units]", "[read]\ncolumns = { item = 3 }\n[units]"), "columns: item is 3; text is needed"),
        (("[units]", '[read]\nthreshold = "x"\n[units]'), "threshold is 'x'; a finite number"),
        (("draws = 400", 'alternative = "bigger"'), "alternative 'bigger': one of two-sided, greater, less"),
        (("size = 4", "size = 3"), "family primary: declared size 3, but it holds 4 contrasts"),
        (("size = 4\n", "\n"), "declare how many contrasts"),
        (('"robust_accuracy"', '"robustness"'), "endpoint 'robustness': one of accuracy, robust_accuracy"),
        (('"count", "standard"', '"count", "count"'), "comparator is empty or names one twice"),
        (('"count", "standard"', '"measure"'), "arm measure is compared with itself"),
        (('arm = "measure"', ""), "a contrast has no arm"),
        (("format = 1", "format = 2"), "format 2; this version reads format 1"),
        (("budget = 8", "budget = 8\nmargin = -1"), "margin -1.0; a positive number"),
        (('name = "primary"', "name = ['a']"), r"name is \['a'\]; a label is needed"),
        (("budget = 8", 'budget = 8\nalternative = "up"'), "family primary: alternative 'up': one of"),
        (('title = "A study"', "title = 3"), "title is 3; text is needed"),
        (("title", "title title"), "plan.toml: .*line 3"),
        (("[[family]]", "[family]"), r"no \[\[family\]\]"),
    ],
)
def test_a_bad_plan_gets_one_clear_line(tmp_path, change, message):
    with pytest.raises(InputError, match=message) as caught:
        plan(tmp_path, PLAN.replace(*change, 1))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('arm = "measure"', 'arm = "measures"'), "no records of arm measures; the records hold count, measure"),
        (("budget = 8", "budget = 9"), "at budget 9; there are 2, 4, 8, 16"),
        (("budget = 8", ""), "a contrast names no budget"),
        (("budget = 8", 'benchmark = "x"\nbudget = 8'), "no records of benchmark x"),
        (('"robust_accuracy", "jsd"', '"score"'), "score in .* needs a column 'score'"),
        (('"robust_accuracy", "jsd"', '"kl"'), r"kl .* needs a \[reference\]"),
        (("[units]", "[read]\nthreshold = 0.5\n[units]"), "no 'score'"),
    ],
)
def test_a_plan_that_names_what_the_data_lack(tmp_path, frame, change, message):
    with pytest.raises(InputError, match=message):
        compare(record_table(frame), plan(tmp_path, PLAN.replace(*change, 1)))


def test_a_draft_is_a_plan_that_runs(tmp_path, frame):
    table = record_table(frame)
    text = draft(table, Reading(columns={"item": "item"}, missing="wrong"))
    path = tmp_path / "draft.toml"
    path.write_text(text.replace("draws = 20000", "draws = 200"))
    found = compare(table, Plan.read(path))
    assert [c.endpoint.name for c in found.contrasts] == ["robust_accuracy", "robust_accuracy", "jsd", "jsd"]
    assert found.plan.reading.columns == {"item": "item"}


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.text(min_size=1).filter(lambda s: s.strip()), min_size=2, max_size=3, unique_by=lambda s: s.strip()))
def test_a_draft_quotes_every_label(arms):
    frame = pd.DataFrame(
        [{"arm": arm, "item": i, "correct": i % 2, "benchmark": arms[0]} for arm in arms for i in range(2)]
    )
    text = draft(record_table(frame), Reading())
    family = tomllib.loads(text)["family"][0]["contrast"][0]
    assert {family["arm"], *family["comparator"]} == {arm.strip() for arm in arms}


def test_the_synthetic_study_has_the_shape_and_the_effects_it_claims():
    whole = deployment(0)
    assert len(whole) == 597_360 == 2489 * 5 * 48
    assert whole["cluster"].nunique() == 2290
    robust = whole.groupby(["budget", "arm", "seed", "item"])["correct"].all().groupby(["budget", "arm"]).mean()
    accuracy = whole.groupby(["budget", "arm"])["correct"].mean()
    for budget, laws in LAWS.items():
        for arm, law in laws.items():
            # One draw of 2,489 items: within four standard errors of its law.
            assert abs(robust[budget, arm] - law.robust) < 4 * np.sqrt(0.25 / 2489)
            assert abs(accuracy[budget, arm] - law.accuracy) < 4 * np.sqrt(0.25 / 2489)
    columns = [f"p_{j}" for j in range(4)]
    np.testing.assert_array_equal(whole[columns].to_numpy().argmax(axis=1), whole["answer"])


def test_an_arm_is_demanded_only_on_benchmarks_where_the_plan_compares_it(tmp_path):
    rows = [
        {"benchmark": benchmark, "arm": arm, "item": f"{benchmark}{i}", "score": i + (arm == "new")}
        for benchmark, arms in (("one", ("base", "new")), ("two", ("base", "other")))
        for arm in arms
        for i in range(8)
    ]
    path = tmp_path / "plan.toml"
    contrasts = "".join(
        f'\n[[family.contrast]]\nendpoint = "score"\nbenchmark = "{benchmark}"\narm = "{arm}"\ncomparator = "base"\n'
        for benchmark, arm in (("one", "new"), ("two", "other"))
    )
    head = (
        'format = 1\n[units]\ncluster = "item"\nseed = "none"\n[[family]]\nname = "f"\nsize = 2\ncorrection = "holm"\n'
    )
    path.write_text(head + contrasts)
    plan = Plan.read(path)
    found = compare(record_table(pd.DataFrame(rows)), plan)
    assert [c.estimate for c in found.contrasts] == [1.0, 0.0]
    # One record of an arm on a benchmark, and it is demanded there; so is one that the plan compares there.
    more = [*rows, {"benchmark": "one", "arm": "other", "item": "one0", "score": 0}]
    with pytest.raises(InputError, match="benchmark one: of 8 items, arm other lacks 7"):
        compare(record_table(pd.DataFrame(more)), plan)
    fewer = [row for row in rows if row["arm"] != "other" or row["item"] != "two3"]
    with pytest.raises(InputError, match=r"benchmark two: of 8 items, arm other lacks 1 \(two3\)"):
        compare(record_table(pd.DataFrame(fewer)), plan)
    none = [row for row in rows if row["benchmark"] != "two" or row["arm"] != "other"]
    with pytest.raises(InputError, match="no records of arm other"):
        compare(record_table(pd.DataFrame(none)), plan)
