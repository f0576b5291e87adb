"""RS B.3: several heads in the Euclidean norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E11-heads",
    title="Heads add up in squares",
    source="RS Appendix B.3, after equation 11",
    statement=(
        "For multiple heads in the Euclidean norm, combine head discrepancies by their squared sum before applying the "
        "output projection."
    ),
    plain="The errors of the heads combine like the sides of a box to its diagonal, before the output projection.",
    definitions=(
        r"Head $r$ changes by $a_r$ with $\|a_r\|\le\delta_r$; the outputs are concatenated and multiplied by $W_O$: the "
        r"change is at most $\|W_O\|_{\mathrm{op}}\sqrt{\sum_r\delta_r^2}$.",
    ),
    hypotheses=(Hypothesis("euclidean", "The norm of the concatenation is the Euclidean one."),),
    steps=(
        Step("concatenate", r"$\|(a_1,\dots,a_R)\|^2=\sum_r\|a_r\|^2\le\sum_r\delta_r^2$."),
        Step("project", r"$\|W_Oa\|\le\|W_O\|_{\mathrm{op}}\|a\|$."),
    ),
    tight="Equality in every head, and a projection that keeps the norm.",
    residue="The definition of the operator norm; a finite sum of nonnegative terms is nonnegative.",
    expected=Verdict.VERIFIED,
)


def squared_total(errors: Sequence[Any]) -> Any:
    """Square of the combined discrepancy of the heads."""
    return sum(error * error for error in errors)
