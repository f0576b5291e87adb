"""Tables as a record holds them: by column, plain values, None where a number is undefined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Columns:
    """A table by column; a column that the record lacks reads as all None.

    Parameters
    ----------
    columns
        Name to values, all of one length.
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self._columns = columns
        self._length = len(next(iter(columns.values()), ()))

    def __len__(self) -> int:
        return self._length

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def values(self, name: str) -> list[Any]:
        """The column as it stands."""
        return list(self._columns.get(name, [None] * self._length))

    def numbers(self, name: str) -> NDArray[np.float64]:
        """The column as float64, NaN for None."""
        return np.array([np.nan if v is None else v for v in self.values(name)], dtype=np.float64)

    def where(self, **labels: Any) -> Columns:
        """The rows whose columns equal the labels."""
        rows: Sequence[int] = range(self._length)
        for name, label in labels.items():
            values = self.values(name)
            rows = [i for i in rows if values[i] == label]
        return Columns({name: [values[i] for i in rows] for name, values in self._columns.items()})
