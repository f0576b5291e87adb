"""`spread`: a mean and standard deviation over seeds that must come from whole counts."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from refsym_stats.audit.fields import Fields
from refsym_stats.audit.kinds.lattice import as_printed, counts_over, scale_of
from refsym_stats.audit.verdicts import Outcome, Verdict


def spread(fields: Fields) -> Outcome:
    """A mean and sample standard deviation over seeds must come from whole counts."""
    mean, sd, scale, seeds = fields.numeral("mean"), fields.numeral("sd"), scale_of(fields), fields.integer("seeds", 2)
    sizes, printed = fields.integers("of"), f"{mean.text} ± {sd.text}"
    for n in sizes:
        for total in counts_over(mean.span, n * seeds, scale):
            low, high = (
                Fraction(total**2, seeds) + (seeds - 1) * (max(end, Fraction(0)) * n / scale) ** 2
                for end in (sd.span.low, sd.span.high)
            )
            found = _whole_numbers(seeds, total, low, high, n)
            if found is not None:
                verdict = Verdict.AGREES if n == as_printed(fields, "of") else Verdict.WITHIN_ROUNDING
                listed = ", ".join(f"{c:,}" for c in found)
                return Outcome(
                    verdict,
                    f"for example {listed} of {n:,}",
                    f"Counts {listed} of {n:,} have that mean and standard deviation; the print fixes no single seed.",
                    printed,
                )
    return Outcome(
        Verdict.CANNOT_BE,
        "no counts",
        f"No {seeds} counts over {fields.size('of')[2]} have mean {mean.text} and standard deviation {sd.text}.",
        printed,
    )


def _whole_numbers(seeds: int, total: int, low: Fraction, high: Fraction, n: int) -> list[int] | None:
    """Return `seeds` counts up to n with that total and squares summing to [low, high]; None if there are none."""
    base = total // seeds
    rest = total - base * seeds
    # Around base: the sum of (base + d)^2 is the sum of d^2 plus a constant.
    constant = base * base * seeds + 2 * base * rest
    for squares in range(max(0, math.ceil(low - constant)), math.floor(high - constant) + 1):
        found = _deviations(seeds, rest, squares, -base, n - base)
        if found is not None:
            return sorted(base + d for d in found)
    return None


@lru_cache(maxsize=1 << 18)
def _deviations(parts: int, total: int, squares: int, least: int, most: int) -> tuple[int, ...] | None:
    """Return integers in [least, most] with that sum and sum of squares; None if there are none."""
    if (squares - total) % 2 or squares * parts < total * total:
        return None
    if parts == 1:
        return (total,) if squares == total * total and least <= total <= most else None
    reach = math.isqrt(squares)
    for d in range(min(reach, most), max(-reach, least) - 1, -1):
        found = _deviations(parts - 1, total - d, squares - d * d, least, most)
        if found is not None:
            return (d, *found)
    return None
