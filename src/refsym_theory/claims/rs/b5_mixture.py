"""RS B.5: a mixture of kernels is not attention to a mean field."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="RS.B5-mixture",
    title=r"The tanh(1) example",
    source="RS Appendix B.5, last paragraph",
    statement=(
        "This operator mixes token kernels and values, rather than applying nonlinear attention to an "
        r"averaged hidden field. On a unit domain, take two fully overlapping tokens with $\psi_1 = \psi_2 = "
        "1/2$, $h_1 = -1, h_2 = 1$, and score and value both equal to $h$. Their mean hidden field is zero, "
        r"but the exponential-kernel mixture returns $\tanh(1)$; one token with value and score zero returns "
        "zero."
    ),
    plain="Two overlapping tokens that disagree are not the same as one token that holds their average.",
    steps=(
        Step(
            "mixture",
            r"The mixture of $h = \pm x$ returns $(z - 1/z)/(z + 1/z) = \tanh x$ with $z = e^x$, for every $x$.",
        ),
        Step("value", r"At $x = 1$ it is 0.761594..., by ball arithmetic."),
        Step("average", "The average field has score and value zero, and returns zero."),
        Step("apart", r"The two agree for $x = 0$ only: their difference vanishes exactly where $z^2 = 1$."),
    ),
    scope="The example, and every pair of opposite tokens in its place.",
    expected=Verdict.VERIFIED,
)


def mixture(z: Any, first: Any, second: Any, share: Any) -> Any:
    """Attention to tokens with kernels 1/z and z, values `first` and `second`, and equal shares."""
    return (share / z * first + share * z * second) / (share / z + share * z)
