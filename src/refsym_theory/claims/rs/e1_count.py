"""RS E.1: inverse count in one modality."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E1-count",
    title="Inverse count of one modality is standard attention",
    source="RS Appendix E.1, last paragraph; Figure 3",
    statement=(
        "For one modality, inverse count multiplies every weight by the same scalar and agrees with "
        "standard attention exactly."
    ),
    plain="Dividing all weights by the same number of tokens changes nothing.",
    hypotheses=(Hypothesis("one", "All visible keys belong to the modality that is counted."),),
    steps=(
        Step(
            "cancels",
            r"$\sum_i c K_i v_i / \sum_i c K_i = \sum_i K_i v_i / \sum_i K_i$ for every $c \ne 0$, here $c = 1/N$.",
        ),
        Step(
            "float64",
            r"Exactly means in exact arithmetic: for $N = 3$ the two float64 evaluations can differ in the last bit.",
        ),
    ),
    scope="Any kernel and any number of keys, in exact arithmetic.",
    residue="The paper's budgets 16, 32, 64 and 128 are powers of two, by which float64 divides without rounding.",
    expected=Verdict.VERIFIED,
)


def counted_output(numerator: Any, denominator: Any, count: Any) -> Any:
    """Attention from the summed K v and the summed K, every weight divided by the count."""
    return (numerator / count) / (denominator / count)
