"""What the sorted scores of a tile say about its top-k cut (UG section 3.3, equations 4 and 18)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True)
class Margins:
    """Gaps at the cut of each tile, all [T], in the units of the scores but for `sigma`.

    Attributes
    ----------
    gap
        Cutoff gap g = s_(k-1) - s_(k).
    expansion_gap
        Expansion gap G = s_(k-1) - s_(m), m the size of the expanded set.
    spread
        Spread r = s_(0) - s_(k).
    sigma
        Margin g / r in [0, 1]; 0 where r = 0 (all tied: as uncertain as can be).
    spacing
        Smallest spacing between neighbouring ranks other than the cutoff pair (assumption A1's Delta_2 of the
        tile); infinite where no other pair exists.
    """

    gap: Float
    expansion_gap: Float
    spread: Float
    sigma: Float
    spacing: Float


def margins(scores: Float, sizes: Int, k: Int, expanded: Int) -> Margins:
    """Margins of tiles whose free scores are sorted.

    Parameters
    ----------
    scores
        [T, N] descending in the first ``sizes[t]`` entries of each row; the rest is not read.
    sizes, k, expanded
        [T] free blocks, kept free ranks and expanded free ranks; 1 <= k < expanded < sizes.
    """
    tiles = np.arange(sizes.size)
    kept, dropped = scores[tiles, k - 1], scores[tiles, k]
    gap = kept - dropped
    spread = scores[:, 0] - dropped
    sigma = np.divide(gap, spread, out=np.zeros_like(gap), where=spread > 0)
    rank = np.arange(scores.shape[1] - 1)
    counted = (rank < sizes[:, None] - 1) & (rank != k[:, None] - 1)
    with np.errstate(invalid="ignore"):  # absent entries may be infinite
        spacings = np.where(counted, scores[:, :-1] - scores[:, 1:], np.inf)
    return Margins(gap, kept - scores[tiles, expanded], spread, sigma, spacings.min(axis=1, initial=np.inf))
