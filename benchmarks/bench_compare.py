"""Resampling and sign flips against scipy and a NumPy loop: the same question, one run, ratios."""

import argparse
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import numpy as np
from machine import machine
from scipy.stats import bootstrap, permutation_test

from refsym_stats import cluster_bootstrap, crossed_bootstrap, sign_flip

DRAWS = 20_000


def timed(run: Callable[[], object], repeats: int = 1) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def line(what: str, ours: float, peer: float | None, name: str, bar: str) -> None:
    beside = "" if peer is None else f"; {name} {peer:.3g} s, {peer / ours:.0f}x"
    print(f"{what}: {1e3 * ours:.2f} ms{beside} (bar: {bar})")


def counts(clusters: int, seeds: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Differences of correctness [seeds, n] as in the deployment study, most clusters of one item."""
    random = np.random.default_rng(seed)
    sizes = random.choice([1, 2, 3], clusters, p=[0.93, 0.06, 0.01])
    labels = np.repeat(np.arange(clusters), sizes)
    return random.choice([-1, 0, 1], (seeds, len(labels)), p=[0.04, 0.91, 0.05]), labels


def scipy_clusters(differences: np.ndarray, labels: np.ndarray, draws: int, batch: int) -> Callable[[], object]:
    """scipy resamples clusters as paired samples: their sums and sizes."""
    sums, sizes = np.bincount(labels, differences), np.bincount(labels)

    def ratio(total: np.ndarray, count: np.ndarray, axis: int = -1) -> np.ndarray:
        return total.sum(axis=axis) / count.sum(axis=axis)

    def run() -> object:
        data = (sums, sizes.astype(float))
        return bootstrap(data, ratio, paired=True, n_resamples=draws, batch=batch, method="percentile", vectorized=True)

    return run


def bootstraps(quick: bool) -> None:
    differences, labels = counts(2290)
    summed = differences.sum(axis=0)
    cluster_bootstrap(summed, labels, draws=300)
    best = min(timed(scipy_clusters(summed, labels, DRAWS, batch)) for batch in (100, 500, 2000))
    mine = timed(lambda: cluster_bootstrap(summed, labels, draws=DRAWS), 5)
    line("cluster bootstrap, 2,290 clusters, counts", mine, best, "scipy", "8x")
    real = np.random.default_rng(1).normal(0.01, 0.1, len(labels))
    best = min(timed(scipy_clusters(real, labels, DRAWS, batch)) for batch in (100, 500, 2000))
    mine = timed(lambda: cluster_bootstrap(real, labels, draws=DRAWS), 5)
    line("cluster bootstrap, 2,290 clusters, all distinct", mine, best, "scipy", "8x")

    many, many_labels = counts(229_000)
    many_summed = many.sum(axis=0)
    part = 200 if quick else 2_000
    peer = timed(scipy_clusters(many_summed, many_labels, part, 20)) * DRAWS / part
    mine = timed(lambda: cluster_bootstrap(many_summed, many_labels, draws=DRAWS), 3)
    line(f"cluster bootstrap, 229,000 clusters (scipy from {part} draws)", mine, peer, "scipy", "300x")
    tracemalloc.start()
    cluster_bootstrap(many_summed, many_labels, draws=DRAWS)
    print(f"  peak extra memory {tracemalloc.get_traced_memory()[1] / 1e6:.0f} MB (bar: 100 MB)")
    tracemalloc.stop()

    distinct = np.random.default_rng(1).normal(0.01, 0.1, len(many_labels))
    peer = timed(scipy_clusters(distinct, many_labels, part, 20)) * DRAWS / part
    mine = timed(lambda: cluster_bootstrap(distinct, many_labels, draws=part)) * DRAWS / part
    line(f"cluster bootstrap, 229,000 clusters, all distinct (both from {part} draws)", mine, peer, "scipy", "-")

    sums = np.stack([np.bincount(labels, row) for row in differences])
    sizes = np.bincount(labels).astype(float)

    def loop() -> list[float]:
        random, out = np.random.default_rng(0), []
        for _ in range(DRAWS):
            clusters = random.integers(0, sums.shape[1], sums.shape[1])
            seeds = random.integers(0, 5, 5)
            out.append(sums[seeds][:, clusters].sum() / (5 * sizes[clusters].sum()))
        return out

    mine = timed(lambda: crossed_bootstrap(differences, labels, draws=DRAWS), 5)
    line("crossed bootstrap, 5 seeds", mine, timed(loop), "NumPy loop", "5x")
    family = np.random.default_rng(2).choice([-1, 0, 1], (54, 5, len(labels)), p=[0.04, 0.91, 0.05])
    line(
        "crossed bootstrap, 54 contrasts",
        timed(lambda: crossed_bootstrap(family, labels, draws=DRAWS)),
        None,
        "",
        "2 s",
    )


def flips() -> None:
    for clusters, bar in ((2290, "10 ms"), (229_000, "100 ms")):
        differences, labels = counts(clusters)
        summed = differences.sum(axis=0)
        sums = np.rint(np.bincount(labels, summed)).astype(int)
        line(f"exact integer p, {clusters:,} clusters", timed(lambda s=sums: sign_flip(s), 5), None, "", bar)
    random = np.random.default_rng(3)
    small = random.normal(0.3, 1, 20)

    def scipy_exact() -> object:
        # n_resamples of at least 2^20: scipy then enumerates them all.
        return permutation_test(
            (small,), lambda x, axis=-1: x.sum(axis=axis), permutation_type="samples", n_resamples=2**21
        )

    line("exact real p, n = 20", timed(lambda: sign_flip(small), 5), timed(scipy_exact), "scipy", "-")
    for n, bar in ((30, "20 ms"), (40, "0.5 s"), (44, "1 s"), (50, "within memory")):
        values = random.normal(0.3, 1, n)
        line(f"exact real p, n = {n}", timed(lambda v=values: sign_flip(v), 1 if n > 44 else 3), None, "", bar)
    values = random.normal(0.04, 1, 2290)
    sampled = lambda: sign_flip(values, method="monte-carlo", draws=DRAWS)  # noqa: E731
    sampled()

    def scipy_sampled() -> object:
        return permutation_test(
            (values,), lambda x, axis=-1: x.sum(axis=axis), permutation_type="samples", n_resamples=DRAWS, batch=500
        )

    line("Monte Carlo, 20,000 draws", timed(sampled, 5), timed(scipy_sampled), "scipy", "50x")
    for mean in (0.02, 0.06, 0.1):
        values = random.normal(mean, 1, 2290)
        found = sign_flip(values)
        width = found.p_high / found.p_low - 1
        took = timed(lambda v=values: sign_flip(v), 3)
        line(f"certified enclosure, 2,290 real, p {found.p_value:.2g}, width {width:.2%}", took, None, "", "1%, 5 s")


def command() -> None:
    """`refsym compare` with its report on the synthetic study, as a process of its own."""
    example = Path(__file__).parent.parent / "examples" / "deployment"
    with TemporaryDirectory() as folder:
        records = Path(folder) / "records.parquet"
        subprocess.run([sys.executable, str(example / "generate.py"), str(records)], check=True, capture_output=True)
        words = ["compare", str(records), "--plan", str(example / "plan.toml"), "--out", str(Path(folder) / "out")]
        run = [sys.executable, "-c", f"from refsym.cli import main; main({words!r})"]
        before = getrusage(RUSAGE_CHILDREN)
        took = timed(lambda: subprocess.run(run, check=True, capture_output=True))
        after = getrusage(RUSAGE_CHILDREN)
    line("refsym compare, 597,360 rows, with report", took, None, "", "15 s")
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"  {processor:.1f} s of processor time, peak memory {after.ru_maxrss / 2**20:.2f} GiB (bar: 1.5 GiB)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer draws of the slowest peer")
    args = parser.parse_args()
    print(machine())
    # First: a child's peak memory starts at what its parent holds.
    command()
    bootstraps(args.quick)
    flips()


if __name__ == "__main__":
    main()
