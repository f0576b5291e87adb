"""Text with LaTeX between dollars as HTML: formulas in MathML, which needs neither scripts nor the network."""

from __future__ import annotations

from markupsafe import Markup, escape


def typeset(text: str) -> Markup:
    """Return text as HTML, what stands between dollars as MathML and between backquotes as code.

    Raises
    ------
    ValueError
        Where a dollar is without its partner.
    """
    parts = text.split("$")
    if len(parts) % 2 == 0:
        raise ValueError(f"a dollar sign without its partner: {text}")
    return Markup("").join(_formula(part) if i % 2 else _words(part) for i, part in enumerate(parts))


def _formula(latex: str) -> Markup:
    from latex2mathml.converter import convert

    return Markup(convert(latex))


def _words(text: str) -> Markup:
    pieces = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if i % 2 else escape(piece) for i, piece in enumerate(pieces)
    )
