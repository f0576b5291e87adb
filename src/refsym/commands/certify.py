"""`refsym certify`: from a score dump to a certificate and its report, or a certificate checked again."""

import json
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from refsym.output_folder import claim_folder
from refsym.progress import progress
from refsym.terminal import printable

if TYPE_CHECKING:
    from refsym_theory.selection.certificate import Certificate
    from refsym_theory.selection.score_dump import ScoreDump

FILES = ("cells.parquet", "report.html", "certificate.json")


def certify(
    context: typer.Context,
    dump: Annotated[Path, typer.Argument(metavar="DUMP", help="Folder of a score dump.")],
    k: Annotated[int, typer.Option("-k", min=1, help="Blocks that a tile keeps, forced ones included.")] = 8,
    rho: Annotated[str, typer.Option(metavar="R", help="An expanded tile keeps rho*k blocks.")] = "2",
    q: Annotated[str, typer.Option("-q", metavar="Q", help="Fraction of the tiles that expand.")] = "0.4",
    tau: Annotated[
        float | None, typer.Option(metavar="T", help="Noise scale for every head, in units of the scores.")
    ] = None,
    estimator: Annotated[
        Literal["split-half", "row-step"], typer.Option(help="How tau is estimated where it is not given.")
    ] = "split-half",
    draws: Annotated[
        int,
        typer.Option(
            min=0,
            help="Monte Carlo samples a tile, beside the exact integral; the slowest part, 0 skips it.",
        ),
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Of the Monte Carlo samples.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes; 1 uses the threads of this one.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Work on a Dask cluster (needs the extra `distributed`).")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = Path("certificate"),
    force: Annotated[bool, typer.Option("--force", help="Write into --out although it is not empty.")] = False,
    check: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Recompute this certificate.json from DUMP and compare; writes nothing."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Say how risky a dump's top-k cut is, and what triggers gain: certificate.json, cells.parquet, report.html.

    With --check FILE, the settings are the certificate's own.
    """
    from refsym_theory.selection.score_dump import ScoreDump

    if check is not None:
        _refuse_settings(context)
        _check(check, ScoreDump.open(dump), workers, scheduler, as_json)
        return
    from refsym.report import preload
    from refsym_theory.selection.certificate import certify as run

    source = ScoreDump.open(dump)
    claim_folder(out, force)
    preload()
    with _executor(workers, scheduler) as executor, progress("certifying") as step:
        certificate = run(
            source, k, rho, q, tau, estimator=estimator, draws=draws, seed=seed, executor=executor, progress=step
        )
    report(certificate, out, as_json)


SETTINGS = {"k": "-k", "q": "-q"} | {n: f"--{n}" for n in ("rho", "tau", "estimator", "draws", "seed", "out", "force")}


def _refuse_settings(context: typer.Context) -> None:
    """A certificate is checked under its own settings: another one on the command line would be ignored."""
    from refsym_theory.errors import InputError

    sources = {name: context.get_parameter_source(name) for name in SETTINGS}
    given = [SETTINGS[name] for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    if given:
        raise InputError(
            f"--check takes the certificate's own settings and writes nothing; leave out {', '.join(given)}"
        )


def report(certificate: "Certificate", out: Path, as_json: bool) -> None:
    """Write the three files, and print the headline numbers."""
    record = certificate.record()
    _write(certificate, record, out)
    if as_json:
        typer.echo(json.dumps({"out": str(out), "settings": record["settings"], **record["summary"]}, indent=1))
    else:
        _print(record, out)


def _write(certificate: "Certificate", record: dict[str, Any], out: Path) -> None:
    """Write the Parquet table, the page and, last, the certificate; each whole or not at all."""
    from refsym.report import render_certificate
    from refsym_theory.atomic import write_together

    table = BytesIO()
    certificate.cells.to_parquet(table, index=False)
    contents = (
        table.getvalue(),
        render_certificate(record).encode(),
        (json.dumps(record, allow_nan=False) + "\n").encode("ascii"),
    )
    out.mkdir(parents=True, exist_ok=True)
    write_together({out / name: content for name, content in zip(FILES, contents, strict=True)})


def _print(record: dict[str, Any], out: Path) -> None:
    """The headline numbers, and where the page is."""
    from rich.console import Console
    from rich.table import Table

    found, source, settings = record["summary"], record["source"], record["settings"]
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", style="bold")
    rows = {
        "cut misses a truly best free block": _percent(found["kept_error"]),
        "  with the sigma router": _percent(found["error_sigma"]),
        "  with the best trigger": _percent(found["error_best"]),
        "captured gain of sigma, identification": _percent(found["captured_identification"]),
        "  lowest and highest over tau": f"{_percent(found['captured_over_tau_lowest'])}"
        f" … {_percent(found['captured_over_tau_highest'])}",
        "softmax mass dropped at k": _percent(found["dropped_mass"]) if source["with_mass"] else "not in the dump",
        "captured gain of sigma, softmax mass": _percent(found["captured_output"]),
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console = Console(highlight=False)
    title = f"{source['model']}, {source['scorer']}: k={settings['k']}, rho={settings['rho']}, q={settings['q']}"
    console.print(printable(title), markup=False, soft_wrap=True)
    console.print(table)
    for note in record["notes"]:
        console.print(printable(note), markup=False, style="dim", soft_wrap=True)
    console.print(printable(f"report: {out / 'report.html'}"), markup=False, soft_wrap=True)


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f} %"


def _check(path: Path, dump: "ScoreDump", workers: int, scheduler: str | None, as_json: bool) -> None:
    from refsym_theory.errors import InputError
    from refsym_theory.selection.dump_record import parse_json
    from refsym_theory.selection.recheck import recheck

    record = parse_json(str(path), path.read_bytes())
    if not isinstance(record, dict):
        raise InputError(f"{path}: not a certificate")
    with _executor(workers, scheduler) as executor, progress("recomputing") as step:
        try:
            found = recheck(record, dump, executor=executor, progress=step)
        except InputError as error:
            raise InputError(f"{path}: {error}") from None
    if as_json:
        facts = {"holds": not found.differences, "compared": found.compared}
        typer.echo(json.dumps(facts | {"differences": found.differences, "versions": found.versions}, indent=1))
    else:
        for line in found.versions:
            typer.echo(printable(f"differs, harmless: {line}"))
        for line in found.differences[:20]:
            typer.echo(printable(line))
        if len(found.differences) > 20:
            typer.echo(f"and {len(found.differences) - 20} more")
        verdict = "DOES NOT HOLD" if found.differences else "holds"
        typer.echo(printable(f"{path}: {verdict}: {found.compared} values recomputed, {len(found.differences)} differ"))
    if found.differences:
        raise typer.Exit(1)


@contextmanager
def _executor(workers: int, scheduler: str | None, *, timeout: float = 10.0) -> Iterator[Executor | None]:
    """Processes of this machine, a Dask cluster (which has `timeout` seconds to answer), or neither."""
    from refsym_theory.errors import InputError

    if scheduler is not None:
        if workers != 1:
            raise InputError("give --workers or --scheduler, not both")
        try:
            from distributed import Client, KilledWorker
        except ImportError:
            raise InputError("--scheduler needs Dask: pip install 'refsym[distributed]'") from None
        try:
            client = Client(scheduler, timeout=timeout)
        except (OSError, ValueError) as error:
            raise InputError(f"--scheduler {scheduler}: cannot connect: {error}") from None
        with client, client.get_executor() as executor:
            try:
                yield executor
            except KilledWorker:
                raise InputError(
                    f"--scheduler {scheduler}: the workers that took one shard were killed, one after another "
                    "(out of memory?); nothing was written, run it again"
                ) from None
    elif workers > 1:
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context

        # Spawned: a fork after numba's threads have run breaks in the child.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            yield pool
    else:
        yield None
