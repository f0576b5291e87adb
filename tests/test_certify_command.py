"""`refsym certify` from end to end: what it writes, what it refuses, and a certificate checked again."""

import errno
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dump_samples import edit_index, edit_shard, snapshot
from refsym import report
from refsym.cli import main
from refsym_theory.selection import recheck as recheck_module
from synthetic_dumps import LAYERS, RHO, SHORT_WINDOW, K, Q, change_score, write_synthetic

Run = Callable[..., tuple[int, str, str]]
Record = dict[str, Any]
CHOICE = ("-k", K, "--rho", RHO, "-q", Q, "--draws", 50)


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_synthetic(tmp_path_factory.mktemp("command") / "dump", examples=2)


@pytest.fixture(scope="module")
def written(dump: Path) -> Path:
    """The folder that the command wrote."""
    out = dump.parent / "out" / "certificate"
    with pytest.raises(SystemExit) as caught:
        main(["certify", str(dump), *map(str, CHOICE), "--out", str(out)])
    assert caught.value.code == 0
    return out


@pytest.fixture(scope="module")
def record(written: Path) -> Record:
    return json.loads((written / "certificate.json").read_text())


def is_one_line(err: str, *parts: object) -> bool:
    assert err.startswith("refsym: error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert len(err) < 600, err
    for part in parts:
        assert str(part) in err, err
    return True


# What it writes


def test_three_files_that_agree(written: Path, record: Record) -> None:
    assert sorted(p.name for p in written.iterdir()) == ["cells.parquet", "certificate.json", "report.html"]
    cells = pd.read_parquet(written / "cells.parquet")
    assert len(cells) == 2 + sum(shape.heads for shape in LAYERS) - 2
    assert cells["kept_error"].isna().equals(cells["layer"] == SHORT_WINDOW)
    read = [None if pd.isna(v) else v for v in cells["regret"].tolist()]
    assert read == record["cells"]["regret"]
    assert record["settings"] | {"k": K, "rho": RHO, "q": Q, "draws": 50, "seed": 0} == record["settings"]
    page = (written / "report.html").read_text()
    assert "<b>model</b>" not in page
    assert "toy/&lt;b&gt;model&lt;/b&gt;" in page
    assert str(written.parent) not in page, "no path of this machine"


def test_the_summary_on_the_terminal(run: Run, dump: Path, tmp_path: Path) -> None:
    code, out, err = run("certify", dump, *CHOICE, "--out", tmp_path / "new" / "folder")
    assert (code, err) == (0, "")
    assert "toy/<b>model</b>, kmean: k=4, rho=2, q=0.4" in out
    assert "captured gain of sigma, identification" in out
    assert f"No tile of layer {SHORT_WINDOW} sees more than rho*k = 8 blocks" in out
    assert out.endswith(f"report: {tmp_path / 'new' / 'folder' / 'report.html'}\n")


def test_json_and_the_same_bytes_again(run: Run, dump: Path, written: Path, record: Record, tmp_path: Path) -> None:
    code, out, err = run("certify", dump, *CHOICE, "--out", tmp_path / "again", "--json")
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["out"] == str(tmp_path / "again")
    assert said["settings"] == record["settings"]
    assert said["kept_error"] == record["summary"]["kept_error"]
    again = snapshot(tmp_path / "again")
    assert again["certificate.json"] == (written / "certificate.json").read_bytes()
    assert again["report.html"] == (written / "report.html").read_bytes()


def test_two_processes_write_the_same(run: Run, dump: Path, written: Path, tmp_path: Path) -> None:
    code, _, err = run("certify", dump, *CHOICE, "--workers", 2, "--out", tmp_path / "out")
    assert (code, err) == (0, "")
    assert (tmp_path / "out/certificate.json").read_bytes() == (written / "certificate.json").read_bytes()


def test_a_folder_that_is_not_empty_needs_force(run: Run, dump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("keep me")
    (out / "report.html").write_text("old")
    before = snapshot(tmp_path)
    code, said, err = run("certify", dump, *CHOICE, "--out", out)
    assert (code, said) == (2, "")
    assert is_one_line(err, out, "not empty", "--force")
    assert snapshot(tmp_path) == before
    code, _, err = run("certify", dump, *CHOICE, "--out", out, "--force", "--draws", 0)
    assert (code, err) == (0, "")
    after = snapshot(out)
    assert after.pop("mine.txt") == b"keep me"
    assert sorted(after) == ["cells.parquet", "certificate.json", "report.html"]
    assert after["report.html"] != b"old"


# What it refuses: one line, exit 2, nothing written over


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder with an earlier report."""
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("cells.parquet", "report.html", "certificate.json"):
        (folder / name).write_text(f"earlier {name}")
    return folder


def refused(run: Run, source: Path, out: Path, *arguments: object, says: tuple[object, ...]) -> None:
    before = snapshot(out)
    code, said, err = run("certify", source, *CHOICE, "--out", out, "--force", *arguments)
    assert (code, said) == (2, "")
    assert is_one_line(err, *says)
    assert snapshot(out) == before
    fresh = out.parent / "fresh"
    assert run("certify", source, *CHOICE, "--out", fresh, *arguments) == (2, "", err)
    assert not fresh.exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-k", 3), ("k=3 keeps no free block", "up to 3 blocks", "use k >= 4")),
        (("-k", 5, "--rho", "1.5"), ("rho*k = 7.5 is not an integer", "k=4 or k=6")),
        (("-k", 1, "--rho", "1.5"), ("rho*k = 1.5 is not an integer", "k=4")),
        (("-k", 0), ("'-k'",)),
        (("-k", 10**30), ("no tile is eligible", "the largest sees 26 blocks", f"rho*k = {2 * 10**30}")),
        (("-k", 13), ("no tile is eligible", "the largest sees 26 blocks", "rho*k = 26 must be fewer")),
        (("--rho", "1"), ("rho must be more than 1",)),
        (("--rho", "two"), ("rho must be a decimal number, not 'two'",)),
        (("--rho", "1e999999999"), ("rho must be a decimal number",)),
        (("--rho", "2." + "0" * 5000), ("rho must be a decimal number",)),
        (("-q", "0"), ("q must lie strictly between 0 and 1, not 0",)),
        (("-q", "1"), ("q must lie strictly between 0 and 1, not 1",)),
        (("-q", "-0.1"), ("q must lie strictly between 0 and 1, not -0.1",)),
        (("-q", "nan"), ("q must be a decimal number, not 'nan'",)),
        (("-q", "inf"), ("q must be a decimal number",)),
        (("-q", "1/0"), ("q must be a decimal number",)),
        (("-q", "1e-999999999"), ("q must be a decimal number",)),
        (("-q", "abc"), ("q must be a decimal number, not 'abc'",)),
        (("--tau", "0"), ("tau must be positive and finite, not 0",)),
        (("--tau", "-1"), ("tau must be positive and finite",)),
        (("--tau", "nan"), ("tau must be positive and finite, not nan",)),
        (("--tau", "inf"), ("tau must be positive and finite, not inf",)),
        (("--tau", "x"), ("'--tau'",)),
        (("--estimator", "guess"), ("'--estimator'",)),
        (("--draws", -1), ("'--draws'",)),
        (("--workers", 0), ("'--workers'",)),
        (("--workers", 2, "--scheduler", "tcp://127.0.0.1:9"), ("--workers or --scheduler, not both",)),
    ],
)
def test_settings(run: Run, dump: Path, out: Path, arguments: tuple[object, ...], says: tuple[object, ...]) -> None:
    refused(run, dump, out, *arguments, says=says)


def set_format(record: Record) -> None:
    record["format"] = 2


def damage(name: str) -> Callable[[Path], None]:
    shard = "shards/1-3.safetensors"

    def apply(root: Path) -> None:
        path = root / shard
        if name == "no index":
            (root / "index.json").unlink()
        elif name == "format":
            edit_index(root, set_format)
        elif name == "missing":
            path.unlink()
        elif name == "truncated":
            path.write_bytes(path.read_bytes()[:-1])
        elif name == "hash":
            change_score(root, 1, 3)
        elif name == "leaves":
            edit_index(root, lambda record: record["shards"][0].update(path="../0-0.safetensors"))
        elif name == "not finite":
            edit_shard(root, shard, lambda t: t["scores"].__setitem__((2, 7), float("inf")))
        else:
            edit_shard(root, shard, lambda t: t["mass"].__setitem__((2, 7), float("nan")))

    return apply


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no index", ("not a score dump", "no index.json")),
        ("format", ("index.json", "format 2", "reads format 1")),
        ("missing", ("1-3.safetensors", "missing")),
        ("truncated", ("1-3.safetensors", "truncated")),
        ("hash", ("1-3.safetensors", "SHA-256", "the file was changed")),
        ("leaves", ("index.json", "leaves the dump")),
        ("not finite", ("1-3.safetensors", "'scores'", "head 2, tile 0, block 7", "not finite (inf)")),
        ("mass", ("1-3.safetensors", "'mass'", "head 2, tile 0, block 7", "not finite (nan)")),
    ],
)
def test_dumps(run: Run, tmp_path: Path, out: Path, name: str, says: tuple[str, ...]) -> None:
    root = write_synthetic(tmp_path / "dump", examples=2)
    damage(name)(root)
    refused(run, root, out, says=(str(root), *says))


def test_no_tau_in_any_head(run: Run, tmp_path: Path, out: Path) -> None:
    root = write_synthetic(tmp_path / "dump", examples=1, noisy=False)
    refused(run, root, out, says=(root, "tau is zero or unmeasured in every head", "--tau"))


def test_no_eligible_tile_in_any_layer(run: Run, tmp_path: Path, out: Path) -> None:
    root = write_synthetic(tmp_path / "dump", examples=1, layers=(LAYERS[SHORT_WINDOW],))
    refused(run, root, out, says=("no tile is eligible", "the largest sees 4 blocks", "rho*k = 8"))


def test_no_dump_at_all_and_out_is_a_file(run: Run, dump: Path, tmp_path: Path) -> None:
    code, _, err = run("certify", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert code == 2
    assert is_one_line(err, tmp_path / "nowhere")
    (tmp_path / "file").write_text("mine")
    code, _, err = run("certify", dump, *CHOICE, "--out", tmp_path / "file", "--force")
    assert code == 2
    assert is_one_line(err, "file: is a file")
    code, _, err = run("certify", dump, *CHOICE, "--out", tmp_path / "file" / "below")
    assert code == 2
    assert is_one_line(err, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file"]


@pytest.mark.parametrize("number", range(1, 5))
def test_a_full_disk(run: Run, dump: Path, out: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever write meets the full disk (the fourth is the first rename): the earlier report is all there."""
    before, calls = snapshot(out), 0
    fsync, replace = os.fsync, os.replace

    def count() -> None:
        nonlocal calls
        calls += 1
        if calls == number:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def full_fsync(handle: int) -> None:
        count()
        fsync(handle)

    def full_replace(source: Path, target: Path) -> None:
        try:
            count()
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(source), None, str(target)) from None
        replace(source, target)

    monkeypatch.setattr(report, "render_certificate", lambda record: "page")
    monkeypatch.setattr(os, "fsync", full_fsync)
    monkeypatch.setattr(os, "replace", full_replace)
    code, said, err = run("certify", dump, *CHOICE, "--draws", 0, "--out", out, "--force")
    assert (code, said) == (2, "")
    assert is_one_line(err, "No space left on device", str(out))
    assert snapshot(out) == before


# --check


def test_its_own_certificate_holds(run: Run, dump: Path, written: Path) -> None:
    before = snapshot(written.parent)
    code, out, err = run("certify", dump, "--check", written / "certificate.json")
    assert (code, err) == (0, "")
    assert out.startswith(f"{written / 'certificate.json'}: holds: ")
    assert out.endswith("values recomputed, 0 differ\n")
    code, out, _ = run("certify", dump, "--check", written / "certificate.json", "--json", "--workers", 2)
    assert code == 0
    assert json.loads(out) | {"holds": True, "differences": [], "versions": []} == json.loads(out)
    assert snapshot(written.parent) == before


@pytest.fixture
def recomputed(record: Record, monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Stand in for the recomputation, which the tests above do in earnest; the settings that it was asked for."""
    asked: list[tuple[object, ...]] = []

    class Found:
        def record(self) -> Record:
            return json.loads(json.dumps(record))

    def stand_in(dump: object, *settings: object, **more: object) -> Found:
        asked.append((*settings, more["seed"]))
        return Found()

    monkeypatch.setattr(recheck_module, "certify", stand_in)
    return asked


def tampered(record: Record, path: tuple[str | int, ...], value: object) -> str:
    changed = json.loads(json.dumps(record))
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return json.dumps(changed)


def check(run: Run, dump: Path, folder: Path, text: str | bytes) -> tuple[int, str, str]:
    path = folder / "claimed.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return run("certify", dump, "--check", path)


@pytest.mark.parametrize(
    ("path", "change", "place"),
    [
        (("summary", "kept_error"), lambda v: v + 2e-9, "summary.kept_error"),
        (("summary", "tiles"), lambda v: v + 1, "summary.tiles"),
        (("cells", "regret", 3), lambda v: None, "cells.regret[3]"),
        (("cells", "output_error_bound", 0), lambda v: v * (1 + 3e-9) + 3e-9, "cells.output_error_bound[0]"),
        (("cells", "note", 0), lambda v: "all is well", "cells.note[0]"),
        (("cells", "sampled_kept_error", 1), lambda v: v + 1e-3, "cells.sampled_kept_error[1]"),
        (("by_q", "risk"), lambda v: v[:-1], "by_q.risk"),
        (("by_q", "risk", 2), lambda v: str(v), "by_q.risk[2]"),
        (("by_q", "risk", 2), lambda v: 10**400, "by_q.risk[2]"),
        (("by_q", "risk", 2), lambda v: True, "by_q.risk[2]"),
        (("gap_distribution", "count", 5), lambda v: v + 1, "gap_distribution.count[5]"),
        (("settings", "expanded"), lambda v: v + 1, "settings.expanded"),
        (("settings", "seed"), lambda v: 7, "settings.seed"),
        (("settings", "q"), lambda v: "0.41", "settings.q"),
        (("source", "prompts", 0, "sha256"), lambda v: "0" * 64, "source.prompts[0].sha256"),
        (("source", "model"), lambda v: "another\nmodel", "source.model"),
        (("notes",), lambda v: [], "notes"),
        (("notes", 0), lambda v: nested(800), "notes[0]"),
        (("extra",), lambda v: 1, "extra: only recorded"),
        (("versions",), lambda v: "new", "versions"),
    ],
)
def test_a_tampered_certificate_does_not_hold(
    run: Run,
    dump: Path,
    record: Record,
    tmp_path: Path,
    recomputed: list[tuple[object, ...]],
    path: tuple[str | int, ...],
    change: Callable[[Any], object],
    place: str,
) -> None:
    value: Any = record
    for step in path:
        value = None if step == "extra" else value[step]
    code, out, err = check(run, dump, tmp_path, tampered(record, path, change(value)))
    assert (code, err) == (1, "")
    assert len(recomputed) == 1
    lines = out.splitlines()
    assert len(lines) == 2, out
    assert lines[0].startswith(place)
    assert lines[1].endswith(" values recomputed, 1 differ")
    assert "DOES NOT HOLD" in lines[1]
    assert all(line.isprintable() and len(line) < 400 for line in lines)


def test_changed_settings_are_recomputed_and_differ(run: Run, dump: Path, record: Record, tmp_path: Path) -> None:
    code, out, err = check(run, dump, tmp_path, tampered(record, ("settings", "seed"), 1))
    assert (code, err) == (1, "")
    assert "sampled" in out
    assert "regret[" not in out.replace("sampled_regret", ""), "the exact numbers hold whatever the seed"
    code, out, err = check(run, dump, tmp_path, tampered(record, ("settings", "q"), "0.35"))
    assert (code, err) == (1, "")
    assert " more\n" in out
    assert len(out.splitlines()) == 22


def test_small_differences_and_other_versions_are_harmless(
    run: Run, dump: Path, record: Record, tmp_path: Path, recomputed: list[tuple[object, ...]]
) -> None:
    changed = json.loads(tampered(record, ("versions", "numpy"), "1.0\x1b[31m"))
    changed["summary"]["kept_error"] *= 1 + 1e-12
    code, out, err = check(run, dump, tmp_path, json.dumps(changed))
    assert (code, err) == (0, "")
    assert out.startswith(r"differs, harmless: versions.numpy: '1.0\x1b[31m' recorded")
    assert ": holds: " in out
    assert recomputed == [(K, RHO, Q, None, 0)]


def nested(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("format",), 2, "not a certificate of format 1"),
        (("format",), [1], "not a certificate of format 1"),
        (("kind",), "refsym comparison", "not a certificate of format 1"),
        (("source",), None, "'source' is None"),
        (("source",), [], "'source' is []"),
        (("source", "index_sha256"), "0" * 64, "not the dump it certifies"),
        (("source", "index_sha256"), nested(900), "not the dump it certifies"),
        (("settings",), "all", "'settings' is 'all'"),
        (("settings", "k"), "4", "settings.k is '4'"),
        (("settings", "k"), 4.0, "settings.k is 4.0"),
        (("settings", "k"), True, "settings.k is True"),
        (("settings", "k"), 10**400, "settings.k is 1000"),
        (("settings", "k"), None, "settings.k is None"),
        (("settings", "k"), 2, "k=2 keeps no free block"),
        (("settings", "rho"), 2, "settings.rho is 2"),
        (("settings", "rho"), "1e999999999", "rho must be a decimal number"),
        (("settings", "q"), ["0.4"], "settings.q is ['0.4']"),
        (("settings", "q"), "1.5", "q must lie strictly between 0 and 1"),
        (("settings", "tau"), "x", "settings.tau is 'x'"),
        (("settings", "tau"), 1.0, "contradict each other"),
        (("settings", "estimator"), "guess", "settings.estimator is 'guess'"),
        (("settings", "estimator"), ["given"], "settings.estimator is ['given']"),
        (("settings", "k_grid"), 4, "settings.k_grid is 4"),
        (("settings", "k_grid"), [[4]], "settings.k_grid is [[4]]"),
        (("settings", "k_grid"), [9999], "k=9999 in the curve over k does not fit"),
        (("settings", "tau_factors"), [None], "settings.tau_factors is [None]"),
        (("settings", "tau_factors"), [-1.0], "tau_factors must be positive"),
        (("settings", "tau_factors"), [10**400], "settings.tau_factors is [1000"),
        (("settings", "draws"), 1e3, "settings.draws is 1000.0"),
        (("settings", "draws"), -1, "settings.draws is -1"),
        (("settings", "seed"), -1, "settings.seed is -1"),
        (("settings", "seed"), {}, "settings.seed is {}"),
    ],
)
def test_what_is_no_certificate_of_this_dump(
    run: Run, dump: Path, record: Record, tmp_path: Path, path: tuple[str | int, ...], value: object, says: str
) -> None:
    code, out, err = check(run, dump, tmp_path, tampered(record, path, value))
    assert (code, out) == (2, "")
    assert is_one_line(err, tmp_path / "claimed.json", says)


@pytest.mark.parametrize("name", ["k", "tau", "draws", "seed"])
def test_a_setting_that_is_not_there(run: Run, dump: Path, record: Record, tmp_path: Path, name: str) -> None:
    changed = json.loads(json.dumps(record))
    del changed["settings"][name]
    code, out, err = check(run, dump, tmp_path, json.dumps(changed))
    assert (code, out) == (2, "")
    assert is_one_line(err, f"'settings' has no '{name}'")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[]", "not a certificate"),
        ("{}", "not a certificate of format 1"),
        ('{"format": NaN}', "NaN is not JSON"),
        ('{"format": 1, "format": 1}', "a key appears twice"),
        ("[" * 100_000, "not valid JSON"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "not valid JSON"),
        (f'{{"format": {"9" * 5000}}}', "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
    ],
)
def test_what_is_no_json(run: Run, dump: Path, tmp_path: Path, text: str | bytes, says: str) -> None:
    code, out, err = check(run, dump, tmp_path, text)
    assert (code, out) == (2, "")
    assert is_one_line(err, tmp_path / "claimed.json", says)


def test_check_against_another_dump_or_from_nowhere(run: Run, written: Path, tmp_path: Path) -> None:
    other = write_synthetic(tmp_path / "other", examples=1)
    code, out, err = run("certify", other, "--check", written / "certificate.json")
    assert (code, out) == (2, "")
    assert is_one_line(err, other, "not the dump it certifies", "the certificate says")
    for path in (tmp_path / "nowhere.json", tmp_path):
        code, out, err = run("certify", other, "--check", path)
        assert (code, out) == (2, "")
        assert is_one_line(err, path)


# In processes of their own

BLOCKED = ("torch", "triton", "transformers", "distributed")


def blocked(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command in a new process that cannot import what only some commands need."""
    words = [str(argument) for argument in arguments]
    code = f"import sys; sys.modules.update(dict.fromkeys({BLOCKED}))\nfrom refsym.cli import main; main({words!r})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_without_torch_in_a_pipe(dump: Path, written: Path, tmp_path: Path) -> None:
    """Neither torch nor Dask is needed; and no bar where stderr is no terminal."""
    assert blocked("certify", "--help").returncode == 0
    verified = blocked("dump", "--verify", dump)
    assert (verified.returncode, verified.stderr) == (0, "")
    done = blocked("certify", dump, *CHOICE, "--out", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out/certificate.json").read_bytes() == (written / "certificate.json").read_bytes()
    asked = blocked("certify", dump, *CHOICE, "--out", tmp_path / "new", "--scheduler", "tcp://127.0.0.1:9")
    assert asked.returncode == 2
    assert is_one_line(asked.stderr, "pip install 'refsym[distributed]'")
    assert not (tmp_path / "new").exists()


def test_the_bar_shows_on_a_terminal(dump: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    words = [str(word) for word in ("certify", dump, *CHOICE, "--out", tmp_path / "out")]
    command = [sys.executable, "-c", f"from refsym.cli import main; main({words!r})"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, env=environment) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # how Linux says that the other side is closed
            pass
        out = process.stdout.read() if process.stdout else b""
    os.close(ours)
    assert process.returncode == 0
    assert b"certifying" in shown
    assert b"8/8" in shown
    assert b"certifying" not in out


TABLES = ("numba", "pandas")
"""What refsym_stats is built on."""


@pytest.mark.parametrize(("package", "needs"), [("refsym_stats", TABLES), ("refsym_theory", ()), ("refsym.cli", ())])
def test_importing_is_light(package: str, needs: tuple[str, ...]) -> None:
    heavy = {"torch", "sympy", "matplotlib", "transformers", "distributed", *TABLES} - {*needs}
    code = f"import sys, {package}; print(*(m for m in {heavy} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_certifying_and_checking_load_neither_torch_nor_sympy(dump: Path, written: Path) -> None:
    heavy = ("torch", "sympy", "matplotlib", "transformers", "distributed", "refsym_gpu")
    code = (
        "import sys\nfrom refsym.cli import main\n"
        f"try:\n    main(['certify', {str(dump)!r}, '--check', {str(written / 'certificate.json')!r}])\n"
        "except SystemExit as end:\n    assert end.code == 0\n"
        f"print('loaded', *(m for m in {heavy} if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded"


def test_check_takes_no_settings_of_its_own(run, tmp_path):
    dump = write_synthetic(tmp_path / "dump", examples=1)
    code, out, err = run("certify", dump, "--check", tmp_path / "none.json", "-k", 4, "--out", tmp_path / "x")
    assert (code, out) == (2, "")
    assert err == (
        "refsym: error: --check takes the certificate's own settings and writes nothing; leave out -k, --out\n"
    )
