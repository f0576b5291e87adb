"""`t-interval`: a printed p against its estimate and interval."""

from __future__ import annotations

from fractions import Fraction

from refsym_stats.audit import statistics
from refsym_stats.audit.enclosure import Enclosure, show
from refsym_stats.audit.fields import Fields
from refsym_stats.audit.verdicts import Outcome, Verdict
from refsym_stats.errors import InputError


def t_interval(fields: Fields) -> Outcome:
    """A two-sided p from an estimate and its 95% t interval, over every unrounded interval centred on the estimate."""
    printed = fields.printed()
    estimate, low, high = fields.numeral("estimate"), fields.numeral("low"), fields.numeral("high")
    degrees = Enclosure.point(fields.integer("df"))
    if low.span.high >= high.span.low:
        raise InputError(f"{fields.where}: low: [{low.text}, {high.text}] may have no width")
    quantile = statistics.t_quantile(Enclosure.point(Fraction(39, 40)), degrees)
    ratio = Enclosure.point(2 * estimate.value / (high.value - low.value)) * quantile
    as_printed = statistics.t_p(ratio, degrees)
    corners = _clipped(low.span, high.span, estimate.span)
    if not corners:
        middle = Enclosure((low.span.low + high.span.low) / 2, (low.span.high + high.span.high) / 2)
        text = f"The interval's middle is in {middle}, {estimate.text} stands for {estimate.span}: it is not centred."
        return Outcome(Verdict.CANNOT_BE, "no centred interval", text)
    ratios = [(a + b) / (b - a) for a, b in corners]
    reach = statistics.t_p(Enclosure(min(ratios), max(ratios)) * quantile, degrees)
    text = (
        f"t = {float(ratio.middle):.4g} on {show(degrees.low)} degrees gives p = {float(as_printed.middle):.4g} "
        f"as printed, {_short(reach)} over the rounding; {printed.text} stands for {printed.span}."
    )
    if as_printed.within(printed.span):
        verdict = Verdict.AGREES
    else:
        verdict = Verdict.CANNOT_BE if reach.misses(printed.span) else Verdict.WITHIN_ROUNDING
    return Outcome(verdict, f"{float(as_printed.middle):.4g}", text)


def _clipped(low: Enclosure, high: Enclosure, middle: Enclosure) -> list[tuple[Fraction, Fraction]]:
    """Corners of the part of the rectangle low x high whose ends average to a value in `middle`."""
    corners = [(low.low, high.low), (low.high, high.low), (low.high, high.high), (low.low, high.high)]
    for side, bound in ((1, middle.low), (-1, middle.high)):
        kept: list[tuple[Fraction, Fraction]] = []
        for here, there in zip(corners, corners[1:] + corners[:1], strict=True):
            a, b = (side * ((x + y) / 2 - bound) for x, y in (here, there))
            if a >= 0:
                kept.append(here)
            if a * b < 0:
                share = a / (a - b)
                kept.append((here[0] + share * (there[0] - here[0]), here[1] + share * (there[1] - here[1])))
        corners = kept
    return corners


def _short(span: Enclosure) -> str:
    return f"[{float(span.low):.4g}, {float(span.high):.4g}]"
