"""RS equation 7: transport distance of supports bounds the change of the averaged rotary matrix."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E7",
    title="Support perturbation",
    source="RS Appendix B.2, equation 7",
    statement=(
        r"For $U(p)=\mathbb{E}_{X\sim p}R(X)$, $\|U(p)-U(p')\|_{\mathrm{op}} \le \min\{2, \omega_{\max}W_1(p,p')\}$. "
        r"For a "
        r"single block, the operator norm of the difference is $2|\sin(\omega_r(x-y)/2)|$. In multiple physical "
        r"dimensions, "
        "the same proof uses frequency vectors and their largest Euclidean norm, together with Euclidean transport "
        "distance."
    ),
    plain=(
        "The averaged rotary matrix moves no more than the fastest frequency times the distance that the support moves."
    ),
    definitions=(
        r"$R(x)$ is block diagonal with rotations through $\omega_r\cdot x$; $\omega_{\max}=\max_r|\omega_r|$; "
        r"$W_1 = \inf_\lambda \int|x-y|\,d\lambda$ over couplings.",
    ),
    hypotheses=(
        Hypothesis("euclidean", "Vector norms are Euclidean, operator norms spectral."),
        Hypothesis("moment", "Both measures have a finite first moment.", needed=False),
    ),
    steps=(
        Step(
            "block", r"$(R(x)-R(y))^\top(R(x)-R(y)) = (2-2\cos\theta)I = 4\sin^2(\theta/2)I$, $\theta=\omega_r(x-y)$."
        ),
        Step("chord", r"$2|\sin(\theta/2)| \le \min\{2, |\theta|\}$."),
        Step("coupling", r"$U(p)-U(p') = \int (R(x)-R(y))\,d\lambda(x,y)$ for every coupling $\lambda$."),
        Step("contraction", r"$\|U(p)\| \le 1$, so the difference has norm at most 2."),
        Step("dimensions", r"$|\omega\cdot(x-y)| \le |\omega|\,|x-y|$."),
    ),
    tight="Points half a turn apart attain 2; points close together come as near to the other branch as one likes.",
    expected=Verdict.VERIFIED,
    stronger=r"No moment is needed ($W_1$ may be infinite); and RS.E7-sharp gives the best possible function of $W_1$.",
    residue=(
        "The triangle inequality for integrals; that a norm of a block-diagonal matrix is the largest of its blocks'; "
        r"$\sin x \le x$ from its derivative $1-\cos x \ge 0$."
    ),
)


def block_norm_square(cosine: Any) -> Any:
    """Square of the norm of a block of R(x) - R(y), from the cosine of the angle between."""
    return 2 - 2 * cosine


def bound(angle: Any) -> Any:
    """Return min{2, angle} for an angle omega_max W1 >= 0."""
    return angle if angle <= 2 else 0 * angle + 2
