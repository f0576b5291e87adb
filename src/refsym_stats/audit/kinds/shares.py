"""`count` and `denominator`: printed shares that must be counts over n."""

from __future__ import annotations

import math
from fractions import Fraction

from refsym_stats.audit.enclosure import show
from refsym_stats.audit.fields import Fields
from refsym_stats.audit.kinds.lattice import SHOWN, as_printed, counts_over, listed, scale_of
from refsym_stats.audit.verdicts import Outcome, Verdict


def count(fields: Fields) -> Outcome:
    """A printed share must be a count over n: GRIM."""
    printed, scale = fields.printed(), scale_of(fields)
    reads = fields.size("of")[2]
    sizes = fields.integers("of")
    for n in sizes:
        counts = counts_over(printed.span, n, scale)
        if counts:
            verdict = Verdict.AGREES if n == as_printed(fields, "of") else Verdict.WITHIN_ROUNDING
            text = f"{listed(counts)} of {n:,} gives {listed([scale * c / n for c in counts])}"
            if printed.unit * n >= scale:
                text += f"; any such number is a count over {n:,}, so this cannot fail"
            return Outcome(verdict, f"{listed(counts)} of {n:,}", f"{text}.")
    n = sizes[0]
    below = math.floor(printed.span.low * n / scale)
    near = " and ".join(f"{c:,}/{n:,} gives {show(scale * Fraction(c, n))}" for c in (below, below + 1))
    return Outcome(
        Verdict.CANNOT_BE,
        "no count",
        f"{near}; {printed.text} stands for {printed.span}, and no count over {reads} lies there.",
    )


def denominator(fields: Fields) -> Outcome:
    """Several printed shares must be counts over one n that is not printed."""
    values, scale = fields.numerals("values"), scale_of(fields)
    least, bounds = fields.integer("at_least") if fields.has("at_least") else 1, fields.integers("at_most")
    printed = fields.integer("at_most") if len(bounds) == 1 else as_printed(fields, "at_most")
    fit = [n for n in range(least, max(bounds) + 1) if all(counts_over(v.span, n, scale) for v in values)]
    listed = ", ".join(v.text for v in values)
    # Unlike counts that round alike, the n that fit have gaps.
    some = ", ".join(map(str, fit)) if len(fit) <= SHOWN else f"{fit[0]}, {fit[1]}, ..., {fit[-1]} ({len(fit)} of them)"
    if fit:
        verdict = Verdict.AGREES if printed is not None and fit[0] <= printed else Verdict.WITHIN_ROUNDING
        return Outcome(verdict, f"n = {some}", f"{listed} are counts over n = {some}.", listed)
    best = max(range(least, max(bounds) + 1), key=lambda n: sum(bool(counts_over(v.span, n, scale)) for v in values))
    failed = ", ".join(v.text for v in values if not counts_over(v.span, best, scale))
    return Outcome(
        Verdict.CANNOT_BE,
        "no n",
        f"No n from {least} to {max(bounds):,} makes all of {listed} counts over n; {best} leaves out {failed}.",
        listed,
    )
