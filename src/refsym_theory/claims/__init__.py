"""Every claim of both papers and of this project: one module a claim, found by its name.

A module holds one `CLAIM` and the sides of its statement as functions.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

__all__ = ["Claim", "Hypothesis", "Step", "Verdict", "registry"]

FAMILIES = {"rs": "RS", "ug": "UG", "own": "OWN"}
"""Folder and prefix: refinement symmetry, uncertainty-gated selection, this project."""


@cache
def registry() -> dict[str, Claim]:
    """Every claim by id, in the order of families and names.

    Raises
    ------
    ValueError
        Where an id does not fit its module, or a claim uses one that does not exist, or uses itself.
    """
    claims: dict[str, Claim] = {}
    for folder, prefix in FAMILIES.items():
        package = import_module(f"{__name__}.{folder}")
        for found in sorted(iter_modules(package.__path__), key=lambda module: module.name):
            claim = import_module(f"{package.__name__}.{found.name}").CLAIM
            wanted = f"{prefix}.{found.name}"
            if claim.id.lower().replace("-", "_") != wanted.lower():
                raise ValueError(f"{package.__name__}.{found.name} holds {claim.id}, not {wanted}")
            claims[claim.id] = claim
    for claim in claims.values():
        if len({step.name for step in claim.steps}) != len(claim.steps) or not claim.steps:
            raise ValueError(f"{claim.id}: steps must be at least one, with different names")
        if missing := [name for name in claim.uses if name not in claims]:
            raise ValueError(f"{claim.id} uses {', '.join(missing)}, which does not exist")
    _refuse_cycles(claims)
    return claims


def _refuse_cycles(claims: dict[str, Claim]) -> None:
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise ValueError(f"claims use each other in a circle: {' -> '.join([*path, name])}")
        if name not in done:
            for used in claims[name].uses:
                visit(used, (*path, name))
            done.add(name)

    for name in claims:
        visit(name, ())
