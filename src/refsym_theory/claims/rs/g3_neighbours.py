"""RS G.3: an inverse count of neighbours is not additive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.G3-neighbours",
    title="Inverse local neighbor count",
    source="RS Appendix G.3, last sentence",
    statement=(
        "An inverse local neighbor count can approximate density under suitable sampling assumptions; it is "
        "not exactly additive under arbitrary representation duplication because the neighboring counts of "
        "unsplit cells can also change."
    ),
    plain=(
        "Weighing a token by one over the number of tokens near it does not survive copying, unless the "
        "token was alone."
    ),
    definitions=(
        "Weight of a token: $1/n$, $n$ the number of tokens (itself included) within a fixed distance. "
        "Copies stay in place.",
    ),
    hypotheses=(Hypothesis("neighbour", r"The token has a neighbour: $n > 1$."),),
    steps=(
        Step(
            "parent",
            r"$k$ copies weigh $k/(n + k - 1)$ together; it is $1/n$ exactly where $(k-1)(n-1) = 0$.",
        ),
        Step("others", r"A neighbour with count $n'$ falls from $1/n'$ to $1/(n' + k - 1)$."),
        Step(
            "witness",
            "Two tokens near each other, one of them copied: the odds go from 1 to 2, as in standard attention.",
        ),
    ),
    stronger="Not additive for the split token itself, either; additive exactly for an isolated token.",
    scope="Any positions and any window, the same for all tokens.",
    expected=Verdict.VERIFIED,
)


def weights(positions: Sequence[Any], window: Any) -> list[Any]:
    """Return one over the number of tokens within the window, for each token."""
    return [1 / sum(type(x)(abs(x - y) <= window) for y in positions) for x in positions]


def children(count: Any, copies: Any) -> Any:
    """Total weight of all copies of a token that counted `count` tokens before."""
    return copies / (count + copies - 1)
