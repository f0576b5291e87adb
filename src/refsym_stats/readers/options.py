"""What the caller told a reader, and the refusal of what a format has no use for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from refsym_stats.errors import InputError, names
from refsym_stats.records import KEY, OUTCOMES, PROBABILITY

NAMES = (*KEY, "cluster", *OUTCOMES, "answer")


@dataclass(frozen=True)
class Options:
    """The keyword arguments of `read_records`, checked for themselves."""

    columns: Mapping[str, str] = field(default_factory=dict)
    arm: str | None = None
    seed: str | int | None = None
    benchmark: str | None = None
    filter: str | None = None
    metric: str | None = None
    grades: Mapping[str, float] | None = None
    normalise: str | None = None

    def __post_init__(self) -> None:
        for ours in self.columns:
            if ours not in NAMES and not PROBABILITY.fullmatch(ours):
                raise InputError(f"columns: cannot map {ours!r}; the names are {names(NAMES, 20)}, p_0, p_1, ...")
        for name in ("arm", "seed", "benchmark"):
            if getattr(self, name) is not None and name in self.columns:
                raise InputError(f"{name} is given twice: as {name}= and in columns; give one")
        if self.metric is not None and (set(OUTCOMES) & set(self.columns)):
            raise InputError("the outcome is given twice: as metric= and in columns; give one")
        if self.normalise not in (None, "length"):
            raise InputError(f"normalise is {self.normalise!r}; it must be None or 'length'")
        for letter, value in (self.grades or {}).items():
            if not math.isfinite(value):
                raise InputError(f"grades: {letter!r} is {value!r}; a grade must be a finite number")

    def refuse(self, where: str, kind: str, *unused: str) -> None:
        """Refuse options that this format has no use for, so that none is silently ignored."""
        given = [name for name in unused if getattr(self, name) is not None]
        if given:
            raise InputError(f"{where}: {names(given)} means nothing for {kind}; leave it out")


def with_constants(frame: pd.DataFrame, options: Options, where: str) -> pd.DataFrame:
    """Add the arm, seed and benchmark that were given, where the data have none.

    Raises
    ------
    InputError
        The data have that column already.
    """
    given = {name: getattr(options, name) for name in ("arm", "seed", "benchmark")}
    given = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name in frame.columns:
            raise InputError(f"{where}: it has a column {name!r}, and {name}= is given; leave out one of them")
    return frame.assign(**given)
