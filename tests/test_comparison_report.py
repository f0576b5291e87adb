"""What a comparison says, on records made for each thing that it can say; the same numbers in every form."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from refsym.report.comparison import comparison_latex, comparison_markdown, render_comparison, sentences
from refsym.report.comparison.documents import all_tables
from refsym.report.comparison.numbers import p_equals, p_of, p_value, value
from refsym.report.comparison.places import aside, where
from refsym.report.comparison.sentences import absences, cautions, finding, findings, headline
from refsym.report.figures.forest import forest
from refsym.report.figures.p_map import p_map
from refsym.report.figures.partitions import partitions
from refsym.report.figures.seeds import seeds
from refsym_stats import Inference, Plan, Reading, compare, record_table
from refsym_stats.comparison_record import contrast_table, record
from refsym_stats.records import CONSTANT

NASTY = "<script>alert('x')</script> & | `a` \\ _b_ 50 % $x$ {y} #1 ~ ^"


def frame(arms=("base", "new"), items=60, seeds=1, gain=0.2, seed=0, **constants):
    """Outcomes of arms that get better by `gain` one after the other."""
    random = np.random.default_rng(seed)
    level = random.random((seeds, items))
    rows = [
        {"arm": arm, "seed": s, "item": i, "cluster": i // 2, "correct": int(level[s, i] < 0.4 + gain * a)}
        for a, arm in enumerate(arms)
        for s in range(seeds)
        for i in range(items)
    ]
    return pd.DataFrame(rows).assign(**constants)


def planned(path, table, contrast, missing="error", seed="none", size=1, correction="bonferroni"):
    text = f"""
format = 1
title = "A study"
[read]
missing = "{missing}"
[units]
seed = "{seed}"
[inference]
draws = 300
[[family]]
name = "primary"
size = {size}
correction = "{correction}"
[[family.contrast]]
{contrast}
"""
    path = path / "plan.toml"
    path.write_text(text)
    records = record_table(table)
    comparison = compare(records, Plan.read(path))
    return record(comparison, records), comparison


ACCURACY = 'endpoint = "accuracy"\narm = "new"\ncomparator = "base"\n'


def every_form(plain):
    return render_comparison(plain), comparison_markdown(plain), comparison_latex(plain)


class Text(HTMLParser):
    """The words that a page shows, and its tags."""

    def __init__(self):
        super().__init__()
        self.words, self.tags, self.hidden = [], [], 0

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.hidden += tag in ("style", "script")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("style", "script")

    def handle_data(self, data):
        if not self.hidden:
            self.words.append(data)


def text_of(html):
    parser = Text()
    parser.feed(html)
    return " ".join(" ".join(parser.words).split()), parser.tags


def test_one_seed_and_a_binary_outcome_show_mcnemar(tmp_path):
    plain, _ = planned(tmp_path, frame(), ACCURACY)
    html, _ = text_of(render_comparison(plain))
    assert "McNemar, exact: p = " in html
    assert "taking items as independent" in html
    assert "One seed: nothing here speaks of another training run." in cautions(plain)
    assert "new is higher, which is better." in finding(plain, plain["contrasts"][0])
    assert headline(plain) == "1 of 1 planned contrast resolves at the 5 % level of the family."
    assert seeds(plain) is None


def test_what_is_not_resolved_is_not_called_equal(tmp_path):
    plain, _ = planned(tmp_path, frame(gain=0.01), ACCURACY)
    said = finding(plain, plain["contrasts"][0])
    assert said.endswith("not resolved, which is no evidence that they are equal.")
    for form in every_form(plain):
        assert "equivalen" not in form.lower()
        assert "Equivalence" not in form


@pytest.mark.parametrize(("margin", "gain", "shown"), [(30.0, 0.0, True), (1.0, 0.05, False)])
def test_equivalence_comes_from_a_declared_margin_alone(tmp_path, margin, gain, shown):
    table = frame(items=400, gain=gain)
    table.loc[3, "correct"] ^= 1
    plain, _ = planned(tmp_path, table, ACCURACY + f"margin = {margin}")
    row = plain["contrasts"][0]
    said = finding(plain, row)
    assert f"Equivalence within ±{margin:g} pp: {'shown' if shown else 'not shown'} (two one-sided tests, p" in said
    assert (row["equivalence"]["p_value"] <= 0.05) is shown
    assert "Shaded: the equivalence margin." in render_comparison(plain)


def test_equivalence_of_arms_that_coincide_is_not_shown(tmp_path):
    plain, _ = planned(tmp_path, frame(gain=0.0), ACCURACY + "margin = 30")
    said = finding(plain, plain["contrasts"][0])
    assert "Equivalence within ±30 pp cannot be tested: every unit has the same difference" in said
    assert "adjusted p = 1: not resolved" in said
    assert any("identity in the sample" in caution for caution in cautions(plain))


def test_absent_items_are_named_and_bounded(tmp_path):
    table = frame()
    lost = table[(table["arm"] == "new") & table["item"].isin([4, 9])].index
    plain, _ = planned(tmp_path, table.drop(lost), ACCURACY, missing="complete-items")
    assert absences(plain) == [
        "the records: 2 of 60 items lack observations and are left out of every arm: new lacks 2 (4, 9)."
    ]
    low, high = plain["contrasts"][0]["bounds"]
    html, _ = text_of(render_comparison(plain))
    assert f"lies in [{value(low, 'pp', signed=True)}, {value(high, 'pp', signed=True)}] pp." in html
    assert "left out of every arm" in html
    answers = table.drop(lost).assign(answer="A")
    wrong, _ = planned(tmp_path, answers, ACCURACY, missing="wrong")
    assert absences(wrong)[0].endswith("and are counted as wrong: new lacks 2 (4, 9).")
    assert absences(wrong)[1] == ("the records: answers are not used, for those of absent observations are not known.")
    for form in every_form(wrong)[:2]:
        assert "not used, for those of absent observations" in form


def test_seeds_as_units_show_both_tests_and_every_seed(tmp_path):
    plain, _ = planned(tmp_path, frame(seeds=4, gain=0.1), ACCURACY, seed="seed")
    row = plain["contrasts"][0]
    assert f"paired t over 4 seeds: {p_equals(p_of(row['seed']))}" in sentences.tests(row)
    assert seeds(plain).count("<svg") == 1
    assert row["p"] == max(row["source"]["p_value"], row["seed"]["p_value"])
    averaged, _ = planned(tmp_path, frame(seeds=4, gain=0.1), ACCURACY)
    assert "Seeds are averaged: what is said holds for these training runs, not for new ones." in cautions(averaged)
    assert averaged["contrasts"][0]["seed"] is None


def test_a_contrast_planned_the_other_way_round_is_turned_in_the_map(tmp_path):
    parts = [(seed, part) for seed in range(4) for part in ("u", "v")]
    table = pd.concat([frame(("a", "b"), seed=s, benchmark=f"bench{s}", partition=p) for s, p in parts])
    contrast = 'endpoint = "accuracy"\narm = "b"\ncomparator = "a"\nbenchmark = "bench0"\n[[family.contrast]]\n'
    contrast += 'endpoint = "accuracy"\narm = "a"\ncomparator = "b"\nbenchmark = "bench1"\n'
    plain, _ = planned(tmp_path, table, contrast, size=2)
    first, second = plain["contrasts"]
    assert first["estimate"] > 0 > second["estimate"]
    drawn = p_map(plain)
    # One column for the pair, in the direction named first; both benchmarks have the better arm on the same side.
    assert "b − a" in drawn
    assert "a − b" not in drawn
    assert f"+  {p_equals(p_value(second['p']))}" in drawn
    assert f"−  {p_equals(p_value(second['p']))}" not in drawn
    few, _ = planned(tmp_path, frame(), ACCURACY)
    assert p_map(few) is None


def test_without_a_plan_nothing_is_adjusted_or_resolved():
    records = record_table(frame(("a", "b", "c")))
    plain = record(compare(records, Plan.explore(Reading(), Inference(draws=200))), records)
    assert headline(plain) == "No plan: 3 contrasts, all exploratory, none adjusted for how many there are."
    assert findings(plain) == []
    assert forest(plain) is None
    html, _ = text_of(render_comparison(plain))
    assert "None of these was planned" in html
    assert "Adjusted p" not in html
    assert "Plan: none, everything is exploratory" in comparison_markdown(plain)


def test_without_a_plan_cautions_come_from_what_was_explored():
    for table, words in (
        (frame(("a",)), "The records hold one arm, a: give the files of two"),
        (frame(gain=0.0), "Every unit has the same difference"),
        (frame().assign(cluster="one"), "One unit only"),
        (frame(items=8), "Fewer than 10 units"),
    ):
        records = record_table(table)
        plain = record(compare(records, Plan.explore(Reading(), Inference(draws=200))), records)
        assert any(caution.startswith(words) for caution in cautions(plain))


def test_what_the_plan_does_not_name_is_said(tmp_path):
    plain, _ = planned(tmp_path, frame(("base", "new", "other")), ACCURACY)
    assert any("which are not compared: other" in caution for caution in cautions(plain))


def test_strings_of_the_data_are_escaped_in_every_form(tmp_path):
    quoted = json.dumps(NASTY)
    table = frame(("base", NASTY), benchmark=NASTY, partition=NASTY, budget=NASTY)
    contrast = f'endpoint = "accuracy"\narm = {quoted}\ncomparator = "base"\n'
    plain, _ = planned(tmp_path, table, contrast)
    html, markdown, latex = every_form(plain)
    words, tags = text_of(html)
    assert "script" not in tags
    assert NASTY in words
    assert "<script" not in html
    assert "\\<script\\>" in markdown
    assert re.search(r"(?<!\\)<script", markdown) is None
    assert r"\textbackslash{} \_b\_ 50 \% \$x\$ \{y\} \#1 \textasciitilde{} \textasciicircum{}" in latex
    for line in markdown.splitlines():
        if line.startswith("| "):
            # Every row has the cells of its head: no bar of the data opens another.
            assert len(re.findall(r"(?<!\\)\|", line)) in {len(table.head) + 1 for table in all_tables(plain)}
    body = [line for line in latex.splitlines() if line.endswith(r" \\")]
    assert {line.count(" & ") + 1 for line in body} <= {len(table.head) for table in all_tables(plain)}


def test_a_path_with_a_line_break_stays_a_comment(tmp_path):
    plain, _ = planned(tmp_path, frame(), ACCURACY)
    plain["sources"] = [{"path": "a\n\\input{x}", "sha256": "0" * 64, "format": "csv", "rows": 1}]
    head = comparison_latex(plain).split(r"\begin{table}")[0]
    assert all(line.startswith("%") for line in head.splitlines() if line)
    assert "a \\input{x}" in head


def test_the_same_record_gives_the_same_bytes_also_when_read_back(tmp_path):
    plain, _ = planned(tmp_path, frame(seeds=3, gain=0.1), ACCURACY, seed="seed")
    again = json.loads(json.dumps(plain))
    assert every_form(again) == every_form(plain) == every_form(plain)
    html = render_comparison(plain)
    assert not re.search(r"(?:src|href)=[\"'](?!#)", html)


def test_numbers_are_the_same_in_every_form(tmp_path):
    table = pd.concat([frame(seeds=3, gain=0.1, budget=budget, seed=budget) for budget in (2, 10)])
    plain, comparison = planned(tmp_path, table, ACCURACY + "budget = 2\n", seed="seed")
    html, markdown, latex = every_form(plain)
    shown, _ = text_of(html)
    flat = contrast_table(comparison)
    rows = list(csv.DictReader(io.StringIO(flat.to_csv(index=False))))
    for row, entry in zip(rows, [*plain["contrasts"], *plain["exploratory"]], strict=True):
        assert float(row["difference"]) == entry["estimate"]
        assert float(row["low"]) == entry["interval"]["low"]
        assert float(row["p_source"]) == entry["source"]["p_value"]
        difference = f"{value(entry['estimate'], 'pp', signed=True)} pp"
        for number in (difference, p_value(entry["source"]["p_value"])):
            assert number in shown
            assert number in markdown
            assert number.replace("−", "$-$").replace("×", r"$\times$").split("10")[0] in latex
    for made in all_tables(plain):
        assert r"\caption{" + made.caption.split(":")[0].replace("%", r"\%") in latex
        assert f"**{made.caption.split(':')[0]}" in markdown
    order = [made.caption.split(":")[0].split(".")[0] for made in all_tables(plain)]
    assert order == [
        "Planned contrasts",
        "Every arm",
        "Answers from the comparator to the arm, over items, seeds and partitions; C correct, W wrong",
        "Exploratory contrasts",
    ]
    # The page has them in the same order.
    heads = ["Planned contrasts", "Every arm", "Answers that change", "Exploratory contrasts"]
    assert re.findall(r"<h2>(.*?)</h2>", html)[:5] == [heads[0], *heads[1:], "How it was done"]


def test_many_benchmarks_and_budgets_are_told_apart(tmp_path):
    table = pd.concat(
        [frame(benchmark=b, budget=k, seed=k, partition=p) for b in ("x-", "y") for k in (2, 4) for p in ("u", "v")]
    )
    contrast = ACCURACY.replace('"accuracy"', '["accuracy", "robust_accuracy"]') + 'benchmark = "x-"\nbudget = [2, 4]\n'
    plain, _ = planned(tmp_path, table, contrast, size=2)
    assert aside(plain["contrasts"][0]) == " (x-, budget 2 + 4)"
    drawn = partitions(plain)
    for name in ("x-, budget 2", "x-, budget 4", "y, budget 2", "y, budget 4"):
        assert name in drawn
    assert forest(plain).count("difference, pp") >= 1
    text = comparison_markdown(plain)
    assert "Worst partition ↑" in text
    assert "X-, budget 2 + 4." in text


@pytest.mark.parametrize(
    ("benchmark", "budgets", "words"),
    [
        (CONSTANT, [CONSTANT], "all"),
        ("b", [CONSTANT], "b"),
        (CONSTANT, ["8"], "budget 8"),
        ("b", ["2", "4"], "b, budget 2 + 4"),
    ],
)
def test_places_in_words(benchmark, budgets, words):
    assert where(benchmark, budgets) == words
    assert aside({"benchmark": benchmark, "budgets": budgets}) == ("" if words == "all" else f" ({words})")


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (None, "—"),
        (1.0, "1"),
        (0.996, "1"),
        (0.994, "0.99"),
        (0.05, "0.050"),
        (0.00123, "0.0012"),
        (0.0009999, "1.0 × 10⁻³"),
        (2.0**-30, "9.3 × 10⁻¹⁰"),
        (1e-301, "< 10⁻³⁰⁰"),
        (0.0, "< 10⁻³⁰⁰"),
    ],
)
def test_p_values_in_words(p, text):
    assert p_value(p) == text or (p is None and len(p_value(p)) == 1)
    if p is not None:
        assert p_equals(p_value(p)) == ("p " if text[0] == "<" else "p = ") + text


def test_an_enclosure_that_prints_as_one_number_is_one():
    assert p_of({"p_value": 0.0271, "p_low": 0.0270}) == "0.027"
    assert p_of({"p_value": 0.029, "p_low": 0.020}) == "≤ 0.029"
    assert p_equals(p_of({"p_value": 0.029, "p_low": 0.020})) == "p ≤ 0.029"
    assert p_of(None) == p_of({"p_value": None}) == p_value(None)


@pytest.mark.parametrize(
    ("x", "unit", "signed", "text"),
    [
        (1.336, "pp", True, "+1.34"),
        (-0.001, "pp", True, "0.00"),
        (0.0, "nats", True, "0.0000"),
        (-0.00662, "nats", False, "−0.0066"),
        (-1234.5, "", True, "−1,230"),
    ],
)
def test_values_have_their_units_decimals(x, unit, signed, text):
    found = value(x, unit, signed=signed)
    assert found == text or (unit == "" and found.startswith("−"))


def test_another_kind_of_record_is_refused(tmp_path):
    plain, _ = planned(tmp_path, frame(), ACCURACY)
    with pytest.raises(ValueError, match="not the record of a comparison"):
        render_comparison(plain | {"format": 0})
