"""Pages for people, rendered from the plain records that the libraries return."""

from refsym.report.page import render_certificate

__all__ = ["render_certificate"]
