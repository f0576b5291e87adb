"""RS Appendix A.4: a uniform physical offset moves one share."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P4-offset",
    title="A uniform physical offset",
    source="RS Appendix A.4, a uniform physical offset",
    statement=(
        r"When $b_i=\ell$ on physical keys and zero elsewhere, all probabilities depend on $\alpha$ and $\ell$ only "
        r"through "
        r"$u=\alpha\ell$. If their baseline attention share is $p_0$, their new share is "
        r"$w(u)=p_0e^u/(1-p_0+p_0e^u)$, with $w'(u)=w(u)[1-w(u)]$. For fixed within-group value averages "
        r"$\bar v_P, \bar v_A$, $\frac{\partial L}{\partial\alpha} = \ell w(u)[1-w(u)] "
        r"\langle\nabla_o L, \bar v_P - \bar v_A\rangle$. Thus a large log-measure dispersion can coincide with a "
        r"small "
        r"gradient through saturation or alignment. If the profile in $u$ has a unique finite minimizer, "
        r"$\alpha^*\ell=u^*$; otherwise that argmin relation is not defined."
    ),
    plain=(
        "A common factor on all physical keys only moves their share, and the exponent and the factor cannot be told "
        "apart."
    ),
    definitions=(
        r"$\alpha^*$ is any minimizer over all real $\alpha$ of the loss at the given $\ell$; the argmin relation is "
        r"read "
        r"with $\ell \ne 0$, which the paper does not say.",
    ),
    hypotheses=(
        Hypothesis("nonzero", r"$\ell \ne 0$, for the argmin relation (not said; native calibration has $\ell = 0$)."),
        Hypothesis("free", r"$\alpha$ ranges over all reals, for the argmin relation (not said)."),
    ),
    steps=(
        Step("share", r"$w(u) = p_0e^u/(1-p_0+p_0e^u)$, and probabilities within a group do not move."),
        Step("slope", r"$w'(u) = w(u)[1-w(u)]$."),
        Step(
            "gradient",
            r"$\partial o/\partial\alpha = \ell w(1-w)(\bar v_P - \bar v_A)$ for $o = w\bar v_P + (1-w)\bar v_A$.",
        ),
        Step("small", r"Gradient below $10^{-9}$ at $\ell = 50$; zero at any $\ell$ for aligned values."),
        Step(
            "argmin",
            r"$\alpha \mapsto \alpha\ell$ is a bijection, with inverse $u \mapsto u/\ell$: minimizers correspond.",
        ),
    ),
    uses=("RS.P4-gradient",),
    expected=Verdict.VERIFIED,
)


def share(p0: Any, factor: Any) -> Any:
    """Share of the physical keys, from their baseline share and the factor e^u."""
    return p0 * factor / (1 - p0 + p0 * factor)


def output_slope(offset: Any, w: Any, physical: Any, auxiliary: Any) -> Any:
    """Derivative of the output in the exponent, one component."""
    return offset * w * (1 - w) * (physical - auxiliary)


def exponent(u: Any, offset: Any) -> Any:
    """Exponent at which alpha times the offset is u."""
    return u / offset
