"""The logs of Inspect: an ``.eval`` file, a zip with one JSON member a sample."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from refsym_stats.errors import InputError, names
from refsym_stats.readers.archive import Archive
from refsym_stats.readers.files import text
from refsym_stats.readers.json_rows import Row, at, number, parsed, scalar
from refsym_stats.readers.options import Options
from refsym_stats.records import OUTCOMES, PROBABILITY, Records, Source, label, record_table

NAME = "inspect_ai"
HEADERS = ("header.json", "_journal/start.json")
"""Where the run is described: when it has ended, and while it runs."""


@dataclass(frozen=True)
class Sample:
    """What is kept of one sample at one epoch.

    Attributes
    ----------
    scores : dict
        The score's value by scorer.
    mapped : dict
        The columns that the caller mapped, by our name.
    missing : str or None
        Why there is no outcome to be had.
    """

    id: Any
    epoch: int
    scores: dict[str, Any]
    mapped: dict[str, Any]
    missing: str | None

    def __str__(self) -> str:
        return f"{self.id} epoch {self.epoch}"


def read(path: Path, options: Options) -> Records:
    """Read one run: item from id, seed from epoch, arm from the model, benchmark from the task.

    A sample that ended in an error, was invalidated or was not scored is missing, not wrong: it has no row, and a note
    names it.

    Raises
    ------
    InputError
        The zip is cut off or not to be trusted; several scorers and none chosen; a letter without a grade; one id twice
        at one epoch; several epochs and `seed` given.
    """
    where = str(path)
    options.refuse(where, "an Inspect log", "filter", "normalise")
    try:
        with path.open("rb") as file:
            digest = _sha256(file)
            archive = Archive(file, where)
            header = _header(archive, where)
            samples = _samples(archive, options, where)
    except OSError as error:
        raise InputError(f"{where}: cannot be read ({error.strerror})") from error
    outcome, values = _outcome(samples, options, where)
    lost = {i: sample.missing or "had no score" for i, sample in enumerate(samples) if values[i] is None}
    kept = [i for i in range(len(samples)) if i not in lost]
    if not kept:
        raise InputError(f"{where}: none of its {len(samples)} samples has a score ({_listed(lost, samples)})")
    frame = _frame([samples[i] for i in kept], header, options, where)
    frame[outcome] = [values[i] for i in kept]
    source = Source(where, digest, NAME, len(kept))
    notes = [*_said(header, options, outcome), *_missing(lost, samples, header)]
    if archive.superseded:
        notes.append(
            f"{archive.superseded} members were superseded by later ones of the same name, as the writer means it."
        )
    return record_table(frame, sources=[source], notes=notes, where=where)


def _sha256(file: Any) -> str:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    return digest


def _header(archive: Archive, where: str) -> Row:
    for name in HEADERS:
        if name in archive.members:
            found = _json(archive, name, where)
            if isinstance(at(found, "eval"), dict):
                return found
            raise InputError(f"{where}: {name} has no 'eval', so this is not an Inspect log")
    raise InputError(f"{where}: a zip without {HEADERS[0]}, so this is not an Inspect log")


def _json(archive: Archive, name: str, where: str) -> Row:
    place = f"{where}: {name}"
    found = parsed(text(archive.read(name), place), place)
    if not isinstance(found, dict):
        raise InputError(f"{place}: not a JSON object")
    return found


def _samples(archive: Archive, options: Options, where: str) -> list[Sample]:
    seen: dict[tuple[str, int], str] = {}
    found = []
    for name in archive.members:
        if not (name.startswith("samples/") and name.endswith(".json")):
            continue
        sample = _sample(_json(archive, name, where), options, f"{where}: {name}")
        key = (label(sample.id), sample.epoch)
        if key in seen:
            raise InputError(f"{where}: sample {sample} stands in both {seen[key]} and {name}; keep one")
        seen[key] = name
        found.append(sample)
    if not found:
        raise InputError(f"{where}: no samples; the run logged none (log_samples), or ended before the first")
    return found


def _sample(row: Row, options: Options, where: str) -> Sample:
    epoch = row.get("epoch")
    if not isinstance(epoch, int) or isinstance(epoch, bool):
        raise InputError(f"{where}: epoch is {epoch!r}, not an integer")
    scores = row.get("scores") or {}
    if not isinstance(scores, dict):
        raise InputError(f"{where}: scores are not an object with one score a scorer")
    missing = "ended in an error" if row.get("error") else "were invalidated" if row.get("invalidation") else None
    mapped = {
        # What has no row needs no labels; an absent outcome is a missing one.
        ours: at(row, path) if missing or ours in OUTCOMES or PROBABILITY.fullmatch(ours) else scalar(row, path, where)
        for ours, path in options.columns.items()
    }
    values = {scorer: at(score, "value") for scorer, score in scores.items()}
    return Sample(scalar(row, "id", where), epoch, values, mapped, missing)


def _outcome(samples: list[Sample], options: Options, where: str) -> tuple[str, list[float | None]]:
    """Grade every sample that is not missing; None where there is no score."""
    told = [name for name in OUTCOMES if name in options.columns]
    if len(told) > 1:
        raise InputError(f"{where}: correct and score are both mapped; an Inspect log gives one of them")
    if told:
        raw = [sample.mapped[told[0]] for sample in samples]
    else:
        path = _metric(samples, options.metric, where)
        raw = [at(sample.scores, path) for sample in samples]
    raw = [None if sample.missing else value for sample, value in zip(samples, raw, strict=True)]
    values = _graded(raw, samples, options.grades or {}, where)
    if told:
        return told[0], values
    # A scale with grades between is graded in every arm, also in one where none of them occurs.
    scale = [float(grade) for grade in (options.grades or {}).values()] + [
        value for value in values if value is not None
    ]
    return ("correct" if set(scale) <= {0.0, 1.0} else "score"), values


def _metric(samples: list[Sample], wanted: str | None, where: str) -> str:
    scorers = list(dict.fromkeys(scorer for sample in samples for scorer in sample.scores))
    if wanted is not None:
        if not any(at(sample.scores, wanted) is not None for sample in samples):
            raise InputError(f"{where}: no score {wanted!r}; its scorers are {names(scorers, 12) or 'none'}")
        return wanted
    if len(scorers) > 1:
        raise InputError(f"{where}: several scorers ({names(scorers, 12)}); say which: metric={scorers[0]!r}, for one")
    # Without any score each sample is missing, and is named as such.
    return scorers[0] if scorers else ""


def _graded(raw: list[Any], samples: list[Sample], grades: Mapping[str, float], where: str) -> list[float | None]:
    out: list[float | None] = []
    unknown: dict[str, list[Sample]] = {}
    for value, sample in zip(raw, samples, strict=True):
        if isinstance(value, (dict, list)):
            inside = value if isinstance(value, dict) else range(len(value))
            raise InputError(
                f"{where}: sample {sample}: its score has parts ({names(inside, 12)}); say which: metric='scorer.part'"
            )
        if isinstance(value, str):
            if value in grades:
                out.append(float(grades[value]))
            else:
                unknown.setdefault(value, []).append(sample)
            continue
        read = number(value)
        # NaN is the writer's mark of a sample that could not be scored.
        out.append(None if read is None or read != read else read)
    if unknown:
        told = "; ".join(f"{letter!r} in samples {names(found, 3)}" for letter, found in list(unknown.items())[:5])
        letters = dict.fromkeys(list(unknown)[:5], "...")
        example = ", ".join(f"{letter!r}: {grade}" for letter, grade in (dict(grades) | letters).items())
        raise InputError(f"{where}: no grade for {told}; say what each is worth: grades={{{example}}}")
    return out


def _frame(samples: list[Sample], header: Row, options: Options, where: str) -> pd.DataFrame:
    columns: dict[str, list[Any]] = {
        "item": [sample.id for sample in samples],
        "arm": [options.arm if options.arm is not None else scalar(header, "eval.model", where)] * len(samples),
        "benchmark": [options.benchmark or scalar(header, "eval.task", where)] * len(samples),
    }
    epochs = sorted({sample.epoch for sample in samples})
    if options.seed is not None:
        if len(epochs) > 1 and "epoch" not in options.columns.values():
            raise InputError(
                f"{where}: epochs {names(epochs)} and seed= is given; put the epoch elsewhere: "
                "columns={'partition': 'epoch'}"
            )
        columns["seed"] = [options.seed] * len(samples)
    elif "epoch" not in options.columns.values():
        columns["seed"] = [sample.epoch for sample in samples]
    for ours in options.columns:
        if ours not in OUTCOMES:
            columns[ours] = [sample.mapped[ours] for sample in samples]
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})


def _said(header: Row, options: Options, outcome: str) -> Iterable[str]:
    yield "The arm is named as told." if options.arm is not None else "The arm is the log's model."
    if options.seed is None and "epoch" not in options.columns.values():
        yield "The seed is the log's epoch."
    if options.grades:
        yield f"Grades: {names((f'{letter} is {grade:g}' for letter, grade in options.grades.items()), 12)}; {outcome}."
    status = header.get("status", "started")
    if status != "success":
        yield f"The run did not end well: its status is {status!r}."


def _missing(lost: dict[int, str], samples: list[Sample], header: Row) -> list[str]:
    notes = []
    if lost:
        notes.append(f"Left out as missing, not as wrong: {_listed(lost, samples)}.")
    ids, epochs = at(header, "eval.dataset.sample_ids"), at(header, "eval.config.epochs")
    if isinstance(ids, list):
        seen = {(label(sample.id), sample.epoch) for sample in samples}
        planned = [(label(i), epoch) for i in ids for epoch in range(1, (epochs if isinstance(epochs, int) else 1) + 1)]
        absent = [f"{i} epoch {epoch}" for i, epoch in planned if (i, epoch) not in seen]
        if absent:
            notes.append(
                f"Not in the log, and so missing: {len(absent)} of {len(planned)} planned samples ({names(absent)})."
            )
    return notes


def _listed(lost: dict[int, str], samples: list[Sample]) -> str:
    by_reason: dict[str, list[Sample]] = {}
    for i, reason in lost.items():
        by_reason.setdefault(reason, []).append(samples[i])
    return "; ".join(
        f"{len(found)} of {len(samples)} samples {reason} ({names(found, 20)})" for reason, found in by_reason.items()
    )
