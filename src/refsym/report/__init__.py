"""Pages for people, rendered from the plain records that the libraries return."""

from importlib import import_module
from threading import Thread

from refsym.report.claims import claims_markdown, render_claims
from refsym.report.page import render_certificate

__all__ = ["claims_markdown", "preload", "render_certificate", "render_claims"]


def preload() -> None:
    """Begin to import the drawing library in the background, while something else is computed."""
    Thread(target=import_module, args=("matplotlib.backends.backend_svg",), daemon=True).start()
