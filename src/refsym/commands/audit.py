"""`refsym audit`: check printed numbers against each other, the two papers' or a table's of your own."""

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from refsym.output_folder import claim_folder
from refsym.terminal import printable

if TYPE_CHECKING:
    from refsym_stats.audit import Audit

FILES = ("findings.parquet", "audit.md", "report.html", "audit.json")


def audit(
    table: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TABLE...]",
            help="A table.toml of printed numbers and checks, or rs or ug for a paper.",
            show_default="rs ug: both papers",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = Path("audit"),
    force: Annotated[bool, typer.Option("--force", help="Write into --out although it is not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings that cannot be as JSON.")] = False,
) -> None:
    """Recompute printed numbers from other printed numbers: audit.json, audit.md, findings.parquet, report.html.

    Exit status 1: a number in a table of yours cannot be. What cannot be in the two papers is a finding, and success.
    """
    from refsym_stats.audit import PUBLISHED
    from refsym_stats.audit import audit as run
    from refsym_stats.audit.record import record

    wanted = table or list(PUBLISHED)
    found = [run(name) for name in wanted]
    claim_folder(out, force)
    plain = record(found)
    _write(found, plain, out)
    if as_json:
        wrong = [
            finding for entry in plain["audits"] for finding in entry["findings"] if finding["verdict"] == "cannot be"
        ]
        typer.echo(json.dumps({"out": str(out), "counts": plain["counts"], "cannot_be": wrong}, indent=1))
    else:
        _print(plain, out)
    own = [entry for name, entry in zip(wanted, plain["audits"], strict=True) if name not in PUBLISHED]
    if any(entry["counts"]["cannot be"] for entry in own):
        raise typer.Exit(1)


def _write(found: list["Audit"], plain: dict[str, Any], out: Path) -> None:
    from refsym.report.audit import audit_markdown, render_audit
    from refsym_stats.audit.record import finding_table
    from refsym_theory.atomic import write_together

    parquet = BytesIO()
    finding_table(found).to_parquet(parquet, index=False)
    contents = (
        parquet.getvalue(),
        audit_markdown(plain).encode(),
        render_audit(plain).encode(),
        (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode(),
    )
    out.mkdir(parents=True, exist_ok=True)
    write_together({out / name: content for name, content in zip(FILES, contents, strict=True)})


def _print(plain: dict[str, Any], out: Path) -> None:
    from rich.console import Console

    from refsym.report.audit import summary

    console = Console(highlight=False)
    for entry in plain["audits"]:
        console.print(printable(f"{entry['title']}: {summary(entry['counts'])}"), markup=False, style="bold")
        for finding in entry["findings"]:
            if finding["verdict"] == "cannot be":
                console.print(printable(f"  {finding['place']}: {finding['printed']}"), markup=False)
                console.print(printable(f"    {finding['arithmetic']}"), markup=False, style="dim")
    console.print(printable(f"report: {out / 'report.html'}"), markup=False, soft_wrap=True)
