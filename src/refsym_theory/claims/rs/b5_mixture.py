"""RS Appendix B.5: a mixture of token kernels is not attention to an averaged field."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="RS.B5-mixture",
    title="tanh(1), not zero",
    source="RS Appendix B.5",
    statement=(
        r"On a unit domain, take two fully overlapping tokens with $\psi_1=\psi_2=1/2$, $h_1=-1,h_2=1$, and score and value both equal to "
        r"$h$. Their mean hidden field is zero, but the exponential-kernel mixture returns $\tanh(1)$; one token with value and score "
        "zero returns zero."
    ),
    plain="Two tokens that disagree about one place do not average out: attention prefers the one that scores higher.",
    steps=(
        Step("mixture", r"$(\tfrac12e\cdot1-\tfrac12e^{-1}\cdot1)/(\tfrac12e+\tfrac12e^{-1})=\tanh1$."),
        Step("mean", "The mean field is $-\\tfrac12+\\tfrac12=0$, and one token of value zero gives zero."),
    ),
    expected=Verdict.VERIFIED,
)


def mixture(x: Any, share: Any) -> Any:
    """Output for e = x and equal shares."""
    return (share * x - share / x) / (share * x + share / x)
