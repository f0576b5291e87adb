"""One shard of a score dump: its tensors, every check on them, and a reader that needs numpy alone."""

import hashlib
import math
import stat
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from refsym_theory.selection.dump_record import (
    DumpSettings,
    ScoreDumpError,
    ShardEntry,
    parse_json,
    take_keys,
)
from refsym_theory.selection.geometry import LayerGeometry

# A tile's masses sum to 1 up to the float32 rounding of a softmax over all keys, which grows like the root of
# their number: about 2e-5 at 128K keys. A block left out of a tile that sees it would almost always show.
MASS_SUM_TOLERANCE = 1e-3

_CHUNK = 1 << 20
_MAX_HEADER = 1 << 20
_DTYPES: dict[str, np.dtype[Any]] = {
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "I32": np.dtype("<i4"),
    "I64": np.dtype("<i8"),
}
_TENSORS = {
    "scores": "F32",
    "indptr": "I64",
    "indices": "I32",
    "forced": "I32",
    "step_sq_sum": "F64",
    "step_count": "I64",
    "half_diff_sq_sum": "F64",
    "half_diff_count": "I64",
}
_MASS_TENSORS = {"mass": "F32", "value_radius": "F32"}


@dataclass(frozen=True, eq=False)
class ShardArrays:
    """The tensors of one shard, with H heads, P visible pairs, Q_t tiles and F forced pairs.

    Attributes
    ----------
    scores : float32 [H, P]
        Tile scores of the visible pairs, times the attention scale.
    indptr : int64 [Q_t + 1]
        CSR offsets of the tiles.
    indices : int32 [P]
        Visible blocks, ascending within a tile.
    forced : int32 [F, 2]
        (tile, block) pairs kept regardless of their score.
    step_sq_sum, step_count : float64 [H], int64 [H]
        Sum and count of squared row-score differences between adjacent rows.
    half_diff_sq_sum, half_diff_count : float64 [H], int64 [H]
        The same for the centred differences between even and odd rows.
    mass : float32 [H, P] or None
        Dense softmax mass of each block, mean over the tile's real rows; a tile's masses sum to 1.
    value_radius : float32 [H] or None
        Largest distance of a value vector from the mean value.
    """

    scores: NDArray[np.float32]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    forced: NDArray[np.int32]
    step_sq_sum: NDArray[np.float64]
    step_count: NDArray[np.int64]
    half_diff_sq_sum: NDArray[np.float64]
    half_diff_count: NDArray[np.int64]
    mass: NDArray[np.float32] | None
    value_radius: NDArray[np.float32] | None


class ShardReader:
    """One shard, read head by head with numpy alone; a context manager.

    Rows are read into memory of their own rather than mapped: mapped pages count as memory used.

    Attributes
    ----------
    entry : ShardEntry
        What the index says of the shard.
    has_mass : bool
        Whether ``mass(head)`` and ``value_radius`` are there.
    indptr, indices, forced, step_sq_sum, step_count, half_diff_sq_sum, half_diff_count, value_radius
        As in `ShardArrays`.
    """

    def __init__(self, root: Path, entry: ShardEntry, *, with_mass: bool) -> None:
        self.entry = entry
        self.has_mass = with_mass
        self._where = str(root / entry.path)
        path = locate(root, entry)
        try:
            self._file: BufferedReader = path.open("rb")
        except OSError as error:
            raise unreadable(self._where, error) from error
        try:
            self._tensors = _read_header(self._where, self._file, entry.bytes, with_mass)
            self._check_shapes()
            self.indptr: NDArray[np.int64] = self._read("indptr")
            self.indices: NDArray[np.int32] = self._read("indices")
            self.forced: NDArray[np.int32] = self._read("forced")
            self.step_sq_sum: NDArray[np.float64] = self._read("step_sq_sum")
            self.step_count: NDArray[np.int64] = self._read("step_count")
            self.half_diff_sq_sum: NDArray[np.float64] = self._read("half_diff_sq_sum")
            self.half_diff_count: NDArray[np.int64] = self._read("half_diff_count")
            self.value_radius: NDArray[np.float32] | None = self._read("value_radius") if with_mass else None
            _check_visibility(self._where, entry.geometry, self.indptr, self.indices, self.forced)
            _check_sums(self._where, "step", self.step_sq_sum, self.step_count)
            _check_sums(self._where, "half_diff", self.half_diff_sq_sum, self.half_diff_count)
            if self.value_radius is not None:
                _check_radius(self._where, self.value_radius)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def scores(self, head: int) -> NDArray[np.float32]:
        """Tile scores of one head, float32 [P].

        Raises
        ------
        ScoreDumpError
            A score is not finite: names shard, head, tile and block.
        """
        row: NDArray[np.float32] = self._read("scores", head)
        _check_finite(self._where, "scores", head, row, self.indptr, self.indices)
        return row

    def mass(self, head: int) -> NDArray[np.float32]:
        """Softmax masses of one head, float32 [P]; each tile's sum to 1.

        Raises
        ------
        ScoreDumpError
            The dump has no mass, a mass is not finite or negative, or a tile's do not sum to about 1.
        """
        if not self.has_mass:
            raise ScoreDumpError(f"{self._where}: no tensor 'mass', the dump was made with --no-mass")
        row: NDArray[np.float32] = self._read("mass", head)
        _check_mass(self._where, head, row, self.indptr, self.indices)
        return row

    def check_hash(self) -> None:
        """Compare the file's SHA-256 with the index.

        Raises
        ------
        ScoreDumpError
            They differ.
        """
        try:
            self._file.seek(0)
            found = stream_sha256(self._file)
        except OSError as error:
            raise unreadable(self._where, error) from error
        if found != self.entry.sha256:
            raise ScoreDumpError(
                f"{self._where}: SHA-256 is {found}, the index says {self.entry.sha256}: the file was changed"
            )

    def _check_shapes(self) -> None:
        # The tile count and P come first from geometry and header, so that no false index can ask for memory
        # that the file does not back.
        geometry, tensors = self.entry.geometry, self._tensors
        tiles = geometry.q_tiles
        forced = tensors["forced"].shape[0] if tensors["forced"].shape else 0
        expected = _shapes(geometry.heads, tiles, self.entry.pairs, forced, self.has_mass)
        for name, shape in expected.items():
            _check_shape(self._where, name, tensors[name].shape, shape)
        _check_pairs(self._where, geometry, self.entry.pairs)

    def _read(self, name: str, row: int | None = None) -> NDArray[Any]:
        """A tensor, or one row of it."""
        tensor = self._tensors[name]
        shape, start = tensor.shape, tensor.start
        if row is not None:
            if not 0 <= row < shape[0]:
                raise IndexError(f"head {row} of {shape[0]}")
            shape = shape[1:]
            start += row * math.prod(shape) * tensor.dtype.itemsize
        array = np.empty(shape, tensor.dtype)
        try:
            self._file.seek(start)
            count = self._file.readinto(array.data.cast("B")) if array.size else 0
        except OSError as error:
            raise unreadable(self._where, error) from error
        if count != array.nbytes:
            raise ScoreDumpError(f"{self._where}: tensor '{name}' ends early: the file is truncated")
        return array


def locate(root: Path, entry: ShardEntry) -> Path:
    """The shard's real path, after checking that it is a file of the right size inside the dump."""
    where = root / entry.path
    try:
        real = where.resolve(strict=True)
        status = real.stat()
    except FileNotFoundError as error:
        raise ScoreDumpError(f"{where}: missing, though the index lists it") from error
    except (OSError, RuntimeError) as error:
        raise ScoreDumpError(f"{where}: cannot be read: {error}") from error
    if not real.is_relative_to(root.resolve()):
        raise ScoreDumpError(f"{where}: leaves the dump through a symbolic link, to {real}")
    if not stat.S_ISREG(status.st_mode):
        raise ScoreDumpError(f"{where}: is not a regular file")
    if status.st_size != entry.bytes:
        raise ScoreDumpError(f"{where}: has {status.st_size} bytes, the index says {entry.bytes}: truncated or changed")
    return real


@dataclass(frozen=True)
class _Tensor:
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int


def _read_header(where: str, file: BufferedReader, size: int, with_mass: bool) -> dict[str, _Tensor]:
    """Parse a safetensors header: 8 bytes of length, JSON, then the tensors' bytes without gaps.

    Raises
    ------
    ScoreDumpError
        Not a safetensors file, or not with the tensors of the format.
    """
    try:
        file.seek(0)
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _MAX_HEADER):
            raise ScoreDumpError(f"{where}: not a safetensors file: its header would be {length} bytes long")
        header = parse_json(f"{where}: header", file.read(length))
    except OSError as error:
        raise unreadable(where, error) from error
    if not isinstance(header, dict):
        raise ScoreDumpError(f"{where}: header must be an object")
    header.pop("__metadata__", None)
    expected = _TENSORS | (_MASS_TENSORS if with_mass else {})
    for name in expected:
        if name not in header:
            raise ScoreDumpError(f"{where}: no tensor '{name}'")
    tensors: dict[str, _Tensor] = {}
    spans = []
    for name, item in header.items():
        if name not in expected:
            raise ScoreDumpError(f"{where}: unexpected tensor {name!r}")
        values = take_keys(f"{where}: tensor '{name}'", item, ("dtype", "shape", "data_offsets"))
        if values["dtype"] != expected[name]:
            raise ScoreDumpError(f"{where}: tensor '{name}' has dtype {values['dtype']!r}, expected {expected[name]!r}")
        shape, offsets = (_whole_numbers(where, name, values[key]) for key in ("shape", "data_offsets"))
        dtype: np.dtype[Any] = _DTYPES[expected[name]]
        if len(offsets) != 2 or offsets[1] - offsets[0] != math.prod(shape) * dtype.itemsize:
            raise ScoreDumpError(f"{where}: tensor '{name}' has data_offsets that do not fit its shape")
        tensors[name] = _Tensor(dtype, shape, 8 + length + offsets[0])
        spans.append(offsets)
    end = 0
    for begin, stop in sorted(spans):
        if begin != end:
            raise ScoreDumpError(f"{where}: its tensors overlap or leave a gap at byte {end} of the data")
        end = stop
    if 8 + length + end != size:
        raise ScoreDumpError(f"{where}: its tensors take {8 + length + end} bytes, the file has {size}")
    return tensors


def _whole_numbers(where: str, name: str, values: object) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(type(value) is int and value >= 0 for value in values):
        raise ScoreDumpError(f"{where}: tensor '{name}' has a shape or offsets that are not whole numbers")
    return tuple(values)


def _shapes(heads: int, tiles: int, pairs: int, forced: int, with_mass: bool) -> dict[str, tuple[int, ...]]:
    per_head = ("step_sq_sum", "step_count", "half_diff_sq_sum", "half_diff_count")
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(per_head, (heads,))
    shapes |= {"scores": (heads, pairs), "indptr": (tiles + 1,), "indices": (pairs,), "forced": (forced, 2)}
    return shapes | ({"mass": (heads, pairs), "value_radius": (heads,)} if with_mass else {})


def check_place(where: str, settings: DumpSettings, example: int, layer: int, geometry: LayerGeometry) -> None:
    """Check that a shard to be written has a prompt, a layer and the blocks of its dump."""
    if not 0 <= example < len(settings.prompts):
        raise ScoreDumpError(f"{where}: example {example} has no prompt: there are {len(settings.prompts)}")
    if layer < 0:
        raise ScoreDumpError(f"{where}: layer must not be negative")
    for name in ("block_m", "block_n"):
        if getattr(geometry, name) != getattr(settings, name):
            raise ScoreDumpError(
                f"{where}: {name} is {getattr(geometry, name)}, the settings say {getattr(settings, name)}"
            )


def check_arrays(
    where: str, geometry: LayerGeometry, arrays: ShardArrays, *, with_mass: bool
) -> dict[str, NDArray[Any]]:
    """The shard's tensors by name, contiguous, after every check that a reader will make."""
    expected = _TENSORS | (_MASS_TENSORS if with_mass else {})
    shapes = _shapes(geometry.heads, geometry.q_tiles, np.size(arrays.indices), len(arrays.forced), with_mass)
    tensors: dict[str, NDArray[Any]] = {}
    for name in _TENSORS | _MASS_TENSORS:
        array = getattr(arrays, name)
        if (array is None) != (name not in expected):
            state = "missing" if array is None else "given"
            raise ScoreDumpError(f"{where}: tensor '{name}' is {state}, but with_mass is {with_mass}")
        if array is None:
            continue
        if array.dtype != _DTYPES[expected[name]]:
            raise ScoreDumpError(
                f"{where}: tensor '{name}' has dtype {array.dtype}, expected {_DTYPES[expected[name]]}"
            )
        _check_shape(where, name, array.shape, shapes[name])
        tensors[name] = np.ascontiguousarray(array)
    _check_pairs(where, geometry, arrays.indices.size)
    _check_visibility(where, geometry, arrays.indptr, arrays.indices, arrays.forced)
    for head in range(geometry.heads):
        _check_finite(where, "scores", head, arrays.scores[head], arrays.indptr, arrays.indices)
        if arrays.mass is not None:
            _check_mass(where, head, arrays.mass[head], arrays.indptr, arrays.indices)
    _check_sums(where, "step", arrays.step_sq_sum, arrays.step_count)
    _check_sums(where, "half_diff", arrays.half_diff_sq_sum, arrays.half_diff_count)
    if arrays.value_radius is not None:
        _check_radius(where, arrays.value_radius)
    return tensors


def _check_shape(where: str, name: str, found: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if found != expected:
        raise ScoreDumpError(f"{where}: tensor '{name}' has shape {list(found)}, expected {list(expected)}")


def _check_pairs(where: str, geometry: LayerGeometry, pairs: int) -> None:
    first, _, last = geometry.visible_range()
    visible = int((last - first + 1).sum())
    if pairs != visible:
        raise ScoreDumpError(f"{where}: P is {pairs}, but the layer's shape gives {visible} visible pairs")


def _check_visibility(
    where: str,
    geometry: LayerGeometry,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    forced: NDArray[np.int32],
) -> None:
    """The pairs must be those that the geometry gives; the message names the first that is not."""
    visible = geometry.visible()
    wrong = np.flatnonzero(indptr != visible.indptr)
    if wrong.size:
        at = int(wrong[0])
        raise ScoreDumpError(
            f"{where}: tensor 'indptr' is {indptr[at]} at {at}, the layer's shape gives {visible.indptr[at]}"
        )
    wrong = np.flatnonzero(indices != visible.indices)
    if wrong.size:
        at = int(wrong[0])
        tile = _tile_of(at, indptr)
        ascending = bool(np.all(np.diff(indices[indptr[tile] : indptr[tile + 1]]) > 0))
        fault = "not visible by the layer's shape" if ascending else "not in ascending order"
        raise ScoreDumpError(f"{where}: tensor 'indices': tile {tile}, block {indices[at]}: {fault}")
    if np.array_equal(forced, visible.forced):
        return
    found, expected = ({(int(t), int(b)) for t, b in pairs} for pairs in (forced, visible.forced))
    for tile, block in sorted(found ^ expected):
        if (tile, block) in expected:
            fault = "must be forced (block 0 or the diagonal)"
        elif 0 <= tile < geometry.q_tiles and block in visible.indices[indptr[tile] : indptr[tile + 1]]:
            fault = "must not be forced (neither block 0 nor the diagonal)"
        else:
            fault = "is not visible"
        raise ScoreDumpError(f"{where}: tensor 'forced': tile {tile}, block {block}: {fault}")
    raise ScoreDumpError(f"{where}: tensor 'forced' must be sorted by tile and block, without repeats")


def _check_sums(where: str, name: str, sums: NDArray[np.float64], counts: NDArray[np.int64]) -> None:
    for head, (total, count) in enumerate(zip(sums.tolist(), counts.tolist(), strict=True)):
        if count < 0:
            raise ScoreDumpError(f"{where}: tensor '{name}_count': head {head}: negative ({count})")
        if not math.isfinite(total) or total < 0:
            raise ScoreDumpError(f"{where}: tensor '{name}_sq_sum': head {head}: {total} is not finite and >= 0")
        if count == 0 and total > 0:
            raise ScoreDumpError(f"{where}: tensor '{name}_sq_sum': head {head}: {total} from a count of 0")


def _check_radius(where: str, radius: NDArray[np.float32]) -> None:
    for head, value in enumerate(radius.tolist()):
        if not math.isfinite(value) or value < 0:
            raise ScoreDumpError(f"{where}: tensor 'value_radius': head {head}: {value} is not finite and >= 0")


def _check_finite(
    where: str,
    name: str,
    head: int,
    row: NDArray[np.float32],
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
) -> None:
    finite = np.isfinite(row)
    if not finite.all():
        _fail_at(where, name, head, row, int(np.argmin(finite)), indptr, indices, "not finite")


def _check_mass(
    where: str, head: int, row: NDArray[np.float32], indptr: NDArray[np.int64], indices: NDArray[np.int32]
) -> None:
    _check_finite(where, "mass", head, row, indptr, indices)
    if row.min() < 0:
        _fail_at(where, "mass", head, row, int(np.argmin(row)), indptr, indices, "negative")
    sums = np.add.reduceat(row, indptr[:-1], dtype=np.float64)
    wrong = np.flatnonzero(np.abs(sums - 1) > MASS_SUM_TOLERANCE)
    if wrong.size:
        tile = int(wrong[0])
        raise ScoreDumpError(
            f"{where}: tensor 'mass': head {head}, tile {tile}: its blocks sum to {sums[tile]:.6g}, not to 1"
        )


def _fail_at(
    where: str,
    name: str,
    head: int,
    row: NDArray[np.float32],
    at: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    fault: str,
) -> NoReturn:
    tile = _tile_of(at, indptr)
    raise ScoreDumpError(
        f"{where}: tensor '{name}': head {head}, tile {tile}, block {indices[at]}: {fault} ({row[at]})"
    )


def _tile_of(at: int, indptr: NDArray[np.int64]) -> int:
    return int(np.searchsorted(indptr, at, side="right")) - 1


def unreadable(where: str, error: OSError) -> ScoreDumpError:
    """The error for a file that the system does not let us read."""
    return ScoreDumpError(f"{where}: cannot be read: {error.strerror or error}")


def stream_sha256(file: BufferedReader) -> str:
    """SHA-256 in hex of what is left of an open file, read in pieces of 1 MiB."""
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()
