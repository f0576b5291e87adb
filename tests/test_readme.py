"""What the README shows must run as it stands."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_python_examples_run():
    codes = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(codes) == 2
    for code, shown in zip(codes, (("kept_error", "regret", "captured", "risk"), ("McNemar, exact",)), strict=True):
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
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

    folder = ROOT / "reports" / "deployment"
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
