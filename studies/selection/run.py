"""Which trigger spends extra blocks best: divergence from dense attention at equal average blocks, on a real model.

`python studies/selection/run.py MODEL --data QUESTIONS.jsonl` writes `records.parquet` beside this file, context by
context; killed, it goes on where it stopped. A context is a stretch of question texts of one task, read from JSON Lines
with `task`, `cluster` and `prompt`. Its first half is attended to densely, as every rule here would; in its second
half each arm chooses blocks. Recorded is minus the mean KL divergence of the next-token distribution from dense
attention's, in nats: larger is better. `--quick` runs two short contexts of generated text, for a test.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import io
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from torch import Tensor

from refsym.progress import progress
from refsym_gpu.dump import load_model
from refsym_gpu.haystack import key_value_haystack
from refsym_gpu.inputs import Scorer
from refsym_gpu.models import AttentionCall, register_attention
from refsym_gpu.sparse import SparseAttention
from refsym_theory.atomic import write_atomically

FORMAT = 1
KEY = b"refsym"
K, RHO, Q, BLOCK = 8, 2, "0.4", 64


def arms(k: int = K, rho: int = RHO, scorer: Scorer = "kmean") -> dict[str, SparseAttention]:
    """What is compared. All rules keep 1 + q (rho - 1) times k blocks of an eligible tile on average; uniform, 11."""
    base = SparseAttention("topk", k=k, rho=rho, q=Q)
    # The nearest whole number of blocks below the average; eligible are the same tiles, as rho k is the same.
    uniform = int(k * (1 + Fraction(Q) * (rho - 1)))
    found = {
        "top-k": base,
        "uniform": replace(base, k=uniform, rho=Fraction(rho * k, uniform)),
        "random": replace(base, policy="random"),
        "sigma": replace(base, policy="router"),
        "gap": replace(base, policy="gap"),
        "spread": replace(base, policy="spread"),
        "score mass": replace(base, policy="score_mass"),
        "score mass, cell": replace(base, policy="score_mass", level="cell"),
        "score mass gained, cell": replace(base, policy="score_mass_gained", level="cell"),
    }
    return {name: replace(rule, scorer=scorer) for name, rule in found.items()}


@dataclass(frozen=True)
class Context:
    """A stretch of text: its name, where it comes from, its tokens [1, N]."""

    item: str
    cluster: str
    tokens: Tensor


def contexts(data: Path, tokenizer: Any, tokens: int, each: int) -> Iterator[Context]:
    """At most `each` contexts a task, each of other questions; a task is a cluster."""
    texts: dict[str, dict[str, None]] = {}
    for line in data.read_text(encoding="utf-8").split("\n"):
        if not line:
            continue
        row = json.loads(line)
        texts.setdefault(row["task"], {}).setdefault(row["prompt"], None)
    for task, prompts in texts.items():
        ids = tokenizer("\n\n".join(prompts), return_tensors="pt").input_ids
        for number in range(min(each, ids.shape[1] // tokens)):
            yield Context(f"{task} {number}", task, ids[:, number * tokens : (number + 1) * tokens])


def generated(tokenizer: Any, tokens: int) -> Iterator[Context]:
    """Two contexts of the project's own making."""
    for seed in range(2):
        text = key_value_haystack(tokens // 10, seed=seed).text
        yield Context(
            f"haystack {seed}", f"haystack {seed}", tokenizer(text, return_tensors="pt").input_ids[:, :tokens]
        )


@dataclass
class Counted:
    """A rule, and how many blocks its eligible tiles kept."""

    rule: SparseAttention
    kept: int = 0
    tiles: int = 0

    def __call__(self, call: AttentionCall) -> Tensor:
        """Attend as the rule does; the blocks are those that it would keep."""
        blocks = -(-call.key.shape[2] // BLOCK)
        index = self.rule.kept(call)
        full = torch.arange(index.shape[2]) + (blocks - index.shape[2]) >= int(self.rule.k * Fraction(self.rule.rho))
        counts = (index < blocks).sum(dim=-1)[:, :, full]
        self.kept, self.tiles = self.kept + int(counts.sum()), self.tiles + counts.numel()
        return self.rule.attend(call, index)


@torch.inference_mode()
def compared(model: Any, context: Context, rules: dict[str, SparseAttention]) -> list[dict[str, Any]]:
    """One record an arm."""
    half = context.tokens.shape[1] // 2
    prefix = model(context.tokens[:, :half], use_cache=True).cache
    rest = context.tokens[:, half:]
    dense = model(rest, cache=copy.deepcopy(prefix)).logits[0].double().log_softmax(-1)
    out = []
    for arm, rule in rules.items():
        counted, start = Counted(rule), time.perf_counter()
        with register_attention(model, attend=counted):
            sparse = model(rest, cache=copy.deepcopy(prefix)).logits[0].double().log_softmax(-1)
        divergence = (dense.exp() * (dense - sparse)).sum(-1)
        out.append(
            {
                "arm": arm,
                "item": context.item,
                "cluster": context.cluster,
                "score": -float(divergence.mean()),
                "same_first": float((dense.argmax(-1) == sparse.argmax(-1)).double().mean()),
                "blocks": counted.kept / max(1, counted.tiles),
                "seconds": time.perf_counter() - start,
            }
        )
    return out


def settings(arguments: argparse.Namespace, rules: dict[str, SparseAttention]) -> dict[str, Any]:
    """What decides the numbers."""
    data = "generated" if arguments.quick else hashlib.sha256(arguments.data.read_bytes()).hexdigest()
    return {
        "format": FORMAT,
        "data_sha256": data,
        "model_sha256": hashlib.sha256(arguments.model.read_bytes()).hexdigest() if arguments.model.is_file() else "",
        "scorer": arguments.scorer,
        "tokens": arguments.tokens,
        "each": arguments.each,
        "arms": {arm: str(rule) for arm, rule in rules.items()},
        "versions": {name: version(name) for name in ("refsym", "torch", "transformers")},
    }


def main(argv: list[str] | None = None) -> None:
    """Run the contexts that the records lack."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", type=Path, help="a folder, or a .gguf file (make model)")
    parser.add_argument("--data", type=Path, help="questions in JSON Lines: task, prompt")
    parser.add_argument("--tokens", type=int, default=2_048, help="of a context; its second half is compared")
    parser.add_argument("--each", type=int, default=3, help="contexts of a task, at most")
    parser.add_argument("--scorer", choices=("kmean", "quest"), default="kmean")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("records.parquet"))
    parser.add_argument("--quick", action="store_true", help="two short generated contexts")
    parser.add_argument("--force", action="store_true", help="start afresh")
    arguments = parser.parse_args(argv)
    if not arguments.quick and (arguments.data is None or not arguments.data.exists()):
        sys.exit("selection study: --data FILE is needed, JSON Lines with task and prompt (or --quick)")
    rules = arms(4 if arguments.quick else K, scorer=arguments.scorer)
    wanted = settings(arguments, rules)
    rows: list[dict[str, Any]] = []
    if arguments.out.exists() and not arguments.force:
        table = pq.read_table(arguments.out)
        before = json.loads((table.schema.metadata or {}).get(KEY, b"{}"))
        if before != wanted:
            names = ", ".join(name for name in wanted if before.get(name) != wanted[name])
            sys.exit(f"{arguments.out}: made with other settings ({names}); --force starts afresh")
        rows = table.to_pylist()
    model, tokenizer = load_model(arguments.model)
    model.eval()
    if arguments.quick:
        found = list(generated(tokenizer, arguments.tokens))
    else:
        found = list(contexts(arguments.data, tokenizer, arguments.tokens, arguments.each))
    done = {row["item"] for row in rows}
    todo = [context for context in found if context.item not in done]
    with progress("contexts") as report:
        for number, context in enumerate(todo):
            report(number, len(todo))
            rows += compared(model, context, rules)
            table = pa.Table.from_pandas(pd.DataFrame(rows)).replace_schema_metadata({KEY: json.dumps(wanted).encode()})
            buffer = io.BytesIO()
            pq.write_table(table, buffer)
            write_atomically(arguments.out, buffer.getvalue())
            print(f"{number + 1}/{len(todo)} {context.item}", file=sys.stderr)


if __name__ == "__main__":
    main()
