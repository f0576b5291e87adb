"""Streams: the documented algorithm, and nothing of it that threads or the length of a run could change."""

import threading
import time

import numpy as np
import pytest
from scipy import stats

from refsym_stats import InputError
from refsym_stats.streams import CHUNK, draw


def uniform(generator, size):
    return generator.random((size, 2))


@pytest.mark.parametrize("draws", [1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 3])
def test_chunk_i_reads_the_ith_spawned_stream(draws):
    streams = np.random.SeedSequence(7).spawn(-(-draws // CHUNK))
    expected = np.concatenate([np.random.Generator(np.random.SFC64(s)).random((CHUNK, 2)) for s in streams])
    assert np.array_equal(draw(draws, 7, uniform), expected[:draws])


@pytest.mark.parametrize("workers", [1, 2, 5, None])
def test_the_number_of_threads_changes_no_bit(workers):
    def uneven(generator, size):
        # Later chunks end first.
        values = generator.random((size, 2))
        time.sleep(0.002 * values[0, 0])
        return values

    assert np.array_equal(draw(9 * CHUNK, 1, uneven, workers=workers), draw(9 * CHUNK, 1, uniform, workers=1))


def test_no_more_threads_than_asked_for():
    seen = set()

    def work(generator, size):
        seen.add(threading.get_ident())
        time.sleep(0.001)
        return uniform(generator, size)

    draw(20 * CHUNK, 0, work, workers=2)
    assert len(seen) <= 2


def test_a_longer_run_starts_as_a_shorter_one():
    long = draw(1000, 3, uniform)
    for short in (1, 100, 256, 257, 999):
        assert np.array_equal(draw(short, 3, uniform), long[:short])


def test_seeds_and_chunks_are_independent_streams():
    first, second = draw(4 * CHUNK, 0, uniform), draw(4 * CHUNK, 1, uniform)
    chunks = [*np.split(first[:, 0], 4), *np.split(second[:, 0], 4)]
    correlations = np.corrcoef(chunks)[np.triu_indices(8, 1)]
    # 28 correlations of 256 pairs: 4.5 standard deviations.
    assert np.abs(correlations).max() < 4.5 / 16
    assert stats.kstest(first.reshape(-1), "uniform").pvalue > 1e-3


@pytest.mark.parametrize("workers", [0, -1, 1.5])
def test_workers_are_a_positive_number(workers):
    with pytest.raises(InputError, match="workers"):
        draw(10, 0, uniform, workers=workers)
