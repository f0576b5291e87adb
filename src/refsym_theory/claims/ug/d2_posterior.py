"""UG appendix D.2: the posterior under a flat prior."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.D2-posterior",
    title="Flat prior: the posterior is centred at the scores",
    source="UG Appendix D.2, after equation 17",
    statement=(
        r"$\mu_t$ is modelled as drawn from an improper flat prior, so that conditional on the observed scores, "
        r"$\mu_t\mid s_t\sim\mathcal{N}(s_t,\tau^2I)$."
    ),
    plain="Without any prior knowledge the true score is as far from the observed one as the noise says, and in neither direction.",
    hypotheses=(
        Hypothesis("flat", "The prior is flat."),
        Hypothesis("gaussian", "The noise is Gaussian (17)."),
        Hypothesis("independent", "It is independent over the blocks."),
    ),
    steps=(
        Step(
            "kernel",
            r"The likelihood of $s$ is, as a function of $\mu$, $\exp(-(\mu-s)^2/(2\tau^2))$: symmetric in the two.",
        ),
        Step(
            "mass", r"Its integral over $\mu$ is $\sqrt{2\pi}\,\tau$, which does not depend on $s$: a probability law."
        ),
        Step("product", "A product over the blocks."),
    ),
    residue="Conditioning under an improper prior means normalising the likelihood. Translation invariance of the integral.",
    scope=(
        r"With a prior $\mathcal{N}(m,\omega^2)$ the centre moves to $(\omega^2s+\tau^2m)/(\omega^2+\tau^2)$: all gaps shrink by the factor "
        r"$\omega^2/(\omega^2+\tau^2)$ and the order stays. In the noise-dominated regime of D.4 that factor matters."
    ),
    expected=Verdict.VERIFIED,
)


def exponent(mu: Any, s: Any, tau: Any) -> Any:
    """Exponent of the density."""
    return -((mu - s) ** 2) / (2 * tau**2)


def shrunk(s: Any, prior_mean: Any, prior_variance: Any, variance: Any) -> Any:
    """Posterior mean under a Gaussian prior."""
    return (prior_variance * s + variance * prior_mean) / (prior_variance + variance)
