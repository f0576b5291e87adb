"""RS H.6: a control that reverses the biases of groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.H6-reversal",
    title="Reversed group biases and the histogram of tokens",
    source="RS Appendix H.6",
    statement=(
        r"If view $j$ produces $N_j$ image tokens, the measure arm assigns each a bias $-\log N_j$, centered "
        "over image tokens. [...] A reverse-group control reverses the four resolution-level biases before "
        "recentering. It does not preserve their token-level histogram when group sizes differ."
    ),
    plain="Giving the smallest picture's bias to the largest one also changes how many tokens carry each bias.",
    definitions=(
        "Histogram: how many tokens carry each bias. As read, the group sizes differ as they do in the "
        r"paper, $N_1 < N_2 < \ldots$ (side lengths ascend). Centering shifts all biases alike, and drops "
        "out. Sizes that merely are not all equal would not do: $(1, 2, 2, 1)$.",
    ),
    hypotheses=(Hypothesis("palindrome", r"The sizes are not the same read backwards."),),
    steps=(
        Step(
            "largest",
            r"Among the $c$ views of the largest size $n$, the reversed arm has $\sum N_{\sigma(j)} \le "
            r"c\,n$ tokens with the bias $-\log n$, with equality only where $N_{\sigma(j)} = n$ for all of "
            "them; remove them and go on: preserved exactly for palindromes.",
        ),
        Step("enumerated", "All 6561 lists of four sizes up to 9: the histogram is preserved exactly for palindromes."),
        Step("paper", "Both size sets of the paper, by token counts in squares of 28 pixels: not preserved."),
    ),
    scope="Any number of views, any positive sizes.",
    residue="The descending induction over sizes in 'largest'; that a multiset determines its smallest element.",
    expected=Verdict.VERIFIED,
)


def histogram(sizes: Sequence[int], biased: Sequence[int]) -> Counter[Fraction]:
    """Count tokens by exp(-bias) over its largest value, so that a common shift of the biases drops out.

    View j has sizes[j] tokens with the bias -log(biased[j]).
    """
    counts: Counter[Fraction] = Counter()
    for size, number in zip(sizes, biased, strict=True):
        counts[Fraction(number, max(biased))] += size
    return counts
