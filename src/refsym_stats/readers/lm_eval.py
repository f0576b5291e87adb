"""The sample logs of lm-evaluation-harness: ``samples_<task>_<date>.jsonl``, or a run's folder of them."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from refsym_stats.errors import InputError, names
from refsym_stats.readers import harness_log
from refsym_stats.readers.documents import document
from refsym_stats.readers.harness_log import Layout, Log
from refsym_stats.readers.json_rows import scalar
from refsym_stats.readers.option_probabilities import option_probabilities
from refsym_stats.readers.options import Options
from refsym_stats.records import PROBABILITY, Records, record_table

LAYOUT = Layout(
    "lm_eval",
    samples=re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[^_]+)\.jsonl?"),
    results=re.compile(r"(?!samples_).+_(?P<date>\d{4}-\d\d-\d\dT[^_]+)\.json"),
)
USUAL_METRICS = ("acc", "exact_match")
NO_FILTER = "none"
"""What the harness calls the filter of a task that declares none."""


def read(path: Path, options: Options) -> Records:
    """Read one run of one model.

    The key is doc_id and filter. The item is the doc_id with the first eight digits of its doc_hash, ``12#1f3a9c0d``:
    two runs that saw different documents under one id do not pair. ``columns={"item": "doc_id"}`` takes the bare id.

    Raises
    ------
    InputError
        Several filters and none chosen; one doc_id with two hashes, or twice under one filter; a metric that is absent
        or not a number.
    """
    where = str(path)
    options.refuse(where, "a lm_eval log", "grades")
    found = harness_log.logs(path, LAYOUT)
    for log in found:
        harness_log.one_hash_a_document(log)
    found = [_filtered(log, options.filter, alone=len(found) == 1) for log in found]
    for log in found:
        harness_log.one_sample_a_document(log, "the file was appended to, or two filters are mixed; keep one of each")
    mapped = harness_log.labels(found, options)
    values, note = harness_log.outcome(found, options, _metric)
    arm, arm_note = harness_log.arm(found, LAYOUT, options)
    notes = [arm_note, note, *_filter_notes(found)]
    columns: dict[str, list[object]] = {"item": _items(found)}
    columns["benchmark"] = [options.benchmark or log.task for log in found for _ in log.rows]
    columns["arm"] = [arm] * len(columns["item"])
    if options.seed is not None:
        columns["seed"] = [options.seed] * len(columns["item"])
    if not any(PROBABILITY.fullmatch(name) for name in mapped):
        derived, more = option_probabilities(found, options.normalise)
        columns |= derived
        notes += more
    if "item" not in mapped and not all("doc_hash" in row for log in found for row in log.rows):
        notes.append("The log has no doc_hash: that arms saw the same documents cannot be checked.")
    frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in (columns | mapped).items()}).assign(
        **values
    )
    return record_table(frame, sources=[log.source(LAYOUT.name) for log in found], notes=notes, where=where)


def _filtered(log: Log, wanted: str | None, alone: bool) -> Log:
    names_of = [row.get("filter", NO_FILTER) for row in log.rows]
    present = list(dict.fromkeys(map(str, names_of)))
    if wanted is None:
        if len(present) > 1:
            raise InputError(
                f"{log.path}: several filters ({names(present, 12)}); say which: filter={present[0]!r}, for one"
            )
        return log
    # In a folder, a task without filters leaves nothing to choose.
    if present == [NO_FILTER] and not alone:
        return log
    if wanted not in present:
        raise InputError(f"{log.path}: no filter {wanted!r}; it has {names(present, 12)}")
    return log.chosen([i for i, name in enumerate(names_of) if name == wanted])


def _metric(log: Log) -> str:
    for name in USUAL_METRICS:
        if name in log.rows[0]:
            return name
    raise InputError(
        f"{log.path}: no acc and no exact_match; say which metric: metric= one of "
        f"{names(harness_log.metrics(log), 12) or 'none that is a number'}"
    )


def _items(found: list[Log]) -> list[object]:
    return [
        document(scalar(row, "doc_id", log.place(i)), row.get("doc_hash"))
        for log in found
        for i, row in enumerate(log.rows)
    ]


def _filter_notes(found: list[Log]) -> list[str]:
    used = {log.task: str(log.rows[0].get("filter", NO_FILTER)) for log in found}
    named = [f"{name} ({task})" for task, name in used.items() if name != NO_FILTER]
    return [f"Filter: {names(named, 12)}."] if named else []
