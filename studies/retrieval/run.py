"""Are answers still found under sparse prefill: needles, pointer chases, long questions, rule by rule, on a real model.

Each prompt is prefilled under a rule and decoded densely; the answer is the candidate of largest log-probability.
Recorded: whether that is the right one (`correct`), minus the KL divergence of the next-token distribution at the
answer from dense attention's (`score`, in nats), and for generated prompts the share of each hop's evidence blocks that
the last tile keeps, over layers and heads (`hit_0`, ...). A benchmark is a task with its budget. The arm "dense" is
the model as it is.
"""

from __future__ import annotations

import copy
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from refsym.progress import progress
from refsym.study import Records, file_hash, parse, parser
from refsym.study.sparse_arms import Prefill, Watched, arms, divergence, log_probabilities, prefill
from refsym_gpu.dump import load_model
from refsym_gpu.haystack import Haystack, needle_haystack, pointer_chase
from refsym_gpu.sparse import SparseAttention

FORMAT = 1
BLOCK = 64
HOPS = 3
LETTERS = "ABCDEFGHIJ"
KMEAN = ("top-k", "uniform", "random", "sigma", "score mass, cell", "score mass, block, wide")
QUEST = ("top-k", "uniform", "sigma", "K-mean mass, cell")


@dataclass(frozen=True)
class Prompt:
    """What is asked.

    Attributes
    ----------
    tokens : [1, N]
    candidates : sequence of token sequences
    answer : int
        Index of the right candidate.
    evidence : sequence of sequences of int
        Blocks of each hop's evidence; empty where it is not known.
    """

    item: str
    cluster: str
    tokens: Tensor
    candidates: Sequence[Sequence[int]]
    answer: int
    evidence: Sequence[Sequence[int]] = ()


@dataclass(frozen=True)
class Setting:
    """One benchmark of the study."""

    name: str
    task: str
    prompts: int
    tokens: int
    k: int = 5  # 7 on average, exactly

    def rules(self) -> dict[str, SparseAttention]:
        """List the arms; those with Quest's scores say so."""
        kmean = arms(self.k)
        quest = arms(self.k, scorer="quest")
        return {name: kmean[name] for name in KMEAN} | {f"Quest, {name}": quest[name] for name in QUEST}


SETTINGS = (
    Setting("needles, 1K, k=5", "needles", 32, 1_024),
    Setting("needles, 2K, k=10", "needles", 16, 2_048, k=10),
    Setting("needles, 1K, k=7", "needles", 8, 1_024, k=7),
    Setting("chase, 1K, k=5", "chase", 20, 1_024),
    Setting("questions, 1.6K, k=5", "questions", 24, 1_600),
)
QUICK = (
    Setting("needles", "needles", 2, 900),
    Setting("chase", "chase", 2, 900),
)


def largest(make: Callable[[int], Haystack], tokenizer: Any, tokens: int) -> Haystack:
    """Make the largest haystack of at most so many tokens."""
    low, high = 4, 8
    while len(tokenizer(make(high).text).input_ids) <= tokens:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if len(tokenizer(make(middle).text).input_ids) <= tokens else (low, middle)
    return make(low)


def generated(setting: Setting, tokenizer: Any) -> Iterator[Prompt]:
    """Prompts of the project's own making, each its own cluster."""
    for seed in range(setting.prompts):

        def make(size: int, seed: int = seed) -> Haystack:
            return (
                pointer_chase(size, seed=seed, hops=HOPS)
                if setting.task == "chase"
                else needle_haystack(size, seed=seed)
            )

        found = largest(make, tokenizer, setting.tokens)
        coded = tokenizer(found.text, return_offsets_mapping=True)
        candidates = [tokenizer(" " + text, add_special_tokens=False).input_ids for text in found.candidates]
        evidence = [
            sorted({i // BLOCK for i, (start, end) in enumerate(coded.offset_mapping) if start < stop and end > first})
            for first, stop in found.evidence
        ]
        item = f"{setting.name} {seed}"
        right = found.candidates.index(found.answer)
        yield Prompt(item, item, torch.tensor([coded.input_ids]), candidates, right, evidence)


def questions(setting: Setting, tokenizer: Any, data: Path) -> Iterator[Prompt]:
    """The longest questions of at most so many tokens, one of each passage; the longest first."""
    found: dict[str, tuple[int, dict[str, Any], Tensor]] = {}
    for line in data.read_text(encoding="utf-8").split("\n"):
        if not line:
            continue
        row = json.loads(line)
        if len(row["options"]) > len(LETTERS):
            continue
        listed = "".join(f"\n{letter}. {option}" for letter, option in zip(LETTERS, row["options"], strict=False))
        ids = tokenizer(f"{row['prompt']}\n{listed}\nAnswer:", return_tensors="pt").input_ids
        if ids.shape[1] <= setting.tokens and ids.shape[1] > found.get(row["cluster"], (0,))[0]:
            found[row["cluster"]] = (ids.shape[1], row, ids)
    longest = sorted(found.values(), key=lambda entry: (-entry[0], entry[1]["id"]))
    for _, row, ids in longest[: setting.prompts]:
        letters = LETTERS[: len(row["options"])]
        candidates = [tokenizer(f" {letter}", add_special_tokens=False).input_ids for letter in letters]
        yield Prompt(f"{setting.name}: {row['id']}", row["cluster"], ids, candidates, int(row["answer"]))


@torch.inference_mode()
def answered(model: Any, prompt: Prompt, setting: Setting) -> Iterator[dict[str, Any]]:
    """One record an arm; the part of the prompt whose tiles keep all that they see is run once."""
    rules = setting.rules()
    whole = min(int(rule.k * Fraction(rule.rho)) for rule in rules.values()) * BLOCK
    # The last tile is whole or not as in a prefill at once: rows are cut between tiles.
    before = prefill(model, prompt.tokens[:, :whole], None, None).cache
    rest = prompt.tokens[:, whole:]
    dense: Tensor | None = None
    for arm, rule in {"dense": None, **rules}.items():
        clock = time.perf_counter()
        watched = rule and Watched(rule, prompt.evidence)
        found = prefill(model, rest, before, watched)
        first = log_probabilities(model, found.hidden[-1:])[0]
        dense = first if dense is None else dense
        scores = candidate_scores(model, found, first, prompt.candidates)
        hits = watched.hit_rates if watched else [1.0] * len(prompt.evidence)
        yield {
            "benchmark": setting.name,
            "arm": arm,
            "item": prompt.item,
            "cluster": prompt.cluster,
            "correct": int(scores.index(max(scores)) == prompt.answer),
            "score": -max(0.0, float(divergence(dense[None], first[None]))),
            "tokens": prompt.tokens.shape[1],
            "blocks": watched.blocks if watched else math.nan,
            **{f"hit_{hop}": hits[hop] if hop < len(hits) else math.nan for hop in range(HOPS + 1)},
            "seconds": time.perf_counter() - clock,
        }


def candidate_scores(model: Any, found: Prefill, first: Tensor, candidates: Sequence[Sequence[int]]) -> list[float]:
    """Log-probability of each candidate after the prompt, decoded densely, all at once."""
    longest = max(map(len, candidates))
    scores = [float(first[ids[0]]) for ids in candidates]
    if longest == 1:
        return scores
    padded = torch.tensor([[*ids, *[0] * (longest - len(ids))] for ids in candidates])
    cache = copy.deepcopy(found.cache)
    cache.batch_repeat_interleave(len(candidates))
    hidden = model.model(padded[:, :-1], cache=cache).last_hidden_state
    for i, ids in enumerate(candidates):
        following = log_probabilities(model, hidden[i, : len(ids) - 1])
        scores[i] += float(following.gather(-1, torch.tensor(ids[1:])[:, None]).sum())
    return scores


def main(argv: list[str] | None = None) -> None:
    """Run what the records lack."""
    arguments = parse(parser(__doc__, Path(__file__).parent, model=True, data=True), argv)
    if arguments.quick:
        from refsym.study.tiny import tiny_model

        model, tokenizer = tiny_model()
    else:
        model, tokenizer = load_model(arguments.model)
    model.eval()
    settings = QUICK if arguments.quick else SETTINGS
    wanted = {
        "format": FORMAT,
        "data_sha256": "" if arguments.quick else file_hash(arguments.data),
        "model_sha256": "" if arguments.quick else file_hash(arguments.model),
        "settings": {setting.name: str(setting) for setting in settings},
        "arms": {setting.name: {arm: str(rule) for arm, rule in setting.rules().items()} for setting in settings},
        "versions": {name: version(name) for name in ("refsym", "torch", "transformers")},
    }
    records = Records(arguments.out, wanted, force=arguments.force)
    done, todo = records.done("item"), []
    for setting in settings:
        made = (
            questions(setting, tokenizer, arguments.data)
            if setting.task == "questions"
            else generated(setting, tokenizer)
        )
        todo += [(number / setting.prompts, setting, prompt) for number, prompt in enumerate(made)]
    todo = [entry for entry in todo if entry[2].item not in done]
    todo.sort(key=lambda entry: entry[0])  # interrupted, every setting has its share
    with progress("prompts") as report:
        for number, (_, setting, prompt) in enumerate(todo):
            report(number, len(todo))
            records.add(answered(model, prompt, setting))


if __name__ == "__main__":
    main()
