"""`refsym study`: the papers' experiments, run again: list them, run one, render what one found."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from refsym.output_folder import claim_folder
from refsym.terminal import printable

STUDIES = Path("studies")
FILES = ("findings.md", "findings.html", "findings.json")

study = typer.Typer(help="The papers' experiments, run again on this product (in a checkout).", no_args_is_help=True)


@study.command("list")
def list_studies(
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> None:
    """Say which studies there are, and which have records."""
    found = [
        {"name": folder.name, "about": _first_line(folder), "records": (folder / "records.parquet").exists()}
        for folder in _folders()
    ]
    if as_json:
        typer.echo(json.dumps(found, indent=1))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for entry in found:
        state = "has records" if entry["records"] else "not run"
        table.add_row(str(entry["name"]), state, printable(str(entry["about"])))
    Console(highlight=False).print(table, markup=False)


@study.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
)
def run(
    context: typer.Context, name: Annotated[str, typer.Argument(help="Of the study, as `refsym study list` has it.")]
) -> None:
    """Run a study as far as its records lack it: [--quick] [--model PATH] [--data FILE] [--out FILE] [--force].

    `refsym study run NAME --help` lists the options of that study.
    """
    if name in ("-h", "--help"):
        typer.echo("usage: refsym study run NAME [--quick] [--model PATH] [--data FILE] [--out FILE] [--force]")
        typer.echo("NAME --help lists the options of that study; refsym study list names the studies")
        return
    module = _load(name)
    module.main(list(context.args))


@study.command()
def report(
    name: Annotated[str, typer.Argument(help="Of the study.")],
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Where it goes.", show_default="NAME/")] = None,
    records: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The records.", show_default="those of the checkout")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write into --out although it is not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Render what a study found: findings.json, findings.md, findings.html.

    Exit status: 1 if something that must hold fails; a printed number that differs is a finding.
    """
    from refsym.report.study import summary

    folder, module, out = STUDIES / name, _load(name), out or Path(name)
    source = records or folder / "records.parquet"
    claim_folder(out, force)
    found = findings_record(module, source)
    plan = folder / "plan.toml"
    write_findings(found, out, comparison=plan.exists())
    if as_json:
        typer.echo(json.dumps(found, indent=1))
    else:
        for text in found["answer"]:
            typer.echo(printable(text))
        typer.echo(printable(f"{summary(found)}; report: {out / 'findings.html'}"))
        if plan.exists():
            typer.echo(printable(f"planned contrasts: refsym compare {source} --plan {plan} --out {out} --force"))
    if found["counts"]["fails"]:
        raise typer.Exit(1)


def findings_record(module: ModuleType, source: Path) -> dict[str, Any]:
    """What findings.json holds, from a study's records.

    Raises
    ------
    InputError
        The study renders itself elsewhere, or the records are of another version of it.
    """
    from refsym.study import read_records
    from refsym_theory.errors import InputError

    if not hasattr(module, "account"):
        raise InputError("this study has a report of its own: make reports")
    _, settings = read_records(source)
    made = settings.get("format")
    if made != module.FORMAT:
        raise InputError(f"{source}: records of format {made!r}, this study reads {module.FORMAT}; run it with --force")
    account = module.account(source)
    record: dict[str, Any] = account.record(sha256(source.read_bytes()).hexdigest())
    return record


def write_findings(found: dict[str, Any], out: Path, *, comparison: bool) -> None:
    """Write the three files, all or none."""
    from refsym.report.study import render_study, study_markdown
    from refsym_theory.atomic import write_together

    contents = (
        study_markdown(found, comparison),
        render_study(found, comparison),
        json.dumps(found, indent=1, ensure_ascii=False) + "\n",
    )
    out.mkdir(parents=True, exist_ok=True)
    write_together({out / file: text.encode() for file, text in zip(FILES, contents, strict=True)})


def _folders() -> Iterator[Path]:
    from refsym_theory.errors import InputError

    if not STUDIES.is_dir():
        raise InputError(f"{STUDIES}: not here; run study in the root of a checkout")
    yield from sorted(file.parent for file in STUDIES.glob("*/run.py"))


def _first_line(folder: Path) -> str:
    import ast

    return (ast.get_docstring(ast.parse((folder / "run.py").read_text())) or "").splitlines()[0]


def _load(name: str) -> ModuleType:
    from refsym_theory.errors import InputError

    names = [folder.name for folder in _folders()]
    if name not in names:
        raise InputError(f"no study {name!r}; there are {', '.join(names)}")
    try:
        return load_study(STUDIES / name)
    except ModuleNotFoundError as error:
        raise InputError(
            f"study {name} needs {error.name}: pip install -c constraints.txt torch, then -e '.[models]'"
        ) from None


def load_study(folder: Path) -> ModuleType:
    """Import a study's run.py by its path."""
    spec = importlib.util.spec_from_file_location(f"refsym_study_{folder.name}", folder / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their own module up
    spec.loader.exec_module(module)
    return module
