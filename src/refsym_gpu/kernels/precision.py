"""How products are taken: tensor cores on the inputs' own type, float32 by three tf32 products."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

INTERPRETED = bool(triton.knobs.runtime.interpret)
"""The kernels run in Triton's interpreter, whose bfloat16 products are wrong: there both sides are widened first."""


@triton.jit
def product(a, b, WIDEN: tl.constexpr):
    """Multiply [M, K] by [K, N], summed in float32."""
    if WIDEN:
        a = a.to(tl.float32)
        b = b.to(tl.float32)
    if a.dtype == tl.float32:
        return tl.dot(a, b, input_precision="tf32x3")
    return tl.dot(a, b)


def lift(dtype: torch.dtype) -> float:
    """What the second part of a mean is multiplied by: in float16 it would fall among the subnormal numbers."""
    return 2.0**11 if dtype is torch.float16 else 1.0


def widened(dtype: torch.dtype) -> bool:
    """Whether operands have to be widened here."""
    return INTERPRETED and dtype is not torch.float32


def width(size: int, least: int = 16) -> int:
    """The power of two that a block of this size occupies; a product needs 16."""
    return max(least, int(triton.next_power_of_2(size)))
