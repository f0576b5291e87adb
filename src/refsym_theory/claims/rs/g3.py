"""RS G.3: the odds ratio of measure weighting against standard attention."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token

CLAIM = Claim(
    id="RS.G3",
    title="Odds ratio of two regions",
    source="RS Appendix G.3, both displays; section 4.2, 'Local allocation at fixed budget'",
    statement=(
        r"$\frac{O_{\mathrm{MC}}}{O_{\mathrm{std}}} = \frac{m_D}{m_S} \in \left\{\frac{6}{10}, \frac{4}{12}, "
        r"\frac{2}{14}\right\}$ because scores are shared at the intervention. [...] More generally, if "
        r"measures vary within two probe groups, the odds ratio becomes $\frac{\sum_{j \in D} p_{j|D} "
        r"m_j}{\sum_{j \in S} p_{j|S} m_j}$, $p_{j|G} = e^{s_j}/\sum_{k \in G} e^{s_k}$."
    ),
    plain=(
        "Weighing tokens by mass changes the odds between two regions by the ratio of their mean masses, "
        "whatever the scores."
    ),
    definitions=(
        "$O$: weight of the dense group over that of the sparse one. Halves of equal duration hold 10 and 6 "
        "(12 and 4, 14 and 2) frames, so a token's mass is the duration over the number.",
    ),
    hypotheses=(
        Hypothesis("scores", "Both rules see the same scores (first layer)."),
        Hypothesis("constant", "For the first formula: masses are constant within each group."),
        Hypothesis("halves", "For the three values: both groups cover the same duration."),
    ),
    steps=(
        Step("general", r"$O_{\mathrm{MC}}/O_{\mathrm{std}}$ is the ratio of the groups' mean masses under $p_{j|G}$."),
        Step("constant", r"With constant masses it is $m_D/m_S$, for any scores."),
        Step(
            "single",
            "A single per-modality count correction, one scalar for both groups, leaves the odds as they were.",
        ),
        Step(
            "values",
            r"10/6, 12/4 and 14/2 frames give 6/10, 4/12 and 2/14, and $720 \cdot 28 \cdot 3 = 60{,}480$ observations.",
        ),
    ),
    scope="Any positive kernel and any number of tokens in each group.",
    expected=Verdict.VERIFIED,
)


def odds(dense: Sequence[Token], sparse: Sequence[Token], weighted: bool) -> Any:
    """Odds between two groups of tokens (mass, kernel), with their masses or with unit masses."""
    top, bottom = (sum((mass if weighted else 1) * kernel for mass, kernel in group) for group in (dense, sparse))
    return top / bottom


def mean_mass(group: Sequence[Token]) -> Any:
    """Mean mass of a group under its own attention."""
    return sum(kernel * mass for mass, kernel in group) / sum(kernel for _, kernel in group)


def ratio(dense: Sequence[Token], sparse: Sequence[Token]) -> Any:
    """Odds ratio as the paper has it."""
    return mean_mass(dense) / mean_mass(sparse)


def mass_ratio(dense: int, sparse: int, duration: Fraction = Fraction(1)) -> Fraction:
    """Return m_D / m_S for two halves of the same duration with these numbers of frames."""
    return (duration / dense) / (duration / sparse)
