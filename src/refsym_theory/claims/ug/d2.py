"""UG appendix D.2: the best trigger of a budget takes the tiles of largest expansion value."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.D2",
    title="The best trigger takes the largest values",
    source="UG Appendix D.2, equation 20",
    statement=(
        r"Minimising $\mathcal{E}(\Pi)$ is equivalent to maximising $\sum_{t\in E}V^*_t$, so the optimal trigger is the $\lceil qT\rceil$ tiles "
        r"of largest $V^*_t$, and $\mathcal{R}_q=\frac1T[\sum_{t\in\Pi^*_q}V^*_t-\sum_{t\in\Pi^\sigma_q}V^*_t]\ge0$."
    ),
    plain="If you may expand so many tiles and no more, expand those that gain most; anything else leaves the difference as regret.",
    hypotheses=(Hypothesis("budget", r"Both policies expand the same number of tiles."),),
    steps=(
        Step("risk", r"$\mathcal{E}(\Pi)=\frac1T[\sum_t\mathcal{E}_t(\widehat S_k)-\sum_{t\in E}V^*_t]$."),
        Step(
            "exchange",
            r"Replacing $t\in E$ by $t'\notin E$ changes the sum by $V^*_{t'}-V^*_t$, so no set of $D$ beats the $D$ largest.",
        ),
    ),
    residue=(
        "More than four tiles: exchange one tile after another, pairing off what two sets of one size do not share. "
        "With tied values there are several best sets."
    ),
    stronger="Nothing is assumed of the values: they need not be expansion values, nor nonnegative.",
    expected=Verdict.VERIFIED,
)


def gain(values: Sequence[Any], chosen: Collection[int]) -> Any:
    """Sum of the values over the chosen tiles."""
    return sum(values[t] for t in chosen)


def best(values: Sequence[Any], count: int) -> list[int]:
    """Return the tiles of largest value."""
    return sorted(range(len(values)), key=lambda t: (-values[t], t))[:count]
