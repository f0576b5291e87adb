"""`refsym verify`: run the checks of every claim in a checkout, and say what is proved and what is false."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refsym.output_folder import claim_folder
from refsym.progress import Progress, progress
from refsym.terminal import printable

if TYPE_CHECKING:
    from refsym_theory.evidence import Evidence

CHECKS = Path("proofs_checks")
SOURCES = (CHECKS, Path("src/refsym_theory"))
FILES = ("evidence.parquet", "claims.md", "report.html", "claims.json")


def verify(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = Path("claims"),
    workers: Annotated[
        int, typer.Option(min=1, help="Processes that run the checks.", show_default="one a CPU")
    ] = os.cpu_count() or 1,
    force: Annotated[bool, typer.Option("--force", help="Write into --out although it is not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Check every claim of both papers: claims.json, claims.md, evidence.parquet, report.html.

    A claim that is refuted as expected is a success. Exit status 1: a verdict drifted, a check failed or is missing.
    """
    from refsym_theory.claims import registry
    from refsym_theory.claims.record import record
    from refsym_theory.verdicts import standings

    _demand_tools()
    claim_folder(out, force)
    with progress("checking") as step:
        evidence = _run(workers, step)
    found = record(standings(registry(), evidence), _versions(), _sources())
    _write(found, evidence, out)
    if as_json:
        typer.echo(json.dumps({"out": str(out), **found["summary"]}, indent=1))
    else:
        _print(found, out)
    if not found["summary"]["holds"]:
        raise typer.Exit(1)


def _demand_tools() -> None:
    from refsym_theory.errors import InputError

    if not CHECKS.is_dir():
        raise InputError(f"{CHECKS}: not here; run verify in the root of a checkout")
    if missing := [name for name in ("pytest", "hypothesis", "flint", "z3", "latex2mathml") if find_spec(name) is None]:
        raise InputError(f"verify needs {', '.join(missing)}: pip install -e '.[proofs]'")


def _run(workers: int, step: Progress) -> list["Evidence"]:
    """Run pytest beside us, and follow what it writes."""
    from refsym_theory.errors import InputError

    parallel = ["-n", str(workers)] if workers > 1 and find_spec("xdist") else []
    evidence: list[Evidence] = []
    total, complete = 0, False
    with TemporaryDirectory() as folder:
        stream, said = Path(folder) / "record.jsonl", Path(folder) / "output"
        command = [sys.executable, "-m", "pytest", str(CHECKS), "-q", "-p", "no:cacheprovider", *parallel]
        with said.open("wb") as output, _child([*command, f"--claims-record={stream}"], output) as child:
            for line in _follow(stream, child):
                total, complete = line.get("collected", total), line.get("complete", complete)
                if "check" in line:
                    evidence.append(_evidence(line["check"]))
                    step(len(evidence), total)
        if not complete:
            tail = said.read_text(errors="replace").strip().splitlines()[-15:]
            raise InputError("the checks did not run through: " + " | ".join(tail))
    return evidence


@contextmanager
def _child(command: list[str], output: Any) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.terminate()
            child.wait()


def _follow(stream: Path, child: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """Yield each line of the stream once, as soon as it is whole, until the child has ended."""
    stream.touch()
    rest = ""
    with stream.open() as reader:
        running = True
        while running:
            running = child.poll() is None
            *whole, rest = (rest + reader.read()).split("\n")
            yield from map(json.loads, whole)
            if running:
                time.sleep(0.2)


def _evidence(plain: dict[str, Any]) -> "Evidence":
    from refsym_theory.evidence import Evidence, Level, Outcome, Role

    facts = tuple((name, value) for name, value in plain["facts"])
    kinds = {"role": Role(plain["role"]), "level": Level(plain["level"]), "outcome": Outcome(plain["outcome"])}
    return Evidence(**(plain | kinds | {"facts": facts}))


def _versions() -> dict[str, str]:
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for name in ("refsym", "numpy", "scipy", "sympy", "mpmath", "python-flint", "z3-solver", "hypothesis", "pytest"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    coqc = which("coqc")
    if coqc is None:
        return found | {"coq": "absent: its proofs are recorded, not rerun"}
    said = subprocess.run([coqc, "--print-version"], capture_output=True, text=True, check=False).stdout
    return found | {"coq": said.split()[0] if said.split() else "unknown"}


def _sources() -> str:
    """Hash of the claims and their checks: names and contents, in order."""
    digest = sha256()
    for path in sorted(path for folder in SOURCES for path in folder.rglob("*") if path.suffix in (".py", ".v")):
        content = path.read_bytes()
        digest.update(f"{path.as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _write(found: dict[str, Any], evidence: list["Evidence"], out: Path) -> None:
    import pandas as pd

    from refsym.report import claims_markdown, render_claims
    from refsym_theory.atomic import write_together

    rows: list[dict[str, object]] = [
        {"claim": item.claim, "check": item.check, "role": item.role.value, "about": item.about}
        | {"level": int(item.level), "outcome": item.outcome.value, "planted": item.planted}
        for item in sorted(evidence, key=lambda item: (item.claim, item.check))
    ]
    table = BytesIO()
    pd.DataFrame(rows).to_parquet(table, index=False)
    contents = (
        table.getvalue(),
        claims_markdown(found).encode(),
        render_claims(found).encode(),
        (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode(),
    )
    out.mkdir(parents=True, exist_ok=True)
    write_together({out / name: content for name, content in zip(FILES, contents, strict=True)})


def _print(found: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    from refsym.report.claims import problems

    summary = found["summary"]
    console = Console(highlight=False)
    counts = ", ".join(f"{summary[name]} {name}" for name in ("verified", "supported", "refuted", "open"))
    console.print(f"{summary['claims']} claims: {counts}", style="bold")
    console.print(
        f"{summary['checks']} checks; {summary['planted_rejected']} of {summary['planted']} planted false variants "
        f"rejected; {summary['recorded']} recorded, not rerun"
    )
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column()
    for claim in found["claims"]:
        if claim["verdict"] == "refuted":
            table.add_row(f"{claim['id']} false as printed", printable(claim["title"]))
    if table.row_count:
        console.print(table, markup=False)
    for claim in found["claims"]:
        for problem in problems(claim):
            console.print(printable(f"{claim['id']} {problem}"), markup=False, style="red", soft_wrap=True)
    console.print(printable(f"report: {out / 'report.html'}"), markup=False, soft_wrap=True)
