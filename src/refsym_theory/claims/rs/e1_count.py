"""RS Appendix E.1: inverse counts in one modality."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E1-count",
    title="One modality: inverse count is standard attention",
    source="RS Appendix E.1; Section 4.5",
    statement=(
        "For one modality, inverse count multiplies every weight by the same scalar and agrees with standard attention exactly."
    ),
    plain="With a single kind of token, dividing by how many there are changes nothing.",
    hypotheses=(Hypothesis("one-modality", "Every visible key belongs to the modality that is counted."),),
    steps=(Step("cancel", r"$\frac{\sum\frac1NK_iv_i}{\sum\frac1NK_i}=\frac{\sum K_iv_i}{\sum K_i}$."),),
    expected=Verdict.VERIFIED,
)


def weight(kernel: Any, count: Any) -> Any:
    """Weight of a key under inverse count."""
    return kernel / count
