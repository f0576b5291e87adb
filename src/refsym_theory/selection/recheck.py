"""Recompute a certificate from its dump and say where it differs."""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from refsym_theory.errors import InputError
from refsym_theory.selection.certificate import FORMAT, certify
from refsym_theory.selection.score_dump import ScoreDump

AGREEMENT = 1e-9
"""Largest difference of two floats that agree, absolute below 1 and relative above."""


@dataclass(frozen=True)
class Recheck:
    """What recomputing found.

    Attributes
    ----------
    differences
        One line each, "where: recorded, recomputed"; empty when the certificate holds.
    versions
        The same for library versions, which may differ without harm.
    compared
        Numbers and words compared.
    """

    differences: tuple[str, ...]
    versions: tuple[str, ...]
    compared: int


def recheck(
    record: Mapping[str, Any],
    dump: ScoreDump,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Recheck:
    """Certify the dump again with the settings of a recorded certificate, and compare everything.

    Settings, hashes and words must be equal, floats within `AGREEMENT`; Monte Carlo is sampled again from its seed.
    NaN agrees with nothing.

    Parameters
    ----------
    record
        A certificate as JSON holds it (`Certificate.record`).
    dump
        The dump that it is about.
    executor, progress
        As in `certify`.

    Raises
    ------
    InputError
        The record is no certificate of this format, or is about another dump.
    """
    if record.get("kind") != "refsym certificate" or record.get("format") != FORMAT:
        raise InputError(f"not a certificate of format {FORMAT}")
    recorded = _part(record, "source").get("index_sha256")
    if recorded != dump.index_sha256:
        raise InputError(
            f"{dump.path}: this is not the dump it certifies: index.json hashes to {dump.index_sha256[:16]}…, "
            f"the certificate says {_shown(recorded)}"
        )
    settings = _checked(_part(record, "settings"))
    fresh = certify(
        dump,
        settings["k"],
        settings["rho"],
        settings["q"],
        settings["tau"],
        estimator="split-half" if settings["estimator"] == "given" else settings["estimator"],
        k_grid=settings["k_grid"],
        tau_factors=settings["tau_factors"],
        draws=settings["draws"],
        seed=settings["seed"],
        executor=executor,
        progress=progress,
    ).record()
    compared = list(_compare("", dict(record), fresh))
    lines = [(where, f"{where}: {line}") for where, line in compared if line]
    return Recheck(
        differences=tuple(line for where, line in lines if not where.startswith("versions.")),
        versions=tuple(line for where, line in lines if where.startswith("versions.")),
        compared=len(compared),
    )


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = record.get(name)
    if not isinstance(part, Mapping):
        raise InputError(f"not a certificate: {name!r} is {_shown(part)}, not an object")
    return part


def _checked(settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings, if each is of a kind that `certify` may be given."""

    def text(value: Any) -> bool:
        return isinstance(value, str)

    def count(value: Any) -> bool:
        return _number(value) and isinstance(value, int) and 0 <= value < 2**31

    def measure(value: Any) -> bool:
        return _number(value) and -_LARGEST <= value <= _LARGEST

    kinds: dict[str, Callable[[Any], bool]] = {
        "k": count,
        "rho": text,
        "q": text,
        "tau": lambda value: value is None or measure(value),
        "estimator": lambda value: value in ("given", "split-half", "row-step"),
        "k_grid": lambda value: isinstance(value, list) and all(map(count, value)),
        "tau_factors": lambda value: isinstance(value, list) and all(map(measure, value)),
        "draws": count,
        "seed": lambda value: _number(value) and isinstance(value, int) and value >= 0,
    }
    for name, fits in kinds.items():
        if name not in settings:
            raise InputError(f"not a certificate: 'settings' has no {name!r}")
        if not fits(settings[name]):
            raise InputError(f"not a certificate: settings.{name} is {_shown(settings[name])}")
    if (settings["estimator"] == "given") != (settings["tau"] is not None):
        raise InputError("not a certificate: settings.estimator and settings.tau contradict each other")
    return settings


def _compare(where: str, given: Any, fresh: Any) -> Iterator[tuple[str, str]]:
    """(place, difference) of every leaf; an empty difference where the two agree."""
    if isinstance(given, dict) and isinstance(fresh, dict):
        for key in sorted(given.keys() | fresh.keys()):
            place = f"{where}.{key}" if where else key
            if key not in given or key not in fresh:
                yield place, "only recorded" if key in given else "not recorded"
            else:
                yield from _compare(place, given[key], fresh[key])
    elif isinstance(given, list) and isinstance(fresh, list):
        if len(given) != len(fresh):
            yield where, f"{len(given)} recorded, {len(fresh)} recomputed"
        for i, (a, b) in enumerate(zip(given, fresh, strict=False)):
            yield from _compare(f"{where}[{i}]", a, b)
    elif _number(given) and isinstance(fresh, float):  # settings and counts are no floats, and must be equal
        agree = -_LARGEST <= given <= _LARGEST and math.isclose(given, fresh, rel_tol=AGREEMENT, abs_tol=AGREEMENT)
        yield where, "" if agree else f"{_shown(given)} recorded, {_shown(fresh)} recomputed"
    else:
        agree = type(given) is type(fresh) and given == fresh
        yield where, "" if agree else f"{_shown(given)} recorded, {_shown(fresh)} recomputed"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_LARGEST = sys.float_info.max  # an integer in JSON may be larger, and then is no float

_brief = reprlib.Repr()
_brief.maxstring = _brief.maxother = _brief.maxlong = 80


def _shown(value: Any) -> str:
    """Any value in a few words, however long or deeply nested it is."""
    return _brief.repr(value)
