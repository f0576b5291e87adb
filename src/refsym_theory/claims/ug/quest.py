"""UG equation 2: Quest's score bounds every key of its block from above."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.QUEST",
    title="Quest's score is an upper bound",
    source="UG Section 3.1, equation 2",
    statement=(
        r"$s_b^{\mathrm{quest}}=\sum_{d}\max(q_dK^{\max}_{b,d},\,q_dK^{\min}_{b,d})$, a coordinate-wise upper bound on "
        r"$\max_{j\in b}q\cdot k_j$."
    ),
    plain="No key of a block can score higher than the block's Quest score.",
    hypotheses=(Hypothesis("covers", r"$K^{\min}_{b,d}\le k_{j,d}\le K^{\max}_{b,d}$ for every key of the block."),),
    steps=(
        Step("positive", r"$q_d\ge0$: $q_dK^{\max}-q_dk=q_d(K^{\max}-k)\ge0$."),
        Step("negative", r"$q_d<0$: $q_dK^{\min}-q_dk=(-q_d)(k-K^{\min})\ge0$."),
        Step("sum", "Sum over coordinates, then the maximum over keys."),
        Step(
            "equality",
            r"A key attains it exactly if $k_d=K^{\max}_d$ wherever $q_d>0$ and $k_d=K^{\min}_d$ wherever $q_d<0$.",
        ),
    ),
    tight="A block of one key; more generally one key that is extreme in every coordinate in the query's direction.",
    scope=(
        "An upper bound, not an order: of two blocks the one with the larger Quest score can have the smaller best key, "
        r"keys $(1,-1),(-1,1)$ against $(\frac12,\frac12)$ for the query $(1,1)$."
    ),
    residue="That a sum of upper bounds is one, and that a sum of nonnegative terms is zero only if each is.",
    expected=Verdict.VERIFIED,
)


def quest(query: Sequence[Any], low: Sequence[Any], high: Sequence[Any]) -> Any:
    """Quest's score of a block."""
    return sum(max(q * a, q * b) for q, a, b in zip(query, low, high, strict=True))


def dot(query: Sequence[Any], key: Sequence[Any]) -> Any:
    """Inner product."""
    return sum(q * k for q, k in zip(query, key, strict=True))
