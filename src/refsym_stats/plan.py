"""A plan written before the results are seen: what is compared, by which tests, in which family."""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from refsym_stats.arguments import fraction, whole
from refsym_stats.endpoints import ENDPOINTS
from refsym_stats.errors import InputError, names
from refsym_stats.result import Alternative

FORMAT = 1
MISSING = ("error", "complete-items", "wrong")
CORRECTIONS = ("bonferroni", "holm")
KINDS = {str: "text", bool: "true or false"}


@dataclass(frozen=True)
class Reading:
    """How the files are read: the options of `read_records`, and what absent observations count as.

    Attributes
    ----------
    missing : {"error", "complete-items", "wrong"}
        An item that an arm lacks: refuse; leave it out of all arms; or count it as wrong.
    threshold : float, optional
        `correct` is `score` >= threshold.
    """

    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    filter: str | None = None
    metric: str | None = None
    grades: Mapping[str, float] | None = None
    normalise: str | None = None
    order_paired: bool = False
    missing: str = "error"
    threshold: float | None = None

    def options(self) -> dict[str, Any]:
        """The keyword arguments of `read_records`."""
        return {
            "format": self.format,
            "columns": dict(self.columns) or None,
            "filter": self.filter,
            "metric": self.metric,
            "grades": self.grades,
            "normalise": self.normalise,
            "order_paired": self.order_paired,
        }


@dataclass(frozen=True)
class Inference:
    """Units and settings of every test.

    Attributes
    ----------
    cluster : {"cluster", "item"}
        What flips and is resampled together.
    seed : {"seed", "none"}
        Whether training seeds are units too: intervals resample them, and the gate needs their t-test.
    """

    cluster: str = "cluster"
    seed: str = "none"
    level: float = 0.95
    draws: int = 20_000
    random_seed: int = 0
    alternative: Alternative = Alternative.TWO_SIDED


@dataclass(frozen=True)
class Reference:
    """The observation that `kl` and `flips` compare with."""

    arm: str
    budget: str | None = None
    partition: str | None = None


@dataclass(frozen=True)
class Contrast:
    """One comparison: arm minus comparator, in one endpoint, on one benchmark.

    Attributes
    ----------
    budgets : tuple of str
        Averaged within the item where there are several; empty: the only one of the data.
    margin : float, optional
        Equivalence margin in the endpoint's printed unit.
    """

    endpoint: str
    arm: str
    comparator: str
    benchmark: str | None = None
    budgets: tuple[str, ...] = ()
    margin: float | None = None
    alternative: Alternative = Alternative.TWO_SIDED


@dataclass(frozen=True)
class Family:
    """Contrasts that share an error rate, of a size declared beforehand."""

    name: str
    size: int
    correction: str
    contrasts: tuple[Contrast, ...]


@dataclass(frozen=True)
class Plan:
    """A plan, and the hash of the file that it was read from."""

    title: str
    reading: Reading
    inference: Inference
    reference: Reference | None
    families: tuple[Family, ...]
    sha256: str | None = None

    @property
    def arms(self) -> tuple[str, ...]:
        """Every arm that the plan names: comparators first, in order of appearance."""
        planned = [contrast for family in self.families for contrast in family.contrasts]
        reference = [self.reference.arm] if self.reference else []
        return tuple(dict.fromkeys([*reference, *(c.comparator for c in planned), *(c.arm for c in planned)]))

    def arms_on(self, benchmark: str) -> set[str]:
        """Arms that the plan compares on a benchmark; all of its arms where it does not name that benchmark."""
        planned = [contrast for family in self.families for contrast in family.contrasts]
        here = [contrast for contrast in planned if contrast.benchmark in (None, benchmark)]
        reference = {self.reference.arm} if self.reference else set()
        return {arm for c in here for arm in (c.arm, c.comparator)} | reference if here else set(self.arms)

    @classmethod
    def explore(cls, reading: Reading, inference: Inference) -> Plan:
        """No plan: every contrast of the data is exploratory."""
        return cls("Exploratory comparison", reading, inference, None, ())

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan.toml.

        Raises
        ------
        InputError
            It is no TOML, has unknown keys, names unknown endpoints, or a family is larger than declared.
        """
        where = os.fspath(path)
        content = Path(path).read_bytes()
        try:
            table = tomllib.loads(content.decode())
        except UnicodeDecodeError as error:
            raise InputError(f"{where}: byte {error.start} is not UTF-8") from None
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{where}: {error}") from None
        return _plan(table, where, sha256(content).hexdigest())


def _plan(table: dict[str, Any], where: str, digest: str) -> Plan:
    _keys(table, ("format", "title", "read", "units", "inference", "reference", "family"), where)
    if table.get("format") != FORMAT:
        raise InputError(f"{where}: format {table.get('format')!r}; this version reads format {FORMAT}")
    families = table.get("family")
    if not isinstance(families, list) or not families:
        raise InputError(f"{where}: no [[family]]; a plan declares at least one, with its size and its contrasts")
    inference = _inference(table, where)
    parsed = tuple(_family(entry, i, inference, where) for i, entry in enumerate(families, 1))
    if len({family.name for family in parsed}) < len(parsed):
        raise InputError(f"{where}: two families have one name")
    planned = [contrast for family in parsed for contrast in family.contrasts]
    if len({(c.endpoint, c.arm, c.comparator, c.benchmark, c.budgets) for c in planned}) < len(planned):
        raise InputError(f"{where}: one contrast stands twice")
    return Plan(
        title=_typed(table, "title", str, where) or "Comparison",
        reading=_reading(_table(table, "read", where), f"{where}, [read]"),
        inference=inference,
        reference=_reference(_table(table, "reference", where), f"{where}, [reference]"),
        families=parsed,
        sha256=digest,
    )


def _reading(table: dict[str, Any], where: str) -> Reading:
    _keys(table, tuple(Reading.__dataclass_fields__), where)
    found = Reading(
        format=_typed(table, "format", str, where),
        columns=_columns(_table(table, "columns", where), f"{where}: columns"),
        filter=_typed(table, "filter", str, where),
        metric=_typed(table, "metric", str, where),
        grades=_grades(_table(table, "grades", where), f"{where}: grades"),
        normalise=_typed(table, "normalise", str, where),
        order_paired=bool(_typed(table, "order_paired", bool, where)),
        missing=_typed(table, "missing", str, where) or "error",
        threshold=_number(table, "threshold", where),
    )
    _one_of(found.missing, MISSING, f"{where}: missing")
    return found


def _columns(table: dict[str, Any], where: str) -> dict[str, str]:
    for name in table:
        _typed(table, name, str, where)
    return table


def _grades(table: dict[str, Any], where: str) -> dict[str, float] | None:
    return {name: _numeric(value, f"{where}: {name}") for name, value in table.items()} or None


def _inference(table: dict[str, Any], where: str) -> Inference:
    units, settings = _table(table, "units", where), _table(table, "inference", where)
    _keys(units, ("cluster", "seed"), f"{where}, [units]")
    _keys(settings, ("level", "draws", "random_seed", "alternative"), f"{where}, [inference]")
    try:
        found = Inference(
            cluster=units.get("cluster", "cluster"),
            seed=units.get("seed", "none"),
            level=fraction(settings.get("level", 0.95)),
            draws=whole(settings.get("draws", 20_000), "draws", 100),
            random_seed=whole(settings.get("random_seed", 0), "random_seed", 0),
            alternative=Alternative.of(settings.get("alternative", "two-sided")),
        )
    except InputError as error:
        raise InputError(f"{where}, [inference]: {error}") from None
    _one_of(found.cluster, ("cluster", "item"), f"{where}, [units]: cluster")
    _one_of(found.seed, ("seed", "none"), f"{where}, [units]: seed")
    return found


def _reference(table: dict[str, Any], where: str) -> Reference | None:
    if not table:
        return None
    _keys(table, ("arm", "budget", "partition"), where)
    arm = _typed(table, "arm", str, where)
    if arm is None:
        raise InputError(f"{where}: no arm")
    return Reference(arm, _label(table, "budget", where), _label(table, "partition", where))


def _family(entry: Any, number: int, inference: Inference, where: str) -> Family:
    if not isinstance(entry, dict):
        raise InputError(f"{where}: [[family]] {number} is no table")
    name = _label(entry, "name", where) or str(number)
    place = f"{where}, family {name}"
    _keys(entry, ("name", "size", "correction", "contrast"), place)
    contrasts = entry.get("contrast")
    if not isinstance(contrasts, list) or not contrasts:
        raise InputError(f"{place}: no [[family.contrast]]")
    found = tuple(contrast for item in contrasts for contrast in _contrasts(item, inference, place))
    try:
        size = whole(entry.get("size"), "size")
    except InputError as error:
        raise InputError(f"{place}: {error}; declare how many contrasts share this family's error rate") from None
    if len(found) > size:
        raise InputError(f"{place}: declared size {size}, but it holds {len(found)} contrasts")
    correction = entry.get("correction", "bonferroni")
    _one_of(correction, CORRECTIONS, f"{place}: correction")
    return Family(name, size, correction, found)


def _contrasts(entry: Any, inference: Inference, where: str) -> list[Contrast]:
    """One entry stands for every combination of its endpoints and comparators."""
    if not isinstance(entry, dict):
        raise InputError(f"{where}: a contrast is a table")
    _keys(
        entry, ("endpoint", "arm", "comparator", "benchmark", "budget", "margin", "alternative"), f"{where}, a contrast"
    )
    for name in ("endpoint", "arm", "comparator"):
        if name not in entry:
            raise InputError(f"{where}: a contrast has no {name}")
    endpoints, comparators = _strings(entry, "endpoint", where), _strings(entry, "comparator", where)
    arm = _label(entry, "arm", where) or ""
    margin = _number(entry, "margin", where)
    if margin is not None and not margin > 0:
        raise InputError(f"{where}: margin {margin}; a positive number in the endpoint's printed unit")
    try:
        against = Alternative.of(entry.get("alternative", inference.alternative))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    for endpoint in endpoints:
        _one_of(endpoint, tuple(ENDPOINTS), f"{where}: endpoint")
    if arm in comparators:
        raise InputError(f"{where}: arm {arm} is compared with itself")
    budgets = tuple(_strings(entry, "budget", where)) if "budget" in entry else ()
    benchmark = _label(entry, "benchmark", where)
    return [
        Contrast(endpoint, arm, comparator, benchmark, budgets, margin, against)
        for endpoint in endpoints
        for comparator in comparators
    ]


def _keys(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"it may have {names(known, 20)}"
            raise InputError(f"{where}: unknown key {key!r}; {hint}")


def _one_of(value: Any, known: tuple[str, ...], where: str) -> None:
    if value not in known:
        raise InputError(f"{where} {value!r}: one of {', '.join(known)}")


def _table(table: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise InputError(f"{where}: {name} must be a table")
    return found


def _typed(table: Mapping[str, Any], name: str, kind: type, where: str) -> Any:
    value = table.get(name)
    if value is not None and not isinstance(value, kind):
        raise InputError(f"{where}: {name} is {value!r}; {KINDS[kind]} is needed")
    return value


def _number(table: Mapping[str, Any], name: str, where: str) -> float | None:
    return None if name not in table else _numeric(table[name], f"{where}: {name}")


def _numeric(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InputError(f"{where} is {value!r}; a finite number is needed")
    return float(value)


def _label(table: Mapping[str, Any], name: str, where: str) -> str | None:
    value = table.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(f"{where}: {name} is {value!r}; a label is needed")
    return str(value)


def _strings(entry: dict[str, Any], name: str, where: str) -> list[str]:
    value = entry[name]
    found = value if isinstance(value, list) else [value]
    if not found or len(set(map(str, found))) < len(found):
        raise InputError(f"{where}: {name} is empty or names one twice")
    return [_label({name: item}, name, where) or "" for item in found]
