"""RS section 2.1: the smallest case in which duplication shifts attention."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="RS.MINIMAL",
    title="One half becomes two thirds",
    source="RS Section 2.1, 'A minimal counterexample', and Figure 1a",
    statement=(
        "Two equally scored tokens with values zero and one yield standard attention output $1/2$. Splitting the second "
        "into two identical copies changes the output to $2/3$. Assigning each copy half the parent's mass keeps the "
        "output at $1/2$."
    ),
    plain="Copying a token without telling attention so gives it more say.",
    steps=(
        Step("before", "Two tokens: 1/2."),
        Step("after", "Three tokens, one of them a copy: 2/3."),
        Step("measure", "Half the mass on each copy: 1/2."),
    ),
    expected=Verdict.VERIFIED,
)


def output(masses: Sequence[Fraction], values: Sequence[Fraction]) -> Fraction:
    """Attention at equal scores."""
    return sum((m * v for m, v in zip(masses, values, strict=True)), Fraction(0)) / sum(masses)
