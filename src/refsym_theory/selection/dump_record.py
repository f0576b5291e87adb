"""The record of a score dump, ``index.json`` or ``journal.json``: as dataclasses, and as strict JSON."""

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path, PurePosixPath
from typing import Any, NoReturn

from refsym_theory.errors import InputError
from refsym_theory.selection.geometry import LayerGeometry

FORMAT = 1
SCORERS = ("kmean", "quest")
SHARDS = "shards"

_SHA256 = re.compile(r"[0-9a-f]{64}")


class ScoreDumpError(InputError):
    """A dump that cannot be read, trusted or written: one line that names file, tensor or row."""


@dataclass(frozen=True)
class Prompt:
    """One example of a dump.

    Attributes
    ----------
    tokens : int
        Number of token ids.
    sha256 : str
        SHA-256 of the token ids as little-endian int64 bytes, in hex.
    """

    tokens: int
    sha256: str

    def __post_init__(self) -> None:
        _positive("tokens", self.tokens)
        if not isinstance(self.sha256, str) or not _SHA256.fullmatch(self.sha256):
            raise ScoreDumpError(f"sha256 must be 64 hex digits, not {self.sha256!r}")


@dataclass(frozen=True)
class DumpSettings:
    """What determines a dump: the same settings resume it, others are refused.

    Attributes
    ----------
    model, revision : str
        Model id and revision.
    scorer : str
        ``"kmean"`` or ``"quest"``.
    block_m, block_n : int
        Rows of a tile, keys of a block.
    prompts : tuple of Prompt
        One an example, in order.
    with_mass : bool
        Whether the shards hold ``mass`` and ``value_radius``.
    versions : mapping of str to str
        Library versions that the numbers may depend on.
    """

    model: str
    revision: str
    scorer: str
    block_m: int
    block_n: int
    prompts: tuple[Prompt, ...]
    with_mass: bool
    versions: Mapping[str, str]

    def __post_init__(self) -> None:
        for name in ("model", "revision"):
            if not isinstance(getattr(self, name), str):
                raise ScoreDumpError(f"{name} must be a string, not {getattr(self, name)!r}")
        if self.scorer not in SCORERS:
            raise ScoreDumpError(f"scorer must be one of {', '.join(SCORERS)}, not {self.scorer!r}")
        _positive("block_m", self.block_m)
        _positive("block_n", self.block_n)
        if not isinstance(self.with_mass, bool):
            raise ScoreDumpError(f"with_mass must be true or false, not {self.with_mass!r}")
        if not self.prompts:
            raise ScoreDumpError("prompts must not be empty")
        if not all(isinstance(text, str) for pair in self.versions.items() for text in pair):
            raise ScoreDumpError("versions must map names to version strings")


@dataclass(frozen=True)
class ShardEntry:
    """What the index says of one shard.

    Attributes
    ----------
    example, layer : int
        Position of the prompt in the settings, index of the layer in the model.
    path : str
        ``shards/<example>-<layer>.safetensors``, relative to the dump.
    bytes, sha256 : int, str
        Size and SHA-256 of the file.
    pairs : int
        Visible (tile, block) pairs P.
    geometry : LayerGeometry
        Shape of the layer.
    """

    example: int
    layer: int
    path: str
    bytes: int
    sha256: str
    pairs: int
    geometry: LayerGeometry


def format_record(settings: DumpSettings, entries: tuple[ShardEntry, ...]) -> bytes:
    """The text of an index or journal, the same bytes for the same content."""
    record = {
        "format": FORMAT,
        **settings_json(settings),
        "shards": [_entry_json(entry) for entry in entries],
    }
    return (json.dumps(record, indent=1, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def settings_json(settings: DumpSettings) -> dict[str, Any]:
    """The settings as JSON holds them."""
    return {
        "model": settings.model,
        "revision": settings.revision,
        "scorer": settings.scorer,
        "block_m": settings.block_m,
        "block_n": settings.block_n,
        "prompts": [{"tokens": prompt.tokens, "sha256": prompt.sha256} for prompt in settings.prompts],
        "with_mass": settings.with_mass,
        "versions": dict(settings.versions),
    }


def _entry_json(entry: ShardEntry) -> dict[str, Any]:
    geometry = entry.geometry
    return {
        "example": entry.example,
        "layer": entry.layer,
        "path": entry.path,
        "bytes": entry.bytes,
        "sha256": entry.sha256,
        "heads": geometry.heads,
        "kv_heads": geometry.kv_heads,
        "head_dim": geometry.head_dim,
        "scale": geometry.scale,
        "window": geometry.window,
        "q_len": geometry.q_len,
        "kv_len": geometry.kv_len,
        "q_tiles": geometry.q_tiles,
        "n_blocks": geometry.n_blocks,
        "pairs": entry.pairs,
    }


_SETTINGS_KEYS = tuple(field.name for field in fields(DumpSettings))
_ENTRY_KEYS = ("example", "layer", "path", "bytes", "sha256", "pairs", "q_tiles", "n_blocks")
_GEOMETRY_KEYS = ("heads", "kv_heads", "head_dim", "scale", "window", "q_len", "kv_len")


def parse_record(path: Path, content: bytes) -> tuple[DumpSettings, tuple[ShardEntry, ...]]:
    """Settings and sorted entries of an index or journal.

    Raises
    ------
    ScoreDumpError
        Not strict JSON, another format, a key too few or too many, a field that is wrong.
    """
    record = parse_json(str(path), content)
    if not isinstance(record, dict) or "format" not in record:
        raise ScoreDumpError(f"{path}: has no 'format': not a score dump's")
    if type(record["format"]) is not int or record["format"] != FORMAT:
        raise ScoreDumpError(f"{path}: format {record['format']!r}, but this version reads format {FORMAT}")
    values = take_keys(str(path), record, ("format", *_SETTINGS_KEYS, "shards"))
    if not isinstance(values["prompts"], list) or not isinstance(values["versions"], dict):
        raise ScoreDumpError(f"{path}: 'prompts' must be a list and 'versions' an object")
    prompts = []
    for number, item in enumerate(values["prompts"]):
        with _naming(f"{path}: prompts[{number}]"):
            prompts.append(Prompt(**take_keys("prompt", item, ("tokens", "sha256"))))
    with _naming(str(path)):
        settings = DumpSettings(**{key: values[key] for key in _SETTINGS_KEYS} | {"prompts": tuple(prompts)})
    if not isinstance(values["shards"], list):
        raise ScoreDumpError(f"{path}: 'shards' must be a list")
    entries: dict[tuple[int, int], ShardEntry] = {}
    for number, item in enumerate(values["shards"]):
        with _naming(f"{path}: shards[{number}]"):
            entry = _parse_entry(settings, item)
            if (entry.example, entry.layer) in entries:
                raise ScoreDumpError(f"example {entry.example}, layer {entry.layer} is listed twice")
            entries[entry.example, entry.layer] = entry
    return settings, tuple(sorted(entries.values(), key=lambda entry: (entry.layer, entry.example)))


def _parse_entry(settings: DumpSettings, item: object) -> ShardEntry:
    values = take_keys("shard", item, _ENTRY_KEYS + _GEOMETRY_KEYS)
    for name in ("example", "layer", "bytes", "pairs", "q_tiles", "n_blocks"):
        if type(values[name]) is not int or values[name] < 0:
            raise ScoreDumpError(f"{name} must be a whole number, not {values[name]!r}")
    if not isinstance(values["sha256"], str) or not _SHA256.fullmatch(values["sha256"]):
        raise ScoreDumpError(f"sha256 must be 64 hex digits, not {values['sha256']!r}")
    path = values["path"]
    if not isinstance(path, str):
        raise ScoreDumpError(f"path must be a string, not {path!r}")
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
        raise ScoreDumpError(f"path {path!r} leaves the dump")
    expected = shard_path(values["example"], values["layer"])
    if path != expected:
        raise ScoreDumpError(f"path {path!r} should be {expected!r}, by its example and layer")
    geometry = LayerGeometry(
        **{name: values[name] for name in _GEOMETRY_KEYS}, block_m=settings.block_m, block_n=settings.block_n
    )
    for name in ("q_tiles", "n_blocks"):
        if values[name] != getattr(geometry, name):
            raise ScoreDumpError(f"{name} is {values[name]}, but its lengths give {getattr(geometry, name)}")
    if values["example"] >= len(settings.prompts):
        raise ScoreDumpError(f"example {values['example']} has no prompt: there are {len(settings.prompts)}")
    return ShardEntry(
        example=values["example"],
        layer=values["layer"],
        path=path,
        bytes=values["bytes"],
        sha256=values["sha256"],
        pairs=values["pairs"],
        geometry=geometry,
    )


def parse_json(where: str, content: bytes) -> Any:
    """Strict JSON: no NaN or infinity, no key twice."""

    def no_constant(text: str) -> NoReturn:
        raise ValueError(f"{text} is not JSON")

    def no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        record = dict(pairs)
        if len(record) != len(pairs):
            raise ValueError("a key appears twice in one object")
        return record

    try:
        return json.loads(content.decode("utf-8"), parse_constant=no_constant, object_pairs_hook=no_duplicates)
    except (ValueError, RecursionError) as error:
        raise ScoreDumpError(f"{where}: not valid JSON: {error}") from error


def take_keys(where: str, item: object, keys: tuple[str, ...]) -> dict[str, Any]:
    """The object's values, if its keys are exactly these."""
    if not isinstance(item, dict):
        raise ScoreDumpError(f"{where} must be an object")
    for key in keys:
        if key not in item:
            raise ScoreDumpError(f"{where} has no {key!r}")
    for key in item:
        if key not in keys:
            raise ScoreDumpError(f"{where} has an unknown key {key!r}")
    return item


@contextlib.contextmanager
def _naming(where: str) -> Iterator[None]:
    """Put the place in front of an error's message."""
    try:
        yield
    except InputError as error:
        raise ScoreDumpError(f"{where}: {error}") from error


def check_same_settings(root: Path, found: DumpSettings, asked: DumpSettings) -> None:
    """Refuse to resume a dump with other settings; the message shows what differs."""
    there, here = _flat(found), _flat(asked)
    different = [key for key in sorted(there | here) if there.get(key) != here.get(key)]
    if different:
        shown = "; ".join(f"{key} is {there.get(key)!r} there, {here.get(key)!r} here" for key in different[:3])
        more = f" and {len(different) - 3} more" if len(different) > 3 else ""
        raise ScoreDumpError(
            f"{root}: holds a dump with other settings ({shown}{more}): "
            "choose another folder, or --force to start afresh"
        )


def _flat(settings: DumpSettings) -> dict[str, object]:
    flat = settings_json(settings)
    for number, prompt in enumerate(flat.pop("prompts")):
        flat |= {f"prompts[{number}].{key}": value for key, value in prompt.items()}
    return flat | {f"versions.{name}": version for name, version in flat.pop("versions").items()}


def check_complete(where: str, settings: DumpSettings, entries: tuple[ShardEntry, ...]) -> None:
    """Every example must have the same layers, at least one."""
    if not entries:
        raise ScoreDumpError(f"{where}: lists no shard")
    present = {(entry.example, entry.layer) for entry in entries}
    for layer in sorted({entry.layer for entry in entries}):
        for example in range(len(settings.prompts)):
            if (example, layer) not in present:
                raise ScoreDumpError(f"{where}: example {example} lacks layer {layer}")


def _positive(name: str, value: object) -> None:
    if type(value) is not int or value < 1:
        raise ScoreDumpError(f"{name} must be a positive integer, not {value!r}")


def shard_path(example: int, layer: int) -> str:
    """Where a shard lies, relative to the dump."""
    return f"{SHARDS}/{example}-{layer}.safetensors"
