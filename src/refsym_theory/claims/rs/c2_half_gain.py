"""RS Appendix C.2: half-gain points of one-sided and two-sided averaging."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C2-half-gain",
    title="Half-gain points",
    source="RS Appendix C.2",
    statement=(
        r"For a Gaussian, the half-gain point is $\sqrt{24\log 2}$ in the key-only form and $\sqrt{12\log 2}$ in the "
        r"two-sided "
        r"form at equal extents. The factor of $\sqrt2$ follows from which supports are integrated, not from the "
        r"choice of "
        "reference mass."
    ),
    plain="Averaging over both supports halves the gain at a frequency 1.41 times lower than averaging over one.",
    definitions=(r"$z = \omega h$ where the gain is $1/2$ for the first time.",),
    hypotheses=(
        Hypothesis("gaussian", "The profile is Gaussian."),
        Hypothesis("equal", "Query and key have equal extents, in the two-sided form."),
    ),
    steps=(
        Step("gaussian", r"$e^{-z^2/24} = \frac12$ exactly at $z^2 = 24\log2$, $e^{-z^2/12} = \frac12$ at $12\log2$."),
        Step("ratio", r"Their ratio is $\sqrt2$; no mass occurs in either."),
        Step("box", r"For a box: $z = 3.790988534\ldots$ and $2.783114757\ldots$; ratio $1.3621\ldots$, not $\sqrt2$."),
        Step("unique", r"The sinc falls on $(0,\pi)$ and stays below $1/\pi$ beyond: each box point is the only one."),
    ),
    uses=("RS.C2-box",),
    expected=Verdict.VERIFIED,
    stronger=(
        r"$\sqrt2$ is a property of the Gaussian too: any $e^{-c|z|^\beta}$ gives $2^{1/\beta}$, and the box, which "
        r"is the "
        r"support of a cell, gives $1.3621$."
    ),
)


def half_gain_square(sides: int, log_two: Any) -> Any:
    """Square of the half-gain point of the Gaussian, with 1 or 2 supports integrated."""
    return 24 * log_two / sides


BOX_KEY_ONLY, BOX_TWO_SIDED = "3.790988534068", "2.783114756503"
"""Half-gain points of the box, to 12 decimals."""
