"""Files that are there whole or not at all."""

import contextlib
import os
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
    temporary = path.with_name(path.name + TEMPORARY)
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError:
        # Give back the space of a half-written file; a later run would clear it anyway.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    sync_directory(path.parent)


def sync_directory(path: Path) -> None:
    """Flush a folder's entries to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
