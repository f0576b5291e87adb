"""Small synthetic score dumps for tests: two prompts, a causal and a windowed layer, ragged lengths."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.score_dump import (
    DumpSettings,
    Prompt,
    ScoreDumpWriter,
    ShardArrays,
    file_sha256,
)

SETTINGS = DumpSettings(
    model="[bold]toy[/bold]/model",
    revision="main",
    scorer="kmean",
    block_m=8,
    block_n=16,
    prompts=(Prompt(53, hashlib.sha256(b"one").hexdigest()), Prompt(40, hashlib.sha256(b"two").hexdigest())),
    with_mass=True,
    versions={"torch": "2.13.0", "numpy": "2.4.6"},
)


def geometry(example: int, layer: int) -> LayerGeometry:
    causal = LayerGeometry(
        heads=4,
        kv_heads=2,
        head_dim=12,
        scale=12**-0.5,
        window=None,
        q_len=(45, 40)[example],
        kv_len=(53, 40)[example],
        block_m=8,
        block_n=16,
    )
    return causal if layer == 0 else replace(causal, heads=2, window=20)


def arrays(shape: LayerGeometry, seed: int, *, with_mass: bool = True) -> ShardArrays:
    rng = np.random.default_rng(seed)
    visible = shape.visible()
    pairs = visible.indices.size
    mass = rng.random((shape.heads, pairs), np.float32) + np.float32(0.01)
    sums = np.add.reduceat(mass, visible.indptr[:-1], axis=1)
    mass /= np.repeat(sums, np.diff(visible.indptr), axis=1)
    counts = np.full(shape.heads, 100, np.int64)
    return ShardArrays(
        scores=rng.standard_normal((shape.heads, pairs), np.float32),
        indptr=visible.indptr,
        indices=visible.indices,
        forced=visible.forced,
        step_sq_sum=rng.random(shape.heads) * 100,
        step_count=counts,
        half_diff_sq_sum=rng.random(shape.heads) * 10,
        half_diff_count=counts // 10,
        mass=mass if with_mass else None,
        value_radius=rng.random(shape.heads, np.float32) if with_mass else None,
    )


def write_dump(
    root: Path,
    settings: DumpSettings = SETTINGS,
    *,
    force: bool = False,
    layers: tuple[int, ...] = (0, 1),
) -> None:
    """What a dump run does: skip what is done, write the rest, finish."""
    with ScoreDumpWriter(root, settings, force=force) as writer:
        for example in range(len(settings.prompts)):
            for layer in layers:
                if not writer.done(example, layer):
                    shape = geometry(example, layer)
                    content = arrays(shape, seed=10 * example + layer, with_mass=settings.with_mass)
                    writer.write(example, layer, shape, content)
        writer.finish()


def snapshot(root: Path) -> dict[str, bytes]:
    """Every file under the folder, by relative path."""
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def edit_index(root: Path, change: Callable[[dict], None]) -> None:
    record = json.loads((root / "index.json").read_text())
    change(record)
    (root / "index.json").write_text(json.dumps(record))


def replace_shard(root: Path, name: str, content: bytes) -> None:
    """Put other bytes in a shard's place and make the index agree with them."""
    (root / name).write_bytes(content)

    def change(record: dict) -> None:
        entry = next(entry for entry in record["shards"] if entry["path"] == name)
        entry |= {"bytes": len(content), "sha256": file_sha256(root / name)}

    edit_index(root, change)


def edit_shard(root: Path, name: str, change: Callable[[dict[str, NDArray]], None]) -> None:
    """Change a shard's tensors and make the index agree with them."""
    from safetensors.numpy import load, save

    tensors = load((root / name).read_bytes())
    change(tensors)
    replace_shard(root, name, save(tensors))
