"""UG section 3.3: what a margin near one says, and what it does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict
from refsym_theory.claims.ug.sigma import gap, spread

CLAIM = Claim(
    id="UG.SIGMA-meaning",
    title="A margin near 1 does not mean a safe cut",
    source="UG Section 3.3",
    statement=r"$\sigma\to1$ – the kept set is far above the rejected tail; the cutoff is unambiguous.",
    plain=(
        "False: the margin is a ratio without a scale. With one kept block it is 1 however small the gap, and two kept scores a "
        "hair above the rest have margin 1 while the cut is a coin flip."
    ),
    definitions=(
        "Ambiguous: the cut misses a truly best block with probability near 1/2 under the paper's noise model (17).",
    ),
    steps=(
        Step(
            "one",
            r"$\sigma=1$ exactly if all kept scores are equal and lie above the first dropped one: $r-g=s_{(0)}-s_{(k-1)}$.",
        ),
        Step("zero", r"$\sigma=0$ exactly if the cutoff pair is tied."),
        Step("scale", r"$\sigma(as+b)=\sigma(s)$ for $a>0$, while $g/\tau$, which decides, is multiplied by $a$."),
    ),
    correction=(
        r"$\sigma=1$ exactly if the kept scores are all equal and above the first dropped one, at whatever distance; $\sigma=0$ "
        r"exactly at a tie of the cut. $\sigma$ is invariant to $s\mapsto as+b$ and no value $\sigma>0$ bounds the error from either side."
    ),
    uses=("OWN.PAIRS", "UG.SIGMA"),
    expected=Verdict.REFUTED,
)


def above(scores: Sequence[Any], k: int) -> Any:
    """Difference r - g of sorted scores, which is zero where the margin is one."""
    return spread(scores, k) - gap(scores, k)
