"""`refsym compare` and `refsym audit` as a person runs them, on the files that people have."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from eval_logs import inspect_log, inspect_sample, lm_run, lm_sample
from refsym.cli import main
from refsym.report.comparison import comparison_latex, comparison_markdown, render_comparison
from refsym.report.comparison.numbers import p_value, value
from refsym_stats.synthetic import deployment

PLAN = """
format = 1
title = "A study"
[units]
seed = "seed"
[inference]
draws = 300
[[family]]
name = "primary"
size = 2
[[family.contrast]]
endpoint = ["robust_accuracy", "accuracy"]
arm = "measure"
comparator = "count"
budget = "8"
"""
FILES = {"contrasts.parquet", "contrasts.csv", "tables.md", "tables.tex", "report.html", "comparison.json"}


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as exit_:
        main([str(argument) for argument in arguments])
    said = capsys.readouterr()
    return int(exit_.value.code or 0), said.out, said.err


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    frame = deployment(1, items=80, clusters=70, seeds=3).drop(columns=[f"p_{j}" for j in range(4)])
    frame[frame["budget"].isin(["8", "16"])].to_parquet(folder / "records.parquet")
    (folder / "plan.toml").write_text(PLAN)
    return folder


def test_a_planned_comparison_of_a_table(capsys, study, tmp_path):
    out = tmp_path / "out"
    code, said, _ = run(capsys, "compare", study / "records.parquet", "--plan", study / "plan.toml", "--out", out)
    assert code == 0
    assert re.search(r"\d of 2 planned contrasts resolves? at the 5 % level of the family", " ".join(said.split()))
    assert {path.name for path in out.iterdir()} == FILES
    plain = json.loads((out / "comparison.json").read_text())
    assert len(plain["plan"]["sha256"]) == len(plain["sources"][0]["sha256"]) == 64
    table = pd.read_parquet(out / "contrasts.parquet")
    assert table["planned"].sum() == 2
    assert pd.read_csv(out / "contrasts.csv").shape == table.shape
    code, _, error = run(capsys, "compare", study / "records.parquet", "--plan", study / "plan.toml", "--out", out)
    assert (code, error.count("\n")) == (2, 1)
    assert "not empty" in error


def test_init_prints_a_plan_that_runs(capsys, study, tmp_path):
    code, text, _ = run(capsys, "compare", study / "records.parquet", "--init")
    assert code == 0
    (tmp_path / "plan.toml").write_text(text.replace("draws = 20000", "draws = 200"))
    code, said, _ = run(
        capsys,
        "compare",
        study / "records.parquet",
        "--plan",
        tmp_path / "plan.toml",
        "--out",
        tmp_path / "out",
        "--json",
    )
    assert code == 0
    assert [row["endpoint"] for row in json.loads(said)["contrasts"]] == ["robust_accuracy"] * 2


def test_without_a_plan_everything_is_exploratory(capsys, study, tmp_path):
    code, said, _ = run(capsys, "compare", study / "records.parquet", "--out", tmp_path / "out")
    assert code == 0
    assert "No plan" in said
    page = (tmp_path / "out" / "report.html").read_text()
    assert "Exploratory contrasts" in page
    assert "Planned contrasts" not in page


def test_two_harness_logs(capsys, tmp_path):
    for arm, shift in (("base", 0), ("new", 1)):
        samples = [lm_sample(i, lls=[-1.0, -2.0], acc=float((i + shift) % 3 > 0)) for i in range(12)]
        lm_run(tmp_path / arm, samples)
    code, said, error = run(
        capsys, "compare", f"base={tmp_path / 'base'}", f"new={tmp_path / 'new'}", "--out", tmp_path / "out", "--json"
    )
    assert code == 0, error
    assert json.loads(said)["exploratory"] >= 1
    plain = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert {row["arm"] for row in plain["arms"]} == {"base", "new"}
    assert plain["exploratory"][0]["mcnemar"]["n"] == 12
    lm_run(tmp_path / "other", [lm_sample(i, lls=[-1.0, -2.0], acc=1.0, document=f"else {i}") for i in range(12)])
    code, _, error = run(
        capsys, "compare", f"a={tmp_path / 'base'}", f"b={tmp_path / 'other'}", "--out", tmp_path / "o2"
    )
    assert (code, error.count("\n")) == (2, 1)


def test_two_inspect_logs_with_an_error(capsys, tmp_path):
    for arm, letters in (("a", "CICC"), ("b", "CIII")):
        samples = [inspect_sample(i + 1, match=letter) for i, letter in enumerate(letters)]
        if arm == "b":
            samples.append(inspect_sample(9, error="out of time"))
        inspect_log(tmp_path / f"{arm}.eval", samples)
    paths = [f"a={tmp_path / 'a.eval'}", f"b={tmp_path / 'b.eval'}"]
    code, said, error = run(capsys, "compare", *paths, "--grade", "C=1", "--grade", "I=0", "--out", tmp_path / "out")
    assert code == 0, error
    assert "error" in said


def test_an_order_paired_log_needs_its_option(capsys, tmp_path):
    rows = [{"task": "t", "policy": arm, "score": (i * k) % 2} for k, arm in ((1, "x"), (2, "y")) for i in range(6)]
    (tmp_path / "log.json").write_text(json.dumps(rows))
    code, _, error = run(capsys, "compare", tmp_path / "log.json", "--out", tmp_path / "out")
    assert code == 2
    code, _, error = run(capsys, "compare", tmp_path / "log.json", "--order-paired", "--out", tmp_path / "out")
    assert code == 0, error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.parquet"], "missing.parquet"),
        (["{study}/records.parquet", "--plan", "{study}/plan.toml", "--missing", "wrong"], "leave out --missing"),
        (["{study}/records.parquet", "--plan", "{study}/plan.toml", "--init"], "give one of them"),
        (["{study}/records.parquet", "--column", "item"], "NAME=VALUE is needed"),
        (["{study}/records.parquet", "--grade", "C=x"], "a number is needed"),
        (["{study}/records.parquet", "--plan", "{study}/none.toml"], "none.toml"),
        (["{study}/records.parquet", "--column", "item=qid"], "no column 'qid'"),
    ],
)
def test_bad_input_gets_one_line_and_leaves_nothing(capsys, study, tmp_path, arguments, message):
    out = tmp_path / "out"
    given = [argument.format(study=study) for argument in arguments]
    code, said, error = run(capsys, "compare", *given, "--out", out)
    assert (code, said, error.count("\n")) == (2, "", 1)
    assert message in error
    assert not out.exists()


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attributes)))


def test_the_page_holds_itself_and_escapes_labels(capsys, tmp_path):
    evil = "<script>alert(1)</script>|&_$%"
    frame = deployment(2, items=30, clusters=30, seeds=2)
    frame = frame[frame["budget"] == "8"].assign(arm=lambda f: f["arm"].replace("count", evil))
    frame.to_parquet(tmp_path / "r.parquet")
    text = PLAN.replace('"count"', json.dumps(evil)).replace('"accuracy"', '"jsd"')
    (tmp_path / "p.toml").write_text(text)
    out = tmp_path / "out"
    code, _, error = run(capsys, "compare", tmp_path / "r.parquet", "--plan", tmp_path / "p.toml", "--out", out)
    assert code == 0, error
    page = (out / "report.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert not [tag for tag, _ in tags.found if tag in ("script", "link", "img", "iframe")]
    assert not [a for _, a in tags.found for name in ("src", "href") if str(a.get(name, "#"))[:1] != "#"]
    assert "&lt;script&gt;" in page
    plain = json.loads((out / "comparison.json").read_text())
    # The same record, the same bytes.
    assert render_comparison(plain) == page
    assert comparison_markdown(plain) == (out / "tables.md").read_text()
    assert r"\|&\_$%" in (out / "tables.md").read_text()
    latex = (out / "tables.tex").read_text()
    assert comparison_latex(plain) == latex
    assert r"|\&\_\$\%" in latex
    body = [line for line in latex.splitlines() if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in body[:3]} == {body[0].count("&")}


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (0.004, "pp", "0.00"),
        (-0.004, "pp", "0.00"),
        (-1.235, "pp", "−1.24"),
        (1e-5, "nats", "0.0000"),
        (None, "pp", "–"),
    ],
)
def test_values_have_their_units_decimals(number, unit, text):
    assert value(number, unit) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (1.0, "1"),
        (0.996, "1"),
        (0.0499, "0.050"),
        (0.0123, "0.012"),
        (4.2e-4, "4.2 × 10⁻⁴"),
        (1e-308, "< 10⁻³⁰⁰"),
        (None, "–"),
    ],
)
def test_p_values_have_two_digits(p, text):
    assert p_value(p) == text


def test_the_papers_are_audited(capsys, tmp_path):
    code, said, _ = run(capsys, "audit", "--out", tmp_path / "out")
    assert code == 0
    assert "cannot be" in said
    plain = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert sum(plain["counts"].values()) >= 200
    tags = Tags()
    tags.feed((tmp_path / "out" / "report.html").read_text())
    assert not [a for _, a in tags.found if "src" in a or "href" in a]


def test_a_table_of_ones_own_that_cannot_be_is_a_no(capsys, tmp_path):
    table = """
title = "Our <b>table</b>"
[[check]]
id = "sum"
place = "Table 1"
printed = "{printed}"
formula = "a + b"
inputs = {{ a = 2, b = 2 }}
"""
    (tmp_path / "t.toml").write_text(table.format(printed=4))
    assert run(capsys, "audit", tmp_path / "t.toml", "--out", tmp_path / "good")[0] == 0
    (tmp_path / "t.toml").write_text(table.format(printed=5))
    code, said, _ = run(capsys, "audit", tmp_path / "t.toml", "--out", tmp_path / "bad", "--json")
    assert code == 1
    assert [finding["id"] for finding in json.loads(said)["cannot_be"]] == ["sum"]
    assert "<b>table" not in (tmp_path / "bad" / "report.html").read_text()
    code, _, error = run(capsys, "audit", tmp_path / "none.toml", "--out", tmp_path / "out")
    assert (code, error.count("\n")) == (2, 1)
