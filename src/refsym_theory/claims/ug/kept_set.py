"""UG appendix D.2: the set of scores at least the m-th is not always a set of m."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.KEPT-SET",
    title="A threshold keeps too many blocks at a tie",
    source="UG Appendix D.2",
    statement=r"Let $\widehat S_m(s_t):=\{b:s_{t,b}\ge s_{t,(m-1)}\}$ be the empirical top-$m$ set.",
    plain=(
        "False at a tie: the threshold then keeps more than m blocks. With two tied blocks and m = 1 it keeps both, misses nothing, "
        "and the lower bound of Lemma 1, which says 1/2, fails."
    ),
    definitions=(
        "A top-$m$ set has $m$ elements, as the proof of Lemma 1 uses ('the $k$ arms of $S^*$ cannot fit').",
        "Under (17) ties have probability zero; but Observation 1 speaks of every realisation, and D.4 finds the cut tied on "
        "83% of the tiles.",
    ),
    steps=(
        Step("size", r"$|\{b:s_b\ge s_{(m-1)}\}|=m$ exactly if $s_{(m-1)}>s_{(m)}$ or there are only $m$ blocks."),
        Step(
            "observation",
            "The printed sets are nested in $m$ too, so that Observation 1 survives; Lemma 1's lower bound does not.",
        ),
        Step(
            "prefix",
            "The first $m$ of the sorted scores, ties to the lower index, are always $m$ blocks, and nested in $m$.",
        ),
    ),
    correction=r"$\widehat S_m$ is the set of the first $m$ blocks in falling order of the scores, ties to the lower index.",
    residue="Longer lists: only whether a score lies above, at or below the cut matters, and how many do.",
    expected=Verdict.REFUTED,
)


def threshold_set(scores: Sequence[Any], m: int) -> set[int]:
    """Return the set as printed."""
    cut = sorted(scores, reverse=True)[m - 1]
    return {b for b, score in enumerate(scores) if score >= cut}


def prefix_set(scores: Sequence[Any], m: int) -> set[int]:
    """Return the first m in falling order, ties to the lower index."""
    return set(sorted(range(len(scores)), key=lambda b: (-scores[b], b))[:m])
