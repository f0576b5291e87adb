"""`refsym demo`: certify the dumps that ship with a checkout."""

from pathlib import Path
from typing import Annotated

import typer

DUMPS = Path("examples/smollm2-4k")


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the reports go.")] = Path("demo"),
) -> None:
    """Certify the real dump that a checkout ships (SmolLM2-135M, 4,096 tokens) and say where the report is."""
    from refsym.commands.certify import print_certificate, write_certificate
    from refsym.progress import progress
    from refsym_theory.errors import InputError
    from refsym_theory.selection.certificate import certify
    from refsym_theory.selection.score_dump import ScoreDump

    if not DUMPS.is_dir():
        raise InputError(f"{DUMPS}: not here; run the demo in the root of a checkout")
    source = ScoreDump.open(DUMPS / "kmean")
    with progress("certifying") as step:
        certificate = certify(source, 8, 2, "0.4", progress=step)
    write_certificate(certificate, out)
    print_certificate(certificate, out)
