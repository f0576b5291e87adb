"""UG Lemma 1, equation 21: the identification error of the first k scores."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.L1-kept",
    title="Error of the kept set, both sides",
    source="UG Appendix D.3, Lemma 1, equation 21",
    statement=r"Under (17) and (A1), $\bar V(g_t) \le \mathcal{E}_t(\widehat S_k) \le \bar V(g_t)\,(1+\chi)$.",
    plain="If all spacings but the one at the cut are wide, the risk of a wrong cut is that of the two blocks at the cut.",
    definitions=(
        r"(A1): $s_{(j)} - s_{(j+1)} \ge \Delta_2$ for all $j \ne k-1$. $\chi$ as in UG.L1-chi, $\bar V$ as in OWN.PAIRS.",
        r"$\widehat S_k$ has exactly $k$ blocks, as the proof says. The printed $\{b : s_b \ge s_{(k-1)}\}$ has more at a tie "
        r"of the cut, and then the lower bound fails: OWN.PAIRS, hypothesis size; (A1) allows $g_t = 0$.",
        r"Distance of the pair $(i,j)$, $i < k \le j$: $m = (k-1-i)+(j-k)$.",
    ),
    hypotheses=(Hypothesis("floor", r"(A1), for the upper bound."),),
    uses=("OWN.PAIRS", "UG.TAIL", "UG.L1-chi"),
    steps=(
        Step("gap", r"A pair at distance $m$ has score gap at least $g_t + m\Delta_2$."),
        Step(
            "count", r"There are at most $m+1$ pairs at distance $m$: $j$ follows from $i$, and $k-1-m \le i \le k-1$."
        ),
        Step("tail", r"$\bar V(g_t + m\Delta_2) \le \bar V(g_t)\,e^{-m^2\Delta_2^2/(4\tau^2)}$, by UG.TAIL."),
    ),
    stronger=(
        r"The lower bound needs no (A1). In the upper one the $m$-th term of $\chi$ may carry the factor "
        r"$e^{-m g_t\Delta_2/(2\tau^2)}$, which the proof drops."
    ),
    tight="Two blocks attain both sides.",
    residue=r"That the sum of the bounds over all pairs is $\bar V(g_t)(1+\chi)$ when grouped by distance.",
    expected=Verdict.VERIFIED,
)


def least_gap(gap: Any, m: Any, floor: Any) -> Any:
    """Least score gap of a pair at distance m."""
    return gap + m * floor


def most_pairs(m: int) -> int:
    """Bound on the number of pairs at distance m."""
    return m + 1


def exponent(m: Any, floor: Any, tau: Any) -> Any:
    """Exponent -m^2 Delta_2^2 / (4 tau^2) of a pair's share."""
    return -(m**2) * floor**2 / (4 * tau**2)


def bound(v: Any, chi: Any) -> Any:
    """Upper side V-bar (1 + chi)."""
    return v * (1 + chi)
