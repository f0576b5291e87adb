"""Theorems that the kernel of Coq checks: compiled again wherever `coqc` is, "recorded, not rerun" elsewhere."""

import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from shutil import which

import pytest

from ledger import HERE, RECORDED

COQ = HERE / "coq"

# What Coq's construction of the reals rests on; nothing else may appear.
AXIOMS = {"sig_forall_dec", "sig_not_dec", "functional_extensionality_dep", "classic"}

Edit = tuple[str, str]


def accepts(file: str, theorem: str, says: str, edit: Edit | None = None) -> None:
    """Demand that Coq accepts a file, that its theorem says what we think, and rests on the reals' axioms alone.

    Parameters
    ----------
    file
        Name in ``proofs_checks/coq``.
    theorem
        Name of the theorem.
    says
        Text that its statement must hold, white space aside.
    edit
        Replace the first text by the second before compiling: a planted variant.
    """
    if which("coqc") is None:
        if os.environ.get("REQUIRE_COQ"):
            pytest.fail("REQUIRE_COQ is set, and there is no coqc")
        pytest.skip(RECORDED)
    source = (COQ / file).read_text()
    if edit is not None:
        if edit[0] not in source:  # no AssertionError: that would pass for a rejection
            raise LookupError(f"{file} holds no {edit[0]!r} to replace")
        source = source.replace(*edit)
    statement = re.search(rf"\b(?:Theorem|Lemma|Corollary)\s+{theorem}\b(.*?)\bProof\.", source, flags=re.DOTALL)
    assert statement, f"{file} has no theorem {theorem}"
    if edit is None:
        assert _squeezed(says) in _squeezed(statement[1]), f"{theorem} does not say {says!r}"
    found = _assumptions(source)
    assert theorem in found, f"{file} does not end with Print Assumptions {theorem}"
    assumed = found[theorem]
    assert assumed <= AXIOMS, f"{theorem} assumes {', '.join(sorted(assumed - AXIOMS))}"


def _squeezed(text: str) -> str:
    return " ".join(text.split())


@cache
def _assumptions(source: str) -> dict[str, set[str]]:
    """Compile, and return what the theorems that a file prints assume; once a file and process: it takes seconds."""
    with tempfile.TemporaryDirectory() as folder:
        for needed in _required(source):
            Path(folder, f"{needed}.v").write_text((COQ / f"{needed}.v").read_text())
            _compile(folder, needed)
        Path(folder, "checked.v").write_text(source)
        said = _compile(folder, "checked")
    theorems = re.findall(r"^Print Assumptions (\w+)\.", source, flags=re.MULTILINE)
    answers = re.split(r"^(?=Axioms:|Closed under the global context)", said, flags=re.MULTILINE)[1:]
    return {name: _names(answer) for name, answer in zip(theorems, answers, strict=True)}


def _required(source: str) -> list[str]:
    """Our own files that this one needs, each after those that it needs itself."""
    found: list[str] = []
    for names in re.findall(r"^Require Import ([\w ]+)\.", source, flags=re.MULTILINE):
        for name in names.split():
            if (path := COQ / f"{name}.v").is_file():
                found += [other for other in (*_required(path.read_text()), name) if other not in found]
    return found


def _compile(folder: str, name: str) -> str:
    done = subprocess.run(["coqc", "-q", f"{name}.v"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _names(answer: str) -> set[str]:
    """Axioms begin their lines; their types go on, indented."""
    return {line.split()[0].rsplit(".", 1)[-1] for line in answer.splitlines()[1:] if line and not line[0].isspace()}
