"""Where a number belongs: benchmark and budget, as far as the records have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from refsym_stats.records import CONSTANT


def where(benchmark: str, budgets: Sequence[str]) -> str:
    """Benchmark and budgets in words; "all" where the records have neither."""
    known = [budget for budget in budgets if budget != CONSTANT]
    parts = [benchmark] if benchmark != CONSTANT else []
    parts += [f"budget {' + '.join(known)}"] if known else []
    return ", ".join(parts) or "all"


def where_of(row: Mapping[str, Any]) -> str:
    """The same of a contrast."""
    return where(row["benchmark"], row["budgets"])


def aside(row: Mapping[str, Any]) -> str:
    """The same in brackets, to follow a name; empty where the records have neither."""
    found = where_of(row)
    return "" if found == "all" else f" ({found})"
