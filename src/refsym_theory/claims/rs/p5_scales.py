"""RS Proposition 5, second half: which typewise scales attention cannot see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P5-scales",
    title="Scales that no attention probability shows",
    source="RS Appendix B.4, Proposition 5, second sentence",
    statement=(
        "A typewise rescaling preserves all attention probabilities exactly when it is common to every co-visible key type, "
        "including auxiliary atoms, and hence constant on each connected component of their co-visibility graph."
    ),
    plain="Only a factor shared by everything that is ever seen together, directly or through others, leaves attention alone.",
    definitions=("Vertices: types. Edges: pairs of types that are visible in one row.",),
    hypotheses=(
        Hypothesis("positive", "Visible keys have positive probability."),
        Hypothesis("factors", "The factors are positive."),
    ),
    steps=(
        Step(
            "row",
            r"$p'_i-p_i=p_i(a_i-\bar a)/\bar a$ with $\bar a=\sum_jp_ja_j$: zero for all visible $i$ exactly if all $a_i=\bar a$.",
        ),
        Step("graph", "Common on every row is the same as constant on every component, in both directions."),
    ),
    stronger="'Hence' may be read as 'equivalently'.",
    scope="Step 'graph': every family of rows over four types; for more types it is the induction along a path.",
    expected=Verdict.VERIFIED,
)


def change(probability: Any, factor: Any, mean: Any) -> Any:
    """Change p' - p of a key's probability."""
    return probability * (factor - mean) / mean


def components(rows: Iterable[Sequence[int]], types: int) -> list[int]:
    """Label every type by the least type of its component."""
    label = list(range(types))
    for row in rows:
        lowest = min(label[t] for t in row)
        joined = {label[t] for t in row}
        label = [lowest if found in joined else found for found in label]
    return label
