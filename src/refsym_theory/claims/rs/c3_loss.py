"""RS C.3: the loss of tokens, weighted by mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token, totals

CLAIM = Claim(
    id="RS.C3-loss",
    title="Table 4: per-token loss",
    source="RS Appendix C.3, Table 4, row 3; section 3.1",
    statement=(
        "Measure-aware operations preserve the tested duplicate splits. [Row 3: per-token loss. No formula is printed.]"
    ),
    plain="A training loss weighted by mass stays the same when a target is replaced by copies that share its mass.",
    definitions=(
        r"As read: $\sum_i m_i \ell_i / \sum_i m_i$ in place of $\frac1N \sum_i \ell_i$.",
        r"Only selected targets count: $\chi_i \in \{0, 1\}$ marks them, copies are selected with their "
        "parent, and at least one is selected. Table 4 does not say which of the two measure forms, "
        "normalised or summed, it has: both are checked.",
    ),
    hypotheses=(
        Hypothesis("conserved", "The masses of the copies sum to the mass of the parent."),
        Hypothesis("copied", "Copies keep prediction and target of the parent, hence its loss."),
        Hypothesis("selected", "At least one target is selected."),
    ),
    steps=(
        Step(
            "additive",
            r"$(m \chi \ell,\; m \chi)$ is additive in $m$: the normalised loss and the summed one are unchanged.",
        ),
        Step("count", "The count form changes under a split in two."),
    ),
    scope="Any number of tokens and copies.",
    residue="A split into k copies is k - 1 splits in two; a finite sum does not depend on the order of its terms.",
    expected=Verdict.VERIFIED,
)


def contribution(mass: Any, selected: Any, loss: Any) -> tuple[Any, ...]:
    """Return what one token adds to the summed loss and to the selected mass."""
    return mass * selected * loss, mass * selected


def mean_loss(tokens: Sequence[Token]) -> Any:
    """Loss of tokens (mass, selected, loss), a mass-weighted mean over the selected ones."""
    summed, mass = totals(contribution, tokens)
    return summed / mass
