"""Score dumps: round trip, crash safety, and a clear refusal of everything that is not a sound dump."""

import errno
import json
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors import safe_open

from dump_samples import (
    SETTINGS,
    arrays,
    edit_index,
    edit_shard,
    geometry,
    replace_shard,
    snapshot,
    write_dump,
)
from refsym_theory import atomic
from refsym_theory.errors import InputError
from refsym_theory.selection import score_dump
from refsym_theory.selection.score_dump import (
    DumpSettings,
    Prompt,
    ScoreDump,
    ScoreDumpError,
    ScoreDumpWriter,
    ShardArrays,
    file_sha256,
)

SHARD = "shards/1-0.safetensors"
SMALL = geometry(1, 0)
TENSORS = [field.name for field in fields(ShardArrays)]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound dump, to read only."""
    root = tmp_path_factory.mktemp("sound") / "dump"
    write_dump(root)
    return root


@pytest.fixture
def dump(sound: Path, tmp_path: Path) -> Path:
    """A copy of the sound dump, to damage."""
    return Path(shutil.copytree(sound, tmp_path / "dump"))


def expect(root: Path, *parts: str) -> None:
    """Opening and verifying fails with one line that holds the parts."""
    with pytest.raises(ScoreDumpError) as caught:
        ScoreDump.open(root).verify()
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message, message


# Round trip.


def test_every_tensor_comes_back(sound: Path) -> None:
    dump = ScoreDump.open(sound)
    assert dump.settings == SETTINGS
    assert [(entry.layer, entry.example) for entry in dump.entries] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for entry in dump.entries:
        shape = geometry(entry.example, entry.layer)
        assert entry.geometry == shape
        written = arrays(shape, seed=10 * entry.example + entry.layer)
        with dump.shard(entry) as shard:
            assert shard.has_mass
            shard.check_hash()
            for name in set(TENSORS) - {"scores", "mass"}:
                np.testing.assert_array_equal(getattr(shard, name), getattr(written, name), strict=True)
            for head in range(shape.heads):
                np.testing.assert_array_equal(shard.scores(head), written.scores[head], strict=True)
                np.testing.assert_array_equal(shard.mass(head), written.mass[head], strict=True)


def test_the_reader_agrees_with_the_one_of_safetensors(sound: Path) -> None:
    dump = ScoreDump.open(sound)
    for entry in dump.entries:
        with dump.shard(entry) as shard, safe_open(sound / entry.path, framework="numpy") as oracle:
            assert set(oracle.keys()) == set(TENSORS)
            for name in set(TENSORS) - {"scores", "mass"}:
                np.testing.assert_array_equal(getattr(shard, name), oracle.get_tensor(name), strict=True)
            for head in range(entry.geometry.heads):
                np.testing.assert_array_equal(shard.scores(head), oracle.get_slice("scores")[head], strict=True)
                np.testing.assert_array_equal(shard.mass(head), oracle.get_slice("mass")[head], strict=True)


def test_a_header_in_another_order_with_metadata_reads_the_same(dump: Path) -> None:
    from safetensors.numpy import load, save

    tensors = load((dump / SHARD).read_bytes())
    replace_shard(dump, SHARD, save(dict(reversed(tensors.items())), metadata={"note": "x"}))
    ScoreDump.open(dump).verify()


@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    q_len=st.integers(1, 60),
    cached=st.integers(0, 40),
    window=st.none() | st.integers(1, 80),
    scale=st.floats(5e-324, 1e300),
    with_mass=st.booleans(),
)
def test_any_geometry_survives(q_len: int, cached: int, window: int | None, scale: float, with_mass: bool) -> None:
    shape = replace(SMALL, q_len=q_len, kv_len=q_len + cached, window=window, scale=scale)
    one = replace(SETTINGS, prompts=SETTINGS.prompts[:1], with_mass=with_mass)
    with tempfile.TemporaryDirectory() as folder:
        with ScoreDumpWriter(folder, one) as writer:
            written = writer.write(0, 7, shape, arrays(shape, q_len, with_mass=with_mass))
            writer.finish()
        dump = ScoreDump.open(folder)
        dump.verify()
        assert dump.entries == (written,)
        assert dump.entries[0].geometry == shape


def test_without_mass(tmp_path: Path) -> None:
    write_dump(tmp_path / "dump", replace(SETTINGS, with_mass=False))
    dump = ScoreDump.open(tmp_path / "dump")
    dump.verify()
    with dump.shard(dump.entries[0]) as shard:
        assert not shard.has_mass
        assert shard.value_radius is None
        with pytest.raises(ScoreDumpError, match="no tensor 'mass', the dump was made with --no-mass"):
            shard.mass(0)


def test_the_same_content_gives_the_same_bytes(sound: Path, tmp_path: Path) -> None:
    write_dump(tmp_path / "again")
    assert snapshot(tmp_path / "again") == snapshot(sound)
    names = {"index.json", *(f"shards/{e}-{layer}.safetensors" for e in (0, 1) for layer in (0, 1))}
    assert set(snapshot(sound)) == names


def test_the_index_is_plain_sorted_json_with_every_fact(sound: Path) -> None:
    text = (sound / "index.json").read_text()
    record = json.loads(text)
    assert text == json.dumps(record, sort_keys=True, indent=1) + "\n"
    shard = record["shards"][0]
    assert shard["scale"] == 12**-0.5, "a float comes back to the last bit"
    assert (shard["q_tiles"], shard["n_blocks"], shard["kv_len"], shard["window"]) == (6, 4, 53, None)
    assert record["shards"][2]["window"] == 20
    assert record["format"] == 1
    for entry in record["shards"]:
        assert entry["sha256"] == file_sha256(sound / entry["path"])
        assert entry["bytes"] == (sound / entry["path"]).stat().st_size
    assert ScoreDump.open(sound).index_sha256 == file_sha256(sound / "index.json")


def test_a_dump_travels_to_other_processes(sound: Path) -> None:
    dump = pickle.loads(pickle.dumps(ScoreDump.open(sound)))  # noqa: S301  # our own bytes, from the line itself
    assert dump.settings == SETTINGS
    dump.verify()


def test_reading_needs_numpy_alone(sound: Path) -> None:
    code = (
        "import sys; sys.modules['safetensors'] = sys.modules['torch'] = sys.modules['fcntl'] = None\n"
        "from refsym_theory.selection.score_dump import ScoreDump\n"
        f"ScoreDump.open({str(sound)!r}).verify()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_verify_tells_its_progress(sound: Path) -> None:
    calls: list[tuple[int, int]] = []
    ScoreDump.open(sound).verify(progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 4), (2, 4), (3, 4), (4, 4)]


# Writing: crash safety, resuming, refusing.


def test_killed_at_any_step_it_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    script = Path(__file__).with_name("kill_score_dump.py")
    done = subprocess.run(
        [sys.executable, script, tmp_path],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    resumed, forced = map(int, done.stdout.split())
    assert resumed > 50, "each shard and its journal take two dozen steps"
    assert forced > 50


def test_what_is_renamed_was_flushed_and_the_folder_is_flushed_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[tuple[str, str]] = []
    real_fsync, real_replace = os.fsync, os.replace

    def fsync(handle: int) -> None:
        log.append(("fsync", os.readlink(f"/proc/self/fd/{handle}")))
        real_fsync(handle)

    def rename(source: Path, target: Path) -> None:
        log.append(("rename", str(target)))
        flushed = [path for name, path in log if name == "fsync"]
        assert str(source) in flushed or target.name == "index.json"
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", rename)
    write_dump(tmp_path / "dump")
    renames = [i for i, (name, _) in enumerate(log) if name == "rename"]
    assert len(renames) == 1 + 4 * 2 + 1, "an empty journal, four shards and journals, the index"
    for i in renames:
        assert log[i + 1] == ("fsync", str(Path(log[i][1]).parent))
    assert log[renames[-1]] == ("rename", str(tmp_path / "dump" / "index.json"))


def test_a_full_disk_loses_nothing_that_was_written(
    sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "dump"

    class Full:
        def __init__(self, path: Path) -> None:
            self.file = open(path, "wb")  # noqa: SIM115  # closed by __exit__

        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None:
            self.file.close()

        def write(self, content: bytes) -> None:
            self.file.write(content[:100])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def opening(path: Path, mode: str) -> object:
        return Full(path) if Path(path).name == "1-0.safetensors.tmp" else open(path, mode)

    with monkeypatch.context() as patch:
        patch.setattr(atomic, "open", opening, raising=False)
        with pytest.raises(ScoreDumpError, match=r"1-0\.safetensors: No space left on device: .*resume") as caught:
            write_dump(root)
    assert "\n" not in str(caught.value)
    assert set(snapshot(root)) == {"journal.json", "shards/0-0.safetensors", "shards/0-1.safetensors"}
    expect(root, "incomplete, 2 shards are finished but there is no index.json", "same settings")
    with ScoreDumpWriter(root, SETTINGS) as writer:
        assert [writer.done(e, layer) for e in (0, 1) for layer in (0, 1)] == [True, True, False, False]
    write_dump(root)
    assert snapshot(root) == snapshot(sound)


def test_a_journal_that_does_not_fit_the_disk_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "dump"
    with ScoreDumpWriter(root, SETTINGS) as writer:
        writer.write(0, 0, geometry(0, 0), arrays(geometry(0, 0), 0))
        before = (root / "journal.json").read_bytes()

        def failing(path: Path, content: bytes) -> None:
            if path.name == "journal.json":
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            path.write_bytes(content)

        with monkeypatch.context() as patch:
            patch.setattr(score_dump, "write_atomically", failing)
            with pytest.raises(ScoreDumpError, match=r"journal\.json: No space left"):
                writer.write(1, 0, geometry(1, 0), arrays(geometry(1, 0), 10))
        assert (root / "journal.json").read_bytes() == before
        assert not writer.done(1, 0)
        with pytest.raises(ScoreDumpError, match="example 1 lacks layer 0"):
            writer.finish()


def test_leftovers_are_cleared_and_strangers_left(tmp_path: Path, sound: Path) -> None:
    root = tmp_path / "dump"
    with ScoreDumpWriter(root, SETTINGS) as writer:
        writer.write(0, 0, geometry(0, 0), arrays(geometry(0, 0), 0))
    for name in (
        "journal.json.tmp",
        "shards/0-1.safetensors.tmp",
        "shards/7-7.safetensors",
        "shards/notes.txt",
    ):
        (root / name).write_bytes(b"half")
    write_dump(root)
    assert snapshot(root) == snapshot(sound) | {"shards/notes.txt": b"half"}


def test_a_complete_dump_is_left_as_it_is(dump: Path, sound: Path) -> None:
    before = (dump / "index.json").stat()
    write_dump(dump)
    assert (dump / "index.json").stat().st_mtime_ns == before.st_mtime_ns
    assert snapshot(dump) == snapshot(sound)


def test_a_damaged_shard_is_written_again(dump: Path, sound: Path) -> None:
    content = bytearray((dump / SHARD).read_bytes())
    content[-1] ^= 1
    (dump / SHARD).write_bytes(content)
    expect(dump, SHARD)
    write_dump(dump)
    assert snapshot(dump) == snapshot(sound)


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scorer": "quest"}, "scorer is 'kmean' there, 'quest' here"),
        (
            {"versions": {"torch": "2.14.0", "numpy": "2.4.6"}},
            "versions.torch is '2.13.0' there, '2.14.0' here",
        ),
        ({"versions": {"numpy": "2.4.6"}}, "versions.torch is '2.13.0' there, None here"),
        ({"with_mass": False}, "with_mass is True there, False here"),
        ({"prompts": SETTINGS.prompts[:1]}, "prompts[1].tokens is 40 there, None here"),
        ({"block_n": 64, "block_m": 64, "model": "b", "revision": "c"}, "and 1 more"),
    ],
)
def test_other_settings_are_refused_and_nothing_changes(
    tmp_path: Path, complete: bool, change: dict[str, object], message: str
) -> None:
    root = tmp_path / "dump"
    if complete:
        write_dump(root)
    else:
        with ScoreDumpWriter(root, SETTINGS) as writer:
            writer.write(0, 0, geometry(0, 0), arrays(geometry(0, 0), 0))
    before = snapshot(root)
    with pytest.raises(ScoreDumpError, match=re.escape(message)) as caught:
        ScoreDumpWriter(root, replace(SETTINGS, **change))
    assert "other settings" in str(caught.value)
    assert "--force" in str(caught.value)
    assert snapshot(root) == before


def test_force_starts_afresh(dump: Path) -> None:
    other = replace(SETTINGS, scorer="quest", prompts=SETTINGS.prompts[:1])
    write_dump(dump, other, force=True, layers=(0,))
    assert set(snapshot(dump)) == {"index.json", "shards/0-0.safetensors"}
    assert ScoreDump.open(dump).settings == other


def test_force_replaces_a_broken_index(dump: Path, sound: Path) -> None:
    (dump / "index.json").write_text("{")
    with pytest.raises(ScoreDumpError, match=r"index\.json: not valid JSON"):
        ScoreDumpWriter(dump, SETTINGS)
    write_dump(dump, force=True)
    assert snapshot(dump) == snapshot(sound)


@pytest.mark.parametrize("force", [True, False])
def test_a_folder_of_other_things_is_refused_untouched(tmp_path: Path, force: bool) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(ScoreDumpError, match="holds files that are no score dump's"):
        ScoreDumpWriter(tmp_path, SETTINGS, force=force)
    assert snapshot(tmp_path) == {"thesis.tex": b"years of work"}


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "dump").write_text("")
    with pytest.raises(ScoreDumpError, match="is a file; a dump needs a folder"):
        ScoreDumpWriter(tmp_path / "dump", SETTINGS)


def test_shards_behind_a_link_are_not_touched(dump: Path, tmp_path: Path) -> None:
    shutil.move(dump / "shards", tmp_path / "elsewhere")
    (dump / "shards").symlink_to(tmp_path / "elsewhere")
    before = snapshot(tmp_path / "elsewhere")
    with pytest.raises(ScoreDumpError, match="is a symbolic link"):
        ScoreDumpWriter(dump, SETTINGS, force=True)
    assert snapshot(tmp_path / "elsewhere") == before


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with (
        ScoreDumpWriter(tmp_path / "dump", SETTINGS),
        pytest.raises(ScoreDumpError, match="another process is writing this dump"),
    ):
        ScoreDumpWriter(tmp_path / "dump", SETTINGS)
    ScoreDumpWriter(tmp_path / "dump", SETTINGS).close()


def test_finish_wants_every_example_of_every_layer(tmp_path: Path) -> None:
    with ScoreDumpWriter(tmp_path / "dump", SETTINGS) as writer:
        with pytest.raises(ScoreDumpError, match="lists no shard"):
            writer.finish()
        writer.write(0, 0, geometry(0, 0), arrays(geometry(0, 0), 0))
        with pytest.raises(ScoreDumpError, match="example 1 lacks layer 0"):
            writer.finish()
        writer.write(1, 0, geometry(1, 0), arrays(geometry(1, 0), 0))
        assert writer.finish() == tmp_path / "dump" / "index.json"
        with pytest.raises(ScoreDumpError, match="example 1, layer 0 is already written"):
            writer.write(1, 0, geometry(1, 0), arrays(geometry(1, 0), 0))


# What the writer refuses to write, and the reader to read: the same faults in a tensor.


def put(name: str, at: object, value: float) -> Callable[[dict[str, NDArray]], None]:
    def change(tensors: dict[str, NDArray]) -> None:
        tensors[name] = tensors[name].copy()
        tensors[name][at] = value

    return change


def swap(name: str, function: Callable[[NDArray], NDArray]) -> Callable[[dict[str, NDArray]], None]:
    def change(tensors: dict[str, NDArray]) -> None:
        tensors[name] = np.ascontiguousarray(function(tensors[name]))

    return change


# Example 1, layer 0: tiles of 8 rows, blocks of 16 keys; tile 3 sees blocks 0 and 1 at pairs 4 and 5, tile
# 4 sees 0, 1, 2 at pairs 6, 7, 8.
TENSOR_FAULTS: dict[str, tuple[Callable[[dict[str, NDArray]], None], str]] = {
    "score nan": (put("scores", (2, 7), math.nan), "'scores': head 2, tile 4, block 1: not finite (nan)"),
    "score inf": (put("scores", (0, 0), -math.inf), "'scores': head 0, tile 0, block 0: not finite (-inf)"),
    "mass nan": (put("mass", (3, 5), math.nan), "'mass': head 3, tile 3, block 1: not finite (nan)"),
    "mass negative": (put("mass", (1, 8), -0.25), "'mass': head 1, tile 4, block 2: negative (-0.25)"),
    "mass sum": (put("mass", (1, 6), 3.0), "'mass': head 1, tile 4: its blocks sum to 3."),
    "mass lost": (put("mass", (1, 0), 0.99), "'mass': head 1, tile 0: its blocks sum to 0.99, not to 1"),
    "dtype": (swap("scores", lambda a: a.astype(np.float64)), "'scores' has dtype"),
    "dtype of indices": (swap("indices", lambda a: a.astype(np.int64)), "'indices' has dtype"),
    "heads": (swap("scores", lambda a: a[:3]), "'scores' has shape [3, 9], expected [4, 9]"),
    "P of scores": (swap("scores", lambda a: a[:, :8]), "'scores' has shape [4, 8], expected [4, 9]"),
    "P of mass": (swap("mass", lambda a: a[:, :8]), "'mass' has shape [4, 8], expected [4, 9]"),
    "Q_t": (swap("indptr", lambda a: a[:-1]), "'indptr' has shape [5], expected [6]"),
    "forced shape": (swap("forced", lambda a: a[:, :1]), "'forced' has shape [8, 1], expected [8, 2]"),
    "counts shape": (swap("step_count", lambda a: a[:-1]), "'step_count' has shape [3], expected [4]"),
    "indptr": (put("indptr", 3, 3), "'indptr' is 3 at 3, the layer's shape gives 4"),
    "order": (
        swap("indices", lambda a: a[[0, 1, 2, 3, 5, 4, 6, 7, 8]]),
        "'indices': tile 3, block 1: not in asc",
    ),
    "not visible": (put("indices", 5, 2), "'indices': tile 3, block 2: not visible by the layer's shape"),
    "repeated": (put("indices", 5, 0), "'indices': tile 3, block 0: not in ascending order"),
    "forced not visible": (
        swap("forced", lambda a: np.insert(a, 1, np.array([0, 1], np.int32), axis=0)),
        "'forced': tile 0, block 1: is not visible",
    ),
    "forced too many": (
        swap("forced", lambda a: np.insert(a, 6, np.array([4, 1], np.int32), axis=0)),
        "'forced': tile 4, block 1: must not be forced",
    ),
    "forced too few": (swap("forced", lambda a: a[:-1]), "'forced': tile 4, block 2: must be forced"),
    "forced order": (swap("forced", lambda a: a[::-1]), "'forced' must be sorted"),
    "forced twice": (swap("forced", lambda a: np.repeat(a, 2, axis=0)), "'forced' must be sorted"),
    "forced none": (swap("forced", lambda a: a[:0]), "'forced': tile 0, block 0: must be forced"),
    "step count": (put("step_count", 2, -1), "'step_count': head 2: negative (-1)"),
    "step sum": (put("step_sq_sum", 1, math.inf), "'step_sq_sum': head 1: inf is not finite and >= 0"),
    "half count": (put("half_diff_count", 0, -5), "'half_diff_count': head 0: negative (-5)"),
    "half sum": (put("half_diff_sq_sum", 3, -1.0), "'half_diff_sq_sum': head 3: -1.0 is not finite and >= 0"),
    "sum of nothing": (put("half_diff_count", 3, 0), "'half_diff_sq_sum': head 3: "),
    "radius": (put("value_radius", 2, math.nan), "'value_radius': head 2: nan is not finite and >= 0"),
}


@pytest.mark.parametrize("fault", TENSOR_FAULTS)
def test_a_faulty_tensor_is_named_on_reading(dump: Path, fault: str) -> None:
    change, message = TENSOR_FAULTS[fault]
    edit_shard(dump, SHARD, change)
    expect(dump, str(dump / SHARD), message)


@pytest.mark.parametrize("fault", TENSOR_FAULTS)
def test_a_faulty_tensor_is_named_on_writing_and_nothing_written(tmp_path: Path, fault: str) -> None:
    change, message = TENSOR_FAULTS[fault]
    tensors = vars(arrays(SMALL, 10)).copy()
    change(tensors)
    with ScoreDumpWriter(tmp_path / "dump", SETTINGS) as writer:
        with pytest.raises(ScoreDumpError, match=re.escape(message)) as caught:
            writer.write(1, 0, SMALL, ShardArrays(**tensors))
        assert str(tmp_path / "dump" / SHARD) in str(caught.value)
        assert list(snapshot(tmp_path / "dump")) == ["journal.json"]


@pytest.mark.parametrize("name", TENSORS)
def test_an_absent_tensor_is_named(dump: Path, name: str) -> None:
    edit_shard(dump, SHARD, lambda tensors: tensors.pop(name))
    expect(dump, SHARD, f"no tensor '{name}'")


def test_a_tensor_too_many_is_named(dump: Path) -> None:
    edit_shard(dump, SHARD, lambda tensors: tensors.update(more=np.zeros(1)))
    expect(dump, SHARD, "unexpected tensor 'more'")


def test_the_writer_wants_mass_exactly_when_the_settings_say_so(tmp_path: Path) -> None:
    with (
        ScoreDumpWriter(tmp_path / "a", SETTINGS) as writer,
        pytest.raises(ScoreDumpError, match="is missing"),
    ):
        writer.write(1, 0, SMALL, arrays(SMALL, 10, with_mass=False))
    without = replace(SETTINGS, with_mass=False)
    with ScoreDumpWriter(tmp_path / "b", without) as writer, pytest.raises(ScoreDumpError, match="is given"):
        writer.write(1, 0, SMALL, arrays(SMALL, 10))


@pytest.mark.parametrize(
    ("example", "layer", "shape", "message"),
    [
        (2, 0, SMALL, "example 2 has no prompt: there are 2"),
        (-1, 0, SMALL, "example -1 has no prompt"),
        (1, -1, SMALL, "layer must not be negative"),
        (1, 0, replace(SMALL, block_n=8), "block_n is 8, the settings say 16"),
        (1, 0, replace(SMALL, kv_len=41), "P is 9, but the layer's shape gives 11 visible pairs"),
    ],
)
def test_the_writer_wants_a_place_that_exists(
    tmp_path: Path, example: int, layer: int, shape: object, message: str
) -> None:
    with (
        ScoreDumpWriter(tmp_path / "dump", SETTINGS) as writer,
        pytest.raises(ScoreDumpError, match=re.escape(message)),
    ):
        writer.write(example, layer, shape, arrays(SMALL, 10))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scorer": "mean"}, "scorer must be one of kmean, quest, not 'mean'"),
        ({"block_m": 0}, "block_m must be a positive integer"),
        ({"model": None}, "model must be a string"),
        ({"prompts": ()}, "prompts must not be empty"),
        ({"with_mass": 1}, "with_mass must be true or false"),
        ({"versions": {"torch": 2}}, "versions must map names to version strings"),
    ],
)
def test_settings_are_checked(change: dict[str, object], message: str) -> None:
    with pytest.raises(ScoreDumpError, match=message):
        replace(SETTINGS, **change)
    with pytest.raises(ScoreDumpError, match="sha256 must be 64 hex digits"):
        Prompt(3, "ABC")
    with pytest.raises(ScoreDumpError, match="tokens must be a positive integer"):
        Prompt(0, "0" * 64)
    assert issubclass(ScoreDumpError, InputError)
    assert isinstance(SETTINGS, DumpSettings)


# Files that are not those of a sound dump.


def test_no_index(dump: Path, tmp_path: Path) -> None:
    (dump / "index.json").unlink()
    expect(dump, str(dump), "not a score dump, there is no index.json")
    expect(tmp_path / "nowhere", "nowhere: not a score dump")


def test_missing_shard(dump: Path) -> None:
    (dump / SHARD).unlink()
    expect(dump, str(dump / SHARD), "missing, though the index lists it")


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_truncated_shard(dump: Path, keep: int) -> None:
    content = (dump / SHARD).read_bytes()
    (dump / SHARD).write_bytes(content[:keep])
    expect(dump, SHARD, f"has {len(content[:keep])} bytes, the index says {len(content)}: truncated or changed")
    replace_shard(dump, SHARD, content[:keep])
    expect(dump, SHARD)


def test_a_shard_truncated_after_it_was_opened(tmp_path: Path) -> None:
    long = replace(geometry(0, 0), q_len=2000, kv_len=2000)  # longer than what a reader buffers
    with ScoreDumpWriter(tmp_path / "dump", replace(SETTINGS, prompts=SETTINGS.prompts[:1])) as writer:
        writer.write(0, 0, long, arrays(long, 0))
        writer.finish()
    opened = ScoreDump.open(tmp_path / "dump")
    with opened.shard(opened.entries[0]) as shard:
        os.truncate(tmp_path / "dump" / opened.entries[0].path, opened.entries[0].bytes // 2)
        with pytest.raises(ScoreDumpError, match="the file is truncated"):
            shard.scores(3)


def test_every_changed_byte_is_noticed(dump: Path) -> None:
    content = (dump / SHARD).read_bytes()
    for at in range(0, len(content), 97):
        (dump / SHARD).write_bytes(content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :])
        expect(dump, SHARD)


def test_shards_exchanged_with_each_other(dump: Path) -> None:
    one, two = dump / SHARD, dump / "shards/0-0.safetensors"
    one_bytes, two_bytes = one.read_bytes(), two.read_bytes()
    replace_shard(dump, SHARD, two_bytes)
    replace_shard(dump, "shards/0-0.safetensors", one_bytes)
    expect(dump, "shards/0-0.safetensors", "has shape")


def test_a_link_that_leaves_the_dump(dump: Path, tmp_path: Path) -> None:
    shutil.move(dump / SHARD, tmp_path / "secret")
    (dump / SHARD).symlink_to(tmp_path / "secret")
    expect(dump, SHARD, "leaves the dump through a symbolic link")


def test_a_folder_link_that_leaves_the_dump(dump: Path, tmp_path: Path) -> None:
    shutil.move(dump / "shards", tmp_path / "elsewhere")
    (dump / "shards").symlink_to(tmp_path / "elsewhere")
    expect(dump, "leaves the dump through a symbolic link")


def test_a_dump_may_itself_lie_behind_a_link(dump: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(dump)
    ScoreDump.open(tmp_path / "link").verify()


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_shard_that_is_no_file(dump: Path, make: Callable[[Path], None]) -> None:
    (dump / SHARD).unlink()
    make(dump / SHARD)
    expect(dump, SHARD, "is not a regular file")


HEADER_FAULTS = {
    "long": ((1 << 62).to_bytes(8, "little"), "its header would be 4611686018427387904 bytes long"),
    "no json": (b"\x02" + bytes(7) + b"{]", "header: not valid JSON"),
    "list": (b"\x02" + bytes(7) + b"[]", "header must be an object"),
    "twice": (b"\x12" + bytes(7) + b'{"scores":1,"scores":2}'[:18], "not valid JSON"),
    "empty": (b"", "not a safetensors file"),
    "deep": ((100_000).to_bytes(8, "little") + b"[" * 100_000, "header: not valid JSON"),
}


@pytest.mark.parametrize("fault", HEADER_FAULTS)
def test_a_faulty_header(dump: Path, fault: str) -> None:
    content, message = HEADER_FAULTS[fault]
    replace_shard(dump, SHARD, content)
    expect(dump, SHARD, message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h["scores"].update(shape=[4, -9]), "'scores' has a shape or offsets that are not whole"),
        (lambda h: h["scores"].update(shape="4"), "'scores' has a shape or offsets that are not whole"),
        (lambda h: h["scores"].update(shape=[4, 8]), "'scores' has data_offsets that do not fit its shape"),
        (lambda h: h["scores"].update(data_offsets=[0]), "'scores' has data_offsets that do not fit"),
        (lambda h: h["scores"].update(dtype="BF16"), "'scores' has dtype 'BF16', expected 'F32'"),
        (lambda h: h["scores"].pop("dtype"), "'scores' has no 'dtype'"),
        (lambda h: h["scores"].update(more=1), "'scores' has an unknown key 'more'"),
        (lambda h: h.update(scores=3), "'scores' must be an object"),
        (lambda h: h["step_count"].update(data_offsets=h["half_diff_count"]["data_offsets"]), "overlap"),
        (lambda h: h["scores"].update(data_offsets=[10**9, 10**9 + 144]), "leave a gap"),
    ],
)
def test_a_header_whose_facts_are_wrong(dump: Path, change: Callable[[dict[str, dict]], object], message: str) -> None:
    content = (dump / SHARD).read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    replace_shard(dump, SHARD, len(text).to_bytes(8, "little") + text + content[8 + length :])
    expect(dump, SHARD, message)


def shard(**change: object) -> Callable[[dict], None]:
    return lambda record: record["shards"][1].update(change)


INDEX_FAULTS: dict[str, tuple[Callable[[dict], object], str]] = {
    "format 2": (lambda r: r.update(format=2), "format 2, but this version reads format 1"),
    "format true": (lambda r: r.update(format=True), "format True"),
    "no format": (lambda r: r.pop("format"), "has no 'format'"),
    "no model": (lambda r: r.pop("model"), "has no 'model'"),
    "unknown key": (lambda r: r.update(extra=1), "has an unknown key 'extra'"),
    "scorer": (lambda r: r.update(scorer="x"), "scorer must be one of kmean, quest"),
    "block_m": (lambda r: r.update(block_m=8.0), "block_m must be a positive integer, not 8.0"),
    "prompts": (lambda r: r.update(prompts={}), "'prompts' must be a list"),
    "prompt": (lambda r: r["prompts"][1].pop("sha256"), "prompts[1]: prompt has no 'sha256'"),
    "prompt hash": (
        lambda r: r["prompts"][1].update(sha256="no"),
        "prompts[1]: sha256 must be 64 hex digits",
    ),
    "shards": (lambda r: r.update(shards={}), "'shards' must be a list"),
    "no shards": (lambda r: r.update(shards=[]), "lists no shard"),
    "shard": (lambda r: r["shards"].append(3), "shards[4]: shard must be an object"),
    "absolute": (shard(path="/etc/passwd"), "shards[1]: path '/etc/passwd' leaves the dump"),
    "parent": (shard(path="shards/../../x"), "shards[1]: path 'shards/../../x' leaves the dump"),
    "other name": (shard(path="shards/x.safetensors"), "should be 'shards/1-0.safetensors'"),
    "path type": (shard(path=None), "path must be a string"),
    "hash type": (shard(sha256=7), "sha256 must be 64 hex digits"),
    "hash": (shard(sha256="0" * 64), "SHA-256 is "),
    "bytes": (shard(bytes=1), "the index says 1: truncated or changed"),
    "bytes type": (shard(bytes="1"), "bytes must be a whole number"),
    "heads": (shard(heads=6), "has shape [4], expected [6]"),
    "kv_heads": (shard(kv_heads=3), "shards[1]: kv_heads must divide heads"),
    "scale": (shard(scale=0.0), "shards[1]: scale must be a finite positive float"),
    "pairs": (shard(pairs=10), "has shape [4, 9], expected [4, 10]"),
    "q_tiles": (shard(q_tiles=4), "shards[1]: q_tiles is 4, but its lengths give 5"),
    "n_blocks": (shard(n_blocks=4), "shards[1]: n_blocks is 4, but its lengths give 3"),
    "length": (shard(q_len=39, kv_len=39, window=16), "P is 9, but the layer's shape gives"),
    "window": (shard(window=40), None),
    "huge": (
        shard(q_len=2**31 - 1, kv_len=2**31 - 1, q_tiles=2**28, n_blocks=2**27),
        "'indptr' has shape [6]",
    ),
    "example": (
        lambda r: r["shards"][1].update(example=5, path="shards/5-0.safetensors"),
        "shards[1]: example 5 has no prompt: there are 2",
    ),
    "twice": (lambda r: r["shards"].append(r["shards"][0]), "shards[4]: example 0, layer 0 is listed twice"),
    "one missing": (lambda r: r["shards"].pop(1), "example 1 lacks layer 0"),
}


@pytest.mark.parametrize("fault", INDEX_FAULTS)
def test_a_faulty_index(dump: Path, fault: str) -> None:
    change, message = INDEX_FAULTS[fault]
    edit_index(dump, change)
    if message is None:  # A window as long as the sequence is no window: the same pairs.
        ScoreDump.open(dump).verify()
    else:
        expect(dump, str(dump), message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("[]", "has no 'format'"),
        ('{"format": NaN}', "NaN is not JSON"),
        ('{"format": 1, "x": -Infinity}', "-Infinity is not JSON"),
        ('{"format": 1, "format": 1}', "a key appears twice"),
        ("[" * 100_000, "not valid JSON"),
        ('{"format": 1' + "0" * 5000 + "}", "not valid JSON"),
    ],
)
def test_an_index_that_is_not_strict_json(dump: Path, text: str, message: str) -> None:
    (dump / "index.json").write_text(text)
    expect(dump, "index.json", message)


def test_an_index_that_is_not_text(dump: Path) -> None:
    (dump / "index.json").write_bytes(b"\xff\xfe{")
    expect(dump, "index.json", "not valid JSON")
