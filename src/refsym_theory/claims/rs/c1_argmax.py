"""RS B.3: how far logits may move before the answer can change."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C1-argmax",
    title="Half the margin preserves the argmax",
    source="RS Section 2.3 and Appendix B.3",
    statement=(
        r"A readout logit error in $\ell_\infty$ below half the reference top-two margin preserves argmax. ... For logits "
        r"$z,z'$ with $\|z-z'\|_\infty\le\epsilon$, if the reference top logit exceeds every other logit by more than "
        r"$2\epsilon$, then its top index is unchanged: each pairwise margin decreases by at most $2\epsilon$."
    ),
    plain="The answer stays the same as long as no logit moves by half the lead of the top one.",
    definitions=(r"$z$ is the reference, $z_t$ its top logit; the margin is $z_t-\max_{j\ne t}z_j$.",),
    hypotheses=(Hypothesis("strict", r"The margin is more than $2\epsilon$, not just equal to it."),),
    steps=(
        Step("pair", r"$z'_t-z'_j\ge(z_t-z_j)-2\epsilon$."),
        Step("top", r"So $z'_t>z'_j$ for every $j\ne t$."),
    ),
    tight=r"For every $\kappa<2$ a margin of $\kappa\epsilon$ can be overturned: $z=(\kappa\epsilon,0)$ and $z'=z+(-\epsilon,\epsilon)$.",
    stronger=(
        r"What counts is, for each $j$, the change of its logit against the top one: the argmax is preserved where "
        r"$(z'_j-z_j)-(z'_t-z_t)<z_t-z_j$ for every $j\ne t$, and only there. In particular a range "
        r"$\max(z'-z)-\min(z'-z)$ below the margin is enough, whatever common shift there is. At a margin of exactly "
        r"$2\epsilon$ the top index is still among the largest, perhaps not alone."
    ),
    expected=Verdict.VERIFIED,
)


def margin_gap(lead: Any, epsilon: Any, top_moved: Any, other_moved: Any) -> Any:
    """New lead of the top logit over another, minus (old lead - 2 epsilon)."""
    return (lead + top_moved - other_moved) - (lead - 2 * epsilon)


def overturned(factor: Any, epsilon: Any) -> tuple[Any, Any]:
    """New logits of z = (factor epsilon, 0) when the first falls and the second rises by epsilon."""
    return factor * epsilon - epsilon, epsilon
