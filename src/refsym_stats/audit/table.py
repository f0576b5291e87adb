"""From a TOML file to findings."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from refsym_stats.audit.fields import Fields, Printed
from refsym_stats.audit.kinds import KINDS
from refsym_stats.audit.numerals import numeral
from refsym_stats.audit.verdicts import Finding, Verdict
from refsym_stats.errors import InputError, names

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_COMMON = frozenset({"id", "place", "kind", "inputs", "why"})


@dataclass(frozen=True)
class Audit:
    """What became of every printed number of a file.

    Attributes
    ----------
    title, source : str
        What was audited, and where it can be read.
    sha256 : str
        Of the file that types the numbers in.
    findings : tuple of Finding
        In the file's order.
    """

    title: str
    source: str
    sha256: str
    findings: tuple[Finding, ...]

    def of(self, verdict: Verdict) -> tuple[Finding, ...]:
        """Return the findings of one verdict."""
        return tuple(finding for finding in self.findings if finding.verdict is verdict)


def read(content: bytes, name: str) -> Audit:
    """Audit the bytes of a table.

    Raises
    ------
    InputError
        One line that names file, check and field.
    """
    try:
        table = tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: byte {error.start + 1} is not UTF-8; save the file as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{name}: no TOML: {error}") from None
    _known(table, {"title", "source", "numbers", "check"}, name)
    head = Fields(name, table, "", {})
    numbers = _numbers(table.get("numbers", {}), name)
    checks = table.get("check", [])
    if not isinstance(checks, list) or not checks or not all(isinstance(check, dict) for check in checks):
        raise InputError(f"{name}: no checks; each starts with a line [[check]]")
    seen: dict[str, int] = {}
    findings = []
    for i, check in enumerate(checks, 1):
        label = check.get("id")
        if not isinstance(label, str) or not label.strip():
            raise InputError(f"{name}: check number {i}: id is missing")
        if label in seen:
            raise InputError(f"{name}: check {label}: id is that of checks {seen[label]} and {i}; each needs its own")
        seen[label] = i
        findings.append(_finding(check, label, f"{name}: check {label}", numbers))
    return Audit(head.text("title"), head.text("source", "-"), hashlib.sha256(content).hexdigest(), tuple(findings))


def _finding(check: Mapping[str, Any], label: str, where: str, shared: Mapping[str, Printed]) -> Finding:
    kind = check.get("kind", "formula")
    if kind not in KINDS:
        raise InputError(f"{where}: kind is {kind!r}; the kinds are {names(KINDS, 12)}")
    derive, allowed = KINDS[kind]
    _known(check, _COMMON | allowed, where)
    place = Fields(where, check, "", {}).text("place")
    fields = Fields(where, check, place, {**shared, **_own(check.get("inputs", {}), where, place, shared)})
    outcome = derive(fields)
    why = fields.text("why") if fields.has("why") else ""
    inputs = tuple(fields.used.values())
    sentence = kind in ("holds", "none")
    printed = fields.text("printed") if sentence else outcome.printed or fields.printed().text
    return Finding(label, place, kind, printed, outcome.computed, outcome.verdict, outcome.arithmetic, why, inputs)


def _numbers(table: Any, name: str) -> dict[str, Printed]:
    """Read [numbers.GROUP] tables: a place, and the numbers printed there."""
    where = f"{name}: numbers"
    if not isinstance(table, dict):
        raise InputError(f"{where}: a table is needed, such as [numbers.t2]")
    out = {}
    for group, members in table.items():
        if not _NAME.fullmatch(group) or not isinstance(members, dict):
            raise InputError(f"{where}: {group} is no group; write [numbers.{group}] with a place and its numbers")
        fields = Fields(f"{where}.{group}", members, "", {})
        place = fields.text("place")
        for word, written in members.items():
            if word != "place":
                out[f"{group}.{word}"] = _named(word, written, fields, place)
    return out


def _own(inputs: Any, where: str, place: str, shared: Mapping[str, Printed]) -> dict[str, Printed]:
    if not isinstance(inputs, dict):
        raise InputError(f'{where}: inputs: a table is needed, such as {{ gains = "6", losses = "3" }}')
    fields = Fields(f"{where}: inputs", inputs, place, shared)
    return {
        word: fields.numbers[str(written)] if str(written) in shared else _named(word, written, fields, place)
        for word, written in inputs.items()
    }


def _named(word: str, written: object, fields: Fields, place: str) -> Printed:
    if not _NAME.fullmatch(word):
        raise InputError(f"{fields.where}: {word!r} is no name; letters, digits and _ are")
    return Printed(fields.reading(word, lambda: numeral(written)), place)


def _known(table: Mapping[str, Any], allowed: frozenset[str] | set[str], where: str) -> None:
    for key in table:
        if key not in allowed:
            raise InputError(f"{where}: unknown key {key!r}; the keys are {names(sorted(allowed), 16)}")
