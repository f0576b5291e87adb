"""The registry, and the committed report of it: complete, current, and safe to open."""

import json
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from refsym.report import claims_markdown, render_claims
from refsym.report.mathematics import typeset
from refsym_theory.claims import FAMILIES, registry

ROOT = Path(__file__).parent.parent
COMMITTED = ROOT / "reports" / "claims"
RECORD = json.loads((COMMITTED / "claims.json").read_text())

pytest.importorskip("latex2mathml")


def test_every_claim_has_its_checks_and_every_check_its_claim():
    for name in registry():
        family, rest = name.split(".")
        stem = f"{family}_{rest.replace('-', '_')}".lower()
        assert (ROOT / "proofs_checks" / family.lower() / f"test_{stem}.py").is_file(), name
    files = [path for family in FAMILIES for path in (ROOT / "proofs_checks" / family).glob("test_*.py")]
    assert len(files) == len(registry())


def test_the_committed_report_is_of_these_claims_and_these_checks():
    """A check that vanishes, or a claim that changes, shows here; `make reports` writes the report again."""
    assert [claim["id"] for claim in RECORD["claims"]] == list(registry())
    for claim in RECORD["claims"]:
        ours = registry()[claim["id"]]
        assert claim["statement"] == ours.statement
        assert claim["correction"] == ours.correction
        assert claim["expected"] == ours.expected
    command = [sys.executable, "-m", "pytest", "proofs_checks", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    collected = {line for line in done.stdout.splitlines() if "::" in line}
    recorded = {item["check"] for claim in RECORD["claims"] for item in claim["evidence"]}
    assert collected == recorded


def test_the_committed_report_holds():
    summary = RECORD["summary"]
    assert summary["holds"]
    assert summary["planted_rejected"] == summary["planted"]
    assert summary["recorded"] == 0
    assert 10 * summary["at_level_4_or_more"] >= 8 * summary["claims"]
    levels = {claim["id"]: claim["level"] for claim in RECORD["claims"]}
    assert levels["RS.L1"] == levels["RS.P1-necessity"] == 6
    assert all(claim["residue"] for claim in RECORD["claims"] if claim["verdict"] == "supported")


def test_the_committed_page_is_what_the_record_renders():
    assert (COMMITTED / "report.html").read_text() == render_claims(RECORD)
    assert (COMMITTED / "claims.md").read_text() == claims_markdown(RECORD)


def test_the_page_stands_alone_and_its_links_lead_somewhere():
    page = render_claims(RECORD)
    assert not re.findall(r"(?:src|href)=\"(?!#)[^\"]*\"", page)
    assert "<script" not in page
    assert "@import" not in page
    anchors = re.findall(r' id="([^"]+)"', page)
    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(anchors)


def test_data_cannot_write_html():
    hostile = json.loads(json.dumps(RECORD))
    for claim in hostile["claims"]:
        claim["title"] = claim["plain"] = claim["residue"] = "<script>alert(1)</script>"
        for item in claim["evidence"]:
            item["facts"] = [["claimed", "<b>x"], ["computed", "\"'><i>"], ["note", "<u>y"]]
            item["planted"] = item["planted"] and "<em>z"
    page = render_claims(hostile)
    for tag in ("<script>", "<b>x", "<i>", "<u>y", "<em>z"):
        assert tag not in page


def test_formulas_become_mathml_and_words_stay_words():
    html = typeset(r"if $a < b$ then `x<y` & $\frac{1}{2}$")
    assert html.startswith("if <math")
    assert "<code>x&lt;y</code> &amp; " in html
    assert "mfrac" in html
    with pytest.raises(ValueError, match="without its partner"):
        typeset("costs $5")


def test_every_formula_of_the_registry_is_well_formed():
    """No command that the converter does not know: it would come out as its own name."""
    for claim in registry().values():
        texts = [claim.title, claim.statement, claim.plain, claim.scope, claim.residue, *claim.definitions]
        texts += [text for text in (claim.tight, claim.correction, claim.stronger) if text]
        texts += [part.text for part in (*claim.hypotheses, *claim.steps)]
        for text in texts:
            html = typeset(text)
            for formula in re.findall(r"<math.*?</math>", html):
                assert "\\" not in "".join(ElementTree.fromstring(formula).itertext()).replace("∖", ""), (
                    claim.id,
                    text,
                )


@pytest.mark.parametrize("change", [{"kind": "something"}, {"format": 2}])
def test_another_record_is_refused(change: dict[str, object]):
    with pytest.raises(ValueError, match="not the record"):
        render_claims(RECORD | change)
