"""UG (A1), the remark: tiles below the spacing floor add their share to the bound."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.P1-violators",
    title="Tiles below the floor are paid for",
    source="UG Appendix D.2, (A1)",
    statement=(
        r"If a fraction $\pi_2$ of tiles violates the floor, those tiles cost at most the trivial per-tile cap, adding "
        r"$\pi_2$ to the bound additively."
    ),
    plain="Tiles with narrow spacings, for which the lemma says nothing, cost at most one each.",
    definitions=(
        r"The bound is the corrected one, $\min(D,T-D)/T \cdot C_q$: a sum over at most $\min(D,T-D)$ pairs of tiles.",
        r"A pair is spoilt if one of its tiles violates the floor. (A2) is asked of all tiles.",
    ),
    hypotheses=(Hypothesis("disjoint", r"No tile is in two pairs."),),
    uses=("UG.P1-pairs", "UG.P1-caps"),
    steps=(
        Step("spoilt", r"At most $\pi_2 T$ pairs are spoilt: $1-(1-a)(1-b) \le a + b$ summed over disjoint pairs."),
        Step("sum", r"$p$ pairs, $s$ of them spoilt: $(p-s)\,C_q + s\cdot1 \le n\,C_q + \pi_2 T$ for $p \le n$."),
    ),
    stronger=r"$\mathcal{R}_q \le \frac nT\,C_q + \min(\pi_2, \frac nT)\,(1-C_q)$, with $n = \min(D, T-D)$.",
    tight=r"Two tiles, one of them with $10^{12}$ tied blocks under gap 3: the regret is within 3% of $\pi_2 = \frac12$.",
    expected=Verdict.VERIFIED,
)


def spoilt(a: Any, b: Any) -> Any:
    """Indicator of "one of the two violates", from both indicators."""
    return 1 - (1 - a) * (1 - b)


def total(pairs: Any, bad: Any, cost: Any) -> Any:
    """Bound on T times the regret: `bad` of the pairs cost one, the others `cost`."""
    return (pairs - bad) * cost + bad


def bound(pairs: Any, violators: Any, cost: Any) -> Any:
    """T times the bound of the remark; `violators` is pi_2 T."""
    return pairs * cost + violators
