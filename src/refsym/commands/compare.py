"""`refsym compare`: records and a plan to a report of paired, clustered, multiplicity-controlled contrasts."""

import json
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from refsym.output_folder import claim_folder
from refsym.progress import progress
from refsym.terminal import printable

if TYPE_CHECKING:
    from refsym_stats import Comparison, Plan, Reading, Records

FILES = ("contrasts.parquet", "contrasts.csv", "tables.md", "tables.tex", "report.html", "comparison.json")
Format = Literal["table", "lm_eval", "lmms_eval", "inspect_ai"]


def compare(
    context: typer.Context,
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORDS...",
            help="Tables (Parquet, CSV, JSON, JSON Lines) or logs of lm-evaluation-harness, lmms-eval, Inspect. "
            "ARM=PATH names the arm of a log, ARM:SEED=PATH its seed too.",
        ),
    ],
    plan: Annotated[Path | None, typer.Option(metavar="FILE", help="The plan.toml, written beforehand.")] = None,
    init: Annotated[
        bool, typer.Option("--init", help="Print a commented plan for these records instead; compares nothing.")
    ] = False,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = Path("comparison"),
    force: Annotated[bool, typer.Option("--force", help="Write into --out although it is not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the planned contrasts as JSON.")] = False,
    format: Annotated[
        Format | None,
        typer.Option(help="Of the files.", show_default="told by content and name", rich_help_panel="Reading"),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OURS=THEIRS",
            help="Map a column, such as item=question_id; dotted paths lead into JSON. May be given again.",
            rich_help_panel="Reading",
        ),
    ] = None,
    filter: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of a harness log with several.", rich_help_panel="Reading")
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The outcome in a log: a metric or a scorer.", rich_help_panel="Reading"),
    ] = None,
    grade: Annotated[
        list[str] | None,
        typer.Option(metavar="LETTER=VALUE", help="Of Inspect: C=1 I=0 and so on.", rich_help_panel="Reading"),
    ] = None,
    normalise: Annotated[
        Literal["length"] | None,
        typer.Option(help="Divide option log-probabilities by their length.", rich_help_panel="Reading"),
    ] = None,
    order_paired: Annotated[
        bool,
        typer.Option(
            "--order-paired",
            help="The i-th row of each policy is the same example (a JSON list without ids).",
            rich_help_panel="Reading",
        ),
    ] = False,
    missing: Annotated[
        Literal["error", "complete-items", "wrong"],
        typer.Option(help="An item that an arm lacks.", rich_help_panel="Reading"),
    ] = "error",
    threshold: Annotated[
        float | None, typer.Option(metavar="X", help="correct is score >= X.", rich_help_panel="Reading")
    ] = None,
) -> None:
    """Compare arms by a plan: report.html, tables.md, tables.tex, contrasts.csv and .parquet, comparison.json.

    First `--init` prints a plan to edit; then `--plan FILE` carries it out. Without a plan every contrast is
    exploratory, and nothing is adjusted for how many there are.
    """
    from refsym_stats import Inference, InputError, Plan, Reading

    if plan is not None:
        if init:
            raise InputError("--init drafts a plan and --plan carries one out: give one of them")
        _refuse_reading(context)
        wanted = Plan.read(plan)
        found = _read(records, wanted.reading)
    else:
        reading = Reading(
            format=format,
            columns=dict(_pair(item, "--column") for item in column or ()),
            filter=filter,
            metric=metric,
            grades={letter: _value(text) for letter, text in (_pair(item, "--grade") for item in grade or ())} or None,
            normalise=normalise,
            order_paired=order_paired,
            missing=missing,
            threshold=threshold,
        )
        found = _read(records, reading)
        if init:
            from refsym_stats.plan_draft import draft

            typer.echo(draft(found, reading), nl=False)
            return
        seeds = len(found.frame["seed"].cat.categories)
        cluster = "item" if found.own_clusters else "cluster"
        wanted = Plan.explore(reading, Inference(cluster=cluster, seed="seed" if seeds > 1 else "none"))
    claim_folder(out, force)
    carry_out(found, wanted, out, as_json)


READING = ("format", "column", "filter", "metric", "grade", "normalise", "order_paired", "missing", "threshold")


def _refuse_reading(context: typer.Context) -> None:
    """A plan says how the records are read: another word on the command line would be ignored."""
    from refsym_stats import InputError

    sources = {name: context.get_parameter_source(name) for name in READING}
    given = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    if given:
        options = ", ".join("--" + name.replace("_", "-") for name in given)
        raise InputError(f"the plan decides how records are read: leave out {options}, or write it under [read]")


def _pair(text: str, option: str) -> tuple[str, str]:
    from refsym_stats import InputError

    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InputError(f"{option} {text!r}: NAME=VALUE is needed")
    return name, value


def _value(text: str) -> float:
    from refsym_stats import InputError

    try:
        return float(text)
    except ValueError:
        raise InputError(f"--grade {text!r}: a number is needed") from None


def _read(paths: list[str], reading: "Reading") -> "Records":
    from refsym_stats import combined, read_records

    found = []
    for text in paths:
        name, equals, path = text.partition("=")
        # A path may hold an equals sign itself.
        labelled = bool(equals) and not Path(text).exists()
        arm, _, seed = name.partition(":") if labelled else ("", "", "")
        path = path if labelled else text
        found.append(read_records(path, arm=arm or None, seed=seed or None, **reading.options()))
    return combined(found)


def carry_out(found: "Records", plan: "Plan", out: Path, as_json: bool) -> None:
    """Compare, write the report, and print what it says."""
    from refsym.report import preload
    from refsym_stats import compare as run
    from refsym_stats.comparison_record import record

    preload()
    with progress("comparing") as step:
        comparison = run(found, plan, step)
    plain = record(comparison, found)
    _write(comparison, plain, out)
    if as_json:
        summary = {"out": str(out), "plan_sha256": plan.sha256, "contrasts": plain["contrasts"]}
        typer.echo(json.dumps(summary | {"exploratory": len(plain["exploratory"])}, indent=1))
    else:
        _print(plain, out)


def _write(comparison: "Comparison", plain: dict[str, Any], out: Path) -> None:
    from refsym.report.comparison import comparison_latex, comparison_markdown, render_comparison
    from refsym_stats.comparison_record import contrast_table
    from refsym_theory.atomic import write_together

    table, parquet = contrast_table(comparison), BytesIO()
    table.to_parquet(parquet, index=False)
    contents = (
        parquet.getvalue(),
        table.to_csv(index=False).encode(),
        comparison_markdown(plain).encode(),
        comparison_latex(plain).encode(),
        render_comparison(plain).encode(),
        (json.dumps(plain, allow_nan=False, indent=1, ensure_ascii=False) + "\n").encode(),
    )
    out.mkdir(parents=True, exist_ok=True)
    write_together({out / name: content for name, content in zip(FILES, contents, strict=True)})


def _print(plain: dict[str, Any], out: Path) -> None:
    from rich.console import Console

    from refsym.report.comparison.sentences import absences, cautions, findings, headline

    console = Console(highlight=False)
    console.print(printable(headline(plain)), markup=False, style="bold")
    for sentence in findings(plain):
        console.print(printable(sentence), markup=False)
    for note in (*cautions(plain), *absences(plain), *plain["notes"]):
        console.print(printable(f"note: {note}"), markup=False, style="dim")
    console.print(printable(f"report: {out / 'report.html'}"), markup=False, soft_wrap=True)
