"""RS Appendix C.2: characteristic functions of boxes and of Gaussians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C2-box",
    title="Gains of boxes and Gaussians",
    source="RS Appendix C.2",
    statement=(
        r"For a uniform interval of width $h$, $\phi(\omega)=\operatorname{sinc}(\omega h/2)$, with "
        r"$\operatorname{sinc} z=\sin z/z$ and $\operatorname{sinc} 0=1$; a variance-matched Gaussian gives "
        r"$e^{-\omega^2h^2/24}$. For multidimensional rectangular supports, the characteristic function is a product "
        r"of the "
        r"axiswise factors. For a Gaussian with covariance $\Sigma_i$, it is $\exp(-\frac12\omega^\top\Sigma_i\omega)$."
    ),
    plain=(
        "A token that covers an interval sees a frequency damped by a sinc; a Gaussian of the same variance, by a "
        "Gaussian."
    ),
    definitions=(r"$\phi$ is centered: $\mathbb{E}e^{i\omega(X-x)}$ with $x$ the middle of the interval.",),
    hypotheses=(
        Hypothesis("centred", "The reference point is the middle of the interval."),
        Hypothesis("axes", "The sides of the rectangle are parallel to the coordinate axes."),
    ),
    steps=(
        Step(
            "interval",
            r"$\frac1h\int_{-h/2}^{h/2}\cos(\omega x)\,dx = \sin(\omega h/2)/(\omega h/2)$; the sine part is odd.",
        ),
        Step(
            "gaussian",
            r"$\phi'(\omega) = -v\omega\,\phi(\omega)$ for variance $v$, so $\phi = e^{-v\omega^2/2}$; $v=h^2/12$.",
        ),
        Step("product", "Independent coordinates multiply."),
        Step("covariance", r"$\operatorname{Var}(\omega\cdot X) = \omega^\top\Sigma\,\omega$."),
    ),
    uses=("RS.W1",),
    expected=Verdict.VERIFIED,
    residue=(
        "Differentiation under the integral of a Gaussian; that a projection of a Gaussian vector is Gaussian; "
        "Fubini for the "
        "product of intervals."
    ),
)


def interval_gain(half_phase: Any) -> Any:
    """Return sinc of omega h / 2, a ball other than 0."""
    return half_phase.sin() / half_phase


def gaussian_exponent(omega: Any, h: Any) -> Any:
    """Exponent of the gain of the Gaussian with the variance of an interval of width h."""
    return -(omega**2) * h**2 / 24


def projected_variance(omega: Sequence[Any], covariance: Sequence[Sequence[Any]]) -> Any:
    """Return omega' Sigma omega."""
    n = range(len(omega))
    return sum(omega[a] * covariance[a][b] * omega[b] for a in n for b in n)
