"""UG equation 15: the average attended budget."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.E15",
    title="The average budget is larger than printed",
    source="UG Appendix A, 'Average attended budget', equation 15; Section 3.5",
    statement=(
        r"The expected per-row attended budget is $\mathbb{E}[\mathrm{attended}]=k_{\mathrm{budget}}\cdot(1+q(\rho-1))$."
    ),
    plain="False where qT is not an integer: the router expands ceil(qT) tiles, so the cost is higher, by up to k(rho - 1)/T blocks.",
    definitions=(
        r"$D=\lceil qT\rceil$ tiles expand (Appendix D.2). Every tile is counted as filling its slots; tiles that see fewer "
        "blocks attend to fewer.",
    ),
    steps=(
        Step("average", r"$((T-D)k+D\rho k)/T=k(1+\frac DT(\rho-1))$."),
        Step("bracket", r"$q\le D/T<q+1/T$."),
    ),
    correction=r"$\mathbb{E}[\mathrm{attended}]=k\,(1+\frac{\lceil qT\rceil}T(\rho-1))$, equal to the printed value exactly if $qT$ is an integer.",
    residue=r"Beyond 50 tiles: $x\le\lceil x\rceil<x+1$.",
    expected=Verdict.REFUTED,
)


def printed(k: Any, q: Any, rho: Any) -> Any:
    """Return the budget as printed."""
    return k * (1 + q * (rho - 1))


def average(k: Any, expanded: Any, tiles: Any, rho: Any) -> Any:
    """Budget averaged over the tiles, of which `expanded` keep rho k."""
    return k * (1 + expanded / tiles * (rho - 1))


def triggered(q: Fraction, tiles: int) -> int:
    """Return D."""
    return ceil(q * tiles)
