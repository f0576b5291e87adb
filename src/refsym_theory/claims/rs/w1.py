"""RS Appendix B.2: transport distance of two Gaussian extents."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.W1",
    title="Transport distance of Gaussian extents",
    source="RS Appendix B.2, after equation 8",
    statement=(
        r"For Gaussian extent filters, coupling $x+\sigma Z$ and $x'+\sigma'Z$ with the same standard normal $Z$ gives "
        r"$W_1 \le |x-x'| + \sqrt{2/\pi}\,|\sigma-\sigma'|$; the variance-matched filter uses $\sigma=h/\sqrt{12}$."
    ),
    plain=(
        "Two Gaussian supports are at most the shift of their centres plus 0.8 times the change of their widths apart."
    ),
    definitions=(r"One dimension, $\sigma, \sigma' \ge 0$.",),
    hypotheses=(Hypothesis("gaussian", "Both supports are Gaussian."),),
    steps=(
        Step("coupling", r"$|x + \sigma Z - x' - \sigma'Z| \le |x-x'| + |\sigma-\sigma'||Z|$."),
        Step("mean", r"$\mathbb{E}|Z| = \sqrt{2/\pi}$."),
        Step("matched", r"A uniform interval of width $h$ has the variance $h^2/12$."),
        Step(
            "dual",
            r"With $Z^* = -(x-x')/(\sigma-\sigma')$ and $f(y)=|y-x-\sigma Z^*|$, $f(X)-f(Y) = "
            r"(\sigma-\sigma')|Z-Z^*|$.",
        ),
        Step(
            "closed",
            r"$\frac{d}{da}$ of the closed form and of $\mathbb{E}|a+bZ|$ is $\operatorname{erf}(a/(b\sqrt2))$; both "
            r"are "
            r"$b\sqrt{2/\pi}$ at $a=0$.",
        ),
    ),
    tight=r"An equality where $x=x'$ or $\sigma=\sigma'$, and only there.",
    expected=Verdict.VERIFIED,
    stronger=(
        r"$W_1 = \mathbb{E}|x-x'+(\sigma-\sigma')Z|$ exactly: this coupling is optimal. In closed form, with "
        r"$a=|x-x'|$, "
        r"$b=|\sigma-\sigma'|$: $W_1 = b\sqrt{2/\pi}\,e^{-a^2/2b^2} + a\operatorname{erf}(a/(b\sqrt2))$. So the "
        r"bound is an "
        r"equality only if $a=0$ or $b=0$."
    ),
    residue=(
        r"Any coupling bounds $W_1$ from above, and any 1-Lipschitz $f$ from below by "
        r"$|\mathbb{E}f(X)-\mathbb{E}f(Y)|$. For "
        r"$a, b > 0$ the triangle inequality is strict where $Z$ has the other sign, a set of positive probability."
    ),
)


def bound(shift: Any, spread: Any, mean_modulus: Any) -> Any:
    """Bound from |x - x'|, |sigma - sigma'| and E|Z|."""
    return shift + mean_modulus * spread


def uniform_variance(h: Any) -> Any:
    """Variance of a uniform interval of width h."""
    return h**2 / 12


def exact(shift: Any, spread: Any, pi: Any) -> Any:
    """W1 of two Gaussians as a ball, for shift >= 0 and spread > 0."""
    ratio = shift / spread
    return spread * (2 / pi).sqrt() * (-(ratio**2) / 2).exp() + shift * (ratio / (2 + 0 * pi).sqrt()).erf()
