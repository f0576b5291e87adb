"""RS B.3: featurewise normalization has a Lipschitz constant only where it is regularized."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E11-normalization",
    title="Normalization needs its regularization",
    source="RS Appendix B.3, after equation 11",
    statement=(
        "Shared pointwise maps, residual updates, and featurewise normalizations contribute their Lipschitz constants on "
        "the stated state set; regularization is needed for normalization at zero variance."
    ),
    plain=(
        "Dividing by the standard deviation of the features stretches differences by at most one over the root of the "
        "small number added to the variance; without that number there is no limit."
    ),
    definitions=(
        r"$N(h)=u/\sigma$ with $u=h-\bar h$, $\sigma^2=\|u\|^2/n+\varepsilon$, for $n$ features; a learned scale "
        r"multiplies its constant by its largest absolute entry.",
    ),
    hypotheses=(Hypothesis("regularized", r"$\varepsilon>0$."),),
    steps=(
        Step("centering", r"$\|h-\bar h\|\le\|h\|$: centering does not stretch."),
        Step(
            "slope",
            r"Along a unit vector $w$ the derivative of $u/\sigma$ is $(w-u(u\cdot w)/(n\sigma^2))/\sigma$. It multiplies "
            r"directions across $u$ by $1/\sigma$ and the direction of $u$ by $\varepsilon/\sigma^3$.",
        ),
        Step("constant", r"Both are at most $1/\sqrt\varepsilon$, since $\sigma^2\ge\varepsilon$."),
    ),
    tight=r"At zero variance the slope is $1/\sqrt\varepsilon$.",
    residue="A map whose derivative has norm at most L on a convex set is L-Lipschitz there.",
    expected=Verdict.VERIFIED,
)


def along(epsilon: Any, sigma: Any) -> Any:
    """Slope in the direction of u."""
    return epsilon / sigma**3


def across(sigma: Any) -> Any:
    """Slope in directions across u."""
    return 1 / sigma
