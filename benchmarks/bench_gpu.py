"""Selection and block-sparse attention on a GPU: correctness first, then medians with a cold L2, as JSON.

`make bench-gpu`, under five minutes on one card. 28 query and 4 key heads of 128 channels in bfloat16, blocks of 64,
rho = 2, q = 0.4. Beside: dense attention (SDPA's flash kernel) and compiled FlexAttention with the same kept blocks, in
the same run; the card's own copy and matrix product say what is attainable. Without a card `--floor` prints bytes and
operations, and `--smoke` walks through everything on a CPU in Triton's interpreter, at sizes that say nothing of speed.
"""

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

if "--smoke" in sys.argv:
    os.environ["TRITON_INTERPRET"] = "1"

import torch

from refsym_gpu import reference, reference_attention
from refsym_gpu.attention import block_sparse_attention
from refsym_gpu.selection import pool_blocks, select_blocks, tile_scores

HEADS, KV_HEADS, DIM, BLOCK, RHO, SHARE = 28, 4, 128, 64, 2, "0.4"
TOKENS = (8_192, 32_768, 65_536, 131_072)
KEPT = (33, 66)
BARS = {33: {"attention": 0.20, "selection": 0.35}, 66: {"attention": 0.30, "selection": 0.20}}
"""Of dense flash attention, selection included; what scores and selection may take of the sum. An H200 at 128K."""


def floor(tokens: int, k: int) -> dict[str, dict[str, float]]:
    """Least bytes read and written, and operations of the products, by stage; causal halves, two bytes a number."""
    blocks, tiles = tokens // BLOCK, tokens // BLOCK
    pairs = tiles * (tiles + 1) // 2  # visible (tile, block) pairs of a head
    kept = min(k * (1 + float(SHARE) * (RHO - 1)), (tiles + 1) / 2)
    keys, scores, slots = KV_HEADS * tokens * DIM * 2, HEADS * pairs * 4, HEADS * tiles * RHO * k * 4
    queries = HEADS * tokens * DIM * 2
    return {
        "pool": {"bytes": keys + KV_HEADS * blocks * DIM * 8, "flops": 0.0},
        # The mean in two parts: twice the products.
        "scores": {"bytes": queries + scores, "flops": 2 * 2 * HEADS * pairs * BLOCK * DIM},
        "select": {"bytes": scores + 2 * slots, "flops": 0.0},
        "attend": {"bytes": 2 * queries + 2 * keys, "flops": 4 * HEADS * tiles * kept * BLOCK * BLOCK * DIM},
        "dense": {"bytes": 2 * queries + 2 * keys, "flops": 4 * HEADS * pairs * BLOCK * BLOCK * DIM},
    }


class Timer:
    """Medians of a device's own time, what it last held in its caches written over before each run."""

    def __init__(self, device: torch.device, repeats: int) -> None:
        self.device, self.repeats = device, repeats
        self.scratch = torch.empty(256 << 20 if device.type == "cuda" else 1, dtype=torch.int8, device=device)

    def __call__(self, run: Callable[[], object]) -> float:
        """Milliseconds."""
        for _ in range(2 if self.device.type == "cuda" else 0):
            run()
        times = []
        for _ in range(self.repeats):
            self.scratch.zero_()
            if self.device.type == "cuda":
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                run()
                end.record()
                end.synchronize()
                times.append(begin.elapsed_time(end))
            else:
                start = time.perf_counter()
                run()
                times.append(1e3 * (time.perf_counter() - start))
        return statistics.median(times)


def tensors(tokens: int, device: torch.device, heads: int = HEADS, kv_heads: int = KV_HEADS, dim: int = DIM) -> Any:
    generator = torch.Generator(device).manual_seed(tokens)
    shapes = (heads, tokens, dim), (kv_heads, tokens, dim), (kv_heads, tokens, dim)
    return [torch.randn(1, *s, generator=generator, device=device).to(torch.bfloat16) for s in shapes]


def correct(device: torch.device, tokens: int) -> dict[str, float | int | bool]:
    """Kernels against the reference on the device; every tile whose kept set differs has its cut within the error."""
    q, k, v = tensors(tokens, device, heads=4, kv_heads=2, dim=64)
    found: dict[str, float | int | bool] = {"tokens": tokens}
    for scorer in ("kmean", "quest"):
        ours, plain = (f(q, k, scorer=scorer) for f in (tile_scores, reference.tile_scores))
        error = (ours.scores - plain.scores).abs().nan_to_num()
        same = select_blocks(plain, k=6, rho=RHO, q=SHARE), reference.select_blocks(plain, k=6, rho=RHO, q=SHARE)
        mine = select_blocks(ours, k=6, rho=RHO, q=0), reference.select_blocks(plain, k=6, rho=RHO, q=0)
        changed = (mine[0].kv_idx != mine[1].kv_idx).any(dim=-1)
        excused = (mine[1].g < 2 * error.amax()) | mine[1].g.isnan()
        found |= {
            f"{scorer} score error": float(error.amax()),
            f"{scorer} given the scores, sets equal": torch.equal(same[0].kv_idx, same[1].kv_idx),
            f"{scorer} sets that differ": int(changed.sum()),
            f"{scorer} of them beyond the error": int((changed & ~excused).sum()),
        }
    kept = same[0].kv_idx
    ours, plain = (f(q, k, v, kept) for f in (block_sparse_attention, reference_attention.block_sparse_attention))
    found["attention error"] = float((ours[0].float() - plain[0].float()).abs().amax())
    found["log-sum-exp error"] = float((ours[1] - plain[1]).abs().nan_to_num().amax())
    found["ok"] = (
        found["attention error"] < 0.05
        and found["log-sum-exp error"] < 1e-3
        and all(found[f"{s} given the scores, sets equal"] for s in ("kmean", "quest"))
        and not any(found[f"{s} of them beyond the error"] for s in ("kmean", "quest"))
    )
    return found


def ceilings(device: torch.device, timer: Timer, size: int) -> dict[str, float]:
    """What the card attains: GB/s of a copy, TFLOP/s of a bfloat16 product."""
    source = torch.empty(size * size, dtype=torch.bfloat16, device=device)
    target = torch.empty_like(source)
    square = torch.randn(size, size, device=device).to(torch.bfloat16)
    copy, product = timer(lambda: target.copy_(source)), timer(lambda: square @ square)
    return {"GB/s": 4 * size * size / copy / 1e6, "TFLOP/s": 2 * size**3 / product / 1e9}


def flex(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, kv_idx: torch.Tensor) -> Callable[[], object]:
    """FlexAttention over the same kept blocks, compiled: its eager form ignores them."""
    from torch.nn.attention.flex_attention import BlockMask, flex_attention

    blocks = k.shape[2] // BLOCK
    counts = (kv_idx < blocks).sum(dim=-1, dtype=torch.int32)
    index = torch.where(kv_idx < blocks, kv_idx, 0)
    mask = BlockMask.from_kv_blocks(
        counts, index, BLOCK_SIZE=(BLOCK, BLOCK), mask_mod=lambda b, h, row, key: row >= key
    )
    compiled = torch.compile(flex_attention, dynamic=False)
    return lambda: compiled(q, k, v, block_mask=mask, enable_gqa=True)


def measured(tokens: int, device: torch.device, timer: Timer, kept: tuple[int, ...], peers: bool) -> dict[str, Any]:
    """Times in milliseconds of every stage and of the peers, at one length."""
    q, k, v = tensors(tokens, device)
    sdpa = torch.nn.functional.scaled_dot_product_attention
    out: dict[str, Any] = {"tokens": tokens, "dense": timer(lambda: sdpa(q, k, v, is_causal=True, enable_gqa=True))}
    out["pool"] = timer(lambda: pool_blocks(k, block_n=BLOCK))
    out["pool and scores"] = timer(lambda: tile_scores(q, k))
    tiles = tile_scores(q, k)
    for budget in kept:
        chosen = select_blocks(tiles, k=budget, rho=RHO, q=SHARE)
        index = chosen.kv_idx

        def whole(budget: int = budget) -> object:
            picked = select_blocks(tile_scores(q, k), k=budget, rho=RHO, q=SHARE)
            return block_sparse_attention(q, k, v, picked.kv_idx)

        entry: dict[str, Any] = {
            "select": timer(lambda budget=budget: select_blocks(tiles, k=budget, rho=RHO, q=SHARE)),
            "attend": timer(lambda index=index: block_sparse_attention(q, k, v, index)),
            "sum": timer(whole),
            "blocks of a tile": float((index < tokens // BLOCK).sum(dim=-1).double().mean()),
        }
        if peers:
            try:
                entry["flex"] = timer(flex(q, k, v, index))
            except Exception as error:  # a peer that cannot run here is reported, not hidden
                entry["flex"] = f"{type(error).__name__}: {str(error)[:200]}"
        entry["of dense"] = entry["sum"] / out["dense"]
        entry["scores and select of the sum"] = (out["pool and scores"] + entry["select"]) / entry["sum"]
        least = floor(tokens, budget)["attend"]
        entry["attend TFLOP/s"] = least["flops"] / entry["attend"] / 1e9
        out[f"k={budget}"] = entry
    out["scores TFLOP/s"] = floor(tokens, kept[0])["scores"]["flops"] / out["pool and scores"] / 1e9
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("bench-gpu.json"))
    parser.add_argument("--floor", action="store_true", help="bytes and operations; needs no card")
    parser.add_argument("--smoke", action="store_true", help="everything once on the CPU, tiny")
    parser.add_argument(
        "--no-peers", action="store_true", help="without FlexAttention, which takes a minute to compile"
    )
    arguments = parser.parse_args()
    if arguments.floor:
        for tokens in TOKENS:
            for k in KEPT:
                for stage, least in floor(tokens, k).items():
                    print(
                        f"{tokens:>7} k={k} {stage:7} {least['bytes'] / 1e9:8.3f} GB {least['flops'] / 1e12:8.3f} TFLOP"
                    )
        return
    if not (arguments.smoke or torch.cuda.is_available()):
        sys.exit("bench_gpu: no CUDA device; --floor prints bytes and operations, --smoke walks through on a CPU")
    device = torch.device("cpu" if arguments.smoke else "cuda")
    timer = Timer(device, 1 if arguments.smoke else 20)
    report: dict[str, Any] = {
        "device": "CPU, interpreted" if arguments.smoke else torch.cuda.get_device_name(),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("torch", "triton")},
        "correct": [correct(device, tokens) for tokens in ((200,) if arguments.smoke else (1_000, 4_095, 8_192))],
    }
    if not all(entry["ok"] for entry in report["correct"]):
        print(json.dumps(report, indent=1))
        sys.exit("bench_gpu: the kernels disagree with the reference; nothing was measured")
    report["ceilings"] = ceilings(device, timer, 64 if arguments.smoke else 8_192)
    lengths, kept = ((128,), (3,)) if arguments.smoke else (TOKENS, KEPT)
    report["measured"] = []
    for tokens in lengths:
        report["measured"].append(
            measured(tokens, device, timer, kept, peers=not (arguments.smoke or arguments.no_peers))
        )
        # What is measured so far is kept whatever comes.
        arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    report["bars at 128K"] = BARS
    arguments.out.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
