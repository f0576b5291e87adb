"""How a test says which claim it is evidence for.

A test that takes an argument `stated` gets the claim's own function there; for each `planted` variant it runs once
more with the false one, and then it must fail with an AssertionError.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from refsym_theory.evidence import Level, Role

Mark = Callable[[Callable[..., None]], Callable[..., None]]


def nan(*_: Any, **__: Any) -> float:
    """Stand in for a side of a claim that comes out as NaN."""
    return float("nan")


def proof(claim: str, step: str, level: Level, stated: Any = None, planted: Mapping[str, Any] | None = None) -> Mark:
    """Mark evidence for one step; for every step where it is ""."""
    return _mark(claim, Role.PROOF, step, level, stated, planted)


def value(claim: str, step: str, level: Level, stated: Any = None, planted: Mapping[str, Any] | None = None) -> Mark:
    """Mark the recomputation of a printed number; it counts for its step."""
    return _mark(claim, Role.VALUE, step, level, stated, planted)


def tightness(claim: str, level: Level, stated: Any = None, planted: Mapping[str, Any] | None = None) -> Mark:
    """Mark a witness that attains the bound, or comes as close to it as one likes."""
    return _mark(claim, Role.TIGHTNESS, "", level, stated, planted)


def control(
    claim: str, hypothesis: str, level: Level, stated: Any = None, planted: Mapping[str, Any] | None = None
) -> Mark:
    """Mark a case without one needed hypothesis, in which the claim fails."""
    return _mark(claim, Role.CONTROL, hypothesis, level, stated, planted)


def superfluous(
    claim: str, hypothesis: str, level: Level, stated: Any = None, planted: Mapping[str, Any] | None = None
) -> Mark:
    """Mark a proof that does without one stated hypothesis."""
    return _mark(claim, Role.SUPERFLUOUS, hypothesis, level, stated, planted)


def refutation(claim: str, level: Level, stated: Any = None, planted: Mapping[str, Any] | None = None) -> Mark:
    """Mark a witness against the printed statement. Plant the corrected one: the witness must not break that."""
    return _mark(claim, Role.REFUTATION, "", level, stated, planted)


def _mark(claim: str, role: Role, about: str, level: Level, stated: Any, planted: Mapping[str, Any] | None) -> Mark:
    def apply(test: Callable[..., None]) -> Callable[..., None]:
        if planted is not None:
            variants = [pytest.param(stated, id="stated")]
            variants += [
                pytest.param(false, id=f"planted: {name}", marks=pytest.mark.planted(name))
                for name, false in planted.items()
            ]
            test = pytest.mark.parametrize("stated", variants)(test)
        return pytest.mark.claim(claim, role=role, about=about, level=level)(test)

    return apply
