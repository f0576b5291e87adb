"""RS C.3: the mean weighted by mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token, totals

CLAIM = Claim(
    id="RS.C3-mean",
    title="Table 4: mean pooling",
    source="RS Appendix C.3, Table 4, row 2, and 'Aggregations'",
    statement=(
        "Measure-aware operations preserve the tested duplicate splits. [Row 2:] A measure-weighted mean is "
        r"$\sum_i m_i f_i / \sum_i m_i$."
    ),
    plain="The average weighted by mass stays the same when a token is replaced by copies that share its mass.",
    definitions=(r"Count form: $\frac1N \sum_i f_i$.",),
    hypotheses=(
        Hypothesis("conserved", "The masses of the copies sum to the mass of the parent."),
        Hypothesis("copied", "Copies keep the feature of the parent."),
    ),
    steps=(
        Step("additive", r"$(m f,\; m)$ is additive in $m$, so that no split changes the two totals."),
        Step("count", "The count form changes under a split in two."),
    ),
    scope="Any number of tokens and copies; features in any vector space, one component at a time.",
    residue="A split into k copies is k - 1 splits in two; a finite sum does not depend on the order of its terms.",
    expected=Verdict.VERIFIED,
)


def contribution(mass: Any, feature: Any) -> tuple[Any, ...]:
    """Return what one token adds to the weighted sum and to the mass."""
    return mass * feature, mass


def mean(tokens: Sequence[Token]) -> Any:
    """Mean of tokens (mass, feature)."""
    weighted, mass = totals(contribution, tokens)
    return weighted / mass
