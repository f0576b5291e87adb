"""RS section 4.2 and Appendix G.2: duplication and cross-modal odds."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.G2-odds",
    title="Copies multiply the odds",
    source="RS Section 4.2; Appendix G.2",
    statement=(
        "Full-modality duplication by $k=2,3,4$ multiplies standard cross-modal attention odds by $k$. Assign each copy $1/k$ of the "
        "parent's reference mass."
    ),
    plain="Copy every audio token k times and audio wins k times as often, unless the copies share their mass.",
    hypotheses=(Hypothesis("shared", "Copies keep score and visibility."),),
    steps=(
        Step("standard", r"$kS_a/S_v=k\,(S_a/S_v)$."),
        Step("measure", r"$k\cdot\tfrac1kS_a/S_v=S_a/S_v$."),
    ),
    expected=Verdict.VERIFIED,
)


def odds(copies: Any, mass: Any, audio: Any, video: Any) -> Any:
    """Odds of the copied modality, each copy of this mass."""
    return copies * mass * audio / video
