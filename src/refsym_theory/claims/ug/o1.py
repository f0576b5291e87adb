"""UG Observation 1: expansion never harms."""

from __future__ import annotations

from collections.abc import Set

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.O1",
    title="Expansion never harms, pointwise",
    source="UG Appendix D.2, Observation 1",
    statement=(
        r"$\widehat S_k\subseteq\widehat S_{\rho k}$, so $\{\widehat S_{\rho k}\not\supseteq S^*\}\subseteq\{\widehat S_k\not\supseteq "
        r"S^*\}$, hence $V^*_t\ge0$ for every realisation of $s_t$. No distributional assumption is needed."
    ),
    plain="Keeping more blocks can never lose one that fewer blocks would have kept.",
    definitions=(
        "Kept sets as printed (a threshold) or corrected (a prefix, UG.KEPT-SET): both are nested, ties or not.",
    ),
    hypotheses=(
        Hypothesis(
            "nested",
            r"$\widehat S_k\subseteq\widehat S_{\rho k}$. Two top-k calls that break ties differently may violate it.",
        ),
    ),
    steps=(
        Step("nested", "The first $k$ of a sorted list are among its first $\\rho k$, whatever the ties."),
        Step("events", r"$A\subseteq B$: where $B$ misses an element of $S^*$, so does $A$."),
        Step("probability", "The probability of an event is at most that of one that contains it."),
    ),
    residue="Longer lists: a prefix of a prefix.",
    expected=Verdict.VERIFIED,
)


def misses(kept: Set[int], best: Set[int]) -> bool:
    """Whether a kept set misses a truly best block."""
    return not best <= kept
