"""OWN: the regret of a trigger without a spread assumption."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.TRIGGER",
    title="Regret from the tiles' own bounds",
    source="this project, after UG Proposition 1",
    statement=(
        r"Let a policy trigger $D$ of $T$ tiles and $L_t \le V^*_t \le U_t$. With $n = \min(D,T-D)$, $\mathcal{R}_q \le "
        r"\frac1T\sum_{j<n}\bigl[U^{\mathrm{out}}_{(j)} - L^{\mathrm{in}}_{(j)}\bigr]_+$, the $j$-th largest $U$ outside and the "
        r"$j$-th smallest $L$ inside. With (23): $\mathcal{R}_q \le \frac nT\bigl[\min(1,(1+\bar\varepsilon)\bar V(g_-)) - "
        r"[1-\bar\varepsilon]_+\bar V(g_+)\bigr]_+$, $g_-$ the least gap outside, $g_+$ the largest inside."
    ),
    plain=(
        "What a trigger can have lost is read off the tiles themselves: the best ones left out against the worst ones expanded. "
        "Neither the spread r nor its variation is needed."
    ),
    definitions=(r"$[x]_+ = \max(x,0)$; $D = 0$ or $D = T$ leaves no pair, and the regret is 0.",),
    hypotheses=(
        Hypothesis("brackets", r"$L_t \le V^*_t \le U_t$ on every tile."),
        Hypothesis("router", r"The policy is the $\sigma$-quantile rule.", needed=False),
    ),
    uses=("UG.P1-pairs", "UG.L1-sandwich", "UG.P1-band"),
    steps=(
        Step(
            "top",
            r"$\sum_A U \le$ the sum of the $|A|$ largest: $(u-c)a \le (u-c)_+$ for $0 \le a \le 1$ and the threshold $c$.",
        ),
        Step("more", r"Terms $[\cdot]_+ \ge 0$ beyond the number $p \le n$ of pairs only add."),
        Step(
            "gaps",
            r"With (23) each term is at most $(1+\bar\varepsilon)\bar V(g_-) - [1-\bar\varepsilon]_+\bar V(g_+)$: $L_t = 0$ where "
            r"$\bar\varepsilon > 1$; and $V^*_t \le 1$.",
        ),
        Step(
            "never-worse",
            r"$g_- \ge \gamma_q(1-\beta)$ and $g_+ \le \gamma_q(1+\beta)$, so each term is at most the $C_q$ of (24); for "
            r"$\bar\varepsilon > 1$ since $(1+\bar\varepsilon)\bar V \le (1+\bar\varepsilon)/2 \le \bar\varepsilon$.",
        ),
    ),
    stronger=r"With $L = U = V^*$ the right side is the regret itself, of any policy. OWN.SANDWICH gives sharper $L$ and $U$.",
    tight=r"$L = U = V^*$: equality for every policy and all values.",
    residue="Sums over tiles of the identities that are checked tile by tile; sets of up to five tiles are also checked one by one.",
    expected=Verdict.VERIFIED,
)


def regret_bound(upper_out: Sequence[Any], lower_in: Sequence[Any]) -> Any:
    """Bound on the regret from U outside and L inside the triggered set."""
    pairs = zip(sorted(upper_out, reverse=True), sorted(lower_in), strict=False)
    return sum(max(u - low, 0) for u, low in pairs) * Fraction(1, len(upper_out) + len(lower_in))


def regret(values: Sequence[Any], triggered: Sequence[int]) -> Any:
    """Regret of a set of tiles against the best one of its size."""
    best = sorted(values, reverse=True)[: len(triggered)]
    return (sum(best) - sum(values[t] for t in triggered)) * Fraction(1, len(values))


def pair_cost(v_minus: Any, v_plus: Any, eps: Any, shrink: Any) -> Any:
    """Bound on the cost of a pair, from V-bar at g_minus and g_plus; `shrink` is 1 - eps, or 0 where eps is above 1."""
    return (1 + eps) * v_minus - shrink * v_plus
