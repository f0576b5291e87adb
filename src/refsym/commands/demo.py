"""`refsym demo`: certify a dump that ships with a checkout."""

from pathlib import Path
from typing import Annotated

import typer

DUMP = Path("examples/smollm2-4k/kmean")
HOME = Path("demo")  # ours to write into again and again


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report goes.")] = HOME,
    force: Annotated[bool, typer.Option("--force", help="Write into --out although it is not empty.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Certify the real dump that a checkout ships (SmolLM2-135M, 4,096 tokens) and say where the report is."""
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
