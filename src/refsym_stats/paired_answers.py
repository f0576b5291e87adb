"""Answers of two arms in pairs: what becomes of each, and how many of the dense arm's are kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.errors import InputError

TRANSITIONS = ("C to C", "C to W", "W to C", "W to W, same answer", "W to W, another answer")


def transitions(before: Any, after: Any, answers: tuple[Any, Any] | None = None) -> dict[str, int]:
    """Count what becomes of each answer from one arm to another (RS table 1).

    Parameters
    ----------
    before, after : arrays of 0 and 1
        Correctness, in pairs.
    answers : pair of arrays, optional
        The answers; without them wrong answers that change cannot be told, and "W to W" is one count.

    Raises
    ------
    InputError
        The arrays do not fit, or correctness is not 0 or 1.
    """
    first, second = _in_pairs(before, after)
    wrong = ~first & ~second
    out = {
        "C to C": int((first & second).sum()),
        "C to W": int((first & ~second).sum()),
        "W to C": int((~first & second).sum()),
    }
    if answers is None:
        return out | {"W to W": int(wrong.sum())}
    before_answers, after_answers = (np.asarray(found) for found in answers)
    if not before_answers.shape == after_answers.shape == first.shape:
        raise InputError(
            f"transitions: answers of shape {before_answers.shape}, {after_answers.shape} for {first.shape}"
        )
    same = before_answers == after_answers
    return out | {TRANSITIONS[3]: int((wrong & same).sum()), TRANSITIONS[4]: int((wrong & ~same).sum())}


def paired_recall(correct: Any, dense_correct: Any) -> float | None:
    """Share of the dense arm's correct answers that an arm keeps (UG 4); None where the dense arm has none.

    Parameters
    ----------
    correct, dense_correct : arrays of 0 and 1
        In pairs.

    Raises
    ------
    InputError
        The arrays do not fit, or correctness is not 0 or 1.
    """
    kept, dense = _in_pairs(correct, dense_correct)
    return float((kept & dense).sum() / dense.sum()) if dense.any() else None


def _in_pairs(first: Any, second: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    one, other = np.asarray(first), np.asarray(second)
    if one.shape != other.shape:
        raise InputError(f"correctness comes in pairs, got shapes {one.shape} and {other.shape}")
    for values in (one, other):
        if not np.isin(values, (0, 1)).all():
            raise InputError("correctness must be 0 or 1 everywhere")
    return one.astype(bool), other.astype(bool)
