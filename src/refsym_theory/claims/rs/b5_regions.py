"""RS Appendix B.5: total variation between two visible regions."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.B5-regions",
    title="Total variation of two visible regions",
    source="RS Appendix B.5",
    statement=(
        r"Suppose two regions $V,V'$ use identical positive kernel field $g$ and values of diameter $D$. Then "
        r"$\operatorname{TV}(P_V,P_{V'})=1-\frac{\int_{V\cap V'}g\,d\mu}{\max\{\int_Vg\,d\mu,\int_{V'}g\,d\mu\}}$. Multiplying this by "
        "$D$ bounds the output change. Small boundary displacement alone need not make this term small."
    ),
    plain="How much attention moves when the horizon moves is the share of the larger horizon's weight that the two do not have in common.",
    definitions=(r"$A,B,C$: integrals of $g$ over $V\setminus V'$, $V'\setminus V$, $V\cap V'$; $Z=A+C$, $Z'=B+C$.",),
    hypotheses=(
        Hypothesis("same-kernel", "Both regions use the same $g$."),
        Hypothesis("normalizers", "Both integrals are positive."),
        Hypothesis("nonnegative", r"$g\ge0$."),
    ),
    steps=(
        Step("formula", r"$\tfrac12[A/Z+B/Z'+C|1/Z-1/Z'|]=1-C/\max(Z,Z')$."),
        Step("output", r"$\|\mathbb{E}_{P'}v-\mathbb{E}_Pv\|\le D\operatorname{TV}(P,P')$."),
        Step(
            "displacement",
            r"A sliver of length $\epsilon$ with kernel mass $1/\epsilon$ beside a region of mass 1: the term is $1/(1+\epsilon)$.",
        ),
    ),
    uses=("RS.T1",),
    tight="Two disjoint regions with values 0 and 1: both the term and the change are 1.",
    stronger="A nonnegative $g$ will do; it may vanish.",
    expected=Verdict.VERIFIED,
)


def variation(a: Any, b: Any, c: Any) -> Any:
    """Total variation by the formula, from the three integrals."""
    return 1 - c / max(a + c, b + c)


def directly(a: Any, b: Any, c: Any) -> Any:
    """Total variation by its definition."""
    return (abs(a / (a + c)) + abs(b / (b + c)) + abs(c / (a + c) - c / (b + c))) / 2
