"""`formula` and `holds`: a number, or a sentence, recomputed from other numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction

from refsym_stats.audit.enclosure import Enclosure, show
from refsym_stats.audit.expression import Expression
from refsym_stats.audit.fields import Fields
from refsym_stats.audit.kinds.lattice import counts_over, scale_of
from refsym_stats.audit.numerals import Numeral
from refsym_stats.audit.search import settle
from refsym_stats.audit.verdicts import Outcome, Verdict
from refsym_stats.errors import InputError

TRUE = Enclosure.point(1)

_COMBINATIONS = 100_000
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
    over = f", {reach} over the rounding" if stands and reach.low < reach.high else ""
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
    lattices, scale = _lattices(fields, spans), scale_of(fields)
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
    given, scale = fields.raw["counts"], scale_of(fields)
    if not isinstance(given, dict) or not given:
        raise InputError(f"{fields.where}: counts: a table is needed, such as {{ measure = 12445 }}")
    out = {}
    for word, size in _flat(given).items():
        if word not in spans:
            raise InputError(f"{fields.where}: counts: {word!r} is not in the formula")
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise InputError(f"{fields.where}: counts: {word} is over {size!r}; a positive integer is needed")
        out[word] = (size, counts_over(spans[word], size, scale))
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
