"""The softcap of attention scores: c tanh(x / c)."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def tanh(b_x):
    """Hyperbolic tangent in float32, to a few units in the last place, saturating without overflow."""
    b_square = b_x * b_x
    # Near zero 1 - 2 / (exp(2x) + 1) cancels; there the series does not.
    b_series = 62.0 / 2835.0
    b_series = b_series * b_square - 17.0 / 315.0
    b_series = b_series * b_square + 2.0 / 15.0
    b_series = b_series * b_square - 1.0 / 3.0
    b_near = b_x + b_x * b_square * b_series
    return tl.where(tl.abs(b_x) < 0.3, b_near, 1.0 - 2.0 / (tl.exp(2.0 * b_x) + 1.0))
