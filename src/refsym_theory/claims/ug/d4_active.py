"""UG appendix D.4: where the router's boundary lies when most cuts are tied."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.D4-active",
    title="The active set's 40th percentile is not the router's boundary",
    source="UG Appendix D.4, 'Measured quantities' and observation (ii)",
    statement=(
        r"$g_q^+$ is the 40th percentile of $g_t$ on the informative subset $\{t:g_t>0\}$ ($\sim83\%$ of tiles are exact zeros); "
        r"conditioning on $g_t>0$ is the honest active-set restriction; the per-pair cost at the boundary is at most "
        r"$\phi(0)\cdot(\text{boundary scale})/(\sqrt2\,\hat\tau)$."
    ),
    plain=(
        "False: the router chooses among all tiles. With 83% of them at zero, its 40% are all zeros, its boundary is zero, and what the "
        "paper calls the boundary is near the 90th percentile of the tiles."
    ),
    definitions=(
        r"The boundary scale of Proposition 1 is $\gamma_q=\sigma_{(q)}\bar r$, $\sigma_{(q)}$ the largest margin inside the router's set.",
        r"One head, as in D.2. A head mean is zero only where every head is tied, so the deployed rule's boundary need not be.",
    ),
    steps=(
        Step(
            "zero",
            r"If a share $p\ge\lceil qT\rceil/T$ of the tiles has $g_t=0$, then $\sigma_{(q)}=0$ and $\gamma_q=0$.",
        ),
        Step(
            "rank", r"The $q$-quantile of the active tiles has the share $p+q(1-p)=0.898$ of all tiles at or below it."
        ),
        Step(
            "band",
            r"At $\gamma_q=0$ the band term of (24) is 0: $C_q=\min\{1,\frac{1+\bar\varepsilon}2,\bar\varepsilon\}$.",
        ),
    ),
    correction=(
        r"With a share $p>q$ of tied cuts the router's boundary is $\gamma_q=0$, inside the tie: which tied tiles expand is left to the "
        r"tie rule, and $g_q^+$ is the $p+q(1-p)$ quantile of all tiles."
    ),
    expected=Verdict.REFUTED,
)


def boundary(gaps: Sequence[Any], q: Fraction) -> Any:
    """Largest gap among the first ceil(qT) tiles in order of the gap (equal spreads: in order of the margin)."""
    return sorted(gaps)[ceil(q * len(gaps)) - 1]


def active_quantile(gaps: Sequence[Any], q: Fraction) -> Any:
    """Gap of the last of the first ceil(q n) of the n tiles whose gap is not zero."""
    return boundary([gap for gap in gaps if gap > 0], q)


def share_below(tied: Any, q: Any) -> Any:
    """Share of all tiles at or below the active tiles' q-quantile."""
    return tied + q * (1 - tied)
