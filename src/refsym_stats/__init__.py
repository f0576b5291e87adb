"""Paired comparisons of evaluation logs: nothing here yet."""
