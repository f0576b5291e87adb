"""RS Appendix A.4: the Cauchy-Schwarz bound on the gradient in the exponent."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P4-cauchy",
    title="Bound on the gradient in the exponent",
    source="RS Appendix A.4, gradient identity",
    statement=(
        r"Cauchy–Schwarz then yields $\left|\frac{\partial L}{\partial\alpha}\right| \le \sqrt n\,\|\nabla_z "
        r"L\|_2\,\sigma(b)$, "
        r"since $\sum_i (b_i - \bar b)^2 = n\sigma^2(b)$."
    ),
    plain="If log-masses hardly vary, the exponent gets hardly any gradient.",
    definitions=(r"$\sigma^2(b) = \frac1n \sum_i (b_i - \bar b)^2$; $n$ is the number of keys in the row.",),
    hypotheses=(Hypothesis("zero-sum", r"$\sum_i g_i = 0$ (from softmax)."),),
    steps=(
        Step("spread", r"$\sum_i (b_i - \bar b)^2 = \sum_i b_i^2 - n\bar b^2 = n\sigma^2(b)$."),
        Step(
            "cauchy", r"$(\sum_i g_i c_i)^2 \le \sum_i g_i^2 \sum_i c_i^2$ for $c = b - \bar b$ and any number of keys."
        ),
        Step("product", r"$\|g\|^2 \cdot n\sigma^2(b)$ is the square of the printed bound."),
    ),
    uses=("RS.P4-gradient",),
    tight=r"$g$ proportional to $b - \bar b$; a loss linear in the probabilities has that gradient.",
    expected=Verdict.VERIFIED,
    residue=r"That a finite sum of squares is nonnegative; where $\sum c^2 = 0$, all $c_i$ and both sides are 0.",
)


def square_bound(n: Any, gradient_square: Any, variance: Any) -> Any:
    """Square of the bound, from |grad|^2 and the variance of b."""
    return n * gradient_square * variance


def lagrange_gap(g: Any, c: Any, gc: Any, cc: Any) -> Any:
    """One key's share of cc (gg cc - gc^2): a square."""
    return (cc * g - gc * c) ** 2
