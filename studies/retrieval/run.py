"""Are answers still found under sparse prefill: needles, pointer chases, long questions, rule by rule, on a real model.

Each prompt is prefilled under a rule and decoded densely; the answer is the candidate of largest log-probability.
Recorded: whether that is the right one (`correct`), minus the KL divergence of the next-token distribution at the
answer from dense attention's (`score`, in nats), and for generated prompts the share of each hop's evidence blocks that
the last tile keeps, over layers and heads (`hit_0`, ...). A benchmark is a task with its budget. The arm "dense" is
the model as it is.
"""

from __future__ import annotations

import copy
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from refsym.progress import progress
from refsym.study import Account, Finding, Records, Table, parse, parser, read_records
from refsym.study.on_model import inputs_of, model_of
from refsym.study.questions import read_rows
from refsym.study.sparse_arms import Prefill, Watched, arms, divergence, log_probabilities, prefill
from refsym_gpu.haystack import Haystack, needle_haystack, pointer_chase
from refsym_gpu.sparse import SparseAttention
from refsym_stats import cluster_robust, mcnemar_exact

FORMAT = 2
BLOCK = 64
HOPS = 3
LETTERS = "ABCDEFGHIJ"
OPENING, CLOSING = "<|im_start|>user\n", "\n\nWhich option is best?<|im_end|>\n<|im_start|>assistant\nAnswer:"
SEED = 0
"""Of the order of options."""
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
    found: dict[str, Prompt] = {}
    for row in read_rows(data):
        if len(row["options"]) > len(LETTERS):
            continue
        prompt = as_prompt(setting, row, tokenizer)
        length = prompt.tokens.shape[1]
        known = found.get(prompt.cluster)
        if length <= setting.tokens and (known is None or length > known.tokens.shape[1]):
            found[prompt.cluster] = prompt
    yield from sorted(found.values(), key=lambda prompt: (-prompt.tokens.shape[1], prompt.item))[: setting.prompts]


def as_prompt(setting: Setting, row: Mapping[str, Any], tokenizer: Any) -> Prompt:
    """Put a question in ChatML, its options in an order drawn for it: some tasks have the best one always first."""
    order = list(range(len(row["options"])))
    random.Random(f"{SEED} {row['id']}").shuffle(order)
    listed = "".join(f"\n{letter}. {row['options'][i]}" for letter, i in zip(LETTERS, order, strict=False))
    ids = tokenizer(f"{OPENING}{row['prompt']}\n{listed}{CLOSING}", return_tensors="pt").input_ids
    candidates = [tokenizer(f" {letter}", add_special_tokens=False).input_ids for letter in LETTERS[: len(order)]]
    item = f"{setting.name}: {row['id']}"
    return Prompt(item, row["cluster"], ids, candidates, order.index(int(row["answer"])))


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
    found = parser(__doc__, Path(__file__).parent, model=True, data=True)
    found.add_argument("--only", metavar="NAME", help="one benchmark")
    arguments = parse(found, argv)
    model, tokenizer = model_of(arguments)
    settings = QUICK if arguments.quick else SETTINGS
    wanted = {
        "format": FORMAT,
        **inputs_of(arguments),
        "settings": {setting.name: str(setting) for setting in settings},
        "arms": {setting.name: {arm: str(rule) for arm, rule in setting.rules().items()} for setting in settings},
    }
    records = Records(arguments.out, wanted, force=arguments.force)
    done, todo = records.done("item"), []
    for setting in settings:
        if arguments.only not in (None, setting.name):
            continue
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


def account(path: Path) -> Account:
    """Tabulate accuracy, paired recall, hit rates and divergence."""
    rows, settings = read_records(path)
    table = pd.DataFrame(rows)
    order = [name for name in settings["settings"] if (table["benchmark"] == name).any()]
    arms_of = [arm for arm in dict.fromkeys(table["arm"]) if arm != "dense"]
    findings, tables = [], []
    for name in order:
        wide = table[table["benchmark"] == name].pivot(index=["item", "cluster"], columns="arm")  # noqa: PD010 (a NaN is kept)
        dense = wide["correct"]["dense"] == 1
        clusters = wide.index.get_level_values("cluster").to_numpy()
        hops = [hop for hop in range(HOPS + 1) if wide[f"hit_{hop}"]["dense"].notna().any()]
        lines = [["dense", float(dense.mean()), None, None, None] + [1.0 for _ in hops]]
        for arm in arms_of:
            correct = wide["correct"][arm]
            lines.append(
                [
                    arm,
                    float(correct.mean()),
                    f"{int(correct[dense].sum())} of {int(dense.sum())}",
                    float(-wide["score"][arm].mean()),
                    float(wide["blocks"][arm].mean()),
                    *(float(wide[f"hit_{hop}"][arm].mean()) for hop in hops),
                ]
            )
        tables.append(
            Table(
                f"{name}: {len(wide)} prompts",
                ["Arm", "Accuracy", "Paired recall", "KL, nats", "Blocks", *(f"Hit, hop {hop}" for hop in hops)],
                lines,
                "Paired recall: right of those that dense attention answers rightly. Hit: share of the evidence blocks "
                "that the last tile keeps, over layers and heads."
                if hops
                else "Paired recall: right of those that dense attention answers rightly.",
            )
        )
        for arm, comparator in (
            ("sigma", "uniform"),
            ("score mass, cell", "uniform"),
            ("Quest, sigma", "Quest, uniform"),
        ):
            on = {
                "paired recall": wide["correct"][arm][dense] - wide["correct"][comparator][dense],
                "KL, nats": wide["score"][comparator] - wide["score"][arm],
            }
            if hops:
                on["hit rate"] = sum(wide[f"hit_{hop}"][arm] - wide[f"hit_{hop}"][comparator] for hop in hops) / len(
                    hops
                )
            for what, apart in on.items():
                here = clusters[dense] if what == "paired recall" else clusters
                findings.append(_difference(f"{name}: {what}, {arm} less {comparator}", apart.to_numpy(), here))
    return Account(
        "Are answers still found under sparse prefill",
        "UG tables 1 to 5: on 7B to 35B models at 32K and beyond the router finds more needles, answers more of what "
        "dense attention answers, and keeps more of a pointer chain's blocks than top-k; much of it is budget (table "
        "4), and none where the budget does not bind.",
        f"SmolLM2-135M-Instruct, {table['item'].nunique()} prompts in {len(order)} benchmarks, prefilled under each "
        "rule, decoded densely; candidates ranked by log-probability. The run took the benchmarks in turn and was "
        "stopped by the clock. A chase of three hops is beyond this model: its accuracy says nothing, its hit rates "
        "do.",
        [_said(findings, arm) for arm in ("sigma", "score mass, cell")],
        findings,
        tables,
        settings={"versions": settings["versions"]},
    )


def _difference(quantity: str, apart: np.ndarray, clusters: np.ndarray) -> Finding:
    """Mean difference with its interval; exact McNemar beside a difference of right answers."""
    if len(apart) < 2 or len(set(clusters)) < 2:
        return Finding(quantity, "UG 4", float(apart.mean()) if len(apart) else math.nan, note=f"{len(apart)} prompts.")
    robust = cluster_robust(apart, list(clusters))
    note = ""
    if "recall" in quantity:
        gains, losses = int((apart > 0).sum()), int((apart < 0).sum())
        p = mcnemar_exact(gains, losses).p_value if gains + losses else None
        note = f"{gains} gained, {losses} lost; McNemar p {'-' if p is None else format(p, '.2g')}."
    return Finding(
        quantity,
        "UG 4",
        float(robust.estimate),
        low=robust.low,
        high=robust.high,
        interval=f"95 %, cluster-robust t over {robust.clusters} passages, not adjusted",
        note=note,
    )


def _said(findings: Sequence[Finding], arm: str) -> str:
    """One sentence: where an arm can be told from uniform spending, in each endpoint."""
    words = []
    for what in ("paired recall", "KL, nats", "hit rate"):
        here = [f for f in findings if f.quantity.endswith(f": {what}, {arm} less uniform") and f.low is not None]
        up, down = (sum(side(f) for f in here) for side in (lambda f: f.low > 0, lambda f: f.high < 0))
        if what == "KL, nats":
            up, down = down, up
        name = what.removesuffix(", nats")
        words.append(f"by {name} better on {up}, worse on {down} of {len(here)} benchmarks")
    return f"Against uniform spending {arm} is " + "; ".join(words) + " (intervals not adjusted)."


if __name__ == "__main__":
    main()
