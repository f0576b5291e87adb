"""UG Lemma 1, equation 22: the identification error of the expanded set."""

from __future__ import annotations

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.L1-expanded",
    title="Error of the expanded set",
    source="UG Appendix D.3, Lemma 1, equation 22",
    statement=r"Under (17) and (A1), $0 \le \mathcal{E}_t(\widehat S_{\rho k}) \le \bar V(G_t)\,(1+\chi)$.",
    plain="Once rho k blocks are kept, the risk is that of the last of the first k against the first block left out.",
    definitions=(
        r"$G_t = s_{(k-1)} - s_{(\rho k)}$; with nothing left out ($N \le \rho k$) the error is 0.",
        r"Distance of the pair $(i,j)$, $i < k$, $j \ge \rho k$: $m = (k-1-i)+(j-\rho k)$.",
    ),
    hypotheses=(Hypothesis("floor", r"(A1)."),),
    uses=("OWN.PAIRS", "UG.TAIL", "UG.L1-chi", "UG.L1-kept"),
    steps=(
        Step("union", r"If the expanded set misses, some $j \ge \rho k$ truly beats some $i < k$."),
        Step(
            "gap",
            r"Such a pair at distance $m$ has score gap at least $G_t + m\Delta_2$: no spacing at the cut is used.",
        ),
        Step("count", r"There are at most $m+1$ of them."),
        Step(
            "tail",
            r"$\bar V(G_t + m\Delta_2) \le \bar V(G_t)\,e^{-m^2\Delta_2^2/(4\tau^2)}$, as in UG.L1-kept with $G_t \ge 0$.",
        ),
    ),
    stronger=(
        r"A missed block beats $\rho k - k + 1$ of the kept ones, not just one: OWN.PAIRS is smaller where the scores are flat."
    ),
    tight=(
        r"$k = 1$, $\rho = 2$, three scores 32, 8, 0 and $\tau = 1$: the error is $\bar V(G_t)$ up to a factor $1 - 10^{-9}$."
    ),
    residue="As for OWN.PAIRS (its step share at a = k is the union) and UG.L1-kept; spacings are listed for N up to 8.",
    expected=Verdict.VERIFIED,
)


def pairs(n: int, k: int, kept: int) -> list[tuple[int, int]]:
    """Pairs (i, j) of ranks that the union bound runs over."""
    return [(i, j) for i in range(k) for j in range(kept, n)]


def distance(i: int, j: int, k: int, kept: int) -> int:
    """Distance of a pair from the pair (k - 1, kept)."""
    return (k - 1 - i) + (j - kept)
