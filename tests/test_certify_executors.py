"""One certificate, whoever does the work: threads, processes, a Dask cluster, and workers that die on the way."""

import contextlib
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numba
import pytest

from refsym.commands.certify import _executor
from refsym_theory import ScoreDump, certify
from refsym_theory.errors import InputError
from refsym_theory.selection import certificate
from refsym_theory.selection.recheck import recheck
from synthetic_dumps import RHO, SHORT_WINDOW, K, Q, change_score, write_synthetic

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> ScoreDump:
    return ScoreDump.open(write_synthetic(tmp_path_factory.mktemp("executors") / "dump"))


def certified(dump: ScoreDump, executor: Executor | None = None, progress: Callable | None = None) -> str:
    """The whole record as text: equal text is equal to the last bit of every float."""
    found = certify(dump, K, RHO, Q, draws=100, seed=3, executor=executor, progress=progress)
    return json.dumps(found.record())


@pytest.fixture(scope="module")
def expected(dump: ScoreDump) -> str:
    return certified(dump)


def processes(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def killer(pids: Callable[[], list[int]]) -> Callable[[int, int], None]:
    """A progress callback that kills the first worker as soon as the first shard is back."""

    def kill(done: int, total: int) -> None:
        if done == 1:
            assert total > 10, "enough is left to do"
            os.kill(pids()[0], signal.SIGKILL)

    return kill


def test_the_dump_has_what_can_differ(dump: ScoreDump, expected: str) -> None:
    record = json.loads(expected)
    notes = dict(zip(record["cells"]["layer"], record["cells"]["note"], strict=True))
    assert notes[SHORT_WINDOW] == "no eligible tile"
    assert len({entry.geometry for entry in dump.entries}) == len(dump.entries) == 16
    assert record["summary"]["sequences"] == 4
    at_largest, at_k = (
        next(t for t, k in zip(record["by_k"]["tiles"], record["by_k"]["k"], strict=True) if k == wanted)
        for wanted in (max(record["by_k"]["k"]), K)
    )
    assert at_largest == at_k, "the curve over k compares the same tiles"
    assert at_largest < record["summary"]["tiles"]


@pytest.mark.parametrize("threads", [1, 3])
def test_threads(dump: ScoreDump, expected: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba, "get_num_threads", lambda: threads)
    assert certified(dump) == expected


def test_processes(dump: ScoreDump, expected: str) -> None:
    with processes(2) as pool:
        steps: list[tuple[int, int]] = []
        assert certified(dump, pool, lambda done, total: steps.append((done, total))) == expected
        assert steps == [(i, 16) for i in range(17)]
        assert not recheck(json.loads(expected), dump, executor=pool).differences


def test_a_process_that_dies_is_one_line_and_a_rerun_works(
    dump: ScoreDump, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "_IN_FLIGHT", 2)  # else the other worker may have done it all by then
    with processes(2) as pool:
        with pytest.raises(InputError, match=r"^a worker process died .* run it again$"):
            certified(dump, pool, killer(lambda: list(pool._processes)))
        with pytest.raises(InputError, match="a worker process died"):
            certified(dump, pool)
    with processes(1) as pool:
        assert certified(dump, pool) == expected


def test_a_fault_in_a_process_is_the_same_error(dump: ScoreDump, tmp_path: Path) -> None:
    root = write_synthetic(tmp_path / "dump", examples=1)
    change_score(root, 0, 3)
    damaged = ScoreDump.open(root)
    with processes(1) as pool, pytest.raises(InputError, match=r"0-3\.safetensors: SHA-256 is"):
        certified(damaged, pool)


class _Canceller(Executor):
    """Takes work and gives it up, as a Dask client does whose scheduler is gone."""

    def submit(self, fn: Callable, /, *args: object, **kwargs: object) -> Future:
        future: Future = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_cancelled_work_is_one_line(dump: ScoreDump) -> None:
    with pytest.raises(InputError, match=r"^the executor gave up .* run it again$") as caught:
        certified(dump, _Canceller())
    assert isinstance(caught.value.__cause__, CancelledError)


@contextlib.contextmanager
def cluster(**config: object) -> Iterator["distributed.LocalCluster"]:
    """Two worker processes on the loopback interface, each with one thread, without a dashboard."""
    import dask

    with (
        tempfile.TemporaryDirectory() as scratch,
        dask.config.set(config),
        distributed.LocalCluster(
            local_directory=scratch,
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=None,
            worker_dashboard_address=None,
        ) as found,
    ):
        yield found


def worker_pids(client: "distributed.Client") -> list[int]:
    return list(client.run(os.getpid).values())


def test_dask_and_a_worker_killed_on_the_way(
    dump: ScoreDump, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with cluster() as found, distributed.Client(found) as client, client.get_executor() as executor:
        before = worker_pids(client)
        assert len(set(before)) == 2
        assert os.getpid() not in before
        # The workers' working directory is not ours: a relative path must reach them as an absolute one.
        monkeypatch.chdir(dump.path.parent)
        assert certified(ScoreDump.open(dump.path.name), executor) == expected
        assert certified(dump, executor, killer(lambda: before)) == expected
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and len(set(worker_pids(client)) - set(before)) != 1:
            time.sleep(0.1)
        assert len(set(worker_pids(client)) - set(before)) == 1, "one worker was replaced, the other is the same"


def test_the_command_works_on_a_cluster_and_says_when_a_shard_kills_its_workers(dump: ScoreDump, expected: str) -> None:
    # No second try: what a shard does that is too large for its worker's memory, after the usual three.
    with cluster(**{"distributed.scheduler.allowed-failures": 0}) as found:
        with _executor(1, found.scheduler_address) as executor:
            assert certified(dump, executor) == expected
        with distributed.Client(found) as client:
            pids = worker_pids(client)
        with (
            pytest.raises(InputError, match=r"^--scheduler tcp://.*: .* killed, .* run it again$"),
            _executor(1, found.scheduler_address) as executor,
        ):
            certified(dump, executor, killer(lambda: pids))


def test_no_scheduler_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    with (
        pytest.raises(InputError, match=r"^--scheduler tcp://127\.0\.0\.1:9: cannot connect"),
        _executor(1, "tcp://127.0.0.1:9", timeout=0.5),
    ):
        pass
    assert capfd.readouterr() == ("", "")
    with pytest.raises(InputError, match="cannot connect"), _executor(1, "nonsense://x"):
        pass
    with pytest.raises(InputError, match="--workers or --scheduler, not both"), _executor(2, "tcp://127.0.0.1:9"):
        pass
