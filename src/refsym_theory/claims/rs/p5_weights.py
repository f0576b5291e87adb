"""RS Proposition 5, first half: binary splits and positivity leave only linear weights."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P5-weights",
    title="Binary splits suffice, without monotonicity",
    source="RS Appendix B.4, Proposition 5, first sentence",
    statement=(
        "Within each modality, positive local weighting invariant to every binary mass split for every score/value configuration "
        r"has the form $w_\tau(m)=\kappa_\tau m$."
    ),
    plain="If no cut in two, however unequal, is ever noticed, weight is proportional to mass; that more mass weighs more follows.",
    hypotheses=(
        Hypothesis("positive", "$w>0$."),
        Hypothesis("unequal", "Unequal cuts as well as halves."),
    ),
    steps=(
        Step("injective", r"$u\mapsto u/(u+c)$ is injective, so $w(a+b)=w(a)+w(b)$."),
        Step("monotone", "$w(y)-w(x)=w(y-x)>0$ for $y>x$."),
        Step("rational", r"Additivity gives $k\,w(m/k)=w(m)$, and RS.P1-necessity the rest."),
    ),
    uses=("RS.P1-necessity",),
    expected=Verdict.VERIFIED,
)


def conjugate(a: Any, b: Any) -> tuple[Any, Any]:
    """Additive map a + b sqrt 2 to a - b sqrt 2, which is not linear over the reals."""
    return a, -b
