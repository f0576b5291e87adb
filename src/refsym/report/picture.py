"""One figure of a report as a file of its own: `python -m refsym.report.picture certificate.json picture.svg`."""

import json
import sys
from pathlib import Path

from refsym.report.figures.canvas import standalone
from refsym.report.figures.noise import over_tau
from refsym.report.view import View
from refsym_theory.atomic import write_atomically


def main() -> None:
    """Draw the numbers against the noise scale, from a certificate on disk."""
    certificate, picture = map(Path, sys.argv[1:])
    record = json.loads(certificate.read_text())
    write_atomically(picture, standalone(over_tau(View.of(record))).encode())


if __name__ == "__main__":
    main()
