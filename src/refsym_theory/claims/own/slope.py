"""OWN: near ties, the tile with the smaller cutoff gap is the wrong one to expand."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.SLOPE",
    title="Near ties small sigma expands the wrong tile",
    source="this project, on UG D.1 and D.3",
    statement=(
        r"At $N$ tied scores, $k < m < N$, $m = \rho k$: opening the cutoff gap alone changes $V^*$ at a rate with the sign of "
        r"$\binom{m-1}{k-1}(N-m)-(N-k)$, opening all spacings equally at one with the sign of $\binom mk(N-m)-(N-k)$. For "
        r"$k \ge 2$, $N \ge m+2$ both are positive."
    ),
    plain=(
        "If all scores nearly tie (the paper reports only that the cut does) and at least two blocks are kept, a tile with a larger "
        "gap at the cut gains more from expansion: a router that expands the smallest gaps then picks the tiles that need it least."
    ),
    definitions=(
        r"$p_A$: probability that $A$ is the true top-$k$ set. $V^* = \sum_{A\subseteq\{0..m-1\}} p_A - p_{\{0..k-1\}}$.",
        r"Rates are derivatives at the tie, in units of a common constant $c > 0$ of the noise law.",
    ),
    hypotheses=(
        Hypothesis("exchangeable", r"Independent noise with one differentiable law."),
        Hypothesis("rate", r"$c > 0$: raising the mean of a member makes its set likelier."),
        Hypothesis("gaussian", r"The noise is Gaussian.", needed=False),
    ),
    steps=(
        Step(
            "gradient",
            r"By symmetry $\partial p_A$ is $\alpha$ on $A$ and the same off $A$; a common shift changes nothing: $dp_A = c\sum_A u$, $\sum u = 0$.",
        ),
        Step(
            "subsets",
            r"Each of $m$ ranks lies in $\binom{m-1}{k-1}$ of the $k$-subsets, so $dV^*/c = \binom{m-1}{k-1}\sum_{b<m}u_b - \sum_{b<k}u_b$.",
        ),
        Step("gap", r"$u_b = \mathbf{1}[b<k]-\frac kN$ gives $\frac kN\bigl[\binom{m-1}{k-1}(N-m)-(N-k)\bigr]$."),
        Step("equal", r"$u_b = \frac{N-1}2-b$ gives $\frac k2\bigl[\binom mk(N-m)-(N-k)\bigr]$."),
        Step(
            "positive",
            r"$\binom{m-1}{k-1} \ge m-1$ for $2 \le k < m$, and $(m-1)(n+1)-(n+1+m-k) = n(m-2)+(k-2)$, $N = m+1+n$.",
        ),
        Step("router", r"Two tiles of equal spread where $\sigma$ expands the one with the smaller value, enclosed."),
    ),
    scope=(
        r"A derivative at the tie: the sign holds for gaps small against $\tau$. For $k = 1$ the first rate is negative "
        r"($1-m$), so small gaps are right there; the second is 0 at $k = 1$, $N = m+1$."
    ),
    stronger="Any independent noise of one law will do that makes $c > 0$; where $c = 0$ both rates are 0.",
    residue=r"That $c > 0$: raising a member's mean makes its set likelier. Differentiability of $p_A$. $\binom{m-1}{k-1} \ge m-1$ for all $m$.",
    expected=Verdict.VERIFIED,
)


def subsets_with(m: int, k: int) -> int:
    """Number of k-subsets of m ranks that contain a given one."""
    return comb(m - 1, k - 1)


def rate(u: list[Fraction], k: int, m: int) -> Fraction:
    """Return dV* / c in the direction u, summed over subsets by their number."""
    return subsets_with(m, k) * sum(u[:m], Fraction(0)) - sum(u[:k], Fraction(0))


def gap_rate(n: int, k: int, m: int) -> Fraction:
    """Rate for opening the cutoff gap alone."""
    return Fraction(k, n) * (comb(m - 1, k - 1) * (n - m) - (n - k))


def spacing_rate(n: int, k: int, m: int) -> Fraction:
    """Rate for opening all spacings equally."""
    return Fraction(k, 2) * (comb(m, k) * (n - m) - (n - k))


def surplus(n: Any, k: Any, m: Any) -> Any:
    """Return (m - 1)(N - m) - (N - k) at N = m + 1 + n."""
    return n * (m - 2) + (k - 2)
