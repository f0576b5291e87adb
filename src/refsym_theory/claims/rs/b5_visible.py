"""RS B.5: the visible part of a cell as its mass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.B5-visible",
    title="Partial-cell visible mass",
    source="RS section 3.3; Appendix B.5, first two paragraphs",
    statement=(
        "For a fixed physical query $q$ with positive-mass visible region $V(q)$, use the visible mass "
        r"$m_i(q) = \mu(C_i \cap V(q))$. With copied scores and values, additivity preserves splits even "
        "when a causal boundary cuts a cell. [...] A binary mask testing only a cell representative is "
        r"generally different from this partial-cell integral. [...] The visible coupling is $\gamma_{ij}(q) "
        r"= \mu(C_i \cap D_j \cap V(q))/\mu(V(q))$. Its support is contained in that of the full physical "
        "coupling."
    ),
    plain=(
        "Weigh a token by the part of its cell that the query can see: then splitting cells changes "
        "nothing, even where the edge of what is visible runs through one."
    ),
    definitions=(
        "$C_i$ and $D_j$ are two partitions; $V(q)$ is measurable. All identities are checked between "
        "indicator functions, point by point, for every way in which a point can lie in the sets; "
        r"integrating against $\mu$ gives the claim.",
    ),
    hypotheses=(
        Hypothesis(
            "partial",
            "The mass is that of the visible part, not of the whole cell where its representative is visible.",
        ),
        Hypothesis("copied", "Children keep the score and the value of the parent (no support-sensitive scores)."),
        Hypothesis("region", "Children are seen through the same region $V(q)$ as their parent."),
        Hypothesis("positive", r"$0 < \mu(V(q)) < \infty$."),
        Hypothesis("disjoint", "The children of a cell do not overlap."),
    ),
    steps=(
        Step(
            "additive",
            r"$\mathbf 1_{A \cup B} \mathbf 1_V = \mathbf 1_A \mathbf 1_V + \mathbf 1_B \mathbf 1_V$ for "
            "disjoint $A$, $B$.",
        ),
        Step(
            "numerator",
            r"$\mathbf 1_V K(s) v = \sum_i \mathbf 1_{C_i} \mathbf 1_V K(s_i) v_i$ for values constant on cells.",
        ),
        Step("marginals", r"$\sum_j \mathbf 1_{C_i} \mathbf 1_{D_j} \mathbf 1_V = \mathbf 1_{C_i} \mathbf 1_V$."),
        Step("support", r"$\mathbf 1_{C_i} \mathbf 1_{D_j} \mathbf 1_V \le \mathbf 1_{C_i} \mathbf 1_{D_j}$."),
        Step("binary", "A mask on representatives gives another mass, and not even an additive one."),
    ),
    uses=("RS.C3-attention",),
    scope="Any measure, partition and measurable region.",
    residue="That the integral is linear and monotone; splits into more than two, one after the other.",
    expected=Verdict.VERIFIED,
)

Interval = tuple[Any, Any]


def seen(*memberships: Any) -> Any:
    """Indicator of an intersection at a point, from whether (1 or 0) the point lies in each set."""
    product: Any = 1
    for membership in memberships:
        product = product * membership
    return product


def visible_mass(cell: Interval, region: Interval) -> Any:
    """Length of the part of a cell that lies in the region."""
    return max(0, min(cell[1], region[1]) - max(cell[0], region[0]))


def binary_mass(cell: Interval, region: Interval) -> Any:
    """Length of a cell if its midpoint lies in the region, else 0."""
    middle = (cell[0] + cell[1]) / 2
    return cell[1] - cell[0] if region[0] <= middle < region[1] else 0


def visible_attention(
    cells: Sequence[tuple[Interval, Any, Any]],
    region: Interval,
    mass: Callable[[Interval, Interval], Any] = visible_mass,
) -> Any:
    """Attention over cells (interval, K(score), value) as seen through the region."""
    weights = [mass(cell, region) * kernel for cell, kernel, _ in cells]
    return sum(weight * value for weight, (_, _, value) in zip(weights, cells, strict=True)) / sum(weights)
