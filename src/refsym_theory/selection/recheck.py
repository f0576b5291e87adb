"""Recompute a certificate from its dump and say where it differs."""

from __future__ import annotations

import math
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
    try:
        if record["format"] != FORMAT or record["kind"] != "refsym certificate":
            raise InputError(f"not a certificate of format {FORMAT}")
        settings, source = record["settings"], record["source"]
        if source["index_sha256"] != dump.index_sha256:
            raise InputError(
                f"{dump.path}: this is not the dump it certifies: index.json hashes to {dump.index_sha256[:16]}…, "
                f"the certificate says {str(source['index_sha256'])[:16]}…"
            )
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
    except (KeyError, TypeError) as error:
        raise InputError(f"not a certificate: {type(error).__name__} at {error}") from None
    lines = [(where, line) for where, line in _compare("", dict(record), fresh) if line]
    differences = tuple(f"{where}: {line}" for where, line in lines if not where.startswith("versions."))
    versions = tuple(f"{where}: {line}" for where, line in lines if where.startswith("versions."))
    return Recheck(differences, versions, sum(1 for _ in _compare("", dict(record), fresh)))


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
    elif _number(given) and _number(fresh) and (isinstance(given, float) or isinstance(fresh, float)):
        agree = math.isclose(given, fresh, rel_tol=AGREEMENT, abs_tol=AGREEMENT)
        yield where, "" if agree else f"{given!r} recorded, {fresh!r} recomputed"
    else:
        agree = type(given) is type(fresh) and given == fresh
        yield where, "" if agree else f"{given!r} recorded, {fresh!r} recomputed"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
