"""Score dumps on disk, format 1: a crash-safe writer, a reader that needs numpy alone, a verifier.

A dump is a directory: ``index.json`` and ``shards/<example>-<layer>.safetensors``, one shard an (example,
layer). While it is written, ``journal.json`` stands in for the index, with the same content for the shards
that are finished; the last step renames it to ``index.json``: an index exists only once the dump is complete.
"""

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from refsym_theory.atomic import TEMPORARY, sync_directory, write_atomically
from refsym_theory.selection.dump_record import (
    FORMAT,
    SHARDS,
    DumpSettings,
    Prompt,
    ScoreDumpError,
    ShardEntry,
    check_complete,
    check_same_settings,
    format_record,
    parse_record,
    shard_path,
)
from refsym_theory.selection.dump_shard import (
    ShardArrays,
    ShardReader,
    check_arrays,
    check_place,
    locate,
    stream_sha256,
    unreadable,
)
from refsym_theory.selection.geometry import LayerGeometry

__all__ = [
    "FORMAT",
    "DumpSettings",
    "Prompt",
    "ScoreDump",
    "ScoreDumpError",
    "ScoreDumpWriter",
    "ShardArrays",
    "ShardEntry",
    "ShardReader",
    "file_sha256",
    "refuse_foreign",
]

INDEX = "index.json"
JOURNAL = "journal.json"

Entries = dict[tuple[int, int], ShardEntry]

_SHARD_NAME = re.compile(r"\d+-\d+\.safetensors(\.tmp)?")


def file_sha256(path: Path | str) -> str:
    """SHA-256 of a file in hex, read in pieces of 1 MiB."""
    with open(path, "rb") as file:
        return stream_sha256(file)


def refuse_foreign(root: Path) -> None:
    """Refuse a place where no dump can go: a file, or a folder that holds other things.

    Raises
    ------
    ScoreDumpError
        Says which of the two it is.
    """
    if root.exists() and not root.is_dir():
        raise ScoreDumpError(f"{root}: is a file; a dump needs a folder")
    names = {item.name for item in root.iterdir()} - {JOURNAL + TEMPORARY} if root.is_dir() else set()
    if names and not names & {INDEX, JOURNAL}:
        raise ScoreDumpError(f"{root}: holds files that are no score dump's; choose an empty folder")


class ScoreDump:
    """A complete dump, opened for reading.

    Attributes
    ----------
    path : Path
        The directory.
    settings : DumpSettings
        What the dump was made with.
    entries : tuple of ShardEntry
        The shards, by layer and then by example.
    index_sha256 : str
        SHA-256 of ``index.json``; it covers every shard through the hashes in the index.
    """

    def __init__(self, path: Path, settings: DumpSettings, entries: tuple[ShardEntry, ...], index_sha256: str) -> None:
        self.path = path
        self.settings = settings
        self.entries = entries
        self.index_sha256 = index_sha256

    @classmethod
    def open(cls, path: Path | str) -> "ScoreDump":
        """Read and check the index, and that every shard is there with its size.

        Raises
        ------
        ScoreDumpError
            No index (incomplete or no dump at all), another format, a field that is wrong, a shard that is
            missing, truncated or outside the dump.
        """
        root = Path(path)
        index = root / INDEX
        if not index.is_file():
            if (root / JOURNAL).is_file():
                _, finished = parse_record(root / JOURNAL, _read_bytes(root / JOURNAL))
                raise ScoreDumpError(
                    f"{root}: incomplete, {len(finished)} shards are finished but there is no {INDEX}: "
                    "run the command that began it again, with the same settings, and it resumes"
                )
            raise ScoreDumpError(f"{root}: not a score dump, there is no {INDEX} in it")
        content = _read_bytes(index)
        settings, entries = parse_record(index, content)
        check_complete(str(index), settings, entries)
        for entry in entries:
            locate(root, entry)
        return cls(root, settings, entries, hashlib.sha256(content).hexdigest())

    def shard(self, entry: ShardEntry) -> "ShardReader":
        """Open one shard and check its size, header, visible pairs and counts (not its hash or its rows).

        Raises
        ------
        ScoreDumpError
            The shard does not fit its entry.
        """
        return ShardReader(self.path, entry, with_mass=self.settings.with_mass)

    def verify(self, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Check every byte: hashes, shapes, visible and forced pairs, counts, finite scores, masses.

        Parameters
        ----------
        progress : callable, optional
            Called with (shards checked, shards in all) after each shard.

        Raises
        ------
        ScoreDumpError
            The first fault found.
        """
        for done, entry in enumerate(self.entries, start=1):
            with self.shard(entry) as shard:
                shard.check_hash()
                for head in range(entry.geometry.heads):
                    shard.scores(head)
                    if shard.has_mass:
                        shard.mass(head)
            if progress is not None:
                progress(done, len(self.entries))


class ScoreDumpWriter:
    """Write a dump, one shard at a time; a context manager.

    Kill it at any instant: the next run with the same settings finds the finished shards through the journal,
    clears what was half written and completes the dump with the same bytes.

    Parameters
    ----------
    directory : Path or str
        The dump; created if absent. It must be empty, or hold a dump.
    settings : DumpSettings
        Settings of the whole dump; those of an existing dump must be equal.
    force : bool
        Start afresh: an existing dump in the directory is discarded.

    Raises
    ------
    ScoreDumpError
        The directory holds other things or a dump with other settings, or another process is writing to it,
        or it cannot be written. What was there is left as it was.
    """

    def __init__(self, directory: Path | str, settings: DumpSettings, *, force: bool = False) -> None:
        self._root = Path(directory)
        self._settings = settings
        self._entries: Entries = {}
        self._lock: int | None = None
        refuse_foreign(self._root)
        try:
            with _writing(self._root):
                self._root.mkdir(parents=True, exist_ok=True)
                self._lock = _lock_directory(self._root)
                self._begin(force)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let other processes write; what is finished stays, to be resumed."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def done(self, example: int, layer: int) -> bool:
        """Whether the shard is finished: journalled, and on disk with the journalled hash."""
        entry = self._entries.get((example, layer))
        if entry is None:
            return False
        try:
            return file_sha256(self._root / entry.path) == entry.sha256
        except OSError:
            return False

    def write(self, example: int, layer: int, geometry: LayerGeometry, arrays: ShardArrays) -> ShardEntry:
        """Check a shard, write it under a temporary name, flush, rename, and enter it into the journal.

        Parameters
        ----------
        example, layer : int
            Which prompt of the settings, which layer of the model.
        geometry : LayerGeometry
            Shape of the layer; its blocks are those of the settings.
        arrays : ShardArrays
            The tensors, visible pairs exactly those of ``geometry.visible()``.

        Returns
        -------
        ShardEntry
            What the index will say.

        Raises
        ------
        ScoreDumpError
            The shard is there already, an array is wrong (names tensor, head, tile, block), or the disk is
            full; what was finished before stays.
        """
        from safetensors.numpy import save

        path = shard_path(example, layer)
        where = str(self._root / path)
        if self.done(example, layer):
            raise ScoreDumpError(f"{where}: example {example}, layer {layer} is already written")
        check_place(where, self._settings, example, layer, geometry)
        tensors = check_arrays(where, geometry, arrays, with_mass=self._settings.with_mass)
        content = save(tensors)
        entry = ShardEntry(
            example=example,
            layer=layer,
            path=path,
            bytes=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            pairs=arrays.indices.size,
            geometry=geometry,
        )
        with _writing(self._root / path):
            self._reopen()
            write_atomically(self._root / path, content)
            entries = self._entries | {(example, layer): entry}
            self._write_journal(entries)
            self._entries = entries
        return entry

    def finish(self) -> Path:
        """Turn the journal into the index.

        Returns
        -------
        Path
            ``index.json``.

        Raises
        ------
        ScoreDumpError
            A shard is missing: every example needs the same layers, and each file its size.
        """
        index, journal = self._root / INDEX, self._root / JOURNAL
        check_complete(str(journal), self._settings, _in_order(self._entries))
        for entry in self._entries.values():
            locate(self._root, entry)
        with _writing(index):
            if journal.exists():
                os.replace(journal, index)
                sync_directory(self._root)
        return index

    def _begin(self, force: bool) -> None:
        """Take over what the directory holds, or refuse it untouched; then clear leftovers."""
        root = self._root
        names = {item.name for item in root.iterdir()}
        if (root / SHARDS).is_symlink():
            raise ScoreDumpError(f"{root / SHARDS}: is a symbolic link; shards must lie inside the dump")
        # A forced restart writes its journal before it discards the old index: the journal is the newer one.
        record = next((root / name for name in (JOURNAL, INDEX) if name in names), None)
        if record is not None and not force:
            found, entries = parse_record(record, _read_bytes(record))
            check_same_settings(root, found, self._settings)
            self._entries = {(entry.example, entry.layer): entry for entry in entries}
        if record is None or force:
            self._write_journal(self._entries)
        if (root / JOURNAL).exists():
            self._reopen()
        (root / (JOURNAL + TEMPORARY)).unlink(missing_ok=True)
        (root / SHARDS).mkdir(exist_ok=True)
        sync_directory(root)
        kept = {entry.path for entry in self._entries.values()}
        for item in sorted((root / SHARDS).iterdir()):
            if _SHARD_NAME.fullmatch(item.name) and f"{SHARDS}/{item.name}" not in kept:
                item.unlink()

    def _reopen(self) -> None:
        """Make the dump incomplete on disk, whichever state it is in: a journal and no index."""
        if not (self._root / JOURNAL).exists():
            self._write_journal(self._entries)
        (self._root / INDEX).unlink(missing_ok=True)
        sync_directory(self._root)

    def _write_journal(self, entries: Entries) -> None:
        write_atomically(self._root / JOURNAL, format_record(self._settings, _in_order(entries)))


def _in_order(entries: Entries) -> tuple[ShardEntry, ...]:
    return tuple(sorted(entries.values(), key=lambda entry: (entry.layer, entry.example)))


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn what the system says while we write, such as a full disk, into one line."""
    try:
        yield
    except OSError as error:
        raise ScoreDumpError(
            f"{error.filename or path}: {error.strerror or error}: cannot write; finished shards are kept: "
            "clear the cause and run the same command again to resume"
        ) from error


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(str(path), error) from error


def _lock_directory(root: Path) -> int:
    """Lock the folder until the handle is closed or the process ends, however it ends."""
    import fcntl  # absent where nothing can be written anyway: reading a dump works without it

    handle = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise ScoreDumpError(f"{root}: another process is writing this dump; wait for it to end") from error
    except OSError:
        pass  # Some network file systems cannot lock; there, one writer at a time is the user's care.
    return handle
