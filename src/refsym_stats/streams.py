"""Random draws in chunks with a stream each: the same seed gives the same draws on any number of threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from refsym_stats.arguments import whole

CHUNK = 256
"""Draws of one stream. Part of every documented algorithm: changing it changes answers."""

Work = Callable[[np.random.Generator, int], NDArray[np.float64]]


def draw(draws: int, seed: int, work: Work, *, workers: int | None = None) -> NDArray[np.float64]:
    """Collect what `work(generator, count)` returns, `count` rows each, until there are `draws` rows.

    Chunk i of at most `CHUNK` draws reads the SFC64 stream of ``SeedSequence(seed, spawn_key=(i,))``: neither threads
    nor their number change a bit, and the first draws of a longer run are those of a shorter one.

    Raises
    ------
    InputError
        `workers` is not None and no integer of at least 1.
    """
    threads = (os.cpu_count() or 1) if workers is None else whole(workers, "workers")
    chunks = range(-(-draws // CHUNK))

    def one(chunk: int) -> NDArray[np.float64]:
        stream = np.random.SeedSequence(seed, spawn_key=(chunk,))
        generator = np.random.Generator(np.random.SFC64(stream))
        return work(generator, CHUNK)[: min(CHUNK, draws - chunk * CHUNK)]

    if len(chunks) == 1:
        return one(0)
    with ThreadPoolExecutor(threads) as pool:
        return np.concatenate(list(pool.map(one, chunks)))
