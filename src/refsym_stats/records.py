"""The record table: one row an observation, checked once, where it enters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from refsym_stats.errors import InputError, names, rows

KEY = ("benchmark", "arm", "seed", "item", "partition", "budget")
"""What makes an observation unique."""

CONSTANT = "-"
"""The label of a key column that the data do not have."""

OUTCOMES = ("correct", "score")
PROBABILITY = re.compile(r"p_(0|[1-9][0-9]*)")
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?")
TOLERANCE = 1e-3
"""How far option probabilities may sum from one: three printed decimals."""


@dataclass(frozen=True)
class Source:
    """A file that records came from."""

    path: str
    sha256: str
    format: str
    rows: int


@dataclass(frozen=True)
class Records:
    """A checked record table.

    Attributes
    ----------
    frame : DataFrame
        The columns of `KEY` and `cluster`, each categorical over labels in natural order (2 before 10); `correct` (0 or
        1, int8) or `score` (float64) or both; where the data have them `answer` (categorical) and `p_0` ... `p_{m-1}`
        (float64, NaN exactly beyond an item's options). Sorted by key.
    own_clusters : bool
        The data have no cluster column: each item is its own cluster.
    sources : tuple of Source
    notes : tuple of str
        What a reader did that a user should know: length normalisation, samples that ended in an error.
    """

    frame: pd.DataFrame
    own_clusters: bool
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def probabilities(self) -> list[str]:
        """The columns of option probabilities, in order."""
        found = [name for name in self.frame.columns if PROBABILITY.fullmatch(name)]
        return sorted(found, key=lambda name: int(name[2:]))


def record_table(
    frame: pd.DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    sources: Sequence[Source] = (),
    notes: Sequence[str] = (),
    where: str = "records",
) -> Records:
    """Check a table and give it the project's form.

    Parameters
    ----------
    frame : DataFrame
        One row an observation. `item` and `correct` or `score` are needed; `benchmark`, `arm`, `seed`, `partition`,
        `budget` are constant where absent; without `cluster` each item is its own.
    columns : mapping, optional
        From our name to the table's: ``{"item": "question_id"}``.
    where : str
        Named in errors: the file.

    Raises
    ------
    InputError
        A column that is needed or mapped is absent; a value is missing or not finite; `correct` is not 0 or 1; two rows
        have one key; an item lies in two clusters; probabilities are negative, do not sum to one, or have holes; an
        answer is a number or a letter beyond its item's options.
    """
    table = _renamed(frame, columns or {}, where)
    if table.empty:
        raise InputError(f"{where}: no rows")
    if "item" not in table:
        raise InputError(f"{where}: no column 'item'; map one: item = one of {names(table.columns, 12)}")
    if not any(name in table for name in OUTCOMES):
        raise InputError(f"{where}: no outcome; map 'correct' (0 or 1) or 'score' to one of {names(table.columns, 12)}")
    own_clusters = "cluster" not in table
    checked: dict[str, object] = {}
    for name in KEY:
        if name in table:
            checked[name] = labels(table[name], name, where)
        else:
            checked[name] = pd.Categorical.from_codes(
                np.zeros(len(table), np.int8), categories=pd.Index([CONSTANT], dtype=object)
            )
    checked["cluster"] = checked["item"] if own_clusters else labels(table["cluster"], "cluster", where)
    if "correct" in table:
        checked["correct"] = _correct(table["correct"], where)
    if "score" in table:
        checked["score"] = _score(table["score"], where)
    if "answer" in table:
        checked["answer"] = labels(table["answer"], "answer", where)
    probabilities = _probabilities(table, where)
    result = pd.DataFrame(checked | probabilities)
    if "answer" in result and probabilities:
        _answers_are_options(result, where)
    _unique(result, where)
    if not own_clusters:
        _one_cluster_an_item(result, where)
    result = result.sort_values(list(KEY), kind="stable", ignore_index=True)
    return Records(result, own_clusters, tuple(sources), tuple(notes))


def labels(column: pd.Series, name: str, where: str) -> pd.Categorical:
    """Make labels of a column, in natural order: numbers by value, before words; 2 and 2.0 are one label.

    Raises
    ------
    InputError
        A value is missing (null, NaN, an empty string): the rows are named.
    """
    missing = column.isna().to_numpy()
    if missing.any():
        raise InputError(
            f"{where}: {name} is missing in {rows(np.flatnonzero(missing))}; fill it, or leave those rows out"
        )
    try:
        codes, uniques = pd.factorize(column, sort=False)
    except TypeError:
        raise InputError(f"{where}: {name} holds lists or tables; a label is a word or a number") from None
    words = [label(value) for value in uniques]
    if "" in words:
        empty = np.flatnonzero(codes == words.index(""))
        raise InputError(f"{where}: {name} is empty in {rows(empty)}; fill it, or leave those rows out")
    # Words that count as equal, 7 and 007, still have one order.
    ordered = sorted(set(words), key=lambda word: (natural(word), word))
    place = {word: i for i, word in enumerate(ordered)}
    recode = np.array([place[word] for word in words], dtype=np.int64)
    return pd.Categorical.from_codes(recode[codes], categories=pd.Index(ordered, dtype=object))


def label(value: object) -> str:
    """Write a label: whole floats as integers, booleans as 0 and 1, text stripped."""
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)
    return str(value).strip()


def natural(word: str) -> tuple[tuple[int, float, str], ...]:
    """Order labels as a person does: by the numbers in them."""
    if NUMBER.fullmatch(word):
        return ((0, float(word), ""),)
    parts = re.split(r"([0-9]+)", word)
    return tuple((0, float(part), "") if part.isdecimal() else (1, 0.0, part) for part in parts if part)


def _renamed(frame: pd.DataFrame, columns: Mapping[str, str], where: str) -> pd.DataFrame:
    known = (*KEY, "cluster", *OUTCOMES, "answer")
    for ours, theirs in columns.items():
        if ours not in known and not PROBABILITY.fullmatch(ours):
            raise InputError(f"{where}: cannot map {ours!r}; the names are {names(known, 20)}, p_0, p_1, ...")
        if theirs not in frame.columns:
            raise InputError(f"{where}: no column {theirs!r} for {ours}; it has {names(frame.columns, 12)}")
    # A column of ours that the mapping replaces would otherwise stand twice.
    table = frame[[name for name in frame.columns if name not in columns or name in columns.values()]]
    out = {name: table[name] for name in table.columns if name not in columns.values() and name in known}
    out |= {name: table[name] for name in table.columns if PROBABILITY.fullmatch(str(name)) and name not in columns}
    out |= {ours: frame[theirs] for ours, theirs in columns.items()}
    return pd.DataFrame(out).reset_index(drop=True)


def _numbers(column: pd.Series) -> np.ndarray:
    """Read numbers; what is none becomes NaN, what is too large infinite."""
    try:
        return pd.to_numeric(column, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    except OverflowError:  # an integer beyond 1e308 among them
        return _numbers(column.map(lambda value: np.inf if isinstance(value, int) and abs(value) > 2**1000 else value))


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 30 else f"{text[:27]}..."


def _correct(column: pd.Series, where: str) -> np.ndarray:
    values = _numbers(column)
    bad = ~np.isin(values, (0.0, 1.0))
    if bad.any():
        first = column.iloc[int(np.flatnonzero(bad)[0])]
        raise InputError(
            f"{where}: correct is {_short(first)} in {rows(np.flatnonzero(bad))}; it must be 0 or 1 everywhere "
            "(a graded outcome goes into 'score')"
        )
    return values.astype(np.int8)


def _score(column: pd.Series, where: str) -> np.ndarray:
    values = _numbers(column)
    bad = ~np.isfinite(values)
    if bad.any():
        first = column.iloc[int(np.flatnonzero(bad)[0])]
        raise InputError(
            f"{where}: score is {_short(first)} in {rows(np.flatnonzero(bad))}; it must be a finite number"
        )
    return values


def _probabilities(table: pd.DataFrame, where: str) -> dict[str, np.ndarray]:
    found = [name for name in table.columns if PROBABILITY.fullmatch(name)]
    if not found:
        return {}
    ordered = [f"p_{j}" for j in range(len(found))]
    if set(found) != set(ordered):
        raise InputError(f"{where}: option probabilities need p_0 to p_{len(found) - 1}, it has {names(found, 12)}")
    values = np.column_stack([_numbers(table[name]) for name in ordered])
    absent = np.isnan(values)
    holes = (absent[:, :-1] & ~absent[:, 1:]).any(axis=1) | absent[:, 0]
    if holes.any():
        raise InputError(
            f"{where}: a probability is missing before the item's last option in {rows(np.flatnonzero(holes))}"
        )
    sums = np.nansum(values, axis=1)
    # Written so that infinities and NaN fail.
    bad = ~((np.nan_to_num(values, nan=0.0) >= 0).all(axis=1) & (np.abs(sums - 1) <= TOLERANCE))
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"{where}: option probabilities sum to {sums[first]:.6g}, or one is negative, in "
            f"{rows(np.flatnonzero(bad))}; they must be a distribution"
        )
    # Printed decimals are made to sum to one; what does already keeps its bits.
    values = np.where(np.abs(sums - 1)[:, None] > 1e-12, values / sums[:, None], values)
    return {name: values[:, j] for j, name in enumerate(ordered)}


def _answers_are_options(frame: pd.DataFrame, where: str) -> None:
    """Answers that are numbers, or letters, name an option of their item; other words cannot be checked."""
    words = list(frame["answer"].cat.categories)
    if all(word.isascii() and word.isdecimal() for word in words):
        places = np.array([min(int(word), 2**31) for word in words])
    elif all(len(word) == 1 and "A" <= word <= "Z" for word in words):
        places = np.array([ord(word) - ord("A") for word in words])
    else:
        return
    options = frame.filter(regex=f"^{PROBABILITY.pattern}$").notna().sum(axis=1).to_numpy()
    chosen = places[frame["answer"].cat.codes.to_numpy()]
    outside = chosen >= options
    # Options may be counted from 1 instead, where no answer is 0.
    if outside.any() and not (words[0].isdecimal() and chosen.min() > 0 and (chosen <= options).all()):
        first = int(np.flatnonzero(outside)[0])
        raise InputError(
            f"{where}: answer {frame['answer'].iloc[first]} in {rows(np.flatnonzero(outside))}, but the item has "
            f"{options[first]} options (p_0 to p_{options[first] - 1})"
        )


def _unique(frame: pd.DataFrame, where: str) -> None:
    again = frame.duplicated(list(KEY), keep=False).to_numpy()
    if again.any():
        first = frame.loc[np.flatnonzero(again)[0], list(KEY)]
        key = ", ".join(f"{name} {first[name]}" for name in KEY if first[name] != CONSTANT)
        raise InputError(
            f"{where}: {rows(np.flatnonzero(again))} have the same key as another ({key}); keep one of each"
        )


def _one_cluster_an_item(frame: pd.DataFrame, where: str) -> None:
    pairs = frame[["benchmark", "item", "cluster"]].drop_duplicates()
    twice = pairs.duplicated(["benchmark", "item"], keep=False)
    if twice.any():
        benchmark, item = pairs.loc[twice, ["benchmark", "item"]].iloc[0]
        same = (frame["benchmark"] == benchmark) & (frame["item"] == item)
        clusters = names(dict.fromkeys(frame.loc[same, "cluster"]))
        raise InputError(f"{where}: item {item} is in clusters {clusters} ({rows(np.flatnonzero(same))}); it needs one")
