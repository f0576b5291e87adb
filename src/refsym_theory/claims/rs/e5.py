"""RS equation 5: the variance of the log-mass over a row that is physical only in part."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E5",
    title="Variance within and between",
    source="RS Appendix A.4, equation 5",
    statement=(
        "If a fraction $p$ of keys has physical support, its log-measure has within-group variance "
        r"$\sigma_{\mathrm{phys}}^2$ and mean $\ell$, and all other keys have $b=0$, then "
        r"$\sigma^2(b) = p\sigma_{\mathrm{phys}}^2 + p(1-p)\ell^2$. Neither component alone determines the loss "
        "sensitivity, which also depends on the gradient direction."
    ),
    plain="The log-mass varies because physical keys differ among themselves, and because they differ from the others.",
    definitions=(
        r"Variances divide by the number of keys. For $p = 0$ the group is empty, and both terms are read as 0.",
    ),
    hypotheses=(Hypothesis("zero", "All other keys have $b = 0$."),),
    steps=(
        Step("identity", r"$\mathbb{E}b^2 - (\mathbb{E}b)^2 = p(\sigma_{\mathrm{phys}}^2 + \ell^2) - p^2\ell^2$."),
        Step("edges", r"$p = 1$ gives $\sigma_{\mathrm{phys}}^2$, $p = 0$ gives 0."),
        Step("direction", "Rows with equal $b$ and equal gradient norm have derivatives that differ."),
    ),
    uses=("RS.P4-gradient",),
    expected=Verdict.VERIFIED,
)


def variance(p: Any, within: Any, mean: Any) -> Any:
    """Variance over the row, from the share, the variance and the mean of the physical keys."""
    return p * within + p * (1 - p) * mean**2
