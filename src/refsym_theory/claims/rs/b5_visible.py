"""RS section 3.3 and Appendix B.5: partial cells under a causal boundary."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.B5-visible",
    title="Visible masses survive a boundary through a cell",
    source="RS Section 3.3; Appendix B.5",
    statement=(
        r"Use the visible mass $m_i(q)=\mu(C_i\cap V(q))$. With copied scores and values, additivity preserves splits even when a "
        r"causal boundary cuts a cell. The visible coupling $\gamma_{ij}(q)=\mu(C_i\cap D_j\cap V(q))/\mu(V(q))$ has its support contained "
        "in that of the full physical coupling."
    ),
    plain="Count of each token only the part that the query may see, and no cut is noticed, not even one on the horizon.",
    definitions=("One dimension: cell $[a,b]$, $V(q)=(-\\infty,v]$.",),
    hypotheses=(
        Hypothesis("partial", "Masses are of the visible part, not of the whole cell by a mask on its representative."),
        Hypothesis("same-query", "All children are seen by the same query."),
    ),
    steps=(
        Step("additive", r"$|[a,c]\cap V|=|[a,b]\cap V|+|[b,c]\cap V|$ wherever $v$ lies."),
        Step("support", r"$\mu(C\cap D\cap V)\le\mu(C\cap D)$: a pair without common mass has none that is visible."),
    ),
    scope="Intervals and half-lines for the formula; regions in general by additivity of a measure.",
    expected=Verdict.VERIFIED,
)


def visible(a: Any, b: Any, v: Any) -> Any:
    """Length of [a, b] below v."""
    return max(a * 0, min(b, v) - a)
