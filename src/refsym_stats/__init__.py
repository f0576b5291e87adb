"""Paired, clustered, multiplicity-controlled comparisons."""
