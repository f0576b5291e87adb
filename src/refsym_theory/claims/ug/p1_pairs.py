"""UG Proposition 1, first step of the proof: the regret as a sum over pairs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.P1-pairs",
    title="Common tiles cancel, the rest pairs up",
    source="UG Appendix D.3, proof of Proposition 1",
    statement=(
        r"$|\Pi_q^*| = |\Pi_q^\sigma| = \lceil qT\rceil$, so the common tiles cancel in (20) and the two difference sets "
        r"have equal cardinality $D \le \min(\lceil qT\rceil, T-\lceil qT\rceil)$."
    ),
    plain="Two choices of the same number of tiles differ only in pairs: one tile in, one tile out.",
    definitions=(
        r"$D$ is here the size of the difference sets; elsewhere in this registry $D = \lceil qT\rceil$.",
        r"Indicators $a_t, b_t \in \{0,1\}$ of membership in the two sets.",
    ),
    hypotheses=(Hypothesis("budget", r"Both sets have the same number of tiles."),),
    steps=(
        Step("cancel", r"$a - b = a(1-b) - b(1-a)$ tile by tile: only the difference sets remain in the sum."),
        Step("equal", r"The same with every value 1: the difference sets are as unequal as the sets."),
        Step(
            "size", r"$a(1-b) \le a$ and $a(1-b) \le 1-b$: at most $|\Pi_q^*|$ and at most $T - |\Pi_q^\sigma|$ tiles."
        ),
    ),
    tight=r"Two tiles, one in each set.",
    stronger="It holds for any two rules of the same budget, not only these two.",
    expected=Verdict.VERIFIED,
)


def difference(a: Any, b: Any) -> Any:
    """Indicator of "in the first set but not in the second"."""
    return a * (1 - b)


def most_pairs(triggered: int, tiles: int) -> int:
    """Bound min(D, T - D) on the number of pairs, D = ceil(q T)."""
    return min(triggered, tiles - triggered)


def regret(values: Sequence[Any], best: Sequence[int], chosen: Sequence[int]) -> Any:
    """Regret (20) of one set of tiles against another."""
    return (sum(values[t] for t in best) - sum(values[t] for t in chosen)) * Fraction(1, len(values))
