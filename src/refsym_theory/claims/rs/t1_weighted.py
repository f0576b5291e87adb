"""RS Theorem 1: the largest value error may be replaced by its average under the new attention."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.T1-weighted",
    title="The Q-weighted value error",
    source="RS Appendix B.1, after the proof of Theorem 1",
    statement=r"The same proof permits replacing $\epsilon_v$ by its $Q$-weighted average.",
    plain=(
        "A matched value that changed a lot costs only as much as the new attention looks at it; the old attention "
        "must not be used for that average."
    ),
    definitions=(
        r"As in Theorem 1; the average is $\mathbb{E}_Q\|w_j-v_i\|=\sum_{ij}Q_{ij}\|w_j-v_i\|$, with $D_v$ the "
        r"diameter of the old values $v_i$.",
    ),
    hypotheses=(Hypothesis("under-Q", r"The average is taken under $Q$, the lift of the new attention."),),
    steps=(
        Step(
            "triangle",
            r"$B-A=(\mathbb{E}_Q v-\mathbb{E}_P v)+\mathbb{E}_Q(w-v)$, and "
            r"$\|\mathbb{E}_Q(w-v)\|\le\mathbb{E}_Q\|w-v\|$.",
        ),
        Step("average", r"$\mathbb{E}_Q\|w-v\|\le\epsilon_v$: it is never worse than (2)."),
    ),
    uses=("RS.T1",),
    tight="Two tokens whose values move by different amounts attain it, where (2) itself is strict.",
    residue="That a finite sum of nonnegative terms is nonnegative.",
    expected=Verdict.VERIFIED,
)


def average_gap(weight: Any, largest: Any, error: Any) -> Any:
    """Summand of epsilon_v - E_Q e: a weight times how far a pair's error is below the largest."""
    return weight * (largest - error)
