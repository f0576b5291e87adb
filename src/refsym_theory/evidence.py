"""Levels of rigour, roles of evidence, and answers that may be "cannot tell"."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from typing import Any, NoReturn


class Level(IntEnum):
    """How hard a check is; only `ENCLOSED` and above back the word "verified"."""

    SAMPLED = 1
    """Random or searched inputs in floating point."""
    PRECISE = 2
    """Many digits (mpmath), without a bound on the error."""
    SOLVED = 3
    """A solver's `unsat` (z3)."""
    ENCLOSED = 4
    """Ball arithmetic: the true value lies in the printed interval."""
    EXACT = 5
    """Integers, rationals, polynomial identities, or a finite case distinction."""
    KERNEL = 6
    """A theorem that the kernel of Coq accepts."""


class Role(StrEnum):
    """What a piece of evidence is for."""

    PROOF = "proof"
    """Supports one step of the claim (of its corrected form, where the printed one is false)."""
    VALUE = "value"
    """Recomputes a printed number; counts for its step as a proof does."""
    TIGHTNESS = "tightness"
    """Attains the bound, or approaches it."""
    CONTROL = "control"
    """Drops one needed hypothesis and breaks the claim."""
    SUPERFLUOUS = "superfluous"
    """Proves the claim without one of the hypotheses that it states."""
    REFUTATION = "refutation"
    """A witness against the statement as printed."""


class Outcome(StrEnum):
    """What became of a check in one run."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    RECORDED = "recorded"
    """A Coq proof in this repository that was not run again here."""


@dataclass(frozen=True)
class Evidence:
    """One check of one claim, as it ran.

    Attributes
    ----------
    claim
        Id of the claim.
    role, level
        What it shows, and how hard.
    about
        The step (`PROOF`, `VALUE`; empty: every step) or the hypothesis (`CONTROL`, `SUPERFLUOUS`) that it is about;
        else empty.
    check
        The test: path and name.
    outcome
        What became of it.
    planted
        Name of the false variant that this check had to reject; None where the claim itself was checked.
    facts
        What the check printed of itself: (name, value) pairs such as ("claimed", "1/2").
    seconds
        Wall time.
    """

    claim: str
    role: Role
    level: Level
    about: str
    check: str
    outcome: Outcome
    planted: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0


class Truth(Enum):
    """The answer to a comparison: a ball that straddles zero is neither positive nor not."""

    TRUE = "true"
    FALSE = "false"
    UNKNOWN = "cannot tell"

    def __bool__(self) -> NoReturn:
        """Refuse: `if truth` would treat "cannot tell" as an answer."""
        raise TypeError("a Truth has three values; compare it with `is`, or call `require`")


def at_most(a: Any, b: Any) -> Truth:
    """Whether a <= b, for exact numbers, floats and balls; NaN gives `Truth.UNKNOWN`."""
    if a <= b:
        return Truth.TRUE
    return Truth.FALSE if a > b else Truth.UNKNOWN


def below(a: Any, b: Any) -> Truth:
    """Whether a < b, for exact numbers, floats and balls; NaN gives `Truth.UNKNOWN`."""
    if a < b:
        return Truth.TRUE
    return Truth.FALSE if a >= b else Truth.UNKNOWN


def equal(a: Any, b: Any) -> Truth:
    """Whether a = b. Two balls that overlap are `Truth.UNKNOWN` unless both have radius zero."""
    if a == b:
        return Truth.TRUE
    return Truth.FALSE if a != b else Truth.UNKNOWN


def require(truth: Truth, what: str = "") -> None:
    """Demand that a comparison is certainly true.

    Raises
    ------
    AssertionError
        Where it is false, or cannot be told.
    """
    if truth is not Truth.TRUE:
        raise AssertionError(f"{truth.value}{': ' if what else ''}{what}")
