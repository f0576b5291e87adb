"""Time `refsym certify` over both committed dumps, report included: from an empty numba cache, then warm."""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

import numpy as np
from bench_containment import FACTORS, made, pooled, timed
from machine import machine

from refsym_theory.selection.containment import sampled_misses

DUMPS = Path(__file__).parent.parent / "examples" / "smollm2-4k"
BAR = 20.0
PANEL_CELLS = 5_700_000  # UG D.4: (example, layer, head, tile) cells per scoring backbone
PANEL_SIZES = (128, 256, 384, 512)  # visible blocks of eligible tiles run from 67 to 512


def command(scorer: str, out: Path, cache: Path) -> tuple[float, float, dict[str, float]]:
    """Wall seconds, processor seconds, and the summary of one command in a process of its own."""
    words = ["certify", str(DUMPS / scorer), "-k", "8", "--rho", "2", "-q", "0.4", "--out", str(out), "--force"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", "from refsym.cli import main; main()", *words],
        check=True,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
    )
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, json.loads((out / "certificate.json").read_text())["summary"]


def both(cache: Path) -> tuple[float, float, float, float]:
    """Wall, processor seconds, cells and integrals of both dumps."""
    wall = cpu = cells = integrals = 0.0
    for scorer in ("kmean", "quest"):
        with tempfile.TemporaryDirectory() as out:
            took, worked, summary = command(scorer, Path(out), cache)
        wall, cpu = wall + took, cpu + worked
        cells, integrals = cells + summary["tiles"], integrals + summary["integrals"]
    return wall, cpu, cells, integrals


def panel(threads: int) -> None:
    """Print what the paper's panel would take, from the time of a pair (E_k, E_rho k) averaged over sizes and tau."""
    pairs, draws = [], []
    with ThreadPoolExecutor(threads) as pool:
        for blocks in PANEL_SIZES:
            scores = made(64 * 2 * threads, blocks)
            for factor in FACTORS:
                tau = factor * float(scores.std())
                pooled(pool, scores, 33, 66, tau)
                pairs.append(median(timed(pooled, pool, scores, 33, 66, tau) for _ in range(3)) / len(scores))
                row = np.sort(scores[0])[::-1].copy()
                draws.append(timed(sampled_misses, row, 33, (33, 66), tau, 1000, 0) / threads)
    pair, draw = (sum(times) / len(times) for times in (pairs, draws))
    print(
        f"EXTRAPOLATION to the paper's panel, {PANEL_CELLS / 1e6:.1f} million cells a scoring backbone, k=33, rho=2, "
        f"on {threads} threads, from {1e6 * pair:.0f} us a pair (mean over {', '.join(map(str, PANEL_SIZES))} visible "
        f"blocks and eight tau) and {1e6 * draw:.0f} us a tile of 1,000 draws: {PANEL_CELLS * pair / 60:.0f} minutes "
        f"for one exact pair a cell; {PANEL_CELLS * (18 * pair + draw) / 3600:.1f} hours for the whole certificate "
        "(the chosen pair, nine tau, eight k, Monte Carlo)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as cache:
        wall, cpu, cells, integrals = both(Path(cache))
        print(f"refsym certify, both 4K dumps, cold: {wall:.1f} s wall, {cpu:.1f} s of processor", flush=True)
        runs = [both(Path(cache)) for _ in range(args.repeats)]
    wall, cpu = median(run[0] for run in runs), median(run[1] for run in runs)
    print(
        f"refsym certify, both 4K dumps, warm: {wall:.1f} s wall, {cpu:.1f} s of processor, median of {args.repeats}; "
        f"bar {BAR:.0f} s, ratio {wall / BAR:.2f}; {cells / wall:,.0f} (tile, head) cells a second, "
        f"{integrals / wall:,.0f} integrals a second",
        flush=True,
    )
    panel(threads=2)


if __name__ == "__main__":
    main()
