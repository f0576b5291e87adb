"""JSON and JSON Lines as rows, and dotted paths into them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from refsym_stats.errors import InputError, names

Row = dict[str, Any]


def parsed(text: str, where: str) -> Any:
    """Parse one JSON value; the bare tokens NaN and Infinity are read as floats.

    Raises
    ------
    InputError
        It is not JSON, or nested too deep, or holds a number of thousands of digits.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON ({error.msg}, line {error.lineno} column {error.colno})") from error
    except RecursionError as error:
        raise InputError(f"{where}: nested too deep to be read") from error
    except ValueError as error:
        raise InputError(f"{where}: an integer has too many digits to be read") from error


def json_rows(text: str, where: str) -> tuple[list[Row], list[int], str]:
    """Read rows from a JSON list, or from one JSON object a line.

    Returns
    -------
    rows : list of dict
    numbers : list of int
        Of each row, its line (JSON Lines) or its place in the list, from 1.
    format : str
        "json" or "jsonl".
    """
    if text.lstrip()[:1] == "[":
        found = parsed(text, where)
        unit, numbers = "row", list(range(1, len(found) + 1))
    else:
        # Not splitlines(): a JSON string may hold other line separators bare.
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        found = [_line(line, where, number) for number, line in lines]
        unit, numbers = "line", [number for number, _ in lines]
    for number, row in zip(numbers, found, strict=True):
        if not isinstance(row, dict):
            raise InputError(f"{where}: {unit} {number} is not an object with named fields")
    if not found:
        raise InputError(f"{where}: no rows")
    return found, numbers, "json" if unit == "row" else "jsonl"


def at(value: Any, path: str) -> Any:
    """Follow a dotted path: ``doc.passage``; a number steps into a list; None where it leads nowhere.

    A key that itself holds dots wins over its parts.
    """
    if isinstance(value, Mapping):
        if path in value:
            return value[path]
        head = path
        while "." in head:
            head = head.rpartition(".")[0]
            if head in value:
                return at(value[head], path[len(head) + 1 :])
    if isinstance(value, list):
        head, _, rest = path.partition(".")
        if head.isdecimal() and int(head) < len(value):
            return at(value[int(head)], rest) if rest else value[int(head)]
    return None


def scalar(row: Any, path: str, where: str) -> Any:
    """Follow a path to a label.

    Raises
    ------
    InputError
        Nothing is there, or something that has parts.
    """
    value = at(row, path)
    if value is None or value != value or value == "":
        has = f"; it has {names(row, 20)}" if isinstance(row, Mapping) else ""
        raise InputError(f"{where}: {path!r} is missing{has}")
    if isinstance(value, (dict, list)):
        inside = [f"{path}.{key}" for key in (value if isinstance(value, dict) else range(len(value)))]
        raise InputError(f"{where}: {path!r} has parts; name one of {names(inside, 12) or 'another field'}")
    if not encodes(value):
        raise InputError(f"{where}: {path!r} holds half a surrogate pair, which is no text")
    return value


def encodes(value: Any) -> bool:
    """Whether a label can be written: JSON escapes may spell half a surrogate pair."""
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return False
    return True


def number(value: Any) -> float | None:
    """Read a number as the logs write it: 0.5, true, "0.5", "True" (a NumPy value that went through str)."""
    if isinstance(value, str):
        value = {"True": 1.0, "False": 0.0}.get(value, value)
    if not isinstance(value, (bool, int, float, str)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _line(line: str, where: str, number: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        # The line number is the file's; the decoder only knows its own line.
        raise InputError(f"{where}: line {number} is not JSON ({error.msg}, column {error.colno})") from error
    except RecursionError as error:
        raise InputError(f"{where}: line {number} is nested too deep to be read") from error
    except ValueError as error:
        raise InputError(f"{where}: line {number}: an integer has too many digits to be read") from error
