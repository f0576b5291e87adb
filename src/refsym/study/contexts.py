"""Long contexts made of whole question passages, no two of which share one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from refsym.study.questions import read_rows
from refsym_gpu.haystack import needle_haystack

SKIPPED = 4_400
"""Tokens of each task that calibrate a threshold, and of which an earlier run was made: not used again."""


@dataclass(frozen=True)
class Context:
    """A stretch of text: its name, and its tokens [1, N]."""

    item: str
    tokens: Tensor


def passages(data: Path) -> dict[str, list[str]]:
    """Per task the text of each passage: its prompts, each once."""
    tasks: dict[str, dict[str, dict[str, None]]] = {}
    for row in read_rows(data):
        tasks.setdefault(row["task"], {}).setdefault(row["cluster"], {}).setdefault(row["prompt"], None)
    return {task: ["\n\n".join(prompts) for prompts in clusters.values()] for task, clusters in tasks.items()}


def in_turn(data: Path, tokenizer: Any, tokens: int, count: int) -> list[Context]:
    """Take contexts from each task in turn, so that no task has many more than another."""
    found = {task: _of_task(task, texts, tokenizer, tokens) for task, texts in passages(data).items()}
    out: list[Context] = []
    while len(out) < count and found:
        for task in list(found):
            context = next(found[task], None)
            if context is None:
                del found[task]
            elif len(out) < count:
                out.append(context)
    return out


def _of_task(task: str, texts: Sequence[str], tokenizer: Any, tokens: int) -> Iterator[Context]:
    skipped, number = 0, 0
    held: list[Tensor] = []
    for text in texts:
        ids = tokenizer(text + "\n\n", return_tensors="pt").input_ids[0]
        if skipped < SKIPPED:
            skipped += len(ids)
            continue
        held.append(ids)
        if sum(map(len, held)) >= tokens:
            yield Context(f"{task} {number}", torch.cat(held)[None, :tokens])
            held, number = [], number + 1


def generated(tokenizer: Any, tokens: int, count: int) -> list[Context]:
    """Contexts of the project's own making."""
    texts = [needle_haystack(tokens // 10, seed=seed).text for seed in range(count)]
    return [
        Context(f"haystack {seed}", tokenizer(text, return_tensors="pt").input_ids[:, :tokens])
        for seed, text in enumerate(texts)
    ]
