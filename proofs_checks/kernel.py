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

# What Coq's construction of the reals and Coquelicot rest on; nothing else may appear.
AXIOMS = {
    "ClassicalDedekindReals.sig_forall_dec",
    "ClassicalDedekindReals.sig_not_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
    "Eqdep.Eq_rect_eq.eq_rect_eq",
}

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
        assert edit[0] in source, f"{file} holds no {edit[0]!r} to replace"
        source = source.replace(*edit)
    statement = re.search(rf"\b(?:Theorem|Lemma|Corollary)\s+{theorem}\b(.*?)\bProof\.", source, flags=re.DOTALL)
    assert statement, f"{file} has no theorem {theorem}"
    if edit is None:
        assert _squeezed(says) in _squeezed(statement[1]), f"{theorem} does not say {says!r}"
    assumed = _assumptions(source)[theorem]
    assert assumed <= AXIOMS, f"{theorem} assumes {', '.join(sorted(assumed - AXIOMS))}"


def _squeezed(text: str) -> str:
    return " ".join(text.split())


@cache
def _assumptions(source: str) -> dict[str, set[str]]:
    """Compile, and return what each theorem assumes; once a file and process, since it takes seconds."""
    theorems = re.findall(r"^\s*(?:Theorem|Lemma|Corollary)\s+(\w+)", source, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checked.v"
        path.write_text(source + "".join(f"\nPrint Assumptions {theorem}." for theorem in theorems) + "\n")
        done = subprocess.run(["coqc", "-q", path.name], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    answers = re.split(r"^(?=Axioms:|Closed under the global context)", done.stdout, flags=re.MULTILINE)
    return {name: _names(answer) for name, answer in zip(theorems, answers[-len(theorems) :], strict=True)}


def _names(answer: str) -> set[str]:
    """Axioms begin their lines; their types go on, indented."""
    return {line.split()[0] for line in answer.splitlines()[1:] if line and not line[0].isspace()}
