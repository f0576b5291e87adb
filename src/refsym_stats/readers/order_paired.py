"""Logs without example ids, where the i-th row of every arm within a benchmark is the same example."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from refsym_stats.errors import InputError, names
from refsym_stats.readers import table
from refsym_stats.readers.options import Options
from refsym_stats.records import KEY, OUTCOMES, PROBABILITY, Records, labels

USUAL_NAMES = {"benchmark": "task", "arm": "policy"}
"""What such logs call our columns, where the caller maps none."""

OF_THE_EXAMPLE = frozenset(
    [
        *("doc", "doc_hash", "doc_id", "example", "example_id", "question", "question_id", "sample_id", "source"),
        *("prompt", "prompt_hash", "prompt_length", "input", "context", "context_length", "length", "passage"),
        *("choices", "options", "target", "target_hash", "targets", "gold", "gold_answer", "ground_truth", "reference"),
    ]
)
"""Fields that belong to the example whatever the arm, so that all arms must agree on them row by row."""

FORMAT = "order_paired"

SEQUENCE = tuple(name for name in KEY if name != "item")


def read(path: Path | pd.DataFrame, options: Options) -> Records:
    """Give each row the item of its place, after checking what the file allows to check.

    Within one benchmark, each arm (and seed, partition, budget, where there are any) is a sequence; the item is a
    row's place in its sequence, counted from 1. All sequences of a benchmark must be equally long and must agree on
    every field of `OF_THE_EXAMPLE` and on the cluster.

    Raises
    ------
    InputError
        There are item ids; there is no arm; the sequences differ in length or in a field of the example.
    """
    where = table.DATA_FRAME if isinstance(path, pd.DataFrame) else str(path)
    options.refuse(where, "an order-paired log", "filter", "metric", "grades", "normalise")
    frame, source = table.load(path, options.columns, every=True)
    columns = _columns(frame, options, where)
    present = {name: columns.get(name, name) for name in SEQUENCE if columns.get(name, name) in frame.columns}
    for name, theirs in present.items():
        table.refuse_non_labels(frame[theirs], name, where)
    keys = pd.DataFrame({name: labels(frame[theirs], name, where) for name, theirs in present.items()}).astype(object)
    place = (keys.groupby(list(keys.columns), sort=False).cumcount() + 1).to_numpy()
    within = keys["benchmark"] if "benchmark" in keys else pd.Series("-", index=keys.index)
    _equally_long(keys, within, columns, where)
    notes = _agreement(frame, keys, within, place, columns, where)
    settled = Options(columns=columns, arm=options.arm, seed=options.seed, benchmark=options.benchmark)
    used = frame.assign(item=place)
    return table.checked(used, replace(source, format=FORMAT), settled, where, notes)


def _columns(frame: pd.DataFrame, options: Options, where: str) -> dict[str, str]:
    if "item" in options.columns or "item" in frame.columns:
        raise InputError(f"{where}: it has item ids, so rows need no pairing by order; leave out order_paired")
    columns = dict(options.columns)
    for ours, usual in USUAL_NAMES.items():
        free = ours not in columns and ours not in frame.columns and getattr(options, ours) is None
        if free and usual in frame.columns and usual not in columns.values():
            columns[ours] = usual
    for ours, theirs in columns.items():
        if theirs not in frame.columns:
            raise InputError(f"{where}: no column {theirs!r} for {ours}; it has {names(frame.columns, 12)}")
    if columns.get("arm", "arm") not in frame.columns:
        raise InputError(
            f"{where}: no arm, so there is nothing to pair by order; map one with columns={{'arm': ...}} to one of "
            f"{names(frame.columns, 12)}"
        )
    return columns


def _equally_long(keys: pd.DataFrame, within: pd.Series, columns: dict[str, str], where: str) -> None:
    for benchmark, part in keys.groupby(within, sort=False):
        counts = part.groupby([name for name in keys.columns if name != "benchmark"], sort=False).size()
        if counts.min() < counts.max():
            listed = names((f"{_words(group)} {count}" for group, count in counts.items()), 8)
            raise InputError(
                f"{where}: rows per {columns.get('arm', 'arm')} differ in {benchmark} ({listed}); the i-th rows "
                "cannot be the same example"
            )


def _agreement(
    frame: pd.DataFrame,
    keys: pd.DataFrame,
    within: pd.Series,
    place: np.ndarray,
    columns: dict[str, str],
    where: str,
) -> tuple[str, ...]:
    """Compare every other field row by row between the sequences, and say what that shows."""
    ours = {columns.get(name, name) for name in (*SEQUENCE, *OUTCOMES)}
    rest = [name for name in frame.columns if name not in ours and not PROBABILITY.fullmatch(str(name))]
    cluster = columns.get("cluster", "cluster")
    examples = pd.Series(pd.factorize(within)[0] * (int(place.max()) + 1) + place)
    groups = pd.factorize(within)[0]
    agree, constant, differ = [], [], []
    for name in rest:
        codes = pd.Series(pd.factorize(pd.Series(list(map(_comparable, frame[name])), dtype=object))[0])
        odd = codes.groupby(examples).transform("nunique") > 1
        if odd.any() and (name in OF_THE_EXAMPLE or name == cluster):
            first = int(np.flatnonzero(odd)[0])
            twin = np.flatnonzero((examples == examples[first]) & (codes != codes[first]))[0]
            raise InputError(
                f"{where}: {name} differs in rows {first + 1} and {int(twin) + 1}, both {_words(within.iloc[first])} "
                f"example {place[first]}; the rows are not paired by order"
            )
        if odd.any():
            differ.append(name)
        elif _varies(codes, groups):
            agree.append(name)
        else:
            constant.append(name)
    arms = keys.drop(columns="benchmark", errors="ignore").drop_duplicates()
    notes = [
        f"Rows are paired by their order: the i-th row of each of {len(arms)} sequences within a benchmark is taken as "
        "one example. Their counts are equal."
    ]
    if agree:
        notes.append(f"Agree row by row between the arms: {names(agree, 20)}.")
    else:
        notes.append(
            "No field that varies between examples could be compared; that the order is the same is not checked."
        )
    if constant:
        notes.append(
            f"Agree, but are the same for all examples of a benchmark, so say nothing of order: {names(constant, 20)}."
        )
    if differ:
        notes.append(
            f"Differ between the arms, and were taken for results, not for parts of the example: {names(differ, 20)}."
        )
    return tuple(notes)


def _varies(codes: pd.Series, groups: np.ndarray) -> bool:
    """Whether a field takes two values in every benchmark, so that a change of order could show."""
    by_benchmark = codes.groupby(groups)
    return bool((by_benchmark.min() < by_benchmark.max()).all())


def _comparable(value: object) -> object:
    return repr(value) if type(value) in table.PARTS else value


def _words(group: object) -> str:
    return " ".join(map(str, group)) if isinstance(group, tuple) else str(group)
