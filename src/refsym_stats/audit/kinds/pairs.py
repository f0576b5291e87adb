"""`pairs`: gains and losses behind a printed difference, test and interval."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from refsym_stats.audit import statistics
from refsym_stats.audit.enclosure import Enclosure, show
from refsym_stats.audit.fields import Fields
from refsym_stats.audit.kinds.lattice import SHOWN, as_printed, counts_over, listed, scale_of
from refsym_stats.audit.numerals import Numeral
from refsym_stats.audit.verdicts import Outcome, Verdict
from refsym_stats.errors import InputError


def pairs(fields: Fields) -> Outcome:
    """Gains and losses behind a printed difference, test and interval: every count is tried."""
    scale, sizes = scale_of(fields), fields.integers("n", 2)
    wanted = Wanted.of(fields, scale)
    for n in sizes:
        fit = list(itertools.islice(wanted.solutions(n), 50))
        if fit:
            verdict = Verdict.AGREES if n == as_printed(fields, "n") else Verdict.WITHIN_ROUNDING
            text = _pairs_listed(fit)
            reads = f"Of n = {n:,}, gains/losses {text} give all that is printed."
            return Outcome(verdict, text, reads, wanted.printed)
    return Outcome(Verdict.CANNOT_BE, "no gains and losses", wanted.refusal(sizes[0]), wanted.printed)


@dataclass(frozen=True)
class Wanted:
    """What is printed of a paired comparison; None where it is not."""

    printed: str
    difference: Numeral
    p: Enclosure | None
    strictly: bool
    two_sided: bool
    low: Numeral | None
    high: Numeral | None
    scale: Fraction

    @classmethod
    def of(cls, fields: Fields, scale: Fraction) -> Wanted:
        """Read it from a check."""
        sides = fields.raw.get("sides", 2)
        if sides not in (1, 2) or isinstance(sides, bool):
            raise InputError(f"{fields.where}: sides is {sides!r}; 1 or 2")
        given = [name for name in ("p", "p_below", "p_at_most") if fields.has(name)]
        if len(given) > 1:
            raise InputError(f"{fields.where}: {given[1]}: {given[0]} is given already")
        if not given and not fields.has("low") and not fields.has("high"):
            raise InputError(f"{fields.where}: p is missing: p, p_below, p_at_most, or low and high are needed")
        p = None
        if given:
            number = fields.numeral(given[0])
            # "p < 0.01" is a threshold; "p <= 0.004" is a rounded value.
            top = number.value if given == ["p_below"] else number.span.high
            p = Enclosure(number.span.low if given == ["p"] else Fraction(0), top)
        low, high = (fields.numeral(name) if fields.has(name) else None for name in ("low", "high"))
        difference = fields.numeral("difference")
        signs = {"p": "=", "p_below": "<", "p_at_most": "<="}
        parts = [difference.text]
        parts += [f"[{low.text}, {high.text}]"] if low and high else []
        parts += [f"p {signs[name]} {fields.numeral(name).text}" for name in given]
        return cls(", ".join(parts), difference, p, given == ["p_below"], sides == 2, low, high, scale)

    def solutions(self, n: int) -> Iterator[tuple[int, int]]:
        """All gains and losses over n that print as this."""
        for net in counts_over(self.difference.span, n, self.scale):
            for common in range((n - abs(net)) // 2 + 1):
                gains, losses = common + max(net, 0), common + max(-net, 0)
                p = self.p_value(gains, losses)
                # For a fixed net gain the p, and for any net the interval's width, grow with every pair that cancels.
                if self.p is not None and (net > 0 or (self.two_sided and net < 0)) and p > self.p.high:
                    break
                if self._too_wide(gains, losses, n):
                    break
                if self._p_fits(p) and self._interval_fits(gains, losses, n):
                    yield gains, losses

    def p_value(self, gains: int, losses: int) -> Fraction:
        """Exact p of the counts, on the sides asked for."""
        return statistics.two_sided(gains, losses) if self.two_sided else statistics.one_sided(gains, losses)

    def refusal(self, n: int) -> str:
        """Say why no counts fit."""
        nets = counts_over(self.difference.span, n, self.scale)
        if not nets:
            return f"No net count over {n:,} rounds to {self.difference.text}."
        least = max(nets, key=lambda net: abs(net) if self.two_sided else net)
        gains, losses = max(least, 0), max(-least, 0)
        p = self.p_value(gains, losses)
        text = f"{self.difference.text} is a net count of {listed(nets)} over {n:,}; "
        if self.p is not None and p > self.p.high:
            sides = "two-sided" if self.two_sided else "one-sided"
            return (
                f"{text}the least {sides} p is that of {gains} gains and {losses} losses, {show(p)}; "
                f"at most {show(self.p.high)} is printed."
            )
        return f"{text}no losses from 0 on fit the p and the interval together."

    def _p_fits(self, p: Fraction) -> bool:
        if self.p is None:
            return True
        return self.p.low <= p < self.p.high if self.strictly else self.p.low <= p <= self.p.high

    def _interval(self, gains: int, losses: int, n: int) -> tuple[Enclosure, Enclosure]:
        up, down, items = (Enclosure.point(value) for value in (gains, losses, n))
        scale = Enclosure.point(self.scale)
        return scale * statistics.paired_low(up, down, items), scale * statistics.paired_high(up, down, items)

    def _too_wide(self, gains: int, losses: int, n: int) -> bool:
        if self.low is None and self.high is None:
            return False
        low, high = self._interval(gains, losses, n)
        below = self.low is not None and low.high < self.low.span.low
        return below or (self.high is not None and high.low > self.high.span.high)

    def _interval_fits(self, gains: int, losses: int, n: int) -> bool:
        if self.low is None and self.high is None:
            return True
        low, high = self._interval(gains, losses, n)
        fits = self.low is None or not low.misses(self.low.span)
        return fits and (self.high is None or not high.misses(self.high.span))


def _pairs_listed(fit: list[tuple[int, int]]) -> str:
    words = [f"{gains}/{losses}" for gains, losses in fit]
    return ", ".join(words) if len(words) <= SHOWN else f"{words[0]}, {words[1]}, ..., {words[-1]}"
