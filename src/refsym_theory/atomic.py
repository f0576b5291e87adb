"""Files that are there whole or not at all."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

TEMPORARY = ".tmp"
"""Suffix of a file that is being written."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write under a temporary name, flush to disk, rename, flush the folder: all or nothing, in order.

    Raises
    ------
    OSError
        The file cannot be written; what stood there before is untouched.
    """
    write_together({path: content})


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write several files, each all or nothing; none takes its place before all are on disk.

    Raises
    ------
    OSError
        A file cannot be written; what stood there before is untouched.
    """
    temporary = {path: path.with_name(path.name + TEMPORARY) for path in contents}
    try:
        for path, content in contents.items():
            with _naming(path), open(temporary[path], "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for path in contents:
            os.replace(temporary[path], path)
    except OSError:
        # Give back the space of half-written files; a later run would clear them anyway.
        for path in temporary.values():
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        raise
    for folder in {path.parent for path in contents}:
        sync_directory(folder)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """A write to a full disk fails without saying of which file."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def sync_directory(path: Path) -> None:
    """Flush a folder's entries to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
