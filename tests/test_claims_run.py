"""`pytest proofs_checks` and `refsym verify` on small copies of the checks: what they accept, refuse and write."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from refsym.report import claims_markdown, render_claims
from refsym_theory.claims import registry

ROOT = Path(__file__).parent.parent
CHECKS = ROOT / "proofs_checks"

pytest.importorskip("flint")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with the machinery and Lemma 1 alone."""
    folder = tmp_path / "proofs_checks"
    (folder / "rs").mkdir(parents=True)
    (tmp_path / "src" / "refsym_theory").mkdir(parents=True)
    for path in CHECKS.glob("*.py"):
        shutil.copy(path, folder)
    shutil.copy(CHECKS / "rs" / "test_rs_l1.py", folder / "rs")
    shutil.copytree(CHECKS / "coq", folder / "coq")
    return tmp_path


def collect(checkout: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def line(output: str, name: str) -> str:
    (found,) = [text for text in output.splitlines() if text.startswith(f"{name} ")]
    return found


def test_a_whole_run_judges_every_claim_and_fails_on_what_is_owed(checkout: Path):
    code, output = collect(checkout, "proofs_checks")
    assert code == 1
    assert "verified" in line(output, "RS.L1")
    others = [name for name in registry() if name != "RS.L1"]
    assert all("owes" in line(output, name) for name in others)


@pytest.mark.parametrize(
    "narrow", [["proofs_checks", "-k", "attain"], ["proofs_checks/rs/test_rs_l1.py::test_two_points_attain_it"]]
)
def test_a_part_of_the_run_judges_nothing(checkout: Path, narrow: list[str]):
    code, output = collect(checkout, *narrow)
    assert code == 0
    assert "in part" in line(output, "RS.L1")
    others = [name for name in registry() if name != "RS.L1"]
    assert all("not run" in line(output, name) for name in others)


def test_a_check_that_says_nothing_of_a_claim_is_refused(checkout: Path):
    (checkout / "proofs_checks" / "test_stray.py").write_text("def test_it():\n    pass\n")
    code, output = collect(checkout, "proofs_checks")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "test_stray.py::test_it: says of no claim what it shows" in output


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("pass", "was not rejected"),
        ("raise TypeError('no rejection')", "TypeError: no rejection"),
    ],
)
def test_a_planted_variant_must_be_rejected_by_its_check(checkout: Path, body: str, told: str):
    (checkout / "proofs_checks" / "test_weak.py").write_text(
        "from marks import proof\nfrom refsym_theory.evidence import Level\n\n"
        "@proof('RS.L1', 'chord', Level.EXACT, 1, {'two': 2})\n"
        f"def test_it(stated):\n    if stated == 2:\n        {body}\n"
    )
    code, output = collect(checkout, "proofs_checks")
    assert code == 1
    assert told in output
    assert "failed: 1" in line(output, "RS.L1")


def test_a_check_about_an_unknown_step_is_refused(checkout: Path):
    (checkout / "proofs_checks" / "test_unknown.py").write_text(
        "from marks import proof\nfrom refsym_theory.evidence import Level\n\n"
        "@proof('RS.L1', 'nowhere', Level.EXACT)\ndef test_it():\n    pass\n"
    )
    code, output = collect(checkout, "proofs_checks")
    assert code != 0
    assert "RS.L1 has no proof about 'nowhere'" in output


def test_coq_may_be_absent_unless_it_is_required(checkout: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(checkout))
    monkeypatch.delenv("REQUIRE_COQ", raising=False)
    (checkout / "proofs_checks" / "test_theorem.py").write_text(
        "from kernel import accepts\nfrom marks import proof\nfrom refsym_theory.evidence import Level\n\n"
        "@proof('RS.L1', 'peak', Level.KERNEL)\ndef test_it():\n    accepts('x.v', 'x', 'x')\n"
    )
    stream = checkout / "record.jsonl"
    collect(checkout, "proofs_checks", f"--claims-record={stream}")
    (found,) = [json.loads(text) for text in stream.read_text().splitlines() if "test_theorem" in text]
    assert found["check"]["outcome"] == "recorded"
    monkeypatch.setenv("REQUIRE_COQ", "1")
    collect(checkout, "proofs_checks", f"--claims-record={stream}")
    (found,) = [json.loads(text) for text in stream.read_text().splitlines() if "test_theorem" in text]
    assert found["check"]["outcome"] == "failed"


def test_verify_writes_everything_and_says_no(checkout: Path, run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(checkout)
    code, out, _ = run("verify", "--out", "claims", "--workers", 1)
    assert code == 1
    assert "RS.L1" not in out
    record = json.loads((checkout / "claims" / "claims.json").read_text())
    assert [claim["id"] for claim in record["claims"]] == list(registry())
    (lemma,) = [claim for claim in record["claims"] if claim["id"] == "RS.L1"]
    assert lemma["verdict"] == "verified"
    assert lemma["owed"] == []
    assert record["summary"]["holds"] is False
    assert (checkout / "claims" / "report.html").read_text() == render_claims(record)
    assert (checkout / "claims" / "claims.md").read_text() == claims_markdown(record)
    table = pd.read_parquet(checkout / "claims" / "evidence.parquet")
    assert len(table) == record["summary"]["checks"] + record["summary"]["planted"]
    code, out, _ = run("verify", "--out", "claims", "--workers", 1, "--force", "--json")
    assert (code, json.loads(out)["holds"]) == (1, False)
    again = json.loads((checkout / "claims" / "claims.json").read_text())
    assert again == record


def test_verify_needs_a_checkout_and_an_empty_folder(checkout: Path, run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(checkout / "src")
    code, out, err = run("verify")
    assert (code, out) == (2, "")
    assert err == "refsym: error: proofs_checks: not here; run verify in the root of a checkout\n"
    monkeypatch.chdir(checkout)
    (checkout / "claims").mkdir()
    (checkout / "claims" / "mine").touch()
    code, _, err = run("verify")
    assert code == 2
    assert "not empty" in err
    assert err.count("\n") == 1


def test_verify_says_why_the_checks_did_not_run(checkout: Path, run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(checkout)
    (checkout / "proofs_checks" / "test_broken.py").write_text("import nothing_of_this_name\n")
    code, _, err = run("verify", "--workers", 1)
    assert code == 2
    assert "nothing_of_this_name" in err
    assert err.count("\n") == 1
    assert not (checkout / "claims").exists()


def test_verify_names_the_missing_extra(checkout: Path, run, monkeypatch: pytest.MonkeyPatch):
    from refsym.commands import verify

    monkeypatch.chdir(checkout)
    monkeypatch.setattr(verify, "find_spec", lambda name: None if name == "flint" else object())
    code, _, err = run("verify")
    assert code == 2
    assert err == "refsym: error: verify needs flint: pip install -e '.[proofs]'\n"
