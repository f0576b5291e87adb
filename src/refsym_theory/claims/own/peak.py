"""OWN: where the expansion value of equally spaced scores has its peak."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.PEAK",
    title="The expansion value rises, then falls",
    source="this project, on UG D.3",
    statement=(
        r"Let $k = 1$, $\rho = 2$ and the scores equally spaced, $s_b = -bt\tau$. For $N = 4$, $V^*(t)$ rises on $[0,t^*]$ and "
        r"falls beyond, $t^* = 0.38655\ldots$, from $V^*(0) = \frac14$ over $V^*(t^*) = 0.28412\ldots$ to 0. For $N = 3$ it "
        r"falls from the start: $t^* = 0$."
    ),
    plain=(
        "Expanding is worth most at a spacing of about 0.4 noise scales, not where the scores tie. Below that, the tile with the "
        "smaller gap is the wrong one to expand."
    ),
    definitions=(
        r"$V^* = \mathcal{E}_1-\mathcal{E}_2$ is the probability that block 1 is the best; $\tau = 1$ without loss.",
        r"$W(t) = 2\pi e^{t^2/4}\,\frac{dV^*}{dt} = \sum_{b} b\,e^{-(b^2-1)t^2/4}\int e^{-y^2}\prod_{c\ne b}"
        r"\Phi\bigl(y+(c-\tfrac b2)t\bigr)\,dy$, $b$ and $c$ over the other blocks' distances $-1, 1, 2, \dots, N-2$ from block 1.",
        r"On such tiles $\sigma = 1/k$ whatever $t$ is: the margin $\sigma$ cannot tell them apart, the gap can.",
    ),
    hypotheses=(Hypothesis("spaced", r"All spacings are equal."),),
    steps=(
        Step("best", r"$V^* = \mathbb{P}(\text{block 1 is best})$."),
        Step(
            "derivative",
            r"$\varphi(x)\varphi(x+bt) = \frac1{2\pi}e^{-b^2t^2/4}e^{-y^2}$ at $y = x+bt/2$, and the product rule.",
        ),
        Step(
            "log-concave",
            r"$\Phi(y-u)\Phi(y+u)$ falls in $u \ge 0$: $\varphi/\Phi$ falls, since $y\Phi+\varphi$ has the derivative $\Phi > 0$.",
        ),
        Step(
            "monotone",
            r"So $W$ falls: the term $b=-1$ has shifts $c+\frac12 > 0$, $b=1$ has $\mp\frac32$, $b=2$ has $-2$ and $0$.",
        ),
        Step("peak", r"$W(0) > 0$ and $W$ changes sign between 0.38654 and 0.38656 ($N = 4$); $W(0) = 0$ ($N = 3$)."),
    ),
    scope=r"$k = 1$, $\rho = 2$, $N = 3$ and $4$, every $t \ge 0$. Larger cases: OWN.PEAK-general. At ties, any case: OWN.SLOPE.",
    residue="Differentiation under the integral; that the product of falling positive functions falls.",
    expected=Verdict.VERIFIED,
)


def others(n: int) -> list[int]:
    """Distances of the other blocks from block 1, downwards."""
    return [-1, *range(1, n - 1)]


def doubled_shift(b: int, c: int) -> int:
    """Twice the factor of t in the argument of Phi: 2 c - b."""
    return 2 * c - b


def damping(b: Any, t: Any) -> Any:
    """Exponent of a term of W."""
    return -(b**2 - 1) * t**2 / 4
