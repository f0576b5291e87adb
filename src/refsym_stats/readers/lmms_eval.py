"""The sample logs of lmms-eval: ``<date>_samples_<task>.jsonl``, or a run's folder of them."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from refsym_stats.errors import InputError, names
from refsym_stats.readers import harness_log
from refsym_stats.readers.harness_log import Layout, Log
from refsym_stats.readers.json_rows import scalar
from refsym_stats.readers.options import Options
from refsym_stats.records import Records, record_table

LAYOUT = Layout(
    "lmms_eval",
    samples=re.compile(r"(?P<date>.+?)_samples_(?P<task>.+)\.jsonl?"),
    results=re.compile(r"(?P<date>.+)_results\.json"),
)


def read(path: Path, options: Options) -> Records:
    """Read one run of one model.

    A metric is a number or a dict with one inside (``videomme_perception_score.score``). The item is the doc_id. Its
    doc_hash is checked within a file only: it hashes images by their addresses in memory, which change from run to run.

    Raises
    ------
    InputError
        One doc_id twice (the log does not say which filter a sample went through); a metric that is absent, not a
        number, or not the only one.
    """
    where = str(path)
    options.refuse(where, "a lmms_eval log", "grades", "filter", "normalise")
    found = harness_log.logs(path, LAYOUT)
    for log in found:
        harness_log.one_hash_a_document(log)
        harness_log.one_sample_a_document(
            log,
            "the file was appended to, or the task has several filters, which this log does not tell apart; keep one",
        )
    mapped = harness_log.labels(found, options)
    values, note = harness_log.outcome(found, options, _metric)
    arm, arm_note = harness_log.arm(found, LAYOUT, options)
    items = [scalar(row, "doc_id", log.place(i)) for log in found for i, row in enumerate(log.rows)]
    columns: dict[str, list[object]] = {
        "item": items,
        "arm": [arm] * len(items),
        "benchmark": [options.benchmark or log.task for log in found for _ in log.rows],
    }
    if options.seed is not None:
        columns["seed"] = [options.seed] * len(items)
    notes = [
        arm_note,
        note,
        "Items are doc_ids; that arms saw the same documents is not checked (lmms_eval hashes images by address).",
    ]
    frame = pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in (columns | mapped).items()}).assign(
        **values
    )
    return record_table(frame, sources=[log.source(LAYOUT.name) for log in found], notes=notes, where=where)


def _metric(log: Log) -> str:
    found = harness_log.metrics(log)
    fields = list(dict.fromkeys(name.partition(".")[0] for name in found))
    if len(found) == 1:
        return found[0]
    if len(fields) == 1 and f"{fields[0]}.score" in found:
        return f"{fields[0]}.score"
    raise InputError(f"{log.path}: say which metric: metric= one of {names(found, 12) or 'none that is a number'}")
