"""UG section 4.1: paired recall and accuracy where dense attention answers everything."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.PAIRED",
    title="Paired recall is accuracy if dense is perfect",
    source="UG Section 4.1, 'Metrics'; Section 4.2 and Table 1",
    statement=(
        r"Paired recall $=|\{i:\mathrm{dense}_i\wedge\mathrm{sparse}_i\}|/|\{i:\mathrm{dense}_i\}|$. On RULER NIAH dense accuracy is 1.00, so "
        "the two metrics coincide cell-by-cell."
    ),
    plain="Where dense attention answers every question, being right and being right where dense was right are the same.",
    definitions=(
        r"$n$ questions, $n_{dc}$ right with dense, $c$ of them right with sparse, and $x$ others right with sparse.",
    ),
    hypotheses=(
        Hypothesis(
            "perfect",
            r"Dense accuracy is exactly 1. Section 4.2 says $\ge0.96$ and concludes the same, which does not follow.",
        ),
        Hypothesis("some", r"$n_{dc}\ge1$, else paired recall is not defined."),
    ),
    steps=(
        Step("equal", r"$n_{dc}=n$ leaves $x=0$, and both are $c/n$."),
        Step("apart", r"In general $|\mathrm{accuracy}-\mathrm{paired}|\le1-n_{dc}/n$, attained on both sides."),
    ),
    stronger=r"With dense accuracy $d$ the two differ by at most $1-d$: by up to four points at 0.96, on both sides.",
    expected=Verdict.VERIFIED,
)


def accuracy(both: Any, other: Any, n: Any) -> Any:
    """Share of all questions that sparse answers."""
    return (both + other) / n


def paired(both: Any, dense: Any) -> Any:
    """Share of dense's questions that sparse answers too."""
    return both / dense
