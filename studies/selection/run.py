"""Which trigger spends extra blocks best: divergence from dense attention at equal average blocks, on a real model.

A context is a stretch of question texts of one task, whole passages that no other context shares. Its last rows (1,024,
or half of a shorter context) are attended to by each rule behind a dense prefix. Recorded is minus the mean KL
divergence of the next-token distribution from dense attention's, in nats: larger is better. A benchmark is a setting:
tokens, scorer, k, rho, q.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from refsym.progress import progress
from refsym.study import Records, file_hash, parse, parser
from refsym.study.sparse_arms import Watched, arms, divergence, log_probabilities, prefill
from refsym_gpu.dump import load_model
from refsym_gpu.haystack import needle_haystack
from refsym_gpu.models import AttentionCall, register_attention
from refsym_gpu.sparse import SparseAttention

FORMAT = 2
ROWS, EVERY = 1_024, 4
"""Rows that a rule attends for, and which of them are compared: every fourth."""
SKIPPED = 4_400
"""Tokens of each task that calibrate the threshold, and of which an earlier run was made: not used again."""
THRESHOLD = {"kmean": 0.04733, "quest": 0.05563}
"""Largest sigma that expands under the absolute rule: the 0.4 quantile over all layers, by --calibrate."""

FEW = ("top-k", "uniform", "sigma", "score mass, cell", "score mass, block, wide")


@dataclass(frozen=True)
class Setting:
    """One benchmark of the study."""

    name: str
    contexts: int
    tokens: int = 2_048
    scorer: str = "kmean"
    k: int = 8
    rho: int = 2
    q: str = "0.4"
    arms: tuple[str, ...] = FEW

    def rules(self) -> dict[str, SparseAttention]:
        """List the arms of this setting."""
        threshold = THRESHOLD[self.scorer]
        found = arms(self.k, self.rho, self.q, scorer=self.scorer, threshold=threshold)  # type: ignore[arg-type]
        return {name: rule for name, rule in found.items() if name in (self.arms or found)}


SETTINGS = (
    Setting("2K", 20, arms=()),
    Setting("2K, Quest", 12, scorer="quest", arms=(*FEW, "score mass gained, cell", "K-mean mass, cell")),
    Setting("1K, k=4", 12, tokens=1_024, k=4),
    Setting("2K, k=4", 8, k=4),
    Setting("2K, k=6, rho=3, q=0.2", 8, k=6, rho=3, q="0.2"),
    Setting("2K, q=0.25", 8, q="0.25"),
    Setting("4K", 8, tokens=4_096),
    Setting("8K", 8, tokens=8_192),
)
QUICK = (Setting("quick", 2, tokens=1_280, k=4, arms=("top-k", "uniform", "sigma", "score mass, cell")),)


@dataclass(frozen=True)
class Context:
    """A stretch of text: its name, and its tokens [1, N]."""

    item: str
    tokens: Tensor


def contexts(data: Path, tokenizer: Any, tokens: int, count: int) -> list[Context]:
    """Take contexts from each task in turn, so that no task has many more than another; no two share a passage."""
    found = {task: _of_task(task, passages, tokenizer, tokens) for task, passages in _passages(data).items()}
    out: list[Context] = []
    while len(out) < count and found:
        for task in list(found):
            context = next(found[task], None)
            if context is None:
                del found[task]
            elif len(out) < count:
                out.append(context)
    return out


def _passages(data: Path) -> dict[str, list[str]]:
    """Per task the text of each passage: its prompts, each once."""
    tasks: dict[str, dict[str, dict[str, None]]] = {}
    for line in data.read_text(encoding="utf-8").split("\n"):
        if line:
            row = json.loads(line)
            tasks.setdefault(row["task"], {}).setdefault(row["cluster"], {}).setdefault(row["prompt"], None)
    return {task: ["\n\n".join(prompts) for prompts in clusters.values()] for task, clusters in tasks.items()}


def _of_task(task: str, passages: Sequence[str], tokenizer: Any, tokens: int) -> Iterator[Context]:
    skipped, held, number = 0, [], 0
    for passage in passages:
        ids = tokenizer(passage + "\n\n", return_tensors="pt").input_ids[0]
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


@torch.inference_mode()
def compared(model: Any, context: Context, setting: Setting) -> Iterator[dict[str, Any]]:
    """One record an arm."""
    start = context.tokens.shape[1] - min(ROWS, context.tokens.shape[1] // 2)
    before = prefill(model, context.tokens[:, :start], None, None).cache
    rest = context.tokens[:, start:]
    dense = log_probabilities(model, prefill(model, rest, before, None).hidden[::EVERY])
    for arm, rule in setting.rules().items():
        clock, watched = time.perf_counter(), Watched(rule)
        sparse = log_probabilities(model, prefill(model, rest, before, watched).hidden[::EVERY])
        yield {
            "benchmark": setting.name,
            "arm": arm,
            "item": f"{setting.name}: {context.item}",
            "score": -float(divergence(dense, sparse).mean()),
            "same_first": float((dense.argmax(-1) == sparse.argmax(-1)).double().mean()),
            "blocks": watched.blocks,
            "seconds": time.perf_counter() - clock,
        }


@torch.inference_mode()
def calibrated(model: Any, tokenizer: Any, data: Path) -> dict[str, float]:
    """Pool sigma over layers, heads and tiles of the passages that the study skips: its 0.4 quantile, by scorer."""
    found: dict[str, list[Tensor]] = {"kmean": [], "quest": []}
    rules = {name: SparseAttention("topk", k=8, scorer=name) for name in found}  # type: ignore[arg-type]

    def watch(call: AttentionCall) -> None:
        from refsym_gpu.selection import select_blocks

        for name, rule in rules.items():
            chosen = select_blocks(rule.scores(call, rule.scorer), k=8, rho=2, q=0)
            found[name].append(chosen.sigma[0][:, chosen.eligible[0]].flatten())

    for passages in _passages(data).values():
        ids = tokenizer("\n\n".join(passages), return_tensors="pt").input_ids[:, :2_048]
        if ids.shape[1] == 2_048:
            with register_attention(model, watch):
                model.model(ids)
    return {name: round(float(torch.cat(sigmas).quantile(0.4)), 5) for name, sigmas in found.items()}


def main(argv: list[str] | None = None) -> None:
    """Run what the records lack."""
    found = parser(__doc__, Path(__file__).parent, model=True, data=True)
    found.add_argument("--calibrate", action="store_true", help="print THRESHOLD, and stop")
    arguments = parse(found, argv)
    if arguments.quick:
        from refsym.study.tiny import tiny_model

        model, tokenizer = tiny_model()
    else:
        model, tokenizer = load_model(arguments.model)
    model.eval()
    if arguments.calibrate:
        print(calibrated(model, tokenizer, arguments.data))
        return
    settings = QUICK if arguments.quick else SETTINGS
    wanted = {
        "format": FORMAT,
        "data_sha256": "" if arguments.quick else file_hash(arguments.data),
        "model_sha256": "" if arguments.quick else file_hash(arguments.model),
        "settings": {setting.name: {arm: str(rule) for arm, rule in setting.rules().items()} for setting in settings},
        "versions": {name: version(name) for name in ("refsym", "torch", "transformers")},
    }
    records = Records(arguments.out, wanted, force=arguments.force)
    todo = []
    for setting in settings:
        made = (
            generated(tokenizer, setting.tokens, setting.contexts)
            if arguments.quick
            else contexts(arguments.data, tokenizer, setting.tokens, setting.contexts)
        )
        todo += [(number / len(made), setting, context) for number, context in enumerate(made)]
    done = records.done("item")
    todo = [entry for entry in todo if f"{entry[1].name}: {entry[2].item}" not in done]
    todo.sort(key=lambda entry: entry[0])  # interrupted, every setting has its share
    with progress("contexts") as report:
        for number, (_, setting, context) in enumerate(todo):
            report(number, len(todo))
            records.add(compared(model, context, setting))


if __name__ == "__main__":
    main()
