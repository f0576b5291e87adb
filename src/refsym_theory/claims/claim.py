"""What a claim is: everything that a reader must know of it, except the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What a run of the checks says of a claim; derived, never typed."""

    VERIFIED = "verified"
    """Every step has evidence at level 4 or more."""
    SUPPORTED = "supported"
    """Every step has evidence, one of them only below level 4."""
    REFUTED = "refuted"
    """False as printed, by a witness at level 4 or more; the corrected statement is verified."""
    OPEN = "open"
    """A step without passing evidence."""


@dataclass(frozen=True)
class Hypothesis:
    """A condition that the claim states.

    Attributes
    ----------
    name
        One word; evidence refers to it.
    text
        The condition, formulas in LaTeX between dollars.
    needed
        True: a control must break the claim without it. False: evidence must prove the claim without it.
    """

    name: str
    text: str
    needed: bool = True


@dataclass(frozen=True)
class Step:
    """One step of the proof (of the corrected statement, where the printed one is false)."""

    name: str
    text: str


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, or of this project.

    Text fields are plain text with LaTeX between dollars.

    Attributes
    ----------
    id
        Stable name; ``RS.L1`` lives in ``claims/rs/l1.py`` and is checked by ``proofs_checks/rs/test_rs_l1.py``.
    title
        A few words.
    source
        Paper, section, equation.
    statement
        As printed.
    plain
        The same in plain words, for someone who has not read the paper.
    steps
        What has to be shown.
    expected
        What the checks are expected to say; the run fails where they say otherwise.
    definitions
        Symbols and conventions as they are read here.
    hypotheses
        Conditions, each needed or superfluous.
    uses
        Ids of claims that the proof rests on.
    scope
        What the claim covers, and what it does not.
    tight
        What attains the bound; None where nothing is owed (an identity, a value).
    correction
        The corrected statement of a claim that is false as printed.
    stronger
        A stronger statement that the evidence proves.
    residue
        What no machine has checked.
    """

    id: str
    title: str
    source: str
    statement: str
    plain: str
    steps: tuple[Step, ...]
    expected: Verdict
    definitions: tuple[str, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    uses: tuple[str, ...] = ()
    scope: str = ""
    tight: str | None = None
    correction: str | None = None
    stronger: str | None = None
    residue: str = ""
