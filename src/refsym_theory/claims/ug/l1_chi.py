"""UG Lemma 1's constant chi, and the simple bound on it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.L1-chi",
    title="The constant chi",
    source="UG Appendix D.3, Lemma 1",
    statement=(
        r"Let $\chi := \sum_{m\ge1} (m+1)\,e^{-m^2\Delta_2^2/(4\tau^2)}$; note "
        r"$\chi \le 2.2\,e^{-\Delta_2^2/(4\tau^2)}$ once $\Delta_2 \ge 2\tau$."
    ),
    plain="With spacings of at least two noise scales, everything but the pair at the cutoff adds little.",
    definitions=(
        r"$y = e^{-\Delta_2^2/(4\tau^2)}$, so $\chi / y = \sum_{m \ge 1} (m+1)\,y^{m^2-1}$.",
        r"At $\Delta_2 = 0$ the sum is infinite, and Lemma 1 says nothing from above.",
    ),
    hypotheses=(Hypothesis("wide", r"$\Delta_2 \ge 2\tau$, that is $y \le 1/e$."),),
    steps=(
        Step("monotone", r"$\chi/y$ grows with $y$, so $\Delta_2 = 2\tau$ is the worst case."),
        Step("rest", r"What a partial sum leaves out is below a geometric series."),
        Step("value", r"At $\Delta_2 = 2\tau$: $\chi/y = 2.1507\ldots \le 2.2$."),
    ),
    tight=r"At $\Delta_2 = 2\tau$ the ratio is $2.15070\ldots$: 2.15 would not do. It always exceeds 2.",
    stronger=r"$\chi \le 2.1508\,y$ for $\Delta_2 \ge 2\tau$, and $\chi \le 2.2\,y$ for $\Delta_2 \ge 1.91\,\tau$.",
    residue="That a series with terms growing in y has a sum growing in y.",
    expected=Verdict.VERIFIED,
)

PRINTED = Fraction(22, 10)
"""The printed constant."""


def ratio(y: Any, terms: int) -> Any:
    """Return the first `terms` terms of chi / y."""
    return sum((m + 1) * y ** (m * m - 1) for m in range(1, terms + 1))


def rest(y: Any, terms: int) -> Any:
    """Bound on what `ratio` leaves out: its next term over one minus the largest quotient of two terms."""
    m = terms + 1
    return (m + 1) ** 2 * y ** (m * m - 1) / ((m + 1) - (m + 2) * y ** (2 * m + 1))


def chi(y: Any, terms: int = 12) -> Any:
    """Return an upper bound on chi, exact but for a bound on the rest; y = exp(-Delta_2^2 / (4 tau^2)) < 1/2."""
    return y * (ratio(y, terms) + rest(y, terms))
