"""UG equation 15: the average attended budget."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.E15",
    title="The average budget is not the printed one",
    source="UG Appendix A, 'Average attended budget', equation 15; Section 3.5",
    statement=(
        r"The expected per-row attended budget is $\mathbb{E}[\mathrm{attended}]=k_{\mathrm{budget}}\cdot(1+q(\rho-1))$."
    ),
    plain=(
        "False in two ways. Where qT is not an integer the router expands ceil(qT) tiles, so the cost is higher, by up to "
        "k(rho - 1)/T blocks. And early tiles do not see rho k blocks: at 32K the average is at most 45.2 blocks, not 46.2."
    ),
    definitions=(
        r"$D=\lceil qT\rceil$ tiles expand (Appendix D.2); tile $t$ sees $v_t$ blocks, under causality with blocks as long as tiles "
        r"$v_t=t+1$.",
    ),
    steps=(
        Step("average", r"$((T-D)k+D\rho k)/T=k(1+\frac DT(\rho-1))$."),
        Step("bracket", r"$q\le D/T<q+1/T$."),
        Step(
            "short",
            r"A tile attends to $\min(v_t,k)$ or $\min(v_t,\rho k)$ blocks, so the average is at most the corrected value.",
        ),
    ),
    correction=(
        r"$\mathbb{E}[\mathrm{attended}]=k\,(1+\frac{\lceil qT\rceil}T(\rho-1))$ if every tile sees $\rho k$ blocks, equal to the printed "
        r"value exactly if $qT$ is an integer; in general $\frac1T\sum_t\min(v_t,k\text{ or }\rho k)$, which is at most that."
    ),
    residue=r"Beyond 50 tiles: $x\le\lceil x\rceil<x+1$; a sum of smaller terms is smaller.",
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


def attended(visible: Sequence[int], expanded: Collection[int], k: int, wide: int) -> Fraction:
    """Average over tiles that see so many blocks, of which the expanded ones keep up to `wide`, the others up to k."""
    total = sum(min(seen, wide if t in expanded else k) for t, seen in enumerate(visible))
    return Fraction(total, len(visible))
