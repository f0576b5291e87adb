"""Every study: --quick runs its whole path in seconds, resumes, refuses what it cannot mix, and gives an account."""

import json
import math
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from refsym.commands.study import findings_record, load_study
from refsym.report.study import render_study, study_markdown
from refsym.study import Account, Figure, Finding, Records, Table, read_records
from refsym.study.findings import printed_interval
from refsym_gpu import implementation
from refsym_theory.errors import InputError

ROOT = Path(__file__).parent.parent
STUDIES = sorted(file.parent for file in (ROOT / "studies").glob("*/run.py") if file.parent.name != "calibration")
NAMES = [folder.name for folder in STUDIES]


@pytest.fixture(scope="module", autouse=True)
def without_the_interpreter():
    """Studies run as they do where there is no card: on the reference."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(implementation, "INTERPRETED", False)
        yield


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """Records of each study's --quick, made once."""
    made = {}

    def run(name):
        if name not in made:
            module, out = load_study(ROOT / "studies" / name), tmp_path_factory.mktemp(name) / "records.parquet"
            module.main(["--quick", "--out", str(out)])
            made[name] = module, out
        return made[name]

    return run


@pytest.mark.parametrize("name", NAMES)
def test_quick_gives_records_and_an_account(quick, name):
    module, out = quick(name)
    rows, settings = read_records(out)
    assert rows
    assert "format" in settings
    found = module.account(out).record("0" * 64)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["answer"]
    assert found["findings"]
    page, text = render_study(found, comparison=True), study_markdown(found, comparison=False)
    assert page == render_study(found, comparison=True)
    for entry in found["findings"]:
        assert entry["verdict"] in page
        assert entry["verdict"] in text


@pytest.mark.parametrize("name", NAMES)
def test_a_finished_study_is_not_run_again_and_another_version_is_refused(quick, name, tmp_path, monkeypatch):
    module, out = quick(name)
    copy = tmp_path / "records.parquet"
    copy.write_bytes(out.read_bytes())
    module.main(["--quick", "--out", str(copy)])
    assert copy.read_bytes() == out.read_bytes()
    monkeypatch.setattr(module, "FORMAT", 1_000)
    with pytest.raises(InputError, match=r"made with other settings \(format\); --force starts afresh"):
        module.main(["--quick", "--out", str(copy)])
    with pytest.raises(InputError, match=r"records of format \d, this study reads 1000; run it with --force"):
        findings_record(module, copy)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("operators", "quadrature", "primitives")])
def test_a_study_on_a_model_says_which_command_fetches_it(name, tmp_path):
    module = load_study(ROOT / "studies" / name)
    out = str(tmp_path / "records.parquet")
    with pytest.raises(InputError, match=r"--model is needed: `make model` fetches"):
        module.main(["--out", out])
    with pytest.raises(InputError, match=r"nowhere\.gguf: not there; `make model` fetches"):
        module.main(["--model", "nowhere.gguf", "--out", out])
    with pytest.raises(InputError, match=r"--data is needed: JSON Lines"):
        module.main(["--model", str(ROOT), "--out", out])
    with pytest.raises(InputError, match="unrecognized arguments: --fast"):
        module.main(["--fast"])


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_report_is_that_of_the_committed_records(name):
    folder = ROOT / "reports" / name
    module = load_study(ROOT / "studies" / name)
    found = findings_record(module, ROOT / "studies" / name / "records.parquet")
    assert found == json.loads((folder / "findings.json").read_text())
    planned = (ROOT / "studies" / name / "plan.toml").exists()
    assert render_study(found, planned) == (folder / "findings.html").read_text()
    assert study_markdown(found, planned) == (folder / "findings.md").read_text()
    assert found["counts"]["fails"] == 0


def test_a_verdict_is_derived_from_the_numbers():
    def verdict(found, printed=None, **more):
        return Finding("q", "s", found, printed, **more).verdict

    assert verdict(0.15244, "0.1524") == "agrees"
    assert verdict(0.15246, "0.1524") == "differs"
    assert verdict(0.15, "0.1524", low=0.14, high=0.1524) == "agrees"
    assert verdict(0.15, "0.1524", low=0.14, high=0.1523) == "differs"
    assert verdict(math.nan, "0.1524") == "differs"
    assert verdict(0.15, "0.1524", low=math.nan, high=1.0) == "differs"
    assert verdict(6144, "6,144") == "agrees"
    assert verdict(6145, "6,144") == "differs"
    assert verdict(1.0, "2", incomparable="another model") == "not comparable"
    assert [verdict(1.0, holds=holds) for holds in (True, False, None)] == ["holds", "fails", "measured"]
    assert printed_interval("-4.2e-5") == (Fraction("-4.25e-5"), Fraction("-4.15e-5"))
    for text in ("none", "1 to 2"):
        with pytest.raises(ValueError, match="holds"):
            printed_interval(text)


def test_records_are_whole_or_as_before_and_never_of_two_kinds(tmp_path):
    path = tmp_path / "new" / "records.parquet"
    with pytest.raises(InputError, match="no records yet; run the study first"):
        read_records(path)
    records = Records(path, {"format": 1, "sizes": (1, 2)})
    records.add([{"item": "a", "x": 1.0}, {"item": "b", "x": math.nan}])
    again = Records(path, {"format": 1, "sizes": [1, 2]})
    assert again.done("item") == {"a", "b"}
    assert again.done("item", "x") >= {("a", 1.0)}
    again.add([{"item": "c", "x": 2.0, "late": 1}])
    assert [row["item"] for row in read_records(path)[0]] == ["a", "b", "c"]
    with pytest.raises(InputError, match=r"other settings \(sizes, seed\)"):
        Records(path, {"format": 1, "sizes": [2], "seed": 0})
    assert Records(path, {"format": 2}, force=True).rows == []
    path.write_bytes(b"not parquet")
    with pytest.raises(InputError, match="is no Parquet file"):
        Records(path, {"format": 1})


def test_strings_of_an_account_are_escaped_in_every_form():
    nasty = "<script>alert(1)</script> | *x* `y`"
    account = Account(
        nasty,
        nasty,
        nasty,
        [nasty],
        [Finding(nasty, nasty, nasty, note=nasty), Finding("n", "s", 1.5, "1.50", incomparable=nasty)],
        [Table(nasty, [nasty, "x"], [[nasty, math.inf]], nasty)],
        [Figure(nasty, nasty, nasty, {nasty: ([1, 2], [1, math.nan])}, note=nasty)],
        {nasty: nasty},
    )
    found = account.record("0")
    page, text = render_study(found, comparison=False), study_markdown(found, comparison=False)
    assert "<script>" not in page
    assert "<script>" not in text.replace("\\<", "")
    rows = [len(re.findall(r"(?<!\\)\|", line)) for line in text.splitlines() if line.startswith("|")]
    assert set(rows) == {8, 3}
    with pytest.raises(ValueError, match="not the findings of a study"):
        render_study({"kind": "other"}, comparison=False)


def test_the_command_lists_runs_and_reports(tmp_path):
    def command(*words, code=0):
        done = subprocess.run(
            [sys.executable, "-c", "from refsym.cli import main; main()", "study", *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    listed = json.loads(command("list", "--json"))
    assert [entry["name"] for entry in listed] == sorted([*NAMES, "calibration"])
    assert all(entry["about"] for entry in listed)
    records = tmp_path / "quadrature.parquet"
    command("run", "quadrature", "--quick", "--out", str(records))
    said = command("report", "quadrature", "--records", str(records), "--out", str(tmp_path / "out"))
    assert "report:" in said
    assert (tmp_path / "out" / "findings.html").read_text().startswith("<!DOCTYPE html>")
    assert "not empty" in command("report", "quadrature", "--out", str(tmp_path / "out"), code=2)
    assert "no study 'nothing'; there are allocation" in command("run", "nothing", code=2)
    assert "has a report of its own" in command("report", "calibration", "--out", str(tmp_path / "other"), code=2)


def test_a_missing_library_is_named_with_what_installs_it(monkeypatch):
    from refsym.commands import study

    def missing(folder):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(study, "load_study", missing)
    with pytest.raises(InputError, match=r"study tanh needs torch: pip install -c constraints\.txt torch"):
        study._load("tanh")
