"""A study's records: written as they are made, taken up where they stopped, never mixed with another version's."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from refsym_theory.atomic import write_atomically
from refsym_theory.errors import InputError

KEY = b"refsym"


class Records:
    """Rows of one study in a Parquet file, with the settings that made them.

    Parameters
    ----------
    path
        The file; there whole or not at all, whenever the run is killed.
    settings
        Plain values that decide the numbers: seeds, sizes, hashes of inputs and sources, versions.
    force
        Start afresh, whatever the file holds.

    Raises
    ------
    InputError
        The file was made with other settings, or is no study's.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], *, force: bool = False) -> None:
        self._path = path
        # As JSON has it, so that tuples and lists compare equal.
        self._settings: dict[str, Any] = json.loads(json.dumps(settings))
        self.rows: list[dict[str, Any]] = []
        if path.exists() and not force:
            self.rows, before = read_records(path)
            wanted = self._settings
            if names := [name for name in {**wanted, **before} if before.get(name) != wanted.get(name)]:
                raise InputError(f"{path}: made with other settings ({', '.join(names)}); --force starts afresh")

    def done(self, *columns: str) -> set[Any]:
        """What the rows hold in a column, or tuples of several: what need not be run again."""
        if len(columns) == 1:
            return {row[columns[0]] for row in self.rows}
        return {tuple(row[name] for name in columns) for row in self.rows}

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Append rows and write the file anew."""
        self.rows += [dict(row) for row in rows]
        table = pa.Table.from_pandas(pd.DataFrame(self.rows), preserve_index=False)
        table = table.replace_schema_metadata({KEY: json.dumps(self._settings).encode()})
        out = io.BytesIO()
        pq.write_table(table, out)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path, out.getvalue())


def read_records(path: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Read rows and settings.

    Raises
    ------
    InputError
        There is no such file, or it is not a study's.
    """
    if not path.exists():
        raise InputError(f"{path}: no records yet; run the study first")
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid:
        raise InputError(f"{path}: is no Parquet file; --force starts afresh") from None
    made = (table.schema.metadata or {}).get(KEY)
    if made is None:
        raise InputError(f"{path}: not the records of a study; --force starts afresh")
    return table.to_pylist(), json.loads(made)
