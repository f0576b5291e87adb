"""What the sample logs of lm-evaluation-harness and lmms-eval have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from refsym_stats.errors import InputError, names
from refsym_stats.readers.files import content, sha256, text
from refsym_stats.readers.json_rows import Row, at, json_rows, number, parsed, scalar
from refsym_stats.readers.options import Options
from refsym_stats.records import OUTCOMES, PROBABILITY, Source

OF_THE_SAMPLE = frozenset(
    [
        *("doc_id", "doc", "doc_hash", "target", "target_hash", "arguments", "prompt_hash", "input", "input_media"),
        *("resps", "filtered_resps", "filter", "metrics", "token_counts", "submission"),
    ]
)
"""Fields of a logged sample that are not metrics."""


@dataclass(frozen=True)
class Layout:
    """How a harness names the files of a run.

    Attributes
    ----------
    name : str
    samples, results : Pattern
        File names; the group `task` is the task, `date` is shared by a run's files.
    """

    name: str
    samples: re.Pattern[str]
    results: re.Pattern[str]


@dataclass(frozen=True)
class Log:
    """One task's samples.

    Attributes
    ----------
    rows, lines : list
        The samples, and the line of the file that each stands on.
    """

    path: Path
    task: str
    date: str
    rows: list[Row]
    lines: list[int]
    sha256: str

    def place(self, i: int) -> str:
        """Name a sample in an error."""
        return f"{self.path}: line {self.lines[i]}"

    def chosen(self, keep: Sequence[int]) -> Log:
        """Keep some samples."""
        return Log(
            self.path, self.task, self.date, [self.rows[i] for i in keep], [self.lines[i] for i in keep], self.sha256
        )

    def source(self, kind: str) -> Source:
        """Say where the samples came from."""
        return Source(str(self.path), self.sha256, kind, len(self.rows))


def logs(path: Path, layout: Layout) -> list[Log]:
    """Read a log, or every log of a run's folder.

    Raises
    ------
    InputError
        The folder has none, or two of one task; a file cannot be read.
    """
    if not path.is_dir():
        return [_log(path, layout)]
    found = sorted(file for file in path.iterdir() if layout.samples.fullmatch(file.name))
    if not found:
        inside = [file.parent.name for file in path.glob("*/*") if layout.samples.fullmatch(file.name)]
        hint = f"; read one of its folders {names(sorted(set(inside)))}" if inside else ""
        raise InputError(f"{path}: no {layout.name} samples in this folder{hint}")
    made = [_log(file, layout) for file in found]
    by_task: dict[str, str] = {}
    for log in made:
        if log.task in by_task:
            raise InputError(
                f"{path}: two runs of {log.task} ({by_task[log.task]}, {log.path.name}); read one of the files, or "
                "move one away"
            )
        by_task[log.task] = log.path.name
    return made


def arm(found: Sequence[Log], layout: Layout, options: Options) -> tuple[str, str]:
    """Name the arm: as told, else by the model in the run's results file, else by the folder; and say which.

    Raises
    ------
    InputError
        The results files name several models.
    """
    if options.arm is not None:
        return options.arm, f"The arm is named {options.arm!r} as told."
    folder = found[0].path.resolve().parent
    results = {file: match for file in sorted(folder.iterdir()) if (match := layout.results.fullmatch(file.name))}
    same_run = [file for file, match in results.items() if match["date"] in {log.date for log in found}]
    models = {model: file.name for file in same_run or results if (model := _model(file))}
    if len(models) > 1:
        raise InputError(
            f"{folder}: its results files name several models ({names(models)}); say which arm this is: arm="
        )
    for model, file in models.items():
        return model, f"The arm is named {model!r} after the model in {file}."
    return folder.name, f"The arm is named {folder.name!r} after its folder."


def outcome(
    found: Sequence[Log], options: Options, default: Callable[[Log], str]
) -> tuple[dict[str, list[float]], str]:
    """Read the outcome of every sample: `correct` if all are 0 or 1, else `score`.

    Parameters
    ----------
    default : callable
        Names the metric of a log where the caller named none.

    Returns
    -------
    columns : dict of list
        Under our name or names, the values of all logs in order.
    note : str
    """
    mapped = {name: options.columns[name] for name in OUTCOMES if name in options.columns}
    if mapped:
        values = {name: _values(found, [path] * len(found)) for name, path in mapped.items()}
        return values, "Outcome: " + ", ".join(f"{name} is {path}" for name, path in mapped.items()) + ", as told."
    paths = [options.metric or default(log) for log in found]
    numbers = _values(found, paths)
    name = "correct" if all(value in (0.0, 1.0) for value in numbers) else "score"
    return {name: numbers}, f"Outcome: {name} is the metric {names(dict.fromkeys(paths))}."


def labels(found: Sequence[Log], options: Options) -> dict[str, list[object]]:
    """Read every other column that the caller mapped."""
    wanted = {name: path for name, path in options.columns.items() if name not in OUTCOMES}
    return {
        name: [
            at(row, path) if PROBABILITY.fullmatch(name) else scalar(row, path, log.place(i))
            for log in found
            for i, row in enumerate(log.rows)
        ]
        for name, path in wanted.items()
    }


def metrics(log: Log) -> list[str]:
    """Name the metrics of a log: its numeric fields, and those one level below."""
    row = log.rows[0]
    listed = row.get("metrics")
    fields = listed if isinstance(listed, list) else [name for name in row if name not in OF_THE_SAMPLE]
    found = [name for name in fields if number(row.get(name)) is not None]
    for name in fields:
        value = row.get(name)
        if isinstance(value, dict):
            found += [f"{name}.{key}" for key, part in value.items() if number(part) is not None]
    return found


def one_sample_a_document(log: Log, why: str) -> None:
    """Refuse a log in which a doc_id stands twice.

    Parameters
    ----------
    why : str
        What the cause may be, and what to do.
    """
    first: dict[object, int] = {}
    for i, row in enumerate(log.rows):
        doc_id = scalar(row, "doc_id", log.place(i))
        if doc_id in first:
            raise InputError(
                f"{log.path}: lines {log.lines[first[doc_id]]} and {log.lines[i]} have the same doc_id {doc_id}; {why}"
            )
        first[doc_id] = i


def one_hash_a_document(log: Log) -> None:
    """Refuse a log in which one doc_id has two documents."""
    seen: dict[object, tuple[object, int]] = {}
    for i, row in enumerate(log.rows):
        doc_id, found = scalar(row, "doc_id", log.place(i)), row.get("doc_hash")
        known, first = seen.setdefault(doc_id, (found, i))
        if known != found:
            raise InputError(
                f"{log.path}: doc_id {doc_id} has two doc_hashes (lines {log.lines[first]} and {log.lines[i]}): two "
                "versions of the task are mixed; split the file"
            )


def _values(found: Sequence[Log], paths: Sequence[str]) -> list[float]:
    out = []
    for log, path in zip(found, paths, strict=True):
        for i, row in enumerate(log.rows):
            value = at(row, path)
            read = number(value)
            if read is None or read != read:
                what = "is missing" if value is None or read is not None else f"is {str(value)[:60]!r}, not a number"
                raise InputError(f"{log.place(i)}: metric {path!r} {what}; its metrics are {_choice(log)}")
            out.append(read)
    return out


def _choice(log: Log) -> str:
    return names(metrics(log), 12) or "none"


def _log(path: Path, layout: Layout) -> Log:
    data = content(path)
    if not data.strip():
        raise InputError(f"{path}: the file is empty")
    found, lines, _ = json_rows(text(data, str(path)), str(path))
    match = layout.samples.fullmatch(path.name)
    task, date = (match["task"], match["date"]) if match else (path.stem, "")
    for i, row in enumerate(found):
        if "doc_id" not in row:
            raise InputError(f"{path}: line {lines[i]} has no doc_id, so it is not a {layout.name} sample")
    return Log(path, task, date, found, lines, sha256(data))


def _model(file: Path) -> str | None:
    results = parsed(text(content(file), str(file)), str(file))
    model = at(results, "model_name")
    return model if isinstance(model, str) and model.strip() else None
