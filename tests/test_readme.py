"""What the README shows must run as it stands."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_python_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "..." not in done.stdout
    for column in ("kept_error", "regret", "captured", "risk"):
        assert column in done.stdout


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
