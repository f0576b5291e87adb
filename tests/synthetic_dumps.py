"""Synthetic score dumps to certify: several prompts, layers of different shapes, and ways to damage them."""

import hashlib
from dataclasses import replace
from pathlib import Path

from dump_samples import arrays
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.score_dump import DumpSettings, Prompt, ScoreDump, ScoreDumpWriter

K, RHO, Q = 4, "2", "0.4"
"""A choice that fits these dumps: up to 2 forced blocks, rho*k = 8 of up to 26 visible ones."""

_FULL = LayerGeometry(
    heads=3, kv_heads=1, head_dim=8, scale=0.5, window=None, q_len=203, kv_len=203, block_m=8, block_n=8
)
LAYERS = (
    _FULL,
    replace(_FULL, heads=2, kv_heads=2, window=75),  # eligible at k, but no longer at 2 k
    replace(_FULL, heads=2, kv_heads=1, window=24),  # too short: no tile is eligible
    replace(_FULL, heads=4, q_len=130),  # behind a cached prefix
)
SHORT_WINDOW = 2


def write_synthetic(
    root: Path,
    *,
    examples: int = 4,
    layers: tuple[LayerGeometry, ...] = LAYERS,
    spread: float = 2.0,
    noisy: bool = True,
    with_mass: bool = True,
) -> Path:
    """Write a dump of `examples` prompts, each 11 tokens shorter than the one before; returns `root`."""
    settings = DumpSettings(
        model="toy/<b>model</b>",
        revision="0",
        scorer="kmean",
        block_m=layers[0].block_m,
        block_n=layers[0].block_n,
        prompts=tuple(Prompt(203 - 11 * i, hashlib.sha256(bytes([i])).hexdigest()) for i in range(examples)),
        with_mass=with_mass,
        versions={"numpy": "2.4.6"},
    )
    with ScoreDumpWriter(root, settings) as writer:
        for example in range(examples):
            for layer, full in enumerate(layers):
                shape = replace(full, q_len=full.q_len - 11 * example, kv_len=full.kv_len - 11 * example)
                made = arrays(shape, seed=100 * example + layer, with_mass=with_mass)
                made = replace(made, scores=spread * made.scores)
                if not noisy:
                    silent = {name: 0 * getattr(made, name) for name in ("step_sq_sum", "half_diff_sq_sum")}
                    made = replace(made, **silent)
                writer.write(example, layer, shape, made)
        writer.finish()
    return root


def change_score(root: Path, example: int, layer: int) -> Path:
    """Flip the lowest bit of the first score in a shard: plausible data, but no longer what was hashed."""
    dump = ScoreDump.open(root)
    entry = next(e for e in dump.entries if (e.example, e.layer) == (example, layer))
    with dump.shard(entry) as shard:
        first = shard.scores(0)[:4].tobytes()
    path = root / entry.path
    content = bytearray(path.read_bytes())
    content[content.index(first)] ^= 1
    path.write_bytes(content)
    return path
