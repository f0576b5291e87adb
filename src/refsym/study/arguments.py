"""The command line of a study."""

from __future__ import annotations

import argparse
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

from refsym_theory.errors import InputError

Arguments = argparse.Namespace

FETCH = "`make model` fetches SmolLM2-135M-Instruct"
QUESTIONS = "JSON Lines: id, task, cluster, prompt, options, answer (index of the best option)"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, as everywhere."""
        raise InputError(f"{message} (see {self.prog} --help)")


def parser(doc: str | None, folder: Path, *, model: bool = False, data: bool = False) -> argparse.ArgumentParser:
    """--quick, --force and --out; --model and --data where the study needs them.

    Parameters
    ----------
    doc
        The docstring of the study; its first line is what --help says.
    folder
        Of the study: records go there, those of --quick to `.cache/`.
    """
    found = _Parser(prog=f"refsym study run {folder.name}", description=(doc or "").splitlines()[0])
    if model:
        found.add_argument("--model", type=Path, metavar="PATH", help=f"a folder or a .gguf file ({FETCH})")
    if data:
        found.add_argument("--data", type=Path, metavar="FILE", help=QUESTIONS)
    found.add_argument("--quick", action="store_true", help="the same on small inputs of its own making, in seconds")
    found.add_argument("--force", action="store_true", help="start afresh")
    found.add_argument("--out", type=Path, metavar="FILE", help="the records (records.parquet beside the study)")
    found.set_defaults(folder=folder)
    return found


def parse(found: argparse.ArgumentParser, argv: list[str] | None) -> Arguments:
    """Parse, fill in --out, and demand --model and --data unless --quick.

    Raises
    ------
    InputError
        A file that the study needs was not given, or is not there.
    """
    arguments = found.parse_args(argv)
    folder: Path = arguments.folder
    if arguments.out is None:
        quick = folder.parents[1] / ".cache" / f"{folder.name}-quick.parquet"
        arguments.out = quick if arguments.quick else folder / "records.parquet"
    for name, said in (("model", FETCH), ("data", QUESTIONS)):
        if not hasattr(arguments, name) or arguments.quick:
            continue
        path: Path | None = getattr(arguments, name)
        if path is None:
            raise InputError(f"{folder.name}: --{name} is needed: {said} (or --quick)")
        if not path.exists():
            raise InputError(f"{path}: not there; {said}")
    return arguments


def file_hash(path: Path | None) -> str:
    """SHA-256 of an input; of a folder, of its files' names and contents; "" for none."""
    if path is None:
        return ""
    if path.is_file():
        return sha256(path.read_bytes()).hexdigest()
    digest = sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        digest.update(f"{file.relative_to(path)}\0{file.stat().st_size}\0".encode() + file.read_bytes())
    return digest.hexdigest()
