"""A zip from a stranger: its members are named, bounded and checked before and while they are inflated."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa

from refsym_stats.errors import InputError, names

MEMBERS = 1_000_000
MEMBER_BYTES = 1 << 30
TOTAL_BYTES = 1 << 34
RATIO = 500
RATIO_FROM = 1 << 25
"""Below 32 MiB a member may be as repetitive as it likes."""

ZSTANDARD = 93
CHUNK = 1 << 20
LOCAL = struct.Struct("<4s5H3L2H")
"""The local header: signature, ..., length of the name, length of the extra field."""


class Archive:
    """The members of a zip file; nothing is ever written to disk.

    Zstandard, which Python's zipfile cannot read before 3.14, is read too: it is what the logs' writer uses.

    Attributes
    ----------
    members : dict
        By name. Of members with one name the last counts, as for the writer, who supersedes so.
    superseded : int
        Members that a later one of the same name replaces.

    Raises
    ------
    InputError
        It is not a whole zip; a name leads outside; a member is encrypted, a link, or declares a size beyond a limit.
    """

    def __init__(self, file: BinaryIO, where: str) -> None:
        self._file, self._where = file, where
        try:
            with zipfile.ZipFile(file) as directory:
                found = directory.infolist()
        # A damaged directory makes zipfile raise any of these.
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError, OSError, struct.error) as error:
            raise InputError(
                f"{where}: not a whole zip file ({error}); copy it again, or wait until the run has ended"
            ) from error
        if len(found) > MEMBERS:
            raise InputError(f"{where}: {len(found)} members, more than {MEMBERS}; this is not read")
        for info in found:
            self._check(info)
        self.members = {info.filename: info for info in found}
        self.superseded = len(found) - len(self.members)
        total = sum(info.file_size for info in self.members.values())
        if total > TOTAL_BYTES:
            raise InputError(f"{where}: declares {total} bytes in all, more than {TOTAL_BYTES}; it may be a zip bomb")

    def read(self, name: str) -> bytes:
        """Inflate a member, never beyond the size that it declares.

        Raises
        ------
        InputError
            Its data are cut off, damaged, longer or shorter than declared, or compressed in an unknown way.
        """
        info, where = self.members[name], f"{self._where}: {name}"
        packed = self._packed(info, where)
        parts, size = [], 0
        try:
            for part in _inflated(packed, info.compress_type, where):
                parts.append(part)
                size += len(part)
                if size > info.file_size:
                    raise InputError(
                        f"{where}: inflates beyond the {info.file_size} bytes it declares; it may be a zip bomb"
                    )
        except (zlib.error, OSError) as error:
            raise InputError(f"{where}: its data are damaged or cut off ({error}); copy the file again") from error
        data = b"".join(parts)
        if size != info.file_size or zlib.crc32(data) != info.CRC:
            raise InputError(f"{where}: its data are damaged (size or checksum); copy the file again")
        return data

    def _packed(self, info: zipfile.ZipInfo, where: str) -> bytes:
        self._file.seek(info.header_offset)
        header = self._file.read(LOCAL.size)
        if len(header) < LOCAL.size or not header.startswith(b"PK\x03\x04"):
            raise InputError(f"{where}: no member at its place; copy the file again")
        *_, name_length, extra_length = LOCAL.unpack(header)
        # Two names for one member are a trick: what one tool lists, another does not read.
        if self._file.read(name_length) != info.orig_filename.encode("utf-8" if info.flag_bits & 0x800 else "cp437"):
            raise InputError(f"{where}: it is named otherwise at its place; this is not read")
        self._file.seek(extra_length, 1)
        packed = self._file.read(info.compress_size)
        if len(packed) < info.compress_size:
            raise InputError(f"{where}: its data are cut off; copy the file again")
        return packed

    def _check(self, info: zipfile.ZipInfo) -> None:
        name = info.orig_filename
        parts = name.replace("\\", "/").split("/")
        if name != info.filename or "\x00" in name or ".." in parts or parts[0] == "" or parts[0][1:2] == ":":
            raise InputError(
                f"{self._where}: member {name!r} has a name that leads outside the archive; this is not read"
            )
        if stat.S_ISLNK(info.external_attr >> 16):
            raise InputError(f"{self._where}: member {name!r} is a link; this is not read")
        if info.flag_bits & 1:
            raise InputError(f"{self._where}: member {name!r} is encrypted; decrypt it first")
        if info.file_size > MEMBER_BYTES or info.file_size > max(RATIO_FROM, RATIO * info.compress_size):
            raise InputError(
                f"{self._where}: member {name!r} declares {info.file_size} bytes out of {info.compress_size}; "
                "it may be a zip bomb"
            )


def _inflated(packed: bytes, method: int, where: str) -> Iterator[bytes]:
    if method == zipfile.ZIP_STORED:
        yield packed
    elif method == zipfile.ZIP_DEFLATED:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        while not inflater.eof:
            part = inflater.decompress(packed, CHUNK)
            if not part and not inflater.eof:
                raise zlib.error("it ends too early")
            packed = inflater.unconsumed_tail
            yield part
    elif method == ZSTANDARD:
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
            while part := stream.read(CHUNK):
                yield part
    else:
        known = names(("stored", "deflate", "zstandard"))
        raise InputError(f"{where}: compressed by method {method}; {known} are read")
