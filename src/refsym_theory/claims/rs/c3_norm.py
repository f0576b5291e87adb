"""RS C.3: normalisation along the token axis, by moments weighted by mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token, totals

CLAIM = Claim(
    id="RS.C3-norm",
    title="Table 4: token-axis normalization",
    source="RS Appendix C.3, Table 4, row 4, and 'Aggregations'",
    statement=(
        "Applying it [the measure-weighted mean] to feature moments gives refinement-compatible token-axis "
        "normalization when content is copied."
    ),
    plain=(
        "Centring and scaling a feature by its mass-weighted mean and variance over tokens gives every copy the output "
        "of its parent, and everyone else what they had."
    ),
    definitions=(
        r"Output of a token: $(x_i - \mu)/\sqrt{\sigma^2 + \epsilon}$ with $\mu = \sum m x / \sum m$, "
        r"$\sigma^2 = \sum m x^2 / \sum m - \mu^2$. It is a function of $x_i$, $\mu$ and $\sigma^2$ alone.",
    ),
    hypotheses=(
        Hypothesis("conserved", "The masses of the copies sum to the mass of the parent."),
        Hypothesis("copied", "Copies keep the feature of the parent."),
        Hypothesis("spread", r"$\sigma^2 + \epsilon > 0$."),
    ),
    steps=(
        Step("additive", r"$(m x^2,\; m x,\; m)$ is additive in $m$, so that no split changes $\mu$ or $\sigma^2$."),
        Step(
            "variance", r"$\sum m (x - \mu)^2 / \sum m$ is the same number, so it does not matter which one is meant."
        ),
        Step("count", "The count form changes the output of an untouched token under a split in two."),
    ),
    scope="Any number of tokens and copies; one feature at a time.",
    residue="A split into k copies is k - 1 splits in two; a finite sum does not depend on the order of its terms.",
    expected=Verdict.VERIFIED,
)


def contribution(mass: Any, feature: Any) -> tuple[Any, ...]:
    """Return what one token adds to the second moment, the first and the mass."""
    return mass * feature**2, mass * feature, mass


def moments(tokens: Sequence[Token]) -> tuple[Any, Any]:
    """Mean and variance of tokens (mass, feature)."""
    square, first, mass = totals(contribution, tokens)
    return first / mass, square / mass - (first / mass) ** 2


def squared_output(feature: Any, tokens: Sequence[Token], epsilon: Any = 0) -> Any:
    """Square of a token's normalised feature, which needs no root."""
    mean, variance = moments(tokens)
    return (feature - mean) ** 2 / (variance + epsilon)
