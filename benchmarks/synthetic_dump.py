"""Write a large synthetic score dump, one shard at a time: the shapes of a real model, scores drawn at random."""

import argparse
import hashlib
from pathlib import Path

import numpy as np

from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.score_dump import DumpSettings, Prompt, ScoreDumpWriter, ShardArrays

BLOCK = 64


def shard(geometry: LayerGeometry, seed: int) -> ShardArrays:
    """Normal scores with a drift towards recent blocks; masses their softmax, which sums to 1 in every tile."""
    rng = np.random.default_rng(seed)
    visible = geometry.visible()
    counts = np.diff(visible.indptr)
    distance = np.repeat(visible.indices[visible.indptr[1:] - 1], counts) - visible.indices
    scores = rng.standard_normal((geometry.heads, visible.indices.size), np.float32)
    scores -= np.log1p(distance).astype(np.float32) / 4
    mass = np.empty_like(scores)
    for head in range(geometry.heads):
        weight = np.exp(scores[head])
        mass[head] = weight / np.repeat(np.add.reduceat(weight, visible.indptr[:-1]), counts)
    samples = np.full(geometry.heads, 10_000, np.int64)
    return ShardArrays(
        scores=scores,
        indptr=visible.indptr,
        indices=visible.indices,
        forced=visible.forced,
        step_sq_sum=2.0 * samples * rng.uniform(0.5, 2.0, geometry.heads) ** 2,
        step_count=samples,
        half_diff_sq_sum=2.0 * samples * rng.uniform(0.2, 0.8, geometry.heads) ** 2,
        half_diff_count=samples,
        mass=mass,
        value_radius=rng.uniform(1.0, 5.0, geometry.heads).astype(np.float32),
    )


def write(root: Path, *, tokens: int, heads: int, layers: int, examples: int = 1) -> int:
    """Write the dump; returns the bytes of its shards."""
    geometry = LayerGeometry(
        heads=heads,
        kv_heads=heads,
        head_dim=128,
        scale=128**-0.5,
        window=None,
        q_len=tokens,
        kv_len=tokens,
        block_m=BLOCK,
        block_n=BLOCK,
    )
    settings = DumpSettings(
        model="synthetic",
        revision="1",
        scorer="kmean",
        block_m=BLOCK,
        block_n=BLOCK,
        prompts=tuple(Prompt(tokens, hashlib.sha256(bytes([i % 256])).hexdigest()) for i in range(examples)),
        with_mass=True,
        versions={"numpy": np.__version__},
    )
    size = 0
    with ScoreDumpWriter(root, settings) as writer:
        for example in range(examples):
            for layer in range(layers):
                size += writer.write(example, layer, geometry, shard(geometry, 1000 * example + layer)).bytes
        writer.finish()
    return size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder of the dump")
    parser.add_argument("--tokens", type=int, default=32768)
    parser.add_argument("--heads", type=int, default=40)
    parser.add_argument("--layers", type=int, default=48)
    parser.add_argument("--examples", type=int, default=2)
    args = parser.parse_args()
    size = write(args.out, tokens=args.tokens, heads=args.heads, layers=args.layers, examples=args.examples)
    print(f"{args.out}: {size / 1e9:.2f} GB")


if __name__ == "__main__":
    main()
