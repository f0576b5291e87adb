"""UG appendix C and section 3.4: the sweep over q."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.C-SWEEP",
    title="The sweep over q is not monotone",
    source="UG Section 3.4, 'Choosing q'; Appendix C",
    statement=(
        r"We swept $q\in\{0.10,0.20,0.30,0.40\}$ and observed paired recall $0.38,0.35,0.47,0.53$. The trend is monotonic in $q$ over "
        "the tested range and plateaus near $q=0.40$."
    ),
    plain="False by its own numbers: recall falls from q = 0.10 to 0.20, and nothing beyond 0.40 was tried, so that no plateau can be seen.",
    steps=(
        Step("falls", "From 0.10 to 0.20 recall falls by 0.03; from there it rises."),
        Step("last", "The last step, 0.06, is the smaller of the two rises; nothing beyond 0.40 was tried."),
    ),
    correction="Recall falls by 0.03 and then rises by 0.12 and 0.06; it is largest at the largest $q$ tried, and whether it levels off was not tested.",
    expected=Verdict.REFUTED,
)

RECALL = (Fraction(38, 100), Fraction(35, 100), Fraction(47, 100), Fraction(53, 100))


def steps(recall: Sequence[Fraction]) -> list[Fraction]:
    """Differences between neighbours."""
    return [after - before for before, after in pairwise(recall)]
