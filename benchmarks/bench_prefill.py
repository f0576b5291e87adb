"""Sparse prefill of a model on the CPU against its own dense prefill, in one run: `bench_prefill.py MODEL`."""

import argparse
import statistics
import time
from pathlib import Path

import torch
from machine import machine

from refsym_gpu.dump import load_model
from refsym_gpu.haystack import key_value_haystack
from refsym_gpu.models import register_attention

MODEL = Path(".cache/models/SmolLM2-135M-Instruct.Q4_1.gguf")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, nargs="?", default=MODEL, help="a folder or a .gguf file (make model)")
    parser.add_argument("--tokens", type=int, default=8_192)
    parser.add_argument("-k", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    if not args.model.exists():
        print(f"{args.model}: not there, nothing measured; `make model` fetches it")
        return
    model, tokenizer = load_model(args.model)
    text = key_value_haystack(args.tokens // 10, seed=0).text
    ids = tokenizer(text, return_tensors="pt").input_ids[:, : args.tokens]
    rules = {
        "top-k": {"policy": "topk"},
        "router": {"policy": "router"},
        "router, Quest": {"policy": "router", "scorer": "quest"},
        "score mass, cells": {"policy": "score_mass", "level": "cell"},
    }
    times: dict[str, list[float]] = {"dense": [], **{name: [] for name in rules}}
    print(machine())
    with torch.inference_mode():
        for _ in range(args.repeats):  # in turn, so that what else runs falls on all
            start = time.perf_counter()
            model.model(ids)
            times["dense"].append(time.perf_counter() - start)
            for name, rule in rules.items():
                with register_attention(model, k=args.k, **rule):
                    start = time.perf_counter()
                    model.model(ids)
                    times[name].append(time.perf_counter() - start)
    dense = statistics.median(times["dense"])
    print(f"prefill of {ids.shape[1]:,} tokens, k = {args.k}: dense {dense:.1f} s")
    for name in rules:
        middle = statistics.median(times[name])
        print(f"  {name}: {middle:.1f} s, {middle / dense:.2f} of dense")


if __name__ == "__main__":
    main()
