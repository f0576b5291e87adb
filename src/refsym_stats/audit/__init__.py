"""Recompute printed numbers from other printed numbers.

A TOML file types in numbers as they stand on paper, each with its place, and checks that recompute one from others::

    title = "Table 10 of our report"
    source = "https://example.org/report.pdf"

    [numbers.t10]                      # numbers that several checks read
    place = "Table 10, n = 120, q = 8"
    standard = "61.67"                 # stands for [61.665, 61.675]; in quotes, so that its digits are kept
    measure = "64.17"
    n = 120                            # no decimals: an exact count

    [[check]]
    id = "t10-difference"
    place = "Table 10, n = 120, q = 8"
    printed = "+2.50"
    formula = "t10.measure - t10.standard"

    [[check]]
    id = "t10-p"
    place = "Table 10, n = 120, q = 8"
    printed = "0.508"
    formula = "mcnemar(gains, losses)"
    inputs = { gains = 6, losses = 3 } # numbers that only this check reads
    why = "exact and two-sided: twice the smaller tail"

Numbers: "64.13" is every value that rounds to it, ties included; "7.7e-4" likewise; "2,489" and "2/1024" are exact;
"88." is rounded to units; "=0.40" is exact although it has decimals; "about 512" lies within five per cent.

Verdicts are derived. *Agrees*: the inputs as printed give the printed digits. *Agrees within rounding*: not those, but
unrounded inputs that round to them do. *Cannot be*: none do, and the arithmetic is shown. *Not recomputable*: the print
does not determine the number, and `why` says what is missing.

Kinds of check, and their fields besides `id`, `place`, `printed`, `inputs` and `why`:

``formula`` (the default)
    `formula` over names and numbers: + - * / **, comparisons, and, or, not, min, max, sum, mean, count (of true
    comparisons), ascents (strict, in order), abs, sqrt, log, floor, ceil, rounds(value, name), bonferroni(p, m),
    mcnemar(gains, losses) (exact, two-sided), sign_test(gains, losses) (one-sided), paired_low and
    paired_high(gains, losses, n) (95% t interval, as a share), t_p(ratio, df), t_quantile(level, df), normal_p(ratio).
    `counts = { measure = 12445 }` says that a percentage is a count over n: then every such count is tried.
``holds``
    `holds`, a comparison; `printed` is the sentence it stands for. `counts` as above.
``count``
    The percentage `printed` must be a count over `of`, an expression such as "2489 * 5".
``denominator``
    The percentages `values` must be counts over one n from `at_least` (1) to `at_most`.
``pairs``
    Which gains and losses over `n` give the printed `difference` with `p` (or `p_below`, `p_at_most`), `low`, `high`?
    `sides = 1` for a one-sided test. The interval is t with n - 1 degrees.
``spread``
    `mean` and sample `sd` over `seeds` must come from counts over `of`.
``t-interval``
    The two-sided p `printed` against `estimate`, `low`, `high` on `df` degrees: every unrounded interval centred on its
    estimate is considered.
``none``
    Not recomputable; `why` is needed.

Percentages are on a `scale` of 100; `scale = 1` is for shares.
"""

from __future__ import annotations

from importlib.resources import files
from os import PathLike
from pathlib import Path

from refsym_stats.audit.table import Audit, read
from refsym_stats.audit.verdicts import Finding, Input, Verdict
from refsym_stats.errors import InputError

__all__ = ["PUBLISHED", "Audit", "Finding", "Input", "Verdict", "audit"]

PUBLISHED = ("rs", "ug")
"""Names of the tables that come with the package: *Refinement symmetry*, *Uncertainty-gated selection*."""


def audit(table: str | PathLike[str]) -> Audit:
    """Audit the numbers of a published paper, or of a table of one's own.

    Parameters
    ----------
    table : {"rs", "ug"} or path
        A name of `PUBLISHED`, or a TOML file in this module's format.

    Raises
    ------
    InputError
        The file cannot be read, or a check in it: one line that names file, check and field.
    """
    if table in PUBLISHED:
        name = f"{table}.toml"
        return read((files("refsym_stats") / "published" / name).read_bytes(), name)
    path = Path(table)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}; give a TOML file, or one of rs, ug") from None
    return read(content, str(path))
