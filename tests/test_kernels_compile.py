"""Kernels compiled for three GPU generations without a GPU: nothing spilled, memory that fits, tensor cores used."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton")

SHARED = {80: 166_912, 90: 232_448, 100: 232_448}
"""Bytes that a block may have."""

MATRIX = {80: "mma.sync", 90: "wgmma", 100: "tcgen05.mma"}
FEW_ROWS = ("gradient 128", "gradient 256", "float32")
"""Products of fewer than 64 rows: the newer instructions do not take them."""


@pytest.mark.parametrize("target", SHARED)
def test_every_kernel_fits_its_generation(target, tmp_path):
    environment = os.environ | {"TRITON_INTERPRET": "0", "TRITON_CACHE_DIR": str(tmp_path)}
    script = Path(__file__).with_name("compile_kernels.py")
    done = subprocess.run(
        [sys.executable, str(script), str(target)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    found = json.loads(done.stdout)
    assert len(found) == 29
    wrong = [entry for entry in found if entry["stack"] > (64 if "256" in entry["kernel"] else 0)]
    assert not wrong
    for entry in found:
        name = entry["kernel"]
        assert entry["stack"] <= (64 if "256" in name else 0), entry
        assert entry["shared"] <= SHARED[target], entry
        assert not entry["ieee"], entry
        products = name.split()[0] in ("score", "attend", "key", "query")
        assert (entry["dots"] > 0) is products, entry
        if products:
            assert entry["matrix"], entry
        if products and not any(word in name for word in FEW_ROWS):
            assert MATRIX[target] in entry["matrix"], entry


def test_the_gpu_benchmark_walks_through_without_one(tmp_path):
    script = Path(__file__).parents[1] / "benchmarks" / "bench_gpu.py"
    out = tmp_path / "report.json"
    command = [sys.executable, str(script), "--smoke", "--out", str(out)]
    subprocess.run(command, capture_output=True, text=True, check=True)
    report = json.loads(out.read_text())
    assert report["correct"][0]["ok"]
    assert report["measured"][0]["k=3"]["sum"] > 0
    done = subprocess.run([*command[:2]], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) or "cuda" in done.stdout.lower()
