"""UG section 3.3: what a margin near zero says, and what it does not."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.SIGMA-zero",
    title="A margin near 0 does not mean a coin flip",
    source="UG Section 3.3; Section 1",
    statement=(
        r"$\sigma\to0$ – the kept set's last element is tied with the first rejected element; the cutoff is a coin flip. A small "
        r"$\sigma$ means the cutoff is high-risk."
    ),
    plain=(
        "False: a single dominant block makes the margin as small as you like while the cut stays ten noise scales wide. At a margin "
        "of exactly 0 there is a tie, and then an even chance is the least risk, not the risk."
    ),
    definitions=("Risk: the probability that the cut misses a truly best block under the paper's noise model (17).",),
    steps=(
        Step("scale", r"$g=\sigma r$: a small $\sigma$ makes the gap small against the spread, not against the noise."),
        Step(
            "apart",
            r"Scores $(x,10\tau,0)$ with $k=2$: $\sigma=10\tau/x\to0$ as $x$ grows, and the error is below $10^{-12}$ for every $x\ge20\tau$.",
        ),
        Step("tie", r"$\sigma=0$ is $g=0$, where the error is at least $\bar V(0)=\frac12$."),
        Step("more", r"$n$ tied blocks and $k=1$: the error is $1-\frac1n$."),
    ),
    correction=(
        r"$\sigma=0$ exactly at a tie of the cut, where the error is at least $\frac12$; a small $\sigma>0$ says only that $g$ is small "
        r"against $r$, and is compatible with an error as near to 0 as one likes."
    ),
    uses=("OWN.PAIRS", "UG.SIGMA"),
    residue=r"$\bar V$ is decreasing. More than six tied blocks: each of $n$ exchangeable blocks is best with probability $1/n$.",
    expected=Verdict.REFUTED,
)


def dominated(best: Any, gap: Any) -> Sequence[Any]:
    """Three scores with a cutoff gap behind a dominant best one."""
    return [best, gap, gap * 0]


def tied_error(n: int) -> Fraction:
    """Probability that one of n tied blocks is not the best."""
    return 1 - Fraction(1, n)
