"""The record of a run over all claims to one self-contained HTML page, and to Markdown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from refsym.report.environment import environment
from refsym.report.figures.dependencies import MARKS, dependencies
from refsym.report.mathematics import typeset
from refsym_theory.claims.record import FORMAT, KIND

FAMILIES = {
    "RS": "Refinement symmetry (RS)",
    "UG": "Uncertainty-gated selection (UG)",
    "OWN": "This project's own statements (OWN)",
}
LEVELS = {1: "sampled", 2: "high precision", 3: "solver", 4: "enclosed", 5: "exact", 6: "kernel"}


def render_claims(record: Mapping[str, Any]) -> str:
    """Render the record as one HTML page without references to anything outside it.

    Parameters
    ----------
    record
        What `refsym_theory.claims.record.record` returns, or the same read back from claims.json.

    Raises
    ------
    ValueError
        If the record is of another kind or format.
    """
    _demand(record)
    families: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for claim in record["claims"]:
        families[claim["id"].split(".")[0]].append(claim)
    page = environment()
    page.filters |= {"math": typeset, "file": lambda check: check.split("::")[0], "said": _said}
    return page.get_template("claims.html").render(
        summary=record["summary"],
        versions=record["versions"],
        sources=record["sources_sha256"],
        families=[(FAMILIES[name], families[name]) for name in FAMILIES if name in families],
        refuted=[claim for claim in record["claims"] if claim["verdict"] == "refuted"],
        below=[claim for claim in record["claims"] if claim["verdict"] in ("supported", "open")],
        stronger=[claim for claim in record["claims"] if claim["stronger"] and claim["verdict"] != "refuted"],
        wrong=[claim for claim in record["claims"] if problems(claim)],
        problems=problems,
        anchors=_anchors,
        compared=_compared,
        graph=dependencies(record["claims"]),
        marks=MARKS,
        levels=LEVELS,
    )


def claims_markdown(record: Mapping[str, Any]) -> str:
    """Return the record as Markdown: a table of all claims, then the statement of each that is false as printed."""
    _demand(record)
    summary = record["summary"]
    counts = ", ".join(f"{summary[name]} {name}" for name in MARKS)
    lines = ["# Claims", "", f"{summary['claims']} claims: {counts}.", ""]
    lines += [
        "| claim | what | source | verdict | level | checks | planted |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for claim in record["claims"]:
        planted = sum(item["planted"] is not None for item in claim["evidence"])
        level = "–" if claim["level"] is None else f"{claim['level']} {LEVELS[claim['level']]}"
        cells = [claim["id"], claim["title"], claim["source"], claim["verdict"], level]
        cells += [str(len(claim["evidence"]) - planted), str(planted)]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    for claim in record["claims"]:
        if claim["verdict"] == "refuted":
            lines += ["", f"## {claim['id']}: {claim['title']}", "", f"{claim['source']}", ""]
            lines += ["As printed, false:", "", f"> {claim['statement']}", "", f"Corrected: {claim['correction']}"]
    return "\n".join(lines) + "\n"


def _demand(record: Mapping[str, Any]) -> None:
    if record.get("kind") != KIND or record.get("format") != FORMAT:
        raise ValueError(f"not the record of refsym's claims of format {FORMAT}")


def problems(claim: Mapping[str, Any]) -> list[str]:
    """Say in words what keeps a claim of the record from holding; empty where nothing does."""
    found = [f"failed: {check}" for check in claim["failed"]] + [f"owes {owed}" for owed in claim["owed"]]
    if claim["verdict"] != claim["expected"]:
        found.insert(0, f"is {claim['verdict']}, expected {claim['expected']}")
    return found


def _said(check: str) -> str:
    """What a check says by its name: "rs/test_x.py::test_two_points_attain_it[stated]" is "two points attain it"."""
    name, _, variant = check.split("::")[-1].removesuffix("]").partition("[")
    words = name.removeprefix("test_").replace("_", " ")
    parameters = "-".join(part for part in variant.split("-") if part != "stated")
    return f"{words} ({parameters})" if parameters else words


def _anchors(claim: Mapping[str, Any], role: str, about: str) -> list[tuple[str, str]]:
    """Where the page shows the evidence of one role: (anchor, name of the check)."""
    return [
        (f"{claim['id']}-{i}", _said(item["check"]))
        for i, item in enumerate(claim["evidence"])
        if item["role"] == role and item["about"] == about and item["planted"] is None
    ]


def _compared(claim: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return (claimed, computed, check) of every check that says both."""
    rows = []
    for item in claim["evidence"]:
        facts = dict(item["facts"])
        if item["planted"] is None and {"claimed", "computed"} <= facts.keys():
            rows.append((facts["claimed"], facts["computed"], _said(item["check"])))
    return rows
