"""How the templates are filled: every string from the data escaped."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from refsym.report import numerals


def environment() -> Environment:
    """Return the environment of every page: escaping on, an unknown name is an error."""
    found = Environment(
        loader=PackageLoader("refsym.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {
        "number": numerals.number,
        "gain": numerals.gain,
        "setting": numerals.setting,
        "share": numerals.share,
        "points": numerals.points,
        "count": numerals.count,
        "blocks": numerals.blocks,
    }
    return found
