"""Readers: from the files that people have to the one record table."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd

from refsym_stats.errors import InputError, names
from refsym_stats.readers import inspect_ai, lm_eval, lmms_eval, table
from refsym_stats.readers import order_paired as paired_by_order
from refsym_stats.readers.options import Options
from refsym_stats.records import Records

__all__ = ["FORMATS", "read_records"]

FORMATS: Mapping[str, Callable[[Path, Options], Records]] = {
    "table": table.read,
    "lm_eval": lm_eval.read,
    "lmms_eval": lmms_eval.read,
    "inspect_ai": inspect_ai.read,
}


def read_records(
    path: str | os.PathLike[str] | pd.DataFrame,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    arm: str | None = None,
    seed: str | int | None = None,
    benchmark: str | None = None,
    filter: str | None = None,
    metric: str | None = None,
    grades: Mapping[str, float] | None = None,
    normalise: str | None = None,
    order_paired: bool = False,
) -> Records:
    """Read one file, one run's folder, or a DataFrame into a checked record table.

    Parameters
    ----------
    path : path or DataFrame
        A table (Parquet, CSV, JSON, JSON Lines), a log of lm-evaluation-harness or lmms-eval, a folder of one run's
        logs, or an Inspect ``.eval`` file.
    format : {None, "table", "lm_eval", "lmms_eval", "inspect_ai"}
        None tells it by the content and the name.
    columns : mapping, optional
        From our name to the data's. In JSON and in logs a dotted path leads inside: ``{"cluster": "doc.passage_id"}``.
        For a log, ``{"score": ...}`` keeps a metric a score even where all its values are 0 or 1.
    arm, seed, benchmark : optional
        Labels for all rows, where the data do not have them.
    filter : str, optional
        Of a lm_eval log with several, the one to take.
    metric : str, optional
        Of a log, the metric (or Inspect scorer) that is the outcome; a dotted path leads inside. All values 0 or 1: it
        becomes `correct`, else `score`.
    grades : mapping, optional
        What each letter of an Inspect score is worth: ``{"C": 1, "I": 0}``.
    normalise : {None, "length"}
        Whether a lm_eval log's option log-likelihoods are divided by the option's length before the softmax.
    order_paired : bool
        The table has no example ids, and the i-th row of every arm within a benchmark is the same example. `task` and
        `policy` are its benchmark and arm where nothing else is mapped.

    Returns
    -------
    Records
        With a `Source` a file, and notes on all that was decided in reading.

    Raises
    ------
    InputError
        The file cannot be read, or its rows break a rule of `refsym_stats.record_table`; one line says where and
        what to do.
    """
    options = Options(
        columns=dict(columns or {}),
        arm=arm,
        seed=seed,
        benchmark=benchmark,
        filter=filter,
        metric=metric,
        grades=grades,
        normalise=normalise,
    )
    if format is not None and format not in FORMATS:
        raise InputError(f"format is {format!r}; it must be one of {names(FORMATS)}")
    if order_paired and format not in (None, "table"):
        raise InputError(f"order_paired is for a table without example ids; {format} logs have them")
    if isinstance(path, pd.DataFrame):
        if format not in (None, "table"):
            raise InputError(f"a DataFrame is a table, not a {format} log")
        return paired_by_order.read(path, options) if order_paired else table.read(path, options)
    place = Path(path)
    if not place.exists():
        raise InputError(f"{place}: no such file or folder")
    if order_paired:
        return paired_by_order.read(place, options)
    return FORMATS[format or _format(place)](place, options)


def _format(path: Path) -> str:
    """Tell a format by the file names of a run, the first bytes, or the fields of the first row."""
    if path.is_dir():
        return _folder_format(path)
    for layout in (lm_eval.LAYOUT, lmms_eval.LAYOUT):
        if layout.samples.fullmatch(path.name):
            return layout.name
    with path.open("rb") as file:
        head = file.read(1 << 16)
    if head.startswith(b"PK") or path.suffix == ".eval":
        return inspect_ai.NAME
    # A log under another name: its fields are near the front, before any long text of the model's.
    if b'"doc_id"' in head and b'"filtered_resps"' in head:
        return lm_eval.LAYOUT.name if b'"filter"' in head else lmms_eval.LAYOUT.name
    return "table"


def _folder_format(path: Path) -> str:
    for layout in (lm_eval.LAYOUT, lmms_eval.LAYOUT):
        for pattern in ("*", "*/*"):
            if any(layout.samples.fullmatch(file.name) for file in path.glob(pattern)):
                return layout.name
    raise InputError(
        f"{path}: a folder without lm_eval or lmms_eval samples; name a file (read several one by one and combine)"
    )
