"""RS section 4.4 and Appendix I.1: uniform groups make both rules one."""

from __future__ import annotations

from fractions import Fraction

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.I1-uniform",
    title="Equal groups: measure is global count",
    source="RS Section 4.4; Appendix I.1",
    statement=(
        r"Global count weighting adds $\log(16/K)$ to every visual key; measure weighting adds $\log|G_i|$. These rules coincide for "
        "equal-size groups."
    ),
    plain="Both rules agree where all groups have the average size, and only there.",
    definitions=("$K$ groups of 16 patches: the average size is $16/K$.",),
    hypotheses=(Hypothesis("equal", "All groups have one size."),),
    steps=(
        Step("equal", r"$K$ equal groups of 16 patches have $16/K$ each."),
        Step("only", "If every group has the average size, all are equal; otherwise some bias differs."),
    ),
    stronger="The rules give equal attention exactly where all groups are equal, provided that other keys are visible or $K>1$.",
    expected=Verdict.VERIFIED,
)

PATCHES = 16


def average(groups: int) -> Fraction:
    """Average group size."""
    return Fraction(PATCHES, groups)
