"""RS Appendix C.2: box and variance-matched Gaussian part at fourth order."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C2-gap",
    title="Fourth-order gap between the profiles",
    source="RS Appendix C.2",
    statement=(
        r"Writing $z=\omega h$, the box and Gaussian profiles differ first at fourth order: "
        r"$\exp(-z^2/24)-\operatorname{sinc}(z/2)=z^4/2880+O(z^6)$."
    ),
    plain=(
        "A box and a Gaussian of the same variance damp slow frequencies alike; the first difference is of fourth "
        "order."
    ),
    hypotheses=(Hypothesis("matched", r"The variances agree: $\sigma^2 = h^2/12$."),),
    steps=(
        Step(
            "coefficients",
            r"The gap is $\sum_{k\ge2}(-1)^k a_k z^{2k}$, $a_k = \frac{1}{24^k k!}-\frac{1}{4^k(2k+1)!}$, $a_2 = "
            r"\frac{1}{2880}$.",
        ),
        Step("ratios", r"For $k \ge 3$: $0 < 64\,a_{k+1} < a_k$."),
        Step(
            "inside",
            r"$0 \le z^4/2880 - \mathrm{gap} \le a_3 z^6$ for $|z| \le 8$, as the series alternates and decreases.",
        ),
        Step("outside", r"The same for $|z| \ge 8$, where $|\mathrm{gap}| < 0.32$."),
    ),
    uses=("RS.C2-box",),
    expected=Verdict.VERIFIED,
    stronger=(
        r"$\frac{z^4}{2880} - \frac{13\,z^6}{1451520} \le \exp(-z^2/24)-\operatorname{sinc}(z/2) \le "
        r"\frac{z^4}{2880}$ for every "
        r"real $z$; the constant $13/1451520$ is the next coefficient, so no smaller one holds near 0."
    ),
    residue=r"Both power series; that an alternating series of decreasing terms lies between 0 and its first term.",
)


def coefficient(k: int) -> Fraction:
    """Coefficient a_k of (-1)^k z^(2k) in the gap."""
    return Fraction(1, 24**k * factorial(k)) - Fraction(1, 4**k * factorial(2 * k + 1))
