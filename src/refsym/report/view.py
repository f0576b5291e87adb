"""A certificate's record as the page reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from refsym.report.columns import Columns

LEVELS = ("tile", "head", "cell")
"""The deployed rule first."""

RUNTIME_POLICIES = ("sigma", "gap", "expansion_gap", "score_mass")
"""What a selector can compute from its own scores; the best ones need the answer."""

POLICIES = (*RUNTIME_POLICIES, "best_value", "best_mass", "random")

NAMES = {
    "sigma": "σ, the router",
    "gap": "cutoff gap g",
    "expansion_gap": "expansion gap G",
    "score_mass": "score mass",
    "best_value": "best by error",
    "best_mass": "best by mass",
    "random": "random tiles",
}


@dataclass(frozen=True)
class View:
    """The record's parts, tables as `Columns`.

    Attributes
    ----------
    q
        The trigger fraction as a float.
    values
        "identification", and "output" where the dump has masses.
    """

    settings: Mapping[str, Any]
    source: Mapping[str, Any]
    versions: Mapping[str, Any]
    summary: Mapping[str, Any]
    notes: tuple[str, ...]
    cells: Columns
    layers: Columns
    policies: Columns
    by_tau: Columns
    by_k: Columns
    by_q: Columns
    gaps: Columns
    q: float
    values: tuple[str, ...]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> View:
        """Read a record; ValueError if it is no certificate of a known format."""
        if record.get("kind") != "refsym certificate" or record.get("format") != 1:
            raise ValueError("not the record of a refsym certificate of format 1")
        return cls(
            settings=record["settings"],
            source=record["source"],
            versions=record["versions"],
            summary=record["summary"],
            notes=tuple(record["notes"]),
            cells=Columns(record["cells"]),
            layers=Columns(record["layers"]),
            policies=Columns(record["policies"]),
            by_tau=Columns(record["by_tau"]),
            by_k=Columns(record["by_k"]),
            by_q=Columns(record["by_q"]),
            gaps=Columns(record["gap_distribution"]),
            q=float(Fraction(str(record["settings"]["q"]))),
            values=("identification", "output") if record["source"]["with_mass"] else ("identification",),
        )

    def at_policy(self, level: str, value: str, policy: str, name: str) -> float | None:
        """Regret, captured gain, risk or blocks over all layers; None where undefined."""
        found = self.policies.where(level=level, value=value, policy=policy).values(name)
        return found[0] if found else None

    def blocks(self, level: str) -> float:
        """Blocks kept on average under a rule."""
        found = self.at_policy(level, "identification", "sigma", "average_blocks")
        return float("nan") if found is None else found

    def left(self, level: str, value: str, policy: str, q: float | None = None) -> float | None:
        """Error, or dropped mass, that is left at the grid's q nearest to the given one (the chosen by default)."""
        found = self.by_q.where(level=level, value=value, policy=policy)
        if not len(found):
            return None
        nearest = int(np.argmin(np.abs(found.numbers("q") - (self.q if q is None else q))))
        risk: float | None = found.values("risk")[nearest]
        return risk
