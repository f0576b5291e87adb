"""Exact containment errors against Monte Carlo: time a tile, both kept sets and sorting included, in one run.

The peer samples the posterior of the same tile in NumPy, 1,000 draws for both sets at once. Every value timed here
is one of those whose error is checked, against brute force: a ten times finer trapezoid rule and Phi evaluated
block by block.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import numpy as np
from machine import machine
from numpy.typing import NDArray
from scipy import special

from refsym_theory.selection.containment import TOLERANCE, exact_errors

Float = NDArray[np.float64]

FACTORS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 5.0)
BARS = (100, 200)
PIECE = 64
DRAWS = 1000


def exact(scores: Float, k: int, m: int, tau: float) -> Float:
    """E_k and E_m of each tile, [T, 2]; scores [T, N] in any order."""
    ordered = -np.sort(-scores, axis=1)
    tiles, blocks = ordered.shape
    row = np.repeat(np.arange(tiles), 2)
    kept = np.tile(np.array([k, m]), tiles)
    sizes, ranks, scale = np.full(tiles, blocks), np.full(2 * tiles, k), np.full(2 * tiles, tau)
    return exact_errors(ordered, sizes, row, ranks, kept, scale)[0].reshape(tiles, 2)


def pooled(pool: ThreadPoolExecutor, scores: Float, k: int, m: int, tau: float) -> Float:
    """The same over the threads of a pool."""
    parts = [scores[start : start + PIECE] for start in range(0, len(scores), PIECE)]
    return np.concatenate(list(pool.map(lambda part: exact(part, k, m, tau), parts)))


def sampled(
    rng: np.random.Generator, scores: Float, k: int, m: int, tau: float, buffer: NDArray
) -> tuple[float, float]:
    """E_k and E_m of one tile from the same draws, without an array that could be spared."""
    rng.standard_normal(out=buffer, dtype=buffer.dtype)
    buffer *= tau
    buffer += -np.sort(-scores).astype(buffer.dtype)
    beyond = buffer[:, m:].max(axis=1)
    short = np.count_nonzero(buffer[:, :m] > beyond[:, None], axis=1) < k
    missed = np.maximum(buffer[:, k:m].max(axis=1), beyond) > buffer[:, :k].min(axis=1)
    return float(missed.mean()), float(short.mean())


def brute_force(scores: Float, k: int, m: int, tau: float) -> float:
    """E_m of one tile by a fine trapezoid rule; outside [-12, 13] about the best excluded block F' is below 1e-30."""
    units = -np.sort(-scores) / tau
    units -= units[m]
    x, step = np.linspace(-12.0, 13.0, 2801, retstep=True)
    log_f, slope = np.zeros(x.size), np.zeros(x.size)
    for s in units[m:]:
        log_phi = special.log_ndtr(x - s)
        log_f += log_phi
        slope += np.exp(-0.5 * (x - s) ** 2 - log_phi) / np.sqrt(2.0 * np.pi)
    law = np.zeros((k, x.size))
    law[0] = 1.0
    for s in units[:m]:
        above, below = special.ndtr(s - x), special.ndtr(x - s)
        law[1:] = law[1:] * below + law[:-1] * above
        law[0] *= below
    return float(np.sum(np.exp(log_f) * slope * law.sum(axis=0)) * step)


def timed(run: Callable[..., object], *arguments: object) -> float:
    start = time.perf_counter()
    run(*arguments)
    return time.perf_counter() - start


def made(tiles: int, blocks: int) -> Float:
    """Normal scores, in float32 as a dump holds them."""
    return np.random.default_rng(0).standard_normal((tiles, blocks), np.float32).astype(np.float64)


def compare(blocks: int, k: int, m: int, *, tiles: int, repeats: int, checked: int, peer_tiles: int) -> None:
    """Print a line per noise scale, and the lowest ratios."""
    rng = np.random.default_rng(1)
    scores = made(tiles, blocks)
    buffers = [np.empty((DRAWS, blocks), dtype) for dtype in (np.float64, np.float32)]
    print(f"N_B={blocks}, E_{k} and E_{m} of a tile; Monte Carlo of {DRAWS} draws; medians of {repeats} runs")
    print("tau/spread    1 thread  2 threads    NumPy MC     float32   ratio 1  ratio 2   largest error")
    worst, lowest = 0.0, [np.inf, np.inf]
    with ThreadPoolExecutor(2) as pool:
        for factor in FACTORS:
            tau = factor * float(scores.std())
            values = pooled(pool, scores, k, m, tau)  # warms up as well
            error = max(
                abs(values[t, i] - brute_force(scores[t], k, kept, tau))
                for t in range(checked)
                for i, kept in enumerate((k, m))
            )
            times: list[list[float]] = [[], [], [], []]
            for _ in range(repeats):
                times[0].append(timed(exact, scores, k, m, tau) / tiles)
                times[1].append(timed(pooled, pool, scores, k, m, tau) / tiles)
                for i, buffer in enumerate(buffers):
                    times[2 + i] += [timed(sampled, rng, row, k, m, tau, buffer) for row in scores[:peer_tiles]]
            one, two, peer, peer32 = (median(t) for t in times)
            ratios = peer / one, peer / two
            worst, lowest = max(worst, error), [min(a, b) for a, b in zip(lowest, ratios, strict=True)]
            print(
                f"{factor:10g} {1e6 * one:8.1f} us {1e6 * two:7.1f} us {1e3 * peer:8.2f} ms {1e3 * peer32:8.2f} ms "
                f"{ratios[0]:9.0f} {ratios[1]:8.0f}   {error:.1e}",
                flush=True,
            )
    print(f"lowest ratios {lowest[0]:.0f} and {lowest[1]:.0f}; largest error {worst:.1e} of {checked} tiles a scale")
    if not worst <= TOLERANCE:
        raise SystemExit(f"an error above {TOLERANCE}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()
    print(machine())
    compare(512, 33, 66, tiles=512, repeats=args.repeats, checked=4, peer_tiles=3)
    print(f"bars at N_B=512: {BARS[0]} on one thread, {BARS[1]} on two")
    compare(62, 6, 14, tiles=2048, repeats=args.repeats, checked=16, peer_tiles=20)


if __name__ == "__main__":
    main()
