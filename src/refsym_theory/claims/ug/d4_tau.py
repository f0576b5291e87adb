"""UG appendix D.4: the noise scale from differences of neighbouring rows."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.D4-tau",
    title="Twice the noise variance",
    source="UG Appendix D.4, step 3",
    statement=r"Under $\mu_{t+1,b}\approx\mu_{t,b}$ for adjacent rows, $\mathbb{E}[(s_{t+1,b}-s_{t,b})^2]=2\tau^2$.",
    plain="Where the true scores stand still and noise is independent from row to row, the squared step is twice the noise variance.",
    hypotheses=(
        Hypothesis("equal", r"$\mu_{t+1,b}=\mu_{t,b}$."),
        Hypothesis("independent", "Noise of neighbouring rows is uncorrelated."),
        Hypothesis("gaussian", "The noise is Gaussian (17).", needed=False),
    ),
    steps=(
        Step(
            "square",
            r"$\mathbb{E}(\delta+\eta'-\eta)^2=\delta^2+\tau^2+\tau^2-2\operatorname{Cov}(\eta,\eta')$, with $\delta=0$ and no covariance.",
        ),
    ),
    stronger=r"Any noise of mean zero and variance $\tau^2$, uncorrelated between the rows.",
    scope="A statement on row scores; (17) is about tile scores, a maximum over rows (OWN.TILE-NOISE). The product's split-half estimate takes away what all blocks share, which moves no rank.",
    expected=Verdict.VERIFIED,
)


def mean_square(step: Any, variance: Any, covariance: Any) -> Any:
    """Mean square of a difference of two scores."""
    return step**2 + 2 * variance - 2 * covariance
