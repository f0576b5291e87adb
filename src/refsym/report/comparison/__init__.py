"""A comparison's record to a page, to Markdown and to LaTeX."""

from refsym.report.comparison.documents import comparison_latex, comparison_markdown
from refsym.report.comparison.page import render_comparison

__all__ = ["comparison_latex", "comparison_markdown", "render_comparison"]
