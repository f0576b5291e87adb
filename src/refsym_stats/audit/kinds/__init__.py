"""The kinds of check: each derives a verdict from one check's fields.

A new kind is a module here and a row of `KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable

from refsym_stats.audit.fields import Fields
from refsym_stats.audit.kinds.derived import formula, holds
from refsym_stats.audit.kinds.pairs import pairs
from refsym_stats.audit.kinds.shares import count, denominator
from refsym_stats.audit.kinds.spread import spread
from refsym_stats.audit.kinds.t_interval import t_interval
from refsym_stats.audit.verdicts import Outcome, Verdict


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
