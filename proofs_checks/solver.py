"""A second opinion on polynomial cores: z3 over the reals, without quantifiers and without division."""

from typing import Any

import z3

from refsym_theory.evidence import Truth

LIMIT = 20_000
"""Milliseconds; a solver that gives up says nothing."""


def follows(conclusion: Any, *premises: Any) -> Truth:
    """Whether no real numbers satisfy the premises and break the conclusion; only `unsat` counts as yes."""
    solver = z3.SolverFor("QF_NRA")
    solver.set("timeout", LIMIT)
    solver.add(*premises, z3.Not(conclusion))
    answer = solver.check()
    if answer == z3.unsat:
        return Truth.TRUE
    return Truth.FALSE if answer == z3.sat else Truth.UNKNOWN
