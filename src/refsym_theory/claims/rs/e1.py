"""RS equation 1: attention under masses, and softmax with a log-mass bias."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E1",
    title="Mass multiplies the kernel; for the exponential it is a bias log m",
    source="RS Section 2.1, equation 1",
    statement=(
        r"$A_m^K(s,v)=\frac{\sum_i m_iK(s_i)v_i}{\sum_i m_iK(s_i)}$. $K(s)=e^s$ implies "
        r"$A_m^K=\sum_i \operatorname{softmax}(s+\log m)_i v_i$."
    ),
    plain="Weighting each token by its mass is the same as adding the logarithm of the mass to its score.",
    hypotheses=(
        Hypothesis("exponential", r"$K(s)=e^s$."),
        Hypothesis("positive", r"$m_i>0$."),
    ),
    steps=(
        Step("weight", r"The softmax weight of score $s+\log m$ is $e^{s+\log m}=m\,e^s$."),
        Step("output", r"With equal weights numerator and denominator agree term by term, and so do the outputs."),
    ),
    residue=r"The functional equation $e^{a+b}=e^ae^b$ and $e^{\log m}=m$.",
    expected=Verdict.VERIFIED,
)


def biased_weight(exp_score: Any, exp_bias: Any) -> Any:
    """Weight before normalization of a score with a bias, from the exponentials of both."""
    return exp_score * exp_bias


def weighted(mass: Any, kernel: Any) -> Any:
    """Weight before normalization under a mass."""
    return mass * kernel
