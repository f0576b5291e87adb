"""RS Appendix A.4: the gradient in the measure exponent is a covariance."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P4-gradient",
    title="Gradient in the exponent",
    source="RS Appendix A.4, gradient identity",
    statement=(
        r"For one row, let $g_i = \partial L/\partial z_i$. Softmax shift invariance implies $\sum_i g_i = 0$. The "
        r"chain "
        r"rule gives $\frac{\partial L}{\partial\alpha} = \sum_i g_i b_i = \sum_i g_i (b_i - \bar b) = "
        r"n\operatorname{Cov}_i(g_i, b_i)$."
    ),
    plain="A learned exponent of the mass is pushed only as far as the loss gradient and the log-masses vary together.",
    definitions=(
        r"$z_i = s_i + \alpha b_i$ with $s$, $b$ free of $\alpha$; $L$ is a differentiable function of "
        r"$\operatorname{softmax}(z)$.",
        r"$\operatorname{Cov}_i$ is that of the uniform distribution on the $n$ keys (division by $n$).",
    ),
    hypotheses=(Hypothesis("shift", r"$L$ reads $z$ through its softmax only."),),
    steps=(
        Step("softmax", r"$\partial p_j/\partial z_i = p_j(\delta_{ij} - p_i)$."),
        Step(
            "zero-sum",
            r"$g_i = p_i(\ell_i - \sum_j p_j \ell_j)$ for $\ell = \partial L/\partial p$, and $\sum_i g_i = 0$.",
        ),
        Step("covariance", r"$\sum_i g_i b_i = n\operatorname{Cov}_i(g_i, b_i)$ where $\sum_i g_i = 0$."),
    ),
    expected=Verdict.VERIFIED,
    residue="The chain rule. Several rows, heads or layers add up, since differentiation is linear.",
)


def covariance_times_n(n: Any, sum_g: Any, sum_b: Any, sum_gb: Any) -> Any:
    """Return n Cov(g, b) under the uniform distribution, from the sums of g, b and g b."""
    return n * (sum_gb / n - sum_g / n * (sum_b / n))


def logit_gradient(p: Any, slope: Any, mean_slope: Any) -> Any:
    """Gradient in one logit, from its probability, dL/dp there, and the mean of dL/dp under p."""
    return p * (slope - mean_slope)
