"""Records of the calibration study to one self-contained page, Markdown and JSON.

`python -m refsym.report.calibration studies/calibration/records.parquet reports/calibration`.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from refsym.report.environment import environment
from refsym.report.numerals import NONE
from refsym_stats.calibration import BOTH, CALIBRATED, CONSERVATIVE, COVERAGE, FAMILY, MANY, SEEDS, SHORT, SIZE, SOURCES
from refsym_theory.atomic import write_together

KEY = b"refsym"
FORMAT = 1
KIND = "refsym calibration"

Row = Mapping[str, Any]

FAILED = (SHORT, MANY)
VERDICTS = (CALIBRATED, CONSERVATIVE, SHORT, MANY)
CLASSES = {CALIBRATED: "verified", CONSERVATIVE: "supported", SHORT: "refuted", MANY: "refuted"}
SIGNS = {CALIBRATED: "✓", CONSERVATIVE: "○", SHORT: "✗", MANY: "✗"}

COLUMNS = (
    "scenario", "group", "law", "contrasts", "items", "clusters", "seeds", "cluster_share", "item_share", "seed_spread",
    "effect", "truth", "standard_error", "method", "kind", "target", "nominal", "count", "hits", "share", "low", "high",
    "verdict", "undefined", "below", "above", "width", "draws", "seed",
)  # fmt: skip

SCALES = {COVERAGE: (0.5, 1.0), SIZE: (0.0, 0.4), FAMILY: (0.0, 0.4)}
"""Ends of the axes; what lies outside is marked at the edge, its number stands beside it."""


@dataclass(frozen=True)
class Study:
    """The records as they stand in the file.

    Attributes
    ----------
    rows : sequence of mappings
        `COLUMNS`; None where a number is undefined.
    made : mapping
        Settings, versions, hash of the sources.
    sha256 : str
        Of the file.
    """

    rows: Sequence[Row]
    made: Mapping[str, Any]
    sha256: str

    @classmethod
    def read(cls, path: Path) -> Study:
        """Read records.parquet.

        Raises
        ------
        ValueError
            The file does not hold this study's records.
        """
        table = pq.read_table(path)
        made = json.loads((table.schema.metadata or {}).get(KEY, b"{}"))
        missing = [name for name in COLUMNS if name not in table.column_names]
        if made.get("format") != FORMAT or missing:
            raise ValueError(f"{path}: no records of a calibration study of format {FORMAT}; run its run.py again")
        rows = [{name: _plain(row[name]) for name in COLUMNS} for row in table.to_pylist()]
        if not rows:
            raise ValueError(f"{path}: no records; run the study's run.py")
        return cls(rows, made, hashlib.sha256(path.read_bytes()).hexdigest())

    @property
    def missing(self) -> int:
        """Scenarios that the run has not finished."""
        return int(self.made["scenarios"]) - len({row["scenario"] for row in self.rows})

    def where(self, **wanted: Any) -> list[Row]:
        """Rows whose fields have these values."""
        return [row for row in self.rows if all(row[name] == value for name, value in wanted.items())]

    def counts(self) -> dict[str, int]:
        """How often each verdict was reached."""
        return {verdict: len(self.where(verdict=verdict)) for verdict in VERDICTS}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


@dataclass(frozen=True)
class Finding:
    """One method along one property of the design, in a sentence made of its numbers."""

    title: str
    text: str
    verdict: str


@dataclass(frozen=True)
class Question:
    """What a finding selects: one row for each value of `along`, which fills the blank in `where`."""

    title: str
    method: str
    target: str
    along: str
    where: str
    only: Mapping[str, Any]


def _questions() -> list[Question]:
    few: dict[str, Any] = {"group": "Few clusters", "law": "binary", "effect": 0.0}
    dependent: dict[str, Any] = {"group": "Dependence within clusters", "law": "binary", "effect": 0.0}
    unequal: dict[str, Any] = {"group": "Unequal clusters", "law": "binary"}
    tails: dict[str, Any] = {"group": "Tails", "clusters": 40}
    five: dict[str, Any] = {"group": "Seeds", "law": "binary", "seeds": 5, "effect": 0.0}
    counts: dict[str, Any] = {"group": "Seeds", "law": "binary", "seed_spread": 1.0}
    families: dict[str, Any] = {"group": "Families"}
    pairs: dict[str, Any] = {"group": "Paired counts", "cluster_share": 0.0, "effect": 0.0}
    clusters, spread = "with {} clusters of 20 items", "at a spread between five seeds of {} SE"
    found = [
        Question("Few clusters", "cluster-robust t", SOURCES, "clusters", clusters, few),
        Question("Few clusters", "cluster bootstrap, percentile", SOURCES, "clusters", clusters, few),
        Question("Few clusters", "sign flip over clusters", SOURCES, "clusters", clusters, few),
    ]
    for method in ("cluster-robust t", "cluster bootstrap, percentile", "cluster bootstrap, basic"):
        found.append(Question("Unequal clusters", method, SOURCES, "scenario", "in {}", unequal))
    return [
        *found,
        Question(
            "Clusters ignored", "t over items", SOURCES, "cluster_share", "at a latent correlation of {}", dependent
        ),
        Question("Tails", "cluster-robust t", SOURCES, "law", "with {} differences in 40 clusters of one", tails),
        Question(
            "Tails", "sign flip over clusters", SOURCES, "law", "with {} differences in 40 clusters of one", tails
        ),
        Question("Seeds that differ", "sign flip over clusters", SOURCES, "seed_spread", spread, five),
        Question("Seeds that differ", "sign flip over clusters", BOTH, "seed_spread", spread, five),
        Question("Seeds that differ", "cluster-robust t", BOTH, "seed_spread", spread, five),
        Question("Seeds as the unit", "paired t over seeds", SEEDS, "seed_spread", spread, five),
        Question("Seeds as the unit", "paired t over seeds", BOTH, "seed_spread", spread, five),
        Question("Both resampled", "crossed bootstrap, percentile", BOTH, "seed_spread", spread, five),
        Question(
            "Both resampled",
            "crossed bootstrap, percentile",
            BOTH,
            "seeds",
            "with a spread of 1 SE and {} seeds",
            counts,
        ),
        Question("The gate of RS I.2", "gate", BOTH, "seed_spread", spread, five),
        Question("The gate of RS I.2", "gate", BOTH, "seeds", "with a spread of 1 SE and {} seeds", counts),
        Question("The gate of RS I.2", "gate, Bonferroni", BOTH, "seed_spread", spread, families),
        Question("Paired counts", "McNemar, exact", SOURCES, "scenario", "in {}", pairs),
        Question("Paired counts", "McNemar, mid-p", SOURCES, "scenario", "in {}", pairs),
    ]


def findings(study: Study) -> list[Finding]:
    """Say what the numbers say, one sentence a question; questions without records are left out."""
    out = []
    for question in _questions():
        rows = study.where(method=question.method, target=question.target, **question.only)
        # Words stand in the order of the study.
        if question.along not in ("law", "scenario"):
            rows = sorted(rows, key=lambda row: float(row[question.along]))
        if rows:
            out.append(Finding(question.title, _sentence(question, rows), worst(rows)["verdict"]))
    return out


def _sentence(question: Question, rows: Sequence[Row]) -> str:
    """Verdicts with their numbers, the harmful one before the others."""
    preposition = question.where.split()[0]
    judged: list[str] = []
    for verdict in reversed(VERDICTS):
        at = [f"{_value(row[question.along])} ({percent(row['share'])})" for row in rows if row["verdict"] == verdict]
        if at:
            place = f"{preposition} {_listed(at)}" if judged else question.where.format(_listed(at))
            judged.append(f"{verdict} {place}")
    nominal = f"Nominal {rows[0]['kind']}: {percent(rows[0]['nominal'])}."
    return f"{capital(question.method)}, for {question.target}: {'; '.join(judged)}. {nominal}"


def capital(text: str) -> str:
    """The text with its first letter large, but for Student's t."""
    return text if text.startswith("t ") else text[:1].upper() + text[1:]


def _value(value: Any) -> str:
    # A name with spaces needs quotation marks.
    return (f"“{value}”" if " " in value else value) if isinstance(value, str) else f"{value:g}"


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def percent(share: float) -> str:
    """A share in percent, to a tenth."""
    return f"{100 * share:.1f}%"


def worst(rows: Sequence[Row]) -> Row:
    """The row that misses the nominal share by most, on the harmful side if there is one."""

    def harm(row: Row) -> float:
        gap = float(row["nominal"] - row["share"])
        return gap if row["kind"] == COVERAGE else -gap

    return max(rows, key=lambda row: (row["verdict"] in FAILED, row["verdict"] == CONSERVATIVE, abs(harm(row))))


@dataclass(frozen=True)
class Summary:
    """A method held against one target, over its scenarios."""

    method: str
    kind: str
    target: str
    rows: Sequence[Row]

    @property
    def counts(self) -> tuple[int, int, int]:
        """Scenarios in which it is calibrated, conservative, failing."""
        found = [row["verdict"] for row in self.rows]
        return found.count(CALIBRATED), found.count(CONSERVATIVE), sum(verdict in FAILED for verdict in found)

    @property
    def worst(self) -> Row:
        """Its worst scenario."""
        return worst(self.rows)

    @property
    def sentence(self) -> str:
        """Where it holds and where it does not."""
        calibrated, conservative, failing = self.counts
        count, at = len(self.rows), self.worst
        start = f"{capital(self.method)}, for {self.target}"
        if calibrated == count:
            return f"{start}: calibrated in {'all ' if count > 1 else ''}{count} of {count}."
        name = {COVERAGE: "coverage", SIZE: "size", FAMILY: "family-wise size"}[self.kind]
        parts = [f"calibrated in {calibrated} of {count}"]
        parts += [f"conservative in {conservative}"] if conservative else []
        parts += [f"{SHORT if self.kind == COVERAGE else MANY} in {failing}"] if failing else []
        return f"{start}: {', '.join(parts)}; at worst {name} {percent(at['share'])} ({at['scenario']})."


def summaries(study: Study) -> list[Summary]:
    """Every method and target, in the order of the records."""
    keys = dict.fromkeys((row["method"], row["kind"], row["target"]) for row in study.rows)
    order = list(dict.fromkeys(method for method, _, _ in keys))
    found = [Summary(*key, study.where(method=key[0], kind=key[1], target=key[2])) for key in keys]
    return sorted(found, key=lambda summary: order.index(summary.method))


def held(found: Sequence[Summary], *, throughout: bool) -> str:
    """Name what failed in no design, or in every one."""
    chosen = [s for s in found if (s.counts[2] == 0 if throughout else s.counts[2] == len(s.rows))]
    return "; ".join(f"{s.method}, for {s.target} ({len(s.rows)})" for s in chosen) or "none"


@dataclass(frozen=True)
class Strip:
    """A share with its interval on an axis, in percent of its width."""

    dot: float
    low: float
    high: float
    nominal: float
    band: tuple[float, float]
    outside: bool

    @classmethod
    def of(cls, row: Row) -> Strip:
        """Place a row."""
        left, right = SCALES[row["kind"]]

        def place(share: float) -> float:
            return round(100 * min(max((share - left) / (right - left), 0.0), 1.0), 2)

        nominal = row["nominal"]
        return cls(
            place(row["share"]),
            place(row["low"]),
            place(row["high"]),
            place(nominal),
            (place(nominal - 0.01), place(nominal + 0.01)),
            not left <= row["share"] <= right,
        )


def ticks(kind: str) -> list[tuple[float, str]]:
    """Places and labels of an axis."""
    left, right = SCALES[kind]
    count = round((right - left) * 10)
    return [(round(100 * i / count, 2), f"{100 * left + 10 * i:.0f}%") for i in range(count + 1)]


def render_calibration(study: Study) -> str:
    """Render the study as one HTML page without references to anything outside it; same records, same bytes."""
    found, page = summaries(study), environment()
    page.filters |= {"percent": percent, "short": _short}
    methods = [(name, list(parts)) for name, parts in groupby(found, key=lambda summary: summary.method)]
    groups = [(name, study.where(group=name)) for name in dict.fromkeys(row["group"] for row in study.rows)]
    titles: dict[str, list[Finding]] = {}
    for finding in findings(study):
        titles.setdefault(finding.title, []).append(finding)
    return page.get_template("calibration.html").render(
        study=study,
        counts=study.counts(),
        sound=held(found, throughout=True),
        never=held(found, throughout=False),
        failing=sum(study.counts()[verdict] for verdict in FAILED),
        findings=titles,
        summaries=found,
        methods=methods,
        groups=groups,
        strip=Strip.of,
        ticks=ticks,
        classes=CLASSES,
        signs=SIGNS,
        calibrated=CALIBRATED,
        targets={SOURCES: "sources", SEEDS: "seeds", BOTH: "both"},
        settings=_settings(study),
    )


def _settings(study: Study) -> list[tuple[str, str]]:
    made = study.made
    pairs = [(name, str(made[name])) for name in ("replications", "draws", "seed", "level", "scenarios")]
    pairs += [(name, str(value)) for name, value in made["versions"].items()]
    pairs += [("SHA-256 of the sources", made["sources_sha256"]), ("SHA-256 of the records", study.sha256)]
    return [*pairs, ("processor time", f"{made.get('seconds', 0) / 60:.0f} minutes")]


def _short(value: float | None) -> str:
    """Three significant digits at most, or a dash."""
    return NONE if value is None else f"{value:.3g}".replace("-", "−")


def calibration_markdown(study: Study) -> str:
    """Return findings, a table of methods and a table of all numbers as Markdown."""
    lines = ["# Calibration of refsym_stats", "", headline(study), ""]
    lines += [f"- **{_cell(finding.title)}.** {_cell(finding.text)}" for finding in findings(study)]
    found = summaries(study)
    lines += [f"- **In no design too short or rejecting too often** (designs): {held(found, throughout=True)}."]
    lines += [f"- **Too short, or rejecting too often, in every design:** {held(found, throughout=False)}."]
    lines += ["", "## Methods", ""]
    lines += [f"- {_cell(summary.sentence)}" for summary in found]
    lines += ["", "## Numbers", "", "SE: standard error of the mean over sources.", ""]
    shown: list[tuple[str, Callable[[Row], str]]] = [
        ("scenario", lambda row: row["scenario"]),
        ("n", lambda row: _short(row["items"]) if row["items"] is None else f"{row['items']:.0f}"),
        ("clusters", lambda row: str(row["clusters"])),
        ("seeds", lambda row: str(row["seeds"])),
        ("effect, SE", lambda row: _short(row["effect"])),
        ("method", lambda row: row["method"]),
        ("target", lambda row: row["target"]),
        ("kind", lambda row: row["kind"]),
        ("nominal", lambda row: percent(row["nominal"])),
        ("share", lambda row: percent(row["share"])),
        ("95% interval", lambda row: f"{percent(row['low'])} to {percent(row['high'])}"),
        ("undefined", lambda row: str(row["undefined"])),
        ("replications", lambda row: str(row["count"])),
        ("draws", lambda row: str(row["draws"] or NONE)),
        ("verdict", lambda row: row["verdict"]),
    ]
    lines += [f"| {' | '.join(name for name, _ in shown)} |", f"|{' --- |' * len(shown)}"]
    for row in study.rows:
        lines.append(f"| {' | '.join(_cell(show(row)) for _, show in shown)} |")
    lines += ["", "## Made with", ""]
    lines += [f"- {name}: {_cell(value)}" for name, value in _settings(study)]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())


def headline(study: Study) -> str:
    """Count the verdicts in a sentence."""
    counts = study.counts()
    failing = sum(counts[verdict] for verdict in FAILED)
    return (
        f"{len(study.rows)} checks on {len({row['scenario'] for row in study.rows})} designs: {counts[CALIBRATED]} "
        f"calibrated, {counts[CONSERVATIVE]} conservative, {failing} not calibrated."
        + (f" The run is not complete: {study.missing} designs are missing." if study.missing else "")
    )


def calibration_record(study: Study) -> dict[str, Any]:
    """Return everything that the page says as a plain record."""
    return {
        "kind": KIND,
        "format": FORMAT,
        "headline": headline(study),
        "findings": [{"title": f.title, "text": f.text, "verdict": f.verdict} for f in findings(study)],
        "methods": [summary.sentence for summary in summaries(study)],
        "settings": study.made,
        "records_sha256": study.sha256,
        "rows": study.rows,
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Render the records into a folder."""
    arguments = sys.argv[1:] if argv is None else argv
    if len(arguments) != 2:
        raise SystemExit("usage: python -m refsym.report.calibration RECORDS.parquet FOLDER")
    records, folder = map(Path, arguments)
    try:
        study = Study.read(records)
    except (OSError, ValueError) as error:
        raise SystemExit(f"calibration: {error}") from None
    folder.mkdir(parents=True, exist_ok=True)
    record = json.dumps(calibration_record(study), indent=1, ensure_ascii=False, allow_nan=False)
    write_together(
        {
            folder / "report.html": render_calibration(study).encode(),
            folder / "calibration.md": calibration_markdown(study).encode(),
            folder / "calibration.json": (record + "\n").encode(),
        }
    )


if __name__ == "__main__":
    main()
