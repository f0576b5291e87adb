"""The `refsym` command: exit codes, one-line errors, no torch, nothing that data can do to a terminal."""

import io
import json
import resource
import subprocess
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from dump_samples import SETTINGS, edit_index, edit_shard, write_dump
from refsym.cli import main
from refsym.progress import progress
from refsym_theory.errors import InputError
from refsym_theory.selection.score_dump import ScoreDump

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sound") / "dump"
    write_dump(root)
    return root


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """A stand-in for refsym_gpu.dump that writes the sample dump; the calls that it got."""
    calls: list[dict[str, object]] = []

    def dump_model(model_path: Path, prompt_text: object, **options: object) -> Path:
        calls.append({"model": model_path, "prompt": prompt_text, **options})
        options["progress"](1, 4)
        write_dump(options["out"], replace(SETTINGS, with_mass=options["with_mass"]), force=options["force"])
        return options["out"]

    stand_in = types.ModuleType("refsym_gpu.dump")
    stand_in.dump_model = dump_model
    monkeypatch.setitem(sys.modules, "refsym_gpu.dump", stand_in)
    return calls


def is_one_line(err: str, *parts: str) -> bool:
    assert err.startswith("refsym: error: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
    for part in parts:
        assert part in err, err
    return True


def test_version_and_help(run: Run) -> None:
    assert run("--version") == (0, "refsym 0.1.0\n", "")
    code, out, _ = run("--help")
    assert code == 0
    assert "dump" in out
    code, out, _ = run("dump", "--help")
    assert code == 0
    for option in ("--verify", "--model", "--prompt", "--scorer", "--no-mass", "--out", "--force", "--json"):
        assert option in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dmp"], "No such command 'dmp'. Did you mean 'dump'?"),
        (["dump"], "give --model, --prompt and --out, or --verify DIR"),
        (["dump", "--tokens", "0"], "--tokens"),
        (["dump", "--scorer", "mean"], "'--scorer'"),
        (["dump", "--colour"], "No such option"),
        (["dump", "--verify", "x", "--out", "y"], "--verify goes alone"),
        (["dump", "--model", "m", "--prompt", "nowhere.txt", "--out", "o"], "nowhere.txt: No such file"),
    ],
)
def test_usage_errors_are_one_line(
    run: Run, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert is_one_line(err, message)
    assert not list(tmp_path.iterdir())


def test_a_bare_command_prints_its_help(run: Run) -> None:
    code, out, err = run()
    assert (code, err) == (2, "")
    assert "Usage" in out


def test_verify_a_sound_dump(run: Run, sound: Path) -> None:
    code, out, err = run("dump", "--verify", sound)
    assert (code, err) == (0, "")
    assert out.startswith(f"{sound}: OK, every byte checked\n")
    assert "[bold]toy[/bold]/model" in out, "data is not markup"
    assert "[53, 40]" in out
    assert ScoreDump.open(sound).index_sha256 in out, "a hash stays in one piece"


def test_a_summary_keeps_control_characters_from_the_terminal(run: Run, tmp_path: Path) -> None:
    write_dump(tmp_path / "dump", replace(SETTINGS, model="\x1b]0;title\x07\nname"))
    code, out, _ = run("dump", "--verify", tmp_path / "dump")
    assert code == 0
    assert r"\x1b]0;title\x07\nname" in out
    assert "\x1b" not in out


def test_verify_as_json(run: Run, sound: Path) -> None:
    code, out, _ = run("dump", "--verify", sound, "--json")
    assert code == 0
    summary = json.loads(out)
    assert (summary["layers"], summary["shards"], summary["tokens"]) == (2, 4, [53, 40])
    assert summary["index_sha256"] == ScoreDump.open(sound).index_sha256


def test_verify_a_faulty_dump(run: Run, tmp_path: Path) -> None:
    root = tmp_path / "dump"
    write_dump(root)
    edit_shard(root, "shards/1-0.safetensors", lambda t: t["scores"].__setitem__((2, 7), float("nan")))
    code, out, err = run("dump", "--verify", root)
    assert (code, out) == (2, "")
    assert is_one_line(err, "shards/1-0.safetensors", "head 2, tile 4, block 1: not finite (nan)")


def test_verify_nothing(run: Run, tmp_path: Path) -> None:
    code, _, err = run("dump", "--verify", tmp_path)
    assert code == 2
    assert is_one_line(err, str(tmp_path), "not a score dump")


def test_an_error_stays_one_printable_line_whatever_the_data(run: Run, tmp_path: Path) -> None:
    root = tmp_path / "two\nlines\x1b[31m"
    write_dump(root)
    edit_index(root, lambda record: record["shards"][0].update(path="/\r\x1b]0;title\x07\ud800"))
    code, _, err = run("dump", "--verify", root)
    assert code == 2
    assert is_one_line(err, r"two\nlines\x1b[31m")
    assert err.rstrip("\n").isprintable()


def test_dump_hands_its_options_on(run: Run, tmp_path: Path, model: list[dict[str, object]]) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"text {name} é", encoding="utf-8")
    arguments = ("dump", "--model", "folder", "--prompt", tmp_path / "a", "--out", tmp_path / "dump")
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    assert out.startswith(f"{tmp_path / 'dump'}: written\n")
    options = model.pop()
    assert callable(options.pop("progress"))
    assert options == {
        "model": Path("folder"),
        "prompt": "text a é",
        "tokens": 4096,
        "scorer": "kmean",
        "block_m": 64,
        "block_n": 64,
        "with_mass": True,
        "out": tmp_path / "dump",
        "force": False,
    }
    more = ("--prompt", tmp_path / "b", "--tokens", 7, "--scorer", "quest", "--block-m", 8, "--block-n", 9)
    code, out, _ = run(*arguments, *more, "--no-mass", "--force", "--json")
    assert code == 0
    assert json.loads(out)["mass"] is False
    options = model.pop()
    assert options["prompt"] == ["text a é", "text b é"]
    assert [options[name] for name in ("tokens", "scorer", "block_m", "block_n")] == [7, "quest", 8, 9]
    assert (options["with_mass"], options["force"]) == (False, True)


def test_a_prompt_from_stdin(
    run: Run, tmp_path: Path, model: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é".encode()), "ascii"))
    code, _, _ = run("dump", "--model", "folder", "--prompt", "-", "--out", tmp_path / "dump")
    assert code == 0
    assert model[0]["prompt"] == "é"
    (tmp_path / "binary").write_bytes(b"\xff")
    code, _, err = run("dump", "--model", "m", "--prompt", tmp_path / "binary", "--out", tmp_path / "dump")
    assert code == 2
    assert is_one_line(err, "binary: the prompt is not UTF-8 text")


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (InputError("what, where, what to do"), 2, "what, where, what to do"),
        (OSError(28, "No space left on device", "out/x"), 2, "out/x: No space left on device"),
        (ImportError("Please install gguf"), 2, "(Please install gguf): pip install 'refsym[models]'"),
    ],
)
def test_what_goes_wrong_below_is_one_line(
    run: Run,
    tmp_path: Path,
    model: list[dict[str, object]],
    monkeypatch: pytest.MonkeyPatch,
    raised: Exception,
    code: int,
    message: str,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise raised

    (tmp_path / "a").write_text("text")
    monkeypatch.setattr(sys.modules["refsym_gpu.dump"], "dump_model", fail)
    found, _, err = run("dump", "--model", "m", "--prompt", tmp_path / "a", "--out", tmp_path / "dump")
    assert found == code
    assert is_one_line(err, message)


def test_a_fault_of_ours_keeps_its_traceback(
    tmp_path: Path, model: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError("a bug")

    (tmp_path / "a").write_text("text")
    monkeypatch.setattr(sys.modules["refsym_gpu.dump"], "dump_model", fail)
    with pytest.raises(ValueError, match="a bug"):
        main(["dump", "--model", "m", "--prompt", str(tmp_path / "a"), "--out", str(tmp_path / "dump")])


def test_interrupted(run: Run, tmp_path: Path, model: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "a").write_text("text")
    monkeypatch.setattr(sys.modules["refsym_gpu.dump"], "dump_model", interrupt)
    assert run("dump", "--model", "m", "--prompt", tmp_path / "a", "--out", tmp_path / "dump")[0] == 130


BLOCKED = ("torch", "triton", "transformers", "sympy", "matplotlib")


def blocked(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run the command in a new process that cannot import what only some commands need."""
    code = f"import sys; sys.modules.update(dict.fromkeys({BLOCKED}))\nfrom refsym.cli import main; main({arguments!r})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_help_and_verify_without_torch(sound: Path) -> None:
    assert blocked(["--help"]).returncode == 0
    done = blocked(["dump", "--verify", str(sound)])
    assert (done.returncode, done.stderr) == (0, "")
    assert "OK" in done.stdout


def test_dump_without_torch_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    done = blocked(["dump", "--model", "m", "--prompt", str(tmp_path / "a"), "--out", str(tmp_path / "dump")])
    assert done.returncode == 2
    assert is_one_line(done.stderr, "pip install 'refsym[models]'", "torch")
    assert not (tmp_path / "dump").exists()


def test_help_is_quick() -> None:
    command = [sys.executable, "-c", "from refsym.cli import main; main(['--help'])"]
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.6, "seconds of processor time, so that a busy machine does not matter"


def test_the_bar_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, shown in ((io.StringIO(), False), (Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        with progress("[red]verifying[/red]") as step:
            step(1, 2)
        assert ("[red]verifying" in stream.getvalue()) is shown
        assert (stream.getvalue() == "") is not shown
