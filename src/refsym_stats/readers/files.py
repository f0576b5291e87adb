"""Reading a file once: its bytes, their hash, their text."""

from __future__ import annotations

import hashlib
from pathlib import Path

from refsym_stats.errors import InputError

GZIP = b"\x1f\x8b"


def content(path: Path) -> bytes:
    """Read a file whole, so that what is hashed is what is parsed."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error


def sha256(data: bytes) -> str:
    """Hash bytes."""
    return hashlib.sha256(data).hexdigest()


def text(data: bytes, where: str) -> str:
    """Decode UTF-8, with or without a byte-order mark.

    Raises
    ------
    InputError
        The file is compressed, or a byte is not UTF-8: its line and its offset are named.
    """
    if data.startswith(GZIP):
        raise InputError(f"{where}: compressed with gzip; unpack it first")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # With the mark, offsets count from behind it.
        offset = error.start + 3 * data.startswith(b"\xef\xbb\xbf")
        line = data.count(b"\n", 0, offset) + 1
        raise InputError(
            f"{where}: line {line} is not UTF-8 (byte 0x{data[offset]:02x} at offset {offset}); save it as UTF-8"
        ) from error
