"""RS Proposition 3: standard attention converges to the functional of the sampling density."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P3",
    title="Sampling-density bias",
    source="RS Appendix A.2, Proposition 3, equation 4",
    statement=(
        "Under the continuity and compactness assumptions above, if the empirical representative-point measure "
        "converges "
        r"weakly to $\rho\,d\mu/\int\rho\,d\mu$ for continuous $\rho>0$, then $\widehat{\mathcal{A}}^K_{\mathrm{std}} "
        r"\to \mathcal{A}^K_{\rho\mu} = \mathcal{A}^K_\mu + "
        r"\frac{\operatorname{Cov}_\pi(v,\rho)}{\mathbb{E}_\pi[\rho]}$, "
        r"$d\pi = \frac{K(s)\,d\mu}{\int K(s)\,d\mu}$."
    ),
    plain=(
        "Standard attention over ever more tokens converges, but to the average under the density of the tokens; it is "
        "off by the covariance of value and density, over the mean density."
    ),
    definitions=(r"$f = K\circ s$, $g = fv$; $\eta_N$ is the mean of the unit masses at the $N$ points.",),
    hypotheses=(
        Hypothesis("continuous", "$s$, $v$ and $f$ are continuous."),
        Hypothesis("compact", r"$\Omega$ is compact."),
        Hypothesis("kernel", "$f > 0$."),
        Hypothesis("weak", r"$\eta_N$ converges weakly to $\rho\,d\mu/\int\rho\,d\mu$."),
        Hypothesis("density-positive", r"$\rho > 0$.", needed=False),
        Hypothesis("density-continuous", r"$\rho$ is continuous.", needed=False),
    ),
    steps=(
        Step("limit", r"$\int g\,d\eta_N / \int f\,d\eta_N$ converges to $\int g\rho\,d\mu / \int f\rho\,d\mu$."),
        Step("bias", r"That limit minus $\mathcal{A}_\mu$ is $\operatorname{Cov}_\pi(v,\rho)/\mathbb{E}_\pi[\rho]$."),
    ),
    uses=("RS.Q-modulus",),
    expected=Verdict.VERIFIED,
    stronger=(
        r"$\rho$ need be neither positive nor continuous: an integrable $\rho \ge 0$ with $\int\rho\,d\mu > 0$ is "
        r"enough. "
        "The bias is zero exactly where value and density are uncorrelated under the attention measure."
    ),
    residue=r"Weak convergence means $\int f\,d\eta_N \to \int f\,d\eta$ for continuous $f$; a continuous $f>0$ on a "
    "compact space is at least a constant $c>0$.",
)


def bias(f: Any, fv: Any, fr: Any, fvr: Any) -> Any:
    """Covariance of v and rho over the mean of rho under pi, from the integrals of f, f v, f rho and f v rho."""
    return (fvr / f - fv / f * (fr / f)) / (fr / f)
