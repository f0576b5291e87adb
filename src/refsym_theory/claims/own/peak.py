"""OWN: where the expansion value of equally spaced scores has its peak."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.PEAK",
    title="The expansion value rises, then falls",
    source="this project, on UG D.3",
    statement=(
        r"Let the scores be equally spaced, $s_b = -bt\tau$. For $(k,\rho,N)$ = $(1,2,4)$, $(1,2,5)$, $(1,2,6)$ and $(2,2,6)$, "
        r"$V^*(t)$ rises on $[0,t^*]$ and falls beyond, with $t^*$ = 0.38655, 0.48337, 0.51139 and 0.38734. For $(1,2,3)$ it falls "
        r"from the start."
    ),
    plain=(
        "In four of these five cases expanding is worth most at a spacing of 0.39 to 0.51 noise scales, not where the scores tie. "
        "Below that, small sigma, read as a small gap, picks the WRONG tiles: the larger gap gains more."
    ),
    definitions=(
        r"$\tau = 1$ without loss, $m = \rho k$, $V^* = \mathbb{P}(S^* \subseteq \{0..m-1\}) - \mathbb{P}(S^* = \{0..k-1\})$.",
        r"$W(t) = 2\pi e^{t^2/4}\,dV^*/dt$, a sum over pairs $b < c$ and sets $A$ of $k-1$ other blocks above both: "
        r"$(c-b)\,e^{-((c-b)^2-1)t^2/4}\,[I(A\cup b)-I(A\cup c)]\int e^{-y^2}\prod_a\Phi(\pm(y+(a-\tfrac{b+c}2)t))\,dy$, minus for "
        r"$a \in A$, plus for the rest; $I(S)$ tells whether $S \subseteq \{0..m-1\}$ and $S \ne \{0..k-1\}$.",
        r"On such tiles $\sigma = 1/k$ whatever $t$ is: the margin $\sigma$ itself cannot tell them apart.",
    ),
    hypotheses=(Hypothesis("spaced", r"All spacings are equal."),),
    steps=(
        Step(
            "swap",
            r"Two neighbours in the true order change $V^*$'s event only at places $k-1$ and $k$: by $I(A\cup b)-I(A\cup c)$.",
        ),
        Step(
            "product", r"$\varphi(x+bt)\varphi(x+ct) = \frac1{2\pi}e^{-(c-b)^2t^2/4}e^{-y^2}$ at $y = x+\frac{b+c}2t$."
        ),
        Step(
            "boxes",
            r"On $[0,2]$, boxes with $W > 0$, then boxes with $W' < 0$, then boxes with $W < 0$: one change of sign.",
        ),
        Step(
            "tail", r"$W(t) < 0$ for all $t \ge 2$: its negative leading term grows, bounds on the positive ones fall."
        ),
        Step("peak", r"$W > 0$ at $t^*-10^{-5}$ and $W < 0$ at $t^*+10^{-5}$; for $(1,2,3)$, $W(0) = 0$."),
    ),
    scope=r"These five cases, every $t \ge 0$. Other cases: OWN.PEAK-general (sampled). The slope at ties, any case: OWN.SLOPE.",
    residue="That the slope of the probability of a set of orders is the sum of its pairs' crossing rates.",
    expected=Verdict.VERIFIED,
)

PEAKS = {(1, 2, 4): "0.38655", (1, 2, 5): "0.48337", (1, 2, 6): "0.51139", (2, 4, 6): "0.38734"}
"""Peak for each (k, m, N)."""


class Term(NamedTuple):
    """One term of W: weight, distance c - b, and for each other block the sign of y and the factor of t in Phi."""

    weight: int
    distance: int
    factors: tuple[tuple[int, Fraction], ...]


def gained(top: frozenset[int], k: int, m: int) -> bool:
    """Whether expansion saves this true top-k set."""
    return max(top) < m and top != frozenset(range(k))


def effect(b: int, c: int, above: frozenset[int], k: int, m: int) -> int:
    """Return I(A with b) - I(A with c)."""
    return gained(above | {b}, k, m) - gained(above | {c}, k, m)


def terms(k: int, m: int, n: int) -> list[Term]:
    """Return the terms of W."""
    found = []
    for b, c in combinations(range(n), 2):
        rest = [a for a in range(n) if a not in (b, c)]
        for above in map(frozenset, combinations(rest, k - 1)):
            if weight := (c - b) * effect(b, c, above, k, m):
                moves = [(a, a - Fraction(b + c, 2)) for a in rest]
                found.append(Term(weight, c - b, tuple((-1, -move) if a in above else (1, move) for a, move in moves)))
    return found


def damping(distance: Any, t: Any) -> Any:
    """Exponent of the factor in front of a term of W."""
    return -(distance**2 - 1) * t**2 / 4
