"""RS section 2.1: duplicating every key alike changes nothing."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E1-uniform",
    title="A common factor of all multiplicities cancels",
    source="RS Section 2.1, 'A minimal counterexample'",
    statement=(
        "Duplicating every visible key/value by the same factor leaves standard attention unchanged: the common "
        "factor cancels. The issue is local multiplicity relative to other content, not token count alone."
    ),
    plain="If every token is copied equally often, nothing changes; only unequal copying shifts attention.",
    hypotheses=(Hypothesis("same", "The factor is the same for every visible key."),),
    steps=(
        Step("factor", r"$k$ copies add $k\,K v$ to the numerator and $k\,K$ to the denominator."),
        Step("cancel", r"$(k\,S_v)/(k\,S)=S_v/S$."),
    ),
    expected=Verdict.VERIFIED,
)


def copied(kernel: Any, value: Any, copies: Any) -> tuple[Any, Any]:
    """Contribution of a token in this many copies, without masses, to numerator and denominator."""
    return copies * kernel * value, copies * kernel
