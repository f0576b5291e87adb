"""RS Theorem 1: what the bound does not depend on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.T1-invariance",
    title="What the bound does not depend on",
    source="RS Section 2.3 and Appendix B.1, after the proof of Theorem 1",
    statement=(
        "The theorem requires finite positive kernel values, but no lower bound on individual token mass or on the "
        "absolute score normalizer. A common multiplicative change of the kernel in either representation cancels. "
        "Equal total masses allow the physical intersection coupling used in the main text; algebraically, any coupling "
        "of the two separately normalized mass vectors suffices. ... "
        r"$\Delta$ measures the spread of paired log-kernel changes; a common shift contributes zero. ... Exact copies "
        r"give $\epsilon_v=\Delta=0$."
    ),
    plain=(
        "Adding a constant to all scores, or measuring all masses in another unit, changes neither the outputs nor the "
        "bound; copying tokens changes neither; and the bound holds for tokens of any small mass."
    ),
    definitions=(
        r"Either representation may be changed on its own: $K(t_j)\to cK(t_j)$, $n_j\to cn_j$ with $c>0$.",
        r"Exact copies: token $i$ becomes children with its score and value whose masses $\gamma_{ij}$ add up to $m_i/M$.",
    ),
    hypotheses=(Hypothesis("common", "The factor is the same for all tokens of a representation."),),
    steps=(
        Step("kernel", r"A factor $c$ of all $K(t_j)$ leaves $B$ and $\Delta$ as they are."),
        Step("masses", r"A factor $c$ of all masses of one representation leaves its output as it is."),
        Step("copies", r"Exact copies give $\epsilon_v=\Delta=0$ and $B=A$."),
        Step(
            "mass",
            r"At every mass $\theta>0$ of the lighter of two tokens the bound is attained for some pair of scores.",
        ),
    ),
    uses=("RS.T1",),
    residue="The identities are for one term; that they add up over a finite sum is induction.",
    expected=Verdict.VERIFIED,
)


def after_factor(weights: Any, weighted_values: Any, c: Any) -> Any:
    """Output after a factor c of every weight, from the sums of the weights and of the weighted values."""
    return c * weighted_values / (c * weights)


def ratio_range(largest: Any, smallest: Any) -> Any:
    """exp(Delta) from the largest and the smallest kernel ratio."""
    return largest / smallest


def copies(parents: Mapping[int, Any], children: Mapping[tuple[int, int], Any]) -> list[Any]:
    """Values (or kernel values) of the children, each its parent's, in the order of the pairs."""
    return [parents[i] for i, _ in children]
