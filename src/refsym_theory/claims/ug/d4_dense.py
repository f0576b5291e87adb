"""UG appendix D.4: the distance to dense attention as a bound on the regret."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.D4-dense",
    title="Regret is at most the router's own risk",
    source="UG Appendix D.4, observation (ii)",
    statement=(
        r"The observed 2pp router-vs-dense paired gap itself upper-bounds the end-task manifestation of the regret: dense is the "
        r"unconstrained policy, so $\mathcal{E}(\Pi_q^*)\ge\mathcal{E}(\mathrm{dense})=0$."
    ),
    plain=(
        "The router cannot have lost more against the best trigger than against keeping everything, if both are counted in missed top "
        "blocks. Two points of task accuracy are another unit: in missed blocks the paper's own ties put that distance at 21 points or more."
    ),
    definitions=(
        r"As read: $\mathcal{R}_q\le\mathcal{E}(\Pi_q^\sigma)-\mathcal{E}(\mathrm{dense})$, identification errors (D.2) on both sides.",
    ),
    hypotheses=(
        Hypothesis(
            "unit",
            "The gap to dense is measured in identification error. The paper measures it in task accuracy, where a missed block may not "
            "matter.",
        ),
    ),
    steps=(
        Step("dense", r"The set of all blocks misses nothing: $\mathcal{E}(\mathrm{dense})=0$."),
        Step("regret", r"$\mathcal{E}(\Pi^\sigma_q)-\mathcal{R}_q=\mathcal{E}(\Pi_q^*)\ge0$."),
        Step(
            "ties",
            r"With 83% of the cells tied at the cut and 40% expanded, at least 43% are tied and not expanded, each missing with "
            r"probability at least $\bar V(0)=\frac12$: $\mathcal{E}(\Pi^\sigma_q)\ge0.215$.",
        ),
    ),
    residue=r"$\mathcal{E}(\Pi_q^*)$ is a mean of probabilities, for any number of tiles.",
    scope="Says nothing of task accuracy; 'so' in the quotation passes from one unit to the other.",
    uses=("OWN.PAIRS", "UG.D2"),
    expected=Verdict.VERIFIED,
)


def dense_gap(kept_errors: Sequence[Any], values: Sequence[Any], chosen: Sequence[int]) -> Any:
    """Risk of a policy less that of dense attention: mean error of the kept sets less what the chosen tiles gain."""
    return (sum(kept_errors) - sum(values[t] for t in chosen)) * Fraction(1, len(kept_errors))


def tied_and_kept(tied: Fraction, expanded: Fraction) -> Fraction:
    """Least share of tiles that are tied and not expanded."""
    return max(tied - expanded, Fraction(0))
