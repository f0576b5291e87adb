"""RS C.3: the load-balancing loss of a mixture of experts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token, totals

CLAIM = Claim(
    id="RS.C3-moe",
    title="Table 4: MoE load-balancing loss",
    source="RS Appendix C.3, Table 4, row 5, and 'Aggregations'",
    statement=(
        r"For the MoE auxiliary loss $E \sum_e f_e \bar P_e$, replace token fractions and average routing "
        r"probabilities by $f_e = \sum_i m_i \mathbf{1}[r_i = e]/M$ and $\bar P_e = \sum_i m_i P_{ie}/M$, "
        r"with $M = \sum_i m_i$. Both quantities are unchanged when copies retain the parent's routing "
        "probabilities and assignment."
    ),
    plain="The loss that keeps experts evenly used does not notice copies, if it weighs tokens by mass.",
    hypotheses=(
        Hypothesis("conserved", "The masses of the copies sum to the mass of the parent."),
        Hypothesis("assignment", "Copies keep the assignment of the parent."),
        Hypothesis("probabilities", "Copies keep the routing probabilities of the parent."),
    ),
    steps=(
        Step("additive", r"For each expert $(m \mathbf{1}[r = e],\; m P_e,\; m)$ is additive in $m$."),
        Step("count", "The count form changes under a split in two."),
    ),
    scope="Any number of experts, tokens and copies; the experts enter one by one.",
    residue="A split into k copies is k - 1 splits in two; a finite sum does not depend on the order of its terms.",
    expected=Verdict.VERIFIED,
)


def contribution(mass: Any, routed: Any, probability: Any) -> tuple[Any, ...]:
    """Return what one token adds to an expert's load, to its summed probability and to the mass."""
    return mass * routed, mass * probability, mass


def balance(tokens: Sequence[Token]) -> Any:
    """Auxiliary loss of tokens (mass, assigned expert, routing probabilities)."""
    experts = len(tokens[0][2])

    def product(expert: int) -> Any:
        own = [(mass, int(chosen == expert), probabilities[expert]) for mass, chosen, probabilities in tokens]
        load, probability, mass = totals(contribution, own)
        return load * probability / mass**2

    return experts * sum(product(expert) for expert in range(experts))
