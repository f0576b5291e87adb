"""What the README shows must run as it stands."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_python_examples_run():
    codes = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    codes = [code for code in codes if "register_attention(model" not in code]  # needs a model of the reader's
    assert len(codes) == 3
    environment = {**os.environ, "TRITON_INTERPRET": "0"}  # as a reader has it
    for code, shown in zip(
        codes, (("kept_error", "regret", "captured", "risk"), ("McNemar, exact",), ("1, 6, 1024, 64",)), strict=True
    ):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        assert "..." not in done.stdout
        for word in shown:
            assert word in done.stdout


def test_its_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_committed_certificate_holds_and_its_page_is_its_own():
    """What `make reports` wrote is what the product would write today: nothing has drifted."""
    from refsym.report import render_certificate
    from refsym_theory import ScoreDump
    from refsym_theory.selection.recheck import recheck

    folder = ROOT / "reports" / "smollm2-4k"
    for scorer in ("kmean", "quest"):
        record = json.loads((folder / scorer / "certificate.json").read_text())
        assert render_certificate(record) == (folder / scorer / "report.html").read_text()
    found = recheck(record, ScoreDump.open(ROOT / "examples" / "smollm2-4k" / "quest"))
    assert found.differences == ()


def test_the_committed_comparison_and_audit_are_what_would_be_written_today():
    from refsym.report.audit import audit_markdown, render_audit
    from refsym.report.comparison import comparison_markdown, render_comparison
    from refsym_stats.audit import audit

    for study in ("selection", "retrieval", "duplication", "deployment"):
        folder = ROOT / "reports" / study
        record = json.loads((folder / "comparison.json").read_text())
        assert render_comparison(record) == (folder / "report.html").read_text()
        assert comparison_markdown(record) == (folder / "tables.md").read_text()
    for row in comparison_markdown(record).splitlines():
        if row.startswith(("| measure − count | Robust", "| measure − standard | Robust")):
            assert " | ".join(row.split(" | ")[:7]) in README
    folder = ROOT / "reports" / "audit"
    record = json.loads((folder / "audit.json").read_text())
    assert render_audit(record) == (folder / "report.html").read_text()
    assert audit_markdown(record) == (folder / "audit.md").read_text()
    for name, entry in zip(("rs", "ug"), record["audits"], strict=True):
        found = audit(name)
        assert found.sha256 == entry["sha256"]
        assert [finding.verdict for finding in found.findings] == [finding["verdict"] for finding in entry["findings"]]
    assert (
        f"Of {sum(record['counts'].values())} checks of both papers {record['counts']['cannot be']} cannot be" in README
    )


def test_the_studies_that_it_tells_of_are_those_of_the_records():
    from refsym_stats import Plan, compare, read_records
    from refsym_stats.comparison_record import record

    for folder in sorted(file.parent for file in (ROOT / "studies").glob("*/run.py")):
        report = ROOT / "reports" / folder.name
        if folder.name != "calibration":  # it has a page and a test of its own
            answer = json.loads((report / "findings.json").read_text())["answer"][0]
            assert f"| [`{folder.name}`](reports/{folder.name}/findings.md) | {answer} |" in README
        if (folder / "plan.toml").exists():
            records = read_records(folder / "records.parquet")
            found = record(compare(records, Plan.read(folder / "plan.toml")), records)
            assert found["contrasts"] == json.loads((report / "comparison.json").read_text())["contrasts"]


def test_the_calibration_that_it_tells_of_is_that_of_the_records():
    from refsym.report.calibration import Study, calibration_markdown, render_calibration

    study = Study.read(ROOT / "studies" / "calibration" / "records.parquet")
    folder = ROOT / "reports" / "calibration"
    assert render_calibration(study) == (folder / "report.html").read_text()
    assert calibration_markdown(study) == (folder / "calibration.md").read_text()
    assert study.missing == 0

    def percent(method, scenario, target="new sources, same seeds"):
        (row,) = study.where(method=method, scenario=scenario, target=target)
        return f"{100 * row['share']:.0f} %"

    both, unequal = "new sources, new seeds", "one of 41 has a third of the items, binary"
    together = "about 60 of 400 pairs disagree, correlation 0.8 in clusters of 10"
    t, percentile = "cluster-robust t", "cluster bootstrap, percentile"
    said = [
        f"covers {percent(t, '10 clusters of 20, binary')} from 5",
        f"bootstrap {percent(percentile, '5 clusters of 20, binary')} with 5",
        f"and {percent(percentile, '40 clusters of 20, binary')} with 40",
        f"of the items {percent(t, unequal)} and {percent(percentile, unequal)}",
        f"falls to {percent(t, '5 seeds, spread 3 SE, binary', both)}",
        f"over seeds alone to {percent('paired t over seeds', '5 seeds, spread 0 SE, binary', both)}",
        f"McNemar's test {percent('McNemar, exact', together)}",
        f"at most {100 * max(row['share'] for row in study.where(method='gate', target=both)):.1f} % of true nulls",
    ]
    crossed = study.where(method="crossed bootstrap, percentile", target=both)
    held = [row["share"] for row in crossed if row["verdict"] in ("calibrated", "conservative")]
    said.append(f"at {100 * min(held):.0f} to {100 * max(held):.0f} % in {len(held)} of {len(crossed)} designs")
    for words in said:
        assert words in README
    for groups in (5, 10, 20, 40):
        assert study.where(method=t, scenario=f"{groups} clusters of 20, binary")[0]["verdict"] == "calibrated"
