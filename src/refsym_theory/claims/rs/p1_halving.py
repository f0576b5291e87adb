"""RS Appendix A.3: one split factor does not characterize, and exactly where the counterexample is increasing."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P1-halving",
    title="A weight that survives halving alone",
    source="RS Appendix A.3",
    statement=(
        r"A single split factor does not characterize all monotone weights. For sufficiently small $\epsilon>0$, "
        r"$w(m)=m[1+\epsilon\sin(2\pi\log_2 m)]$ is increasing and invariant to halving, but not to all integer splits."
    ),
    plain="There are rules that ignore cutting in two and notice cutting in three.",
    definitions=(r"$\theta=2\pi\log_2 m$, $\kappa=2\pi/\log 2$; $w'=1+\epsilon(\sin\theta+\kappa\cos\theta)$.",),
    hypotheses=(Hypothesis("small", r"$\epsilon$ is small enough."),),
    steps=(
        Step("halving", r"$m\mapsto m/2$ takes $\theta$ to $\theta-2\pi$, so $2w(m/2)=w(m)$."),
        Step("thirds", r"$3w(1/3)\ne w(1)$, for every $\epsilon\ne0$."),
        Step("derivative", r"$w'(m)=1+\epsilon(\sin\theta+\kappa\cos\theta)$."),
        Step("increasing", r"$(\sin\theta+\kappa\cos\theta)^2\le1+\kappa^2$, with equality for some $\theta$."),
        Step("threshold", r"$1/\sqrt{1+\kappa^2}=0.1096526$"),
    ),
    stronger=(
        r"It is increasing exactly for $|\epsilon|\le1/\sqrt{1+(2\pi/\log2)^2}=0.1096526$; at that value $w'$ has isolated "
        "zeros and $w$ is still strictly increasing."
    ),
    residue=r"That $\theta$ takes every value as $m$ runs over $(0,\infty)$.",
    expected=Verdict.VERIFIED,
)


def slope(epsilon: Any, sine: Any, cosine: Any, kappa: Any) -> Any:
    """Derivative of w from the sine and cosine of theta."""
    return 1 + epsilon * (sine + kappa * cosine)


def bracket(epsilon: Any, sine: Any) -> Any:
    """Factor of m in w."""
    return 1 + epsilon * sine
