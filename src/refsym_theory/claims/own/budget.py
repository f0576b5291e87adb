"""OWN: how many tiles a population threshold triggers."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.BUDGET",
    title="A population threshold does not keep the budget at an atom",
    source="this project, on UG D.3 (population-quantile version) and D.4",
    statement=(
        r"The rule $\sigma_t \le c$, $c$ the $q$-quantile of $F$, triggers the share $F(c)$ of the tiles in the mean, and "
        r"$q \le F(c) \le q + \mathbb{P}(\sigma = c)$. On the paper's own data, with 83% of the tiles at $\sigma = 0$, it "
        r"triggers at least 83% at $q = 0.40$."
    ),
    plain=(
        "If most tiles tie at sigma zero, a fixed threshold at the 40% quantile expands all of them, not 40%. Only a rule that "
        "counts tiles, with a rule for ties, keeps the budget."
    ),
    definitions=(
        r"$c = \inf\{x : F(x) \ge q\}$; the strict rule $\sigma_t < c$ triggers $F(c) - \mathbb{P}(\sigma=c) \le q$.",
    ),
    hypotheses=(Hypothesis("quantile", r"$c$ is the least $x$ with $F(x) \ge q$."),),
    steps=(
        Step("low", r"$F(c) \ge q$."),
        Step("high", r"$F(c) - \mathbb{P}(\sigma=c) = \lim_{x\uparrow c}F(x) \le q$."),
        Step(
            "paper",
            r"$q = 0.40$ with an atom of 0.83 at 0, the least value: $c = 0$, share at least 0.83; strictly below: none.",
        ),
    ),
    tight=r"The whole of $\sigma$ in one atom: $F(c) = 1$, and $q \to 0$.",
    residue="Right continuity of a distribution function; discrete laws with more values work the same.",
    expected=Verdict.VERIFIED,
)


def quantile(law: Mapping[int, Fraction], q: Fraction) -> int:
    """Least value whose cumulative probability reaches q."""
    return min(x for x in law if share(law, x) >= q)


def share(law: Mapping[int, Fraction], x: int) -> Fraction:
    """Probability of at most x."""
    return sum((p for value, p in law.items() if value <= x), Fraction(0))
