"""What a check can come to, and what a reader is shown of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Derived from the arithmetic, never typed."""

    AGREES = "agrees"
    WITHIN_ROUNDING = "agrees within rounding"
    CANNOT_BE = "cannot be"
    NOT_RECOMPUTABLE = "not recomputable"


@dataclass(frozen=True)
class Input:
    """A number that a check reads: its name, its digits as printed, and where they stand."""

    name: str
    text: str
    place: str


@dataclass(frozen=True)
class Outcome:
    """What a kind of check derives: the verdict, the value computed, and the arithmetic a reader can follow.

    `printed` is given where a check audits several numbers together.
    """

    verdict: Verdict
    computed: str
    arithmetic: str
    printed: str = ""


@dataclass(frozen=True)
class Finding:
    """A printed number and what became of it.

    Attributes
    ----------
    id : str
    place : str
        As a reader finds it: "Table 10, n = 2786, q = 8".
    kind : str
    printed : str
        The number, or the sentence, as printed.
    computed : str
        From the inputs exactly as printed.
    verdict : Verdict
    arithmetic : str
        Of the verdict, in one or two sentences.
    why : str
        Why this should give the printed number, where that is not obvious; or why the print does not determine it.
    inputs : tuple of Input
    """

    id: str
    place: str
    kind: str
    printed: str
    computed: str
    verdict: Verdict
    arithmetic: str
    why: str
    inputs: tuple[Input, ...]
