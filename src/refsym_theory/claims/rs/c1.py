"""RS Corollary 1: how discrepancies of layers add up through a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C1",
    title="Composition across layers",
    source="RS Appendix B.3, Corollary 1, equations 9 and 10",
    statement=(
        r"Let $R_\ell$ align coarse and fine representations at layer $\ell$. Suppose the fine block has Lipschitz "
        r"constant $L_\ell$, and its local discrepancy from the aligned coarse block is at most $\eta_\ell$ on the "
        r"relevant states. If the initial discrepancy is $e_0$, then "
        r"$e_L\le e_0\prod_{r=1}^{L}L_r+\sum_{\ell=1}^{L}\eta_\ell\prod_{r=\ell+1}^{L}L_r$."
    ),
    plain=(
        "An error made in one layer is passed on by the later layers, each of which can stretch it by its Lipschitz "
        "constant; the errors of all layers add up."
    ),
    definitions=(
        r"$\|G_\ell(R_{\ell-1}x)-R_\ell(F_\ell x)\|\le\eta_\ell$ (10); $x_\ell=F_\ell x_{\ell-1}$, "
        r"$y_\ell=G_\ell y_{\ell-1}$, $e_\ell=\|y_\ell-R_\ell x_\ell\|$. Empty products are 1.",
    ),
    hypotheses=(
        Hypothesis(
            "lipschitz", r"$\|G_\ell y-G_\ell y'\|\le L_\ell\|y-y'\|$ at $y=y_{\ell-1}$, $y'=R_{\ell-1}x_{\ell-1}$."
        ),
        Hypothesis("discrepancy", r"(10) holds at the coarse state $x_{\ell-1}$ of the trajectory."),
        Hypothesis("everywhere", r"$G_\ell$ is Lipschitz at other pairs of states too.", needed=False),
        Hypothesis("normed", "The state spaces are normed.", needed=False),
    ),
    steps=(
        Step("layer", r"$e_\ell\le L_\ell e_{\ell-1}+\eta_\ell$."),
        Step("induction", "One layer more turns (9) for $L$ layers into (9) for $L+1$; with no layer it is $e_0$."),
        Step("doubling", r"The map $h\mapsto2h$ amplifies an initial error by $2^L$ after $L$ layers."),
    ),
    tight=r"Scalar blocks $F(h)=L_\ell h$, $G(h)=L_\ell h+\eta_\ell$ attain it for all constants.",
    stronger=(
        "Metric spaces will do, and the Lipschitz bound is needed at one pair of states a layer: the ratio "
        "$d(G_\\ell y,G_\\ell y')/d(y,y')$ at the two states that the runs reach."
    ),
    expected=Verdict.VERIFIED,
)


def one_layer(e: Any, lipschitz: Any, eta: Any) -> Any:
    """Bound on the discrepancy after one layer more."""
    return lipschitz * e + eta


def product_sum(e0: Any, lipschitz: Sequence[Any], eta: Sequence[Any]) -> Any:
    """Right side of (9)."""
    total = e0
    for factor in lipschitz:
        total = total * factor
    for layer, error in enumerate(eta):
        term = error
        for factor in lipschitz[layer + 1 :]:
            term = term * factor
        total = total + term
    return total
