"""Multiple-choice questions as tokens: a context, then options by letter and "Answer:"."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from refsym_theory.errors import InputError

LETTERS = "ABCDEFGHIJ"


@dataclass(frozen=True)
class Question:
    """One question.

    Attributes
    ----------
    tokens : int64 [N]
    context : int
        How many of them are the question's own text; the rest are options and "Answer:".
    letters : sequence of int
        Token of each option's letter.
    answer : int
        Index of the right option.
    """

    item: str
    cluster: str
    tokens: Tensor
    context: int
    letters: Sequence[int]
    answer: int


def read_rows(data: Path) -> list[dict[str, Any]]:
    """Rows of JSON Lines with id, task, cluster, prompt, options, answer.

    Raises
    ------
    InputError
        A line is no JSON object, or lacks one of these.
    """
    rows = []
    for number, line in enumerate(data.read_text(encoding="utf-8").split("\n"), 1):
        if not line:
            continue
        try:
            row = json.loads(line)
        except ValueError:
            raise InputError(f"{data}, line {number}: no JSON") from None
        missing = {"id", "task", "cluster", "prompt", "options", "answer"} - set(row if isinstance(row, dict) else ())
        if missing:
            raise InputError(f"{data}, line {number}: lacks {', '.join(sorted(missing))}")
        rows.append(row)
    return rows


def tokenised(row: Mapping[str, Any], tokenizer: Any) -> Question:
    """Make one question of a row with at most ten options."""
    context = tokenizer(row["prompt"]).input_ids
    listed = "".join(f"\n{letter}. {option}" for letter, option in zip(LETTERS, row["options"], strict=False))
    rest = tokenizer(f"{listed}\nAnswer:", add_special_tokens=False).input_ids
    letters = [tokenizer(f" {letter}", add_special_tokens=False).input_ids[-1] for letter in LETTERS]
    return Question(
        str(row["id"]),
        str(row["cluster"]),
        torch.tensor([*context, *rest]),
        len(context),
        letters[: len(row["options"])],
        int(row["answer"]),
    )


def made_up(tokenizer: Any, count: int) -> list[Question]:
    """Make questions of the project's own."""
    rows = [
        {
            "id": f"made up {i}",
            "cluster": f"pair {i // 2}",
            "prompt": f"Ann has {i + 2} apples and gives away one. " * 3 + "How many are left?",
            "options": [str(i), str(i + 1), str(i + 2)],
            "answer": 1,
        }
        for i in range(count)
    ]
    return [tokenised(row, tokenizer) for row in rows]


def in_turn(
    rows: Sequence[Mapping[str, Any]], tokenizer: Any, count: int, *, shortest: int = 1, longest: int | None = None
) -> list[Question]:
    """Take questions with a context of at least ``shortest`` tokens, the short ones first, from each task in turn.

    Parameters
    ----------
    longest : tokens of the whole question, at most
    """
    tasks: dict[str, list[Question]] = {}
    for row in rows:
        if len(row["options"]) <= len(LETTERS):
            question = tokenised(row, tokenizer)
            if question.context >= shortest and (longest is None or len(question.tokens) <= longest):
                tasks.setdefault(str(row["task"]), []).append(question)
    queues = [sorted(found, key=lambda question: (len(question.tokens), question.item)) for found in tasks.values()]
    turns = [queue[i] for i in range(max(map(len, queues), default=0)) for queue in queues if i < len(queue)]
    return turns[:count]
