"""RS Proposition 1, necessity: equal splits and monotonicity leave only linear weights."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P1-necessity",
    title="Equal splits and monotone imply linear",
    source="RS Section 2.2, Proposition 1; Appendix A.3",
    statement=(
        r"Among normalized rules with weights $w(m_i)K(s_i)$, where $K>0$ is fixed and $w:(0,\infty)\to(0,\infty)$ is "
        "nondecreasing and depends only on local mass, invariance for every integer equal split and every score/value "
        "configuration holds only if $w(m)=cm$, $c>0$."
    ),
    plain="If no equal split ever changes the output, and more mass never weighs less, weight must be proportional to mass.",
    hypotheses=(
        Hypothesis("monotone", "$w$ is nondecreasing."),
        Hypothesis("every-integer", "Splits into every number of equal parts."),
        Hypothesis("every-value", "Invariance for every value configuration."),
        Hypothesis("local", "$w$ depends only on the token's own mass."),
        Hypothesis("kernel", "$K>0$ at every score.", needed=False),
        Hypothesis("positive", "$w>0$.", needed=False),
    ),
    steps=(
        Step(
            "attention",
            r"Values 1 and 0 beside a competitor of weight $c$: $u\mapsto u/(u+c)$ is injective, so $kw(m/k)=w(m)$.",
        ),
        Step("rational", r"$w(\tfrac pq m)=\tfrac pq w(m)$."),
        Step(
            "squeeze", r"With $cq\le w(x)\le cr$ for all rational $q\le x\le r$: $|w(x)-cx|\le c(r-q)$, so $w(x)=cx$."
        ),
    ),
    stronger=(
        "Two tokens with values 1 and 0 and one score are enough, and of $K$ it matters only that it does not vanish there. For real $w$ that is not "
        r"identically zero, $w>0$ follows. Two of the integers are enough, such as 2 and 3 (OWN.SPLIT-FACTORS)."
    ),
    residue="Outside the Coq proof: that rationals lie as close to x as one likes on both sides.",
    expected=Verdict.VERIFIED,
)


def share(weight: Any, competitor: Any) -> Any:
    """Output of two tokens with values 1 and 0."""
    return weight / (weight + competitor)


def part_of(weight: Any, parts: Any) -> Any:
    """Weight of one of this many equal parts of a token."""
    return weight / parts
