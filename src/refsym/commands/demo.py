"""`refsym demo`: certify a dump, and compare made-up records, by what ships with a checkout."""

from pathlib import Path
from typing import Annotated

import typer

DUMP = Path("examples/smollm2-4k/kmean")
PLAN = Path("examples/deployment/plan.toml")
HOME = Path("demo")  # ours to write into again and again


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = HOME,
    force: Annotated[bool, typer.Option("--force", help="Write into --out although it is not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the certificate's summary as JSON.")] = False,
) -> None:
    """Certify a real dump (SmolLM2-135M, 4,096 tokens), compare made-up records, and say where the reports are."""
    from refsym.commands.certify import report
    from refsym.output_folder import claim_folder
    from refsym.progress import progress
    from refsym_theory.errors import InputError
    from refsym_theory.selection.certificate import certify
    from refsym_theory.selection.score_dump import ScoreDump

    if not DUMP.is_dir():
        raise InputError(f"{DUMP}: not here; run the demo in the root of a checkout")
    claim_folder(out, force or out == HOME)
    with progress("certifying") as step:
        certificate = certify(ScoreDump.open(DUMP), 8, 2, "0.4", progress=step)
    report(certificate, out, as_json)
    if not as_json:
        _compare(out / "comparison")


def _compare(out: Path) -> None:
    """Carry out a plan on records of a known law: half a million rows."""
    from refsym.commands.compare import carry_out
    from refsym_stats import Plan, record_table
    from refsym_stats.synthetic import deployment

    carry_out(record_table(deployment(1)), Plan.read(PLAN), out, as_json=False)
