"""RS I.1: measure weighting and global count on equal groups."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.I1-uniform",
    title="Equal groups: measure is global count",
    source="RS section 4.4; Appendix I.1",
    statement=(
        "Uniform groups give measure and global count weighting identical biases. [...] Video biases are "
        r"zero for standard attention, $\log(16/K)$ for global count, and $\log|G_i|$ for a measure-weighted "
        "group $G_i$. [...] The global count comparator uses only the average group size, $16/K$. These "
        "rules coincide for equal-size groups."
    ),
    plain=(
        "If all groups hold equally many patches, weighing by group and weighing by the average group are "
        "the same rule."
    ),
    definitions=(
        r"Sizes $|G_1|, \ldots, |G_K| \ge 1$ sum to 16. Biases are equal exactly where their exponentials are.",
    ),
    hypotheses=(Hypothesis("equal", "All groups have the same size."),),
    steps=(
        Step("average", r"$\frac1K \sum_i |G_i| = 16/K$ for every partition."),
        Step(
            "equal",
            "$|G_i| = 16/K$ for all $i$ exactly where all sizes are equal: checked for every one of the "
            "$2^{15}$ contiguous partitions. There is one such partition where $K$ divides 16, as the paper's "
            "budgets do, and none elsewhere.",
        ),
        Step("native", r"At $K = 16$ all three rules have bias zero."),
        Step(
            "standard",
            r"For $K < 16$ the equal groups' bias is positive: the rule is not standard attention next to text.",
        ),
        Step("adaptive", "For unequal groups attention among video keys differs from that under global count."),
    ),
    scope="All partitions of 16 patches into contiguous groups; exact arithmetic.",
    residue="The logarithm is injective.",
    expected=Verdict.VERIFIED,
)


def measure_mass(sizes: Sequence[int]) -> list[Fraction]:
    """Exponentials of the measure biases."""
    return [Fraction(size) for size in sizes]


def global_count(sizes: Sequence[int]) -> list[Fraction]:
    """Exponentials of the global-count biases."""
    return [Fraction(16, len(sizes))] * len(sizes)


def video_share(masses: Sequence[Fraction], kernels: Sequence[Fraction], text: Fraction) -> Fraction:
    """Attention to all video keys next to text keys of total weight `text`."""
    video = sum((mass * kernel for mass, kernel in zip(masses, kernels, strict=True)), Fraction(0))
    return video / (video + text)
