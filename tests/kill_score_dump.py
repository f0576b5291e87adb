"""Kill a dump run at every step that touches the disk, and complete it: run as a script by test_score_dump.

Each run is a child process that kills itself (SIGKILL) at its n-th step; a step lies before and after every
call that changes the disk, and in the middle of every write.
"""

import builtins
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import dump_samples
from refsym_theory import atomic
from refsym_theory.selection import score_dump

ONE = replace(dump_samples.SETTINGS, prompts=dump_samples.SETTINGS.prompts[:1])
OTHER = replace(ONE, scorer="quest")
CALLS = ("replace", "fsync", "unlink", "mkdir")


def steps(kill_at: int) -> Callable[[], None]:
    taken = 0

    def step() -> None:
        nonlocal taken
        taken += 1
        if taken == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    return step


class HalfWriter:
    """A file whose writes reach the disk in two halves, with steps between."""

    def __init__(self, file, step) -> None:
        self.file, self.step = file, step

    def __enter__(self):
        return self

    def __exit__(self, *error) -> None:
        self.file.close()

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, content: bytes) -> None:
        half = len(content) // 2
        for part in (content[:half], content[half:]):
            self.step()
            self.file.write(part)
            self.file.flush()
        self.step()


def between_steps(call, step):
    def stepping(*args, **kwargs):
        step()
        result = call(*args, **kwargs)
        step()
        return result

    return stepping


def opening_by_halves(step):
    def opening(path, mode):
        step()
        file = builtins.open(path, mode)  # noqa: SIM115  # the caller closes it
        return HalfWriter(file, step) if mode == "wb" else file

    return opening


def run(kill_at: int, root: Path, *, force: bool = False) -> bool:
    """Write a dump in a child process; whether it came to its end."""
    child = os.fork()
    if child == 0:
        step = steps(kill_at)
        os.fsync = lambda handle: None  # a killed process loses nothing that the system has
        for name in CALLS:
            setattr(os, name, between_steps(getattr(os, name), step))
        atomic.open = opening_by_halves(step)
        try:
            dump_samples.write_dump(root, ONE, force=force)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0
    return True


def resume_after_every_kill(base: Path, expected: dict[str, bytes]) -> int:
    kill_at = 1
    while True:
        root = base / f"resume-{kill_at}"
        if run(kill_at, root):
            break
        if (root / "index.json").exists():
            assert dump_samples.snapshot(root) == expected, f"an early index after {kill_at}"
        # Killed again while it resumes, elsewhere.
        run(kill_at * 7 % 23 + 1, root)
        if (root / "index.json").exists():
            assert dump_samples.snapshot(root) == expected, f"an early index after {kill_at} twice"
        assert run(0, root)
        assert dump_samples.snapshot(root) == expected, f"other bytes after {kill_at}"
        kill_at += 1
    return kill_at - 1


def force_after_every_kill(base: Path, expected: dict[str, bytes]) -> int:
    kill_at = 1
    while True:
        root = base / f"force-{kill_at}"
        dump_samples.write_dump(root, OTHER)
        old = dump_samples.snapshot(root)
        if run(kill_at, root, force=True):
            break
        if (root / "index.json").exists():
            now = dump_samples.snapshot(root)
            assert now == expected or {name: now[name] for name in old} == old, f"a mixture after {kill_at}"
            score_dump.ScoreDump.open(root).verify()
        force = kill_at % 2 == 0 or not (root / "journal.json").exists()
        assert run(0, root, force=force)
        assert dump_samples.snapshot(root) == expected, f"other bytes after {kill_at}"
        kill_at += 1
    return kill_at - 1


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    dump_samples.write_dump(folder / "whole", ONE)
    whole = dump_samples.snapshot(folder / "whole")
    print(resume_after_every_kill(folder, whole), force_after_every_kill(folder, whole))
