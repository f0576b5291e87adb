"""Records as dense arrays: one benchmark at one budget, every arm, seed, item and partition in its place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.errors import InputError, names
from refsym_stats.records import CONSTANT, Records


@dataclass(frozen=True)
class Panel:
    """Observations of one benchmark at one budget.

    Attributes
    ----------
    arms, seeds, items, partitions : tuple of str
        What stands along the axes [A, S, n, P] of every array.
    clusters : tuple of str
        The cluster of each item.
    present : bool array [A, S, n, P]
    correct : int8 array [A, S, n, P], optional
        0 where absent; look at `present`.
    score : float64 array [A, S, n, P], optional
    answer : int32 array [A, S, n, P], optional
        Codes of the answers' labels; -1 where absent.
    probabilities : float64 array [A, S, n, P, m], optional
        0 beyond an item's options.
    """

    benchmark: str
    budget: str
    arms: tuple[str, ...]
    seeds: tuple[str, ...]
    items: tuple[str, ...]
    partitions: tuple[str, ...]
    clusters: tuple[str, ...]
    present: NDArray[np.bool_]
    correct: NDArray[np.int8] | None
    score: NDArray[np.float64] | None
    answer: NDArray[np.int32] | None
    probabilities: NDArray[np.float64] | None

    @property
    def name(self) -> str:
        """Where this is, for an error or a heading."""
        labels = {"benchmark": self.benchmark, "budget": self.budget}
        return ", ".join(f"{name} {label}" for name, label in labels.items() if label != CONSTANT) or "the records"

    @cached_property
    def complete(self) -> NDArray[np.bool_]:
        """Items [n] that every arm, seed and partition has."""
        return np.asarray(self.present.all(axis=(0, 1, 3)))

    def units(self, kind: str) -> tuple[str, ...]:
        """Return what is resampled together, one label an item: its "cluster", or the "item" itself."""
        return self.clusters if kind == "cluster" else self.items

    def arm(self, name: str) -> int:
        """Return the place of an arm.

        Raises
        ------
        InputError
            It has no observation here.
        """
        if name not in self.arms:
            raise InputError(f"arm {name!r} has no records in {self.name}; there are {names(self.arms, 12)}")
        return self.arms.index(name)

    def of_items(self, chosen: NDArray[np.bool_]) -> Panel:
        """Keep some items."""
        places = np.flatnonzero(chosen)
        return replace(
            self,
            items=tuple(self.items[i] for i in places),
            clusters=tuple(self.clusters[i] for i in places),
            present=self.present[:, :, chosen],
            correct=None if self.correct is None else self.correct[:, :, chosen],
            score=None if self.score is None else self.score[:, :, chosen],
            answer=None if self.answer is None else self.answer[:, :, chosen],
            probabilities=None if self.probabilities is None else self.probabilities[:, :, chosen],
        )


def panels(
    records: Records, arms: Sequence[str] | None = None, demanded: Callable[[str], Collection[str]] | None = None
) -> dict[tuple[str, str], Panel]:
    """Arrange records by benchmark and budget.

    Parameters
    ----------
    records : Records
    arms : sequence of str, optional
        In this order; all by default.
    demanded : callable, optional
        Arms that a benchmark must have; others are left out of a benchmark where they have no record at all. Without
        it every arm is demanded everywhere.

    Raises
    ------
    InputError
        An arm has no records at all.
    """
    frame = records.frame
    known = list(frame["arm"].cat.categories)
    if absent := [arm for arm in arms or () if arm not in known]:
        raise InputError(f"no records of arm {names(absent)}; the records hold {names(known, 12)}")
    chosen = tuple(arms or known)
    codes = {name: frame[name].cat.codes.to_numpy() for name in ("benchmark", "budget", "arm")}
    wanted = np.isin(codes["arm"], [known.index(arm) for arm in chosen])
    out: dict[tuple[str, str], Panel] = {}
    for b, benchmark in enumerate(frame["benchmark"].cat.categories):
        for k, budget in enumerate(frame["budget"].cat.categories):
            rows = np.flatnonzero(wanted & (codes["benchmark"] == b) & (codes["budget"] == k))
            if len(rows):
                there = {known[code] for code in np.unique(codes["arm"][codes["benchmark"] == b])}
                needed = chosen if demanded is None else demanded(benchmark)
                here = tuple(arm for arm in chosen if arm in there or arm in needed)
                out[benchmark, budget] = _panel(records, rows, here, benchmark, budget)
    return out


def _panel(records: Records, rows: NDArray[np.intp], arms: tuple[str, ...], benchmark: str, budget: str) -> Panel:
    frame = records.frame
    places: list[NDArray[np.intp]] = []
    axes: list[tuple[str, ...]] = []
    for name in ("arm", "seed", "item", "partition"):
        column = frame[name]
        codes, order = column.cat.codes.to_numpy()[rows], list(column.cat.categories)
        used = np.array([order.index(arm) for arm in arms]) if name == "arm" else np.unique(codes)
        lookup = np.full(len(order), -1)
        lookup[used] = np.arange(len(used))
        places.append(lookup[codes])
        axes.append(tuple(order[i] for i in used))
    at, shape = tuple(places), tuple(map(len, axes))
    # Every row of an item names the same cluster: records saw to that.
    of_item = np.empty(shape[2], dtype=np.int64)
    of_item[at[2]] = frame["cluster"].cat.codes.to_numpy()[rows]
    labels = list(frame["cluster"].cat.categories)

    def filled(name: str, empty: float, dtype: type) -> NDArray[Any] | None:
        if name not in frame:
            return None
        values = frame[name].cat.codes if name == "answer" else frame[name]
        out: NDArray[Any] = np.full(shape, empty, dtype)
        out[at] = values.to_numpy()[rows]
        return out

    present = np.zeros(shape, bool)
    present[at] = True
    probabilities = None
    if records.probabilities:
        probabilities = np.zeros((*shape, len(records.probabilities)))
        probabilities[at] = np.nan_to_num(frame[records.probabilities].to_numpy()[rows], nan=0.0)
    return Panel(
        benchmark=benchmark,
        budget=budget,
        arms=axes[0],
        seeds=axes[1],
        items=axes[2],
        partitions=axes[3],
        clusters=tuple(labels[code] for code in of_item),
        present=present,
        correct=filled("correct", 0, np.int8),
        score=filled("score", np.nan, np.float64),
        answer=filled("answer", -1, np.int32),
        probabilities=probabilities,
    )
