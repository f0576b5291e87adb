"""What a study found, beside what the paper printed: the verdict is derived, never typed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

AGREES, DIFFERS, INCOMPARABLE = "agrees", "differs", "not comparable"
HOLDS, FAILS, MEASURED = "holds", "fails", "measured"
VERDICTS = (AGREES, DIFFERS, INCOMPARABLE, HOLDS, FAILS, MEASURED)

KIND, FORMAT = "refsym study", 1

_NUMBER = re.compile(r"[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")


@dataclass(frozen=True)
class Finding:
    """One number of ours, beside the paper's, or one statement that held or did not.

    Attributes
    ----------
    quantity : str
        What was measured, in words.
    source : str
        Where the paper says it: "RS E, figure 3".
    found : float, int or str
        Ours.
    printed : str, optional
        The paper's number exactly as printed; its last digit says how far it was rounded.
    low, high : float, optional
        Our interval; without one, agreement is to the printed digits.
    interval : str
        What interval that is: "95 %, cluster-robust t over 61 passages".
    holds : bool, optional
        For a statement of ours without a printed number: whether it held.
    incomparable : str, optional
        Why the printed number is of something else: "another model".
    note : str
        One sentence more.
    """

    quantity: str
    source: str
    found: float | int | str
    printed: str | None = None
    low: float | None = None
    high: float | None = None
    interval: str = ""
    holds: bool | None = None
    incomparable: str | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """One of `VERDICTS`. NaN agrees with nothing."""
        if self.incomparable is not None:
            return INCOMPARABLE
        if self.printed is None:
            return MEASURED if self.holds is None else HOLDS if self.holds else FAILS
        low, high = printed_interval(self.printed)
        ours = (self.found, self.found) if self.low is None or self.high is None else (self.low, self.high)
        if not all(isinstance(end, int | float) and math.isfinite(end) for end in ours):
            return DIFFERS
        return AGREES if Fraction(ours[0]) <= high and Fraction(ours[1]) >= low else DIFFERS

    def record(self) -> dict[str, Any]:
        """Plain values, with the verdict."""
        return {**self.__dict__, "verdict": self.verdict}


@dataclass(frozen=True)
class Table:
    """Rows of text and numbers under headings."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """Curves in one set of axes.

    Attributes
    ----------
    curves : mapping of str to (x, y)
        Name to points; NaN breaks a curve.
    log : str
        Which axes are logarithmic: "", "x", "y" or "xy".
    points : bool
        Draw points and no lines.
    """

    title: str
    x: str
    y: str
    curves: Mapping[str, tuple[Sequence[float], Sequence[float]]]
    log: str = ""
    points: bool = False
    note: str = ""

    def record(self) -> dict[str, Any]:
        """Plain values."""
        curves = {name: [list(map(float, axis)) for axis in curve] for name, curve in self.curves.items()}
        return {**self.__dict__, "curves": curves}


@dataclass(frozen=True)
class Account:
    """All that a study says.

    Attributes
    ----------
    title : str
    paper : str
        What the paper claims, and where.
    method : str
        What was run here: inputs, sizes, seeds.
    answer : Sequence[str]
        What came out, in sentences made of the records' numbers.
    """

    title: str
    paper: str
    method: str
    answer: Sequence[str]
    findings: Sequence[Finding]
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def record(self, records_sha256: str) -> dict[str, Any]:
        """Plain values, as findings.json has them.

        Parameters
        ----------
        records_sha256
            Of the records that this was made from.
        """
        counts = {verdict: sum(f.verdict == verdict for f in self.findings) for verdict in VERDICTS}
        plain = {
            "kind": KIND,
            "format": FORMAT,
            "records_sha256": records_sha256,
            "title": self.title,
            "paper": self.paper,
            "method": self.method,
            "answer": list(self.answer),
            "counts": counts,
            "findings": [finding.record() for finding in self.findings],
            "tables": [{**table.__dict__, "rows": [list(row) for row in table.rows]} for table in self.tables],
            "figures": [figure.record() for figure in self.figures],
            "settings": dict(self.settings),
        }
        return _finite(plain)  # type: ignore[no-any-return]


def printed_interval(printed: str) -> tuple[Fraction, Fraction]:
    """Every number that is rounded to what is printed: "0.1524" is [0.15235, 0.15245].

    Raises
    ------
    ValueError
        There is no number, or more than one.
    """
    found = _NUMBER.findall(printed)
    if len(found) != 1:
        raise ValueError(f"{printed!r} holds {len(found)} numbers, not one")
    digits, _, power = found[0].replace(",", "").replace("−", "-").partition("e")
    value = Fraction(digits) * Fraction(10) ** int(power or 0)
    places = len(digits.partition(".")[2])
    half = Fraction(1, 2) * Fraction(10) ** (int(power or 0) - places) if places or power else Fraction(0)
    return value - half, value + half


def _finite(value: Any) -> Any:
    """The same as JSON has it: None where a number is not finite, lists for tuples, Python's numbers for NumPy's."""
    if isinstance(value, Mapping):
        return {name: _finite(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(held) for held in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
