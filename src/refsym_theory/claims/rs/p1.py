"""RS Proposition 1: split invariance characterizes linear weights."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="RS.P1",
    title="Split invariance and local uniqueness",
    source="RS Section 2.2, Proposition 1",
    statement=(
        r"Among normalized rules with weights $w(m_i)K(s_i)$, where $K>0$ is fixed and $w:(0,\infty)\to(0,\infty)$ is "
        "nondecreasing and depends only on local mass, invariance for every integer equal split and every score/value "
        "configuration holds if and only if $w(m)=cm$, $c>0$."
    ),
    plain="Of all rules that look at a token's own mass alone, only proportional weight ignores how a token is cut.",
    definitions=("Its hypotheses are those of RS.P1-necessity, where each has its control.",),
    steps=(Step("back", r"$w(m)=cm$: the children's weight is $k\,c\,(m/k)K=c\,m\,K$, the parent's; $c$ cancels."),),
    uses=("RS.P1-sufficiency", "RS.P1-necessity"),
    expected=Verdict.VERIFIED,
)


def weight(mass: Any, factor: Any) -> Any:
    """Weight w(m) = c m."""
    return factor * mass
