"""UG section 3.5: the measured time against the number of blocks."""

from __future__ import annotations

from fractions import Fraction

from refsym_theory.claims.claim import Claim, Step, Verdict
from refsym_theory.claims.ug.e15 import attended, triggered

CLAIM = Claim(
    id="UG.SUBPROP",
    title="The cost grows faster than the number of blocks",
    source="UG Section 3.5, 'Cost accounting'",
    statement=(
        r"At $q=0.4,\rho=2$ this is $1.4\,k_{\mathrm{budget}}$. The measured wall-time cost is sub-proportional to this block-count "
        r"factor: router/top-$k$ kernel-time ratio is $\approx1.53$ at 32K and $\approx1.47$ at 64K."
    ),
    plain="False by its own numbers: 1.4 times the blocks took 1.53 and 1.47 times as long, so the cost is more than proportional.",
    definitions=(
        "Sub-proportional: the ratio of the times is below the ratio of the block counts.",
        r"Causal tiles and blocks of 64, tile $t$ sees $t+1$ blocks, $k=33$ (Section 4.1); early tiles cannot expand.",
    ),
    steps=(
        Step("above", "1.53 and 1.47 exceed 1.4, whatever their last digit was rounded from."),
        Step(
            "largest",
            "Counted tile by tile, no trigger of that size has a block-count factor above 1.4134 at 32K or 1.4068 at 64K, and these too "
            "are exceeded.",
        ),
    ),
    correction="The measured ratios exceed every possible block-count factor, by at least 7.8% at 32K and 4.1% at 64K.",
    uses=("UG.E15",),
    expected=Verdict.REFUTED,
)

RATIOS = {512: Fraction(153, 100), 1024: Fraction(147, 100)}
"""Printed ratios of the kernel times, by the number of tiles (32K and 64K)."""


def largest_factor(tiles: int, q: Fraction = Fraction(2, 5), k: int = 33, wide: int = 66) -> Fraction:
    """Block-count factor of the dearest trigger, the latest tiles."""
    visible = range(1, tiles + 1)
    late = range(tiles - triggered(q, tiles), tiles)
    return attended(visible, late, k, wide) / attended(visible, (), k, wide)
