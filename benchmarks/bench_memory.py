"""Peak memory of `certify` on a synthetic dump of 4 GB, all processes together, against the bar of 1 GiB.

Writes the dump to a temporary folder and takes several minutes, so it runs only when asked for: `--run DIR`.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from machine import machine
from synthetic_dump import write

MIB = 2**20
BAR = 1024
FURTHER_WORKER = 300
_CHILD = """
import json, sys, time
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from multiprocessing import get_context
if __name__ == "__main__":  # a spawned worker imports this file too, and needs none of it
    from refsym_theory import ScoreDump, certify
    path, workers, tau = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) or None
    pool = nullcontext() if workers == 1 else ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    start = time.perf_counter()
    with pool as executor:
        found = certify(ScoreDump.open(path), 33, 2, "0.4", tau, k_grid=(33,), tau_factors=(0.3,), draws=20,
                        executor=executor)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "cells": found.summary["tiles"], "integrals": found.summary["integrals"]}))
"""


def family(root: int) -> list[int]:
    """The process and all its descendants that are alive."""
    found, at = [root], 0
    while at < len(found):
        for task in Path(f"/proc/{found[at]}/task").glob("*/children"):
            with suppress(OSError):  # it ended meanwhile
                found += [int(child) for child in task.read_text().split()]
        at += 1
    return found


def high_water(process: int) -> int:
    """Largest resident size that the process has had, in bytes; pages it shares with others count as its own."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)


def measure(dump: Path, workers: int, tau: float) -> tuple[int, dict[str, float]]:
    """Peak over time of the summed high-water marks (an upper bound on the memory in use), and what the child says."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "certify_once.py"
        script.write_text(_CHILD)
        command = [sys.executable, str(script), str(dump), str(workers), str(tau)]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        peak = 0
        while child.poll() is None:
            peak = max(peak, sum(map(high_water, family(child.pid))))
            time.sleep(0.05)
        out, _ = child.communicate()
    if child.returncode:
        raise SystemExit(f"certify failed with exit code {child.returncode}")
    return peak, json.loads(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, metavar="DIR", help="write the dump under DIR, measure, delete it")
    parser.add_argument("--tokens", type=int, default=32768)
    parser.add_argument("--heads", type=int, default=40)
    parser.add_argument("--layers", type=int, default=48)
    parser.add_argument("--examples", type=int, default=2)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--tau", type=float, default=0.0, help="for every head; estimated if 0. Small is quick.")
    args = parser.parse_args()
    if args.run is None:
        print(
            "memory of certify on 4 GB: not run; `python benchmarks/bench_memory.py --run DIR` takes minutes and 4 GB"
        )
        return
    print(machine())
    args.run.mkdir(parents=True, exist_ok=True)
    dump = Path(tempfile.mkdtemp(dir=args.run)) / "dump"
    try:
        shape = {name: getattr(args, name) for name in ("tokens", "heads", "layers", "examples")}
        size = write(dump, **shape)
        print(f"dump: {size / 1e9:.2f} GB, " + ", ".join(f"{value} {name}" for name, value in shape.items()))
        for workers in args.workers:
            peak, said = measure(dump, workers, args.tau)
            bar = BAR + FURTHER_WORKER * (workers - 1)
            print(
                f"certify, {workers} worker{'s' if workers > 1 else ''}: peak {peak / MIB:.0f} MiB of all processes, "
                f"bar {bar} MiB, ratio {peak / MIB / bar:.2f}; {said['cells']} (tile, head) cells, "
                f"{said['integrals']} integrals, {said['seconds']:.0f} s",
                flush=True,
            )
    finally:
        shutil.rmtree(dump.parent, ignore_errors=True)


if __name__ == "__main__":
    main()
