"""The kinds of check: each derives a verdict from one check's fields."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from refsym_stats.audit import statistics
from refsym_stats.audit.enclosure import Enclosure, show
from refsym_stats.audit.expression import Expression
from refsym_stats.audit.fields import Fields
from refsym_stats.audit.numerals import Numeral
from refsym_stats.audit.search import settle
from refsym_stats.audit.verdicts import Outcome, Verdict
from refsym_stats.errors import InputError

TRUE = Enclosure.point(1)

_COMBINATIONS = 100_000
_SHOWN = 4
_UNSETTLED = "The search settled it neither way within its limit."


def formula(fields: Fields) -> Outcome:
    """Recompute a printed number from others."""
    printed = fields.printed()
    parsed, found = fields.expression("formula")
    stands = f"{printed.text} stands for {printed.span}" if not printed.exact else f"{printed.text} is exact"
    return _derive(fields, "formula", parsed, found, printed.span, stands)


def holds(fields: Fields) -> Outcome:
    """Check a sentence: a comparison between printed numbers."""
    fields.text("printed")
    parsed, found = fields.expression("holds")
    return _derive(fields, "holds", parsed, found, TRUE, "")


def count(fields: Fields) -> Outcome:
    """A printed share must be a count over n: GRIM."""
    printed, scale = fields.printed(), _scale(fields)
    reads = fields.size("of")[2]
    sizes = fields.integers("of")
    for n in sizes:
        counts = _counts(printed.span, n, scale)
        if counts:
            verdict = Verdict.AGREES if n == _as_printed(fields, "of") else Verdict.WITHIN_ROUNDING
            text = f"{_listed(counts)} of {n:,} gives {_listed([scale * c / n for c in counts])}"
            if printed.unit * n >= scale:
                text += f"; any such number is a count over {n:,}, so this cannot fail"
            return Outcome(verdict, f"{_listed(counts)} of {n:,}", f"{text}.")
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
    values, scale = fields.numerals("values"), _scale(fields)
    least, bounds = fields.integer("at_least") if fields.has("at_least") else 1, fields.integers("at_most")
    printed = fields.integer("at_most") if len(bounds) == 1 else _as_printed(fields, "at_most")
    fit = [n for n in range(least, max(bounds) + 1) if all(_counts(v.span, n, scale) for v in values)]
    listed = ", ".join(v.text for v in values)
    # Unlike counts that round alike, the n that fit have gaps.
    some = (
        ", ".join(map(str, fit)) if len(fit) <= _SHOWN else f"{fit[0]}, {fit[1]}, ..., {fit[-1]} ({len(fit)} of them)"
    )
    if fit:
        verdict = Verdict.AGREES if printed is not None and fit[0] <= printed else Verdict.WITHIN_ROUNDING
        return Outcome(verdict, f"n = {some}", f"{listed} are counts over n = {some}.", listed)
    best = max(range(least, max(bounds) + 1), key=lambda n: sum(bool(_counts(v.span, n, scale)) for v in values))
    failed = ", ".join(v.text for v in values if not _counts(v.span, best, scale))
    return Outcome(
        Verdict.CANNOT_BE,
        "no n",
        f"No n from {least} to {max(bounds):,} makes all of {listed} counts over n; {best} leaves out {failed}.",
        listed,
    )


def pairs(fields: Fields) -> Outcome:
    """Gains and losses behind a printed difference, test and interval: every count is tried."""
    scale, sizes = _scale(fields), fields.integers("n", 2)
    wanted = Wanted.of(fields, scale)
    for n in sizes:
        fit = list(itertools.islice(wanted.solutions(n), 50))
        if fit:
            verdict = Verdict.AGREES if n == _as_printed(fields, "n") else Verdict.WITHIN_ROUNDING
            text = _pairs_listed(fit)
            reads = f"Of n = {n:,}, gains/losses {text} give all that is printed."
            return Outcome(verdict, text, reads, wanted.printed)
    return Outcome(Verdict.CANNOT_BE, "no gains and losses", wanted.refusal(sizes[0]), wanted.printed)


def spread(fields: Fields) -> Outcome:
    """A mean and sample standard deviation over seeds must come from whole counts."""
    mean, sd, scale, seeds = fields.numeral("mean"), fields.numeral("sd"), _scale(fields), fields.integer("seeds", 2)
    sizes, printed = fields.integers("of"), f"{mean.text} ± {sd.text}"
    for n in sizes:
        for total in _counts(mean.span, n * seeds, scale):
            low, high = (
                Fraction(total**2, seeds) + (seeds - 1) * (max(end, Fraction(0)) * n / scale) ** 2
                for end in (sd.span.low, sd.span.high)
            )
            found = _whole_numbers(seeds, total, low, high, n)
            if found is not None:
                verdict = Verdict.AGREES if n == _as_printed(fields, "of") else Verdict.WITHIN_ROUNDING
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


def none(fields: Fields) -> Outcome:
    """A number that the print does not determine; the reason is given."""
    fields.text("printed")
    return Outcome(Verdict.NOT_RECOMPUTABLE, "", fields.text("why"))


KINDS: dict[str, tuple[Callable[[Fields], Outcome], frozenset[str]]] = {
    "formula": (formula, frozenset({"printed", "formula", "counts", "scale"})),
    "holds": (holds, frozenset({"printed", "holds", "counts", "scale"})),
    "count": (count, frozenset({"printed", "of", "scale"})),
    "denominator": (denominator, frozenset({"values", "at_least", "at_most", "scale"})),
    "pairs": (
        pairs,
        frozenset({"n", "difference", "p", "p_below", "p_at_most", "sides", "low", "high", "scale"}),
    ),
    "spread": (spread, frozenset({"mean", "sd", "of", "seeds", "scale"})),
    "t-interval": (t_interval, frozenset({"printed", "estimate", "low", "high", "df"})),
    "none": (none, frozenset({"printed"})),
}
"""Name, what derives the verdict, and the fields that it may have."""


# Formulas and sentences.


def _derive(
    fields: Fields, name: str, parsed: Expression, found: dict[str, Numeral], target: Enclosure, stands: str
) -> Outcome:
    spans = {word: number.span for word, number in found.items()}
    exact = {word: Enclosure.point(number.value) for word, number in found.items()}

    def evaluate(numbers: Mapping[str, Enclosure]) -> Enclosure:
        return fields.reading(name, lambda: parsed.evaluate(numbers, spans))

    as_printed = evaluate(exact)
    computed = _computed(as_printed, stands)
    written = parsed.with_numbers({word: number.text for word, number in found.items()})
    lead = f"{written}: {computed} as printed" if not stands else f"{written} = {computed} as printed"
    if fields.has("counts"):
        return _derive_over_counts(fields, evaluate, spans, as_printed, target, lead, stands)
    tail = f"; {stands}." if stands else "."
    if as_printed.within(target):
        return Outcome(Verdict.AGREES, computed, lead + tail)
    reach = evaluate(spans)
    over = f", {reach} over the rounding" if stands else ""
    settled = settle(evaluate, spans, target)
    if settled.excluded:
        never = "" if stands else ", and false for all unrounded values"
        return Outcome(Verdict.CANNOT_BE, computed, lead + over + never + tail)
    if settled.witness is None:
        return Outcome(Verdict.NOT_RECOMPUTABLE, computed, f"{lead}{over}{tail} {_UNSETTLED}")
    chosen = ", ".join(f"{word} {show(value)}" for word, value in settled.witness.items() if not found[word].exact)
    witness = f" True for {chosen}." if not stands else ""
    return Outcome(Verdict.WITHIN_ROUNDING, computed, lead + over + tail + witness)


def _derive_over_counts(
    fields: Fields,
    evaluate: Callable[[Mapping[str, Enclosure]], Enclosure],
    spans: dict[str, Enclosure],
    as_printed: Enclosure,
    target: Enclosure,
    lead: str,
    stands: str,
) -> Outcome:
    """Settle where some numbers are known to be counts over an n: every combination of counts is tried."""
    lattices, scale = _lattices(fields, spans), _scale(fields)
    computed, tail = _computed(as_printed, stands), f"; {stands}." if stands else "."
    for word, (n, counts) in lattices.items():
        if not counts:
            return Outcome(Verdict.CANNOT_BE, computed, f"{lead}{tail} {word} is no count over {n:,}.")
    tried = math.prod(len(counts) for _, counts in lattices.values())
    if tried > _COMBINATIONS:
        raise InputError(f"{fields.where}: counts: {tried:,} combinations; at most {_COMBINATIONS:,} can be tried")
    fit, unsettled = [], False
    for chosen in itertools.product(*(counts for _, counts in lattices.values())):
        fixed = {
            word: Enclosure.point(scale * Fraction(c, n))
            for (word, (n, _)), c in zip(lattices.items(), chosen, strict=True)
        }
        settled = settle(evaluate, spans | fixed, target)
        unsettled |= settled.witness is None and not settled.excluded
        if settled.witness is not None:
            fit.append(chosen)
    if not fit:
        if unsettled:
            return Outcome(Verdict.NOT_RECOMPUTABLE, computed, f"{lead}{tail} {_UNSETTLED}")
        text = f"{lead}{tail} None of {tried:,} combinations of counts that round as printed gives it."
        return Outcome(Verdict.CANNOT_BE, computed, text)
    first = ", ".join(f"{word} {c:,}" for word, c in zip(lattices, fit[0], strict=True))
    some = f"{len(fit):,} of {tried:,} combinations of counts fit, such as"
    solved = f"{'Only these counts fit:' if len(fit) == 1 else some} {first}."
    verdict = Verdict.AGREES if as_printed.within(target) else Verdict.WITHIN_ROUNDING
    return Outcome(verdict, computed, f"{lead}{tail} {solved}")


def _lattices(fields: Fields, spans: Mapping[str, Enclosure]) -> dict[str, tuple[int, list[int]]]:
    given, scale = fields.raw["counts"], _scale(fields)
    if not isinstance(given, dict) or not given:
        raise InputError(f"{fields.where}: counts: a table is needed, such as {{ measure = 12445 }}")
    out = {}
    for word, size in _flat(given).items():
        if word not in spans:
            raise InputError(f"{fields.where}: counts: {word!r} is not in the formula")
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise InputError(f"{fields.where}: counts: {word} is over {size!r}; a positive integer is needed")
        out[word] = (size, _counts(spans[word], size, scale))
    return out


def _flat(table: Mapping[str, object], prefix: str = "") -> dict[str, object]:
    """Join the keys that TOML nests: t2.measure = 12445."""
    out: dict[str, object] = {}
    for key, value in table.items():
        out |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return out


def _computed(value: Enclosure, stands: str) -> str:
    """A sentence has no number that it stands for; it is true or false."""
    if not stands:
        return "true" if value == TRUE else "false" if value.high == 0 else "open"
    return show(value.middle)


# Counts over n.


def _scale(fields: Fields) -> Fraction:
    """100 for percentages, the rule; 1 for shares."""
    scale = fields.raw.get("scale", 100)
    if scale not in (1, 100) or isinstance(scale, bool):
        raise InputError(f"{fields.where}: scale is {scale!r}; 100 for percentages, 1 for shares")
    return Fraction(scale)


def _counts(span: Enclosure, n: int, scale: Fraction) -> list[int]:
    return list(range(math.ceil(span.low * n / scale), math.floor(span.high * n / scale) + 1))


def _as_printed(fields: Fields, name: str) -> int | None:
    value = fields.size(name)[0]
    return int(value.low) if value.exact and value.low.denominator == 1 else None


def _listed(values: list[int] | list[Fraction]) -> str:
    words = [show(Fraction(value)) for value in values]
    return words[0] if len(words) == 1 else f"{words[0]} to {words[-1]}" if len(words) > _SHOWN else " or ".join(words)


# Gains and losses.


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
        for net in _counts(self.difference.span, n, self.scale):
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
        nets = _counts(self.difference.span, n, self.scale)
        if not nets:
            return f"No net count over {n:,} rounds to {self.difference.text}."
        least = max(nets, key=lambda net: abs(net) if self.two_sided else net)
        gains, losses = max(least, 0), max(-least, 0)
        p = self.p_value(gains, losses)
        text = f"{self.difference.text} is a net count of {_listed(nets)} over {n:,}; "
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
    return ", ".join(words) if len(words) <= _SHOWN else f"{words[0]}, {words[1]}, ..., {words[-1]}"


# Seeds.


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


# Student intervals.


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
