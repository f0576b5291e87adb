"""RS G.2: duplication of a whole modality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token

CLAIM = Claim(
    id="RS.G2-odds",
    title="Duplication multiplies cross-modal odds",
    source="RS section 4.2; Appendix G.2",
    statement=(
        "Full-modality duplication by $k = 2, 3, 4$ multiplies standard cross-modal attention odds by $k$ "
        "in the float32 probe. Measure-weighted logit deviations remain at the measured arithmetic floor. "
        "[G.2:] Assign each copy $1/k$ of the parent's reference mass."
    ),
    plain=(
        "If every video token is repeated k times, video gets k times its odds against audio; with shared "
        "masses it gets what it had."
    ),
    definitions=(
        "Odds: the sum of weights $m_i K(s_i)$ of one modality over that of the other; standard attention "
        "has $m_i = 1$.",
    ),
    hypotheses=(
        Hypothesis(
            "scores", "Copies, and everybody else, keep their scores: position, visible context and query as before."
        ),
        Hypothesis("whole", "Every token of the modality is duplicated, each equally often."),
        Hypothesis("other", "The other modality is left as it is."),
    ),
    steps=(
        Step("standard", r"$k$ copies of every token of unit mass: the odds are multiplied by $k$."),
        Step("measure", r"$k$ copies of mass $m_i/k$: the odds are unchanged."),
        Step(
            "part",
            "If tokens of attention share $p$ within the modality are duplicated, the factor is $1 + (k-1)p$, "
            "between 1 and $k$.",
        ),
    ),
    scope="Any positive kernel, any number of tokens; first layer, or matched visibility.",
    expected=Verdict.VERIFIED,
)


def odds(first: Sequence[Token], second: Sequence[Token]) -> Any:
    """Attention odds between two groups of tokens (mass, kernel)."""
    return sum(mass * kernel for mass, kernel in first) / sum(mass * kernel for mass, kernel in second)


def duplicated(tokens: Sequence[Token], copies: Any, shared: bool) -> list[Token]:
    """Return the tokens with the mass of all their copies: the parent's if it is shared, else one parent's each."""
    return [(mass if shared else copies * mass, kernel) for mass, kernel in tokens]
