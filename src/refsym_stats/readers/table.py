"""Tables with named columns: Parquet, CSV, JSON, JSON Lines, and a DataFrame."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv as arrow_csv
from pyarrow import parquet

from refsym_stats.errors import InputError, names, rows
from refsym_stats.readers.files import content, sha256, text
from refsym_stats.readers.json_rows import Row, at, encodes, json_rows
from refsym_stats.readers.options import NAMES, Options, with_constants
from refsym_stats.records import KEY, OUTCOMES, PROBABILITY, Records, Source, record_table

SUFFIXES = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
PARTS = frozenset([dict, list, tuple, set, np.ndarray])
"""What cannot be a label."""

DATA_FRAME = "DataFrame"
"""The path and format of records that came from memory."""


def read(path: Path | pd.DataFrame, options: Options) -> Records:
    """Read a table; `options.columns` maps names, with dotted paths into JSON.

    Text stays text: in a CSV file the item 007 is not the item 7. An empty CSV field is missing, the word NA is not.
    """
    where = DATA_FRAME if isinstance(path, pd.DataFrame) else str(path)
    options.refuse(where, "a table", "filter", "metric", "grades", "normalise")
    frame, source = load(path, options.columns)
    if "item" not in frame.columns and "item" not in options.columns:
        raise InputError(
            f"{where}: no column 'item'; map one with columns={{'item': ...}} to one of {names(frame.columns, 12)}, "
            "or, if the i-th row of every arm is the same example, say order_paired=True"
        )
    return checked(frame, source, options, where)


def load(path: Path | pd.DataFrame, columns: Mapping[str, str], every: bool = False) -> tuple[pd.DataFrame, Source]:
    """Read a table as it stands, with a column for each dotted path that is mapped; not `every` column of Parquet."""
    if isinstance(path, pd.DataFrame):
        _no_twins([str(name) for name in path.columns], DATA_FRAME)
        return path.reset_index(drop=True), Source(DATA_FRAME, "", DATA_FRAME, len(path))
    data, where = content(path), str(path)
    if not data:
        raise InputError(f"{where}: the file is empty")
    kind = _kind(path, data)
    if kind == "parquet":
        frame = _parquet(data, columns, every, where)
    elif kind == "json":
        found, _, kind = json_rows(text(data, where), where)
        frame = _json(found, columns)
    else:
        frame = _csv(text(data, where), "\t" if kind == "tsv" else ",", columns, where)
    return frame, Source(where, sha256(data), kind, len(frame))


def checked(frame: pd.DataFrame, source: Source, options: Options, where: str, notes: tuple[str, ...] = ()) -> Records:
    """Check a table's values and make records of it; those of a DataFrame are hashed by content."""
    frame = with_constants(frame, options, where)
    used = {options.columns.get(name, name): name for name in (*KEY, "cluster", "answer")}
    for theirs, ours in used.items():
        if theirs in frame.columns:
            refuse_non_labels(frame[theirs], ours, where)
    made = record_table(frame, columns=options.columns, sources=[source], notes=notes, where=where)
    return made if source.sha256 else replace(made, sources=(replace(source, sha256=fingerprint(made.frame)),))


def fingerprint(frame: pd.DataFrame) -> str:
    """Hash a record table by its labels and values, whatever the row order it came in."""
    digest = hashlib.sha256()
    for name, column in frame.items():
        digest.update(f"\x00{name}\x00".encode())
        if isinstance(column.dtype, pd.CategoricalDtype):
            digest.update("\x00".join(column.cat.categories).encode("utf-8", "surrogatepass"))
            digest.update(column.cat.codes.to_numpy(np.int64).tobytes())
        else:
            digest.update(column.to_numpy(np.float64).tobytes())
    return digest.hexdigest()


def refuse_non_labels(column: pd.Series, name: str, where: str) -> None:
    """Refuse a column of labels in which a value is a list, a mapping, or no text that can be written."""
    if column.dtype != object:
        return
    if not PARTS.isdisjoint(map(type, column)):
        parts = [i for i, value in enumerate(column) if type(value) in PARTS]
        raise InputError(f"{where}: {name} has parts in {rows(parts)}; map one of them by a dotted path")
    broken = [i for i, value in enumerate(column) if not encodes(value)]
    if broken:
        raise InputError(f"{where}: {name} holds half a surrogate pair, which is no text, in {rows(broken)}")


def _kind(path: Path, data: bytes) -> str:
    by_name = SUFFIXES.get(path.suffix.lower())
    if by_name:
        return by_name
    if data.startswith(b"PAR1"):
        return "parquet"
    return "json" if data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b"{") else "csv"


def _parquet(data: bytes, columns: Mapping[str, str], every: bool, where: str) -> pd.DataFrame:
    try:
        file = parquet.ParquetFile(pa.BufferReader(data))
        present = file.schema_arrow.names
        _no_twins(present, where)
        # All of them too where one is not found, so that the error can list them.
        every = every or not {columns.get("item", "item"), *columns.values()} <= set(present)
        wanted = [name for name in present if every or _known(name) or name in columns.values()]
        # Strings come as dictionaries: each label is then looked at once, not once a row.
        frame: pd.DataFrame = file.read(columns=wanted).to_pandas(ignore_metadata=True, strings_to_categorical=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{where}: not a whole Parquet file ({_first_line(error)})") from error
    return frame


def _csv(source: str, delimiter: str, columns: Mapping[str, str], where: str) -> pd.DataFrame:
    try:
        header = next(csv.reader(io.StringIO(source, newline=""), delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"{where}: no header of column names ({error})") from error
    _no_twins(header, where)
    if source.count('"') % 2:
        raise InputError(f"{where}: not CSV (an odd number of quotes: one is not closed, or stands alone in a field)")
    data = source.encode() + b"\n"
    measured = {columns.get(name, name) for name in OUTCOMES} | {name for name in header if PROBABILITY.fullmatch(name)}
    measured |= {theirs for ours, theirs in columns.items() if PROBABILITY.fullmatch(ours)}
    try:
        found = arrow_csv.read_csv(
            pa.BufferReader(data),
            # In one block and thread, errors name the row.
            read_options=arrow_csv.ReadOptions(use_threads=False, block_size=len(data)),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(set(header) - measured, pa.dictionary(pa.int32(), pa.string())),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowException as error:
        if not source.strip().count("\n") and "infer number of columns" in str(error):
            raise InputError(f"{where}: no rows below the header") from error
        # It counts the header as row 1.
        message = re.sub(r".*Row #(\d+)", lambda m: f"row {int(m[1]) - 1}", _first_line(error))
        raise InputError(f"{where}: not CSV ({message}); quote fields that hold a {delimiter!r}") from error
    frame: pd.DataFrame = found.to_pandas(ignore_metadata=True)
    return frame


def _json(found: list[Row], columns: Mapping[str, str]) -> pd.DataFrame:
    # As objects: an integer id beside a null would pass through float and lose digits.
    frame = pd.DataFrame(found, dtype=object)
    for path in columns.values():
        if path not in frame.columns:
            values = [at(row, path) for row in found]
            if any(value is not None for value in values):
                frame[path] = pd.Series(values, dtype=object)
    return frame


def _known(name: str) -> bool:
    return name in NAMES or bool(PROBABILITY.fullmatch(name))


def _no_twins(header: list[str], where: str) -> None:
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise InputError(f"{where}: two columns are called {names(twice)}; rename one")


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
