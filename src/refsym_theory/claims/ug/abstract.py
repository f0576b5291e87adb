"""UG section 1: by how much the router enlarges the attended set."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.ABSTRACT",
    title="Not 1 + q blocks, but a factor 1 + q(rho - 1)",
    source="UG Section 1",
    statement=(
        "We trigger on the bottom $q$-fraction of tiles per layer, so the average attended set grows by only $1+q$ blocks per row."
    ),
    plain="False: at the paper's own setting (33 blocks, q = 0.4) it grows by 13.2 blocks, not by 1.4.",
    definitions=(
        "The $q$-fraction is taken exactly, $qT$ tiles, and every tile sees $\\rho k$ blocks; UG.E15 says what else happens.",
    ),
    steps=(Step("growth", r"$k(1+q(\rho-1))-k=q(\rho-1)k$ blocks: a factor $1+q(\rho-1)$."),),
    correction=r"The average attended set grows by $q(\rho-1)k$ blocks per row, to $1+q(\rho-1)$ times its size, if $qT$ is an integer and every tile sees $\rho k$ blocks.",
    expected=Verdict.REFUTED,
)


def growth(k: Any, q: Any, rho: Any) -> Any:
    """Blocks that the average row gains."""
    return q * (rho - 1) * k


def printed(k: Any, q: Any, rho: Any) -> Any:
    """Return the growth as printed."""
    return 1 + q + 0 * (k + rho)
