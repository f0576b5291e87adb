"""What every implementation asks of its inputs, before it computes."""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from torch import Tensor

from refsym_theory.errors import InputError
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.trigger import exact_decimal

Scorer = Literal["kmean", "quest"]
Number = Fraction | int | float | str


def check_scorer(scorer: str) -> None:
    """Raise InputError for a scorer that is not known."""
    if scorer not in ("kmean", "quest"):
        raise InputError(f"unknown scorer {scorer!r}; choose kmean or quest")


def check_lens(name: str, lens: Sequence[int] | None, batch: int, longest: int) -> list[int]:
    """Return a length a sequence; InputError where they do not fit."""
    if lens is None:
        return [longest] * batch
    values = [int(length) for length in lens]
    if len(values) != batch or not all(1 <= length <= longest for length in values):
        raise InputError(f"{name} must hold {batch} lengths from 1 to {longest}, not {values}")
    return values


def check_heads(q: Tensor, k: Tensor) -> None:
    """Raise InputError unless q is [B, H, M, D] and k [B, H_kv, N, D] with H a multiple of H_kv."""
    if q.ndim != 4 or k.ndim != 4 or q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3]:
        raise InputError(f"q {list(q.shape)} and k {list(k.shape)} must be [B, H, M, D] and [B, H_kv, N, D]")
    if q.shape[1] % k.shape[1]:
        raise InputError(f"kv_heads must divide heads, but {q.shape[1]} % {k.shape[1]} is not 0")


def geometries(
    q: Tensor,
    k: Tensor,
    block_m: int,
    block_n: int,
    scale: float | None,
    window: int | None,
    q_lens: Sequence[int] | None,
    kv_lens: Sequence[int] | None,
) -> list[LayerGeometry]:
    """Geometry of each sequence.

    Raises
    ------
    InputError
        The tensors, sizes or lengths do not fit together.
    """
    check_heads(q, k)
    rows = check_lens("q_lens", q_lens, q.shape[0], q.shape[2])
    keys = check_lens("kv_lens", kv_lens, k.shape[0], k.shape[2])
    return [
        LayerGeometry(
            heads=q.shape[1],
            kv_heads=k.shape[1],
            head_dim=q.shape[3],
            scale=q.shape[3] ** -0.5 if scale is None else float(scale),
            window=window,
            q_len=q_len,
            kv_len=kv_len,
            block_m=block_m,
            block_n=block_n,
        )
        for q_len, kv_len in zip(rows, keys, strict=True)
    ]


def check_budget(k: int, most_forced: int) -> None:
    """Raise InputError unless k leaves room beside the forced blocks of every tile."""
    if k <= most_forced:
        raise InputError(f"k={k} must exceed the {most_forced} forced blocks of a tile; use {most_forced + 1} or more")


def expanded_budget(k: int, rho: Number) -> int:
    """Return rho*k; InputError where that is no integer above k."""
    slots = exact_decimal(rho, "rho") * k
    if slots.denominator != 1 or slots <= k:
        nearest = sorted({max(math.floor(slots), k + 1), max(math.ceil(slots), k + 1)})
        choices = " or ".join(str(Fraction(n, k)) for n in nearest)
        raise InputError(f"rho={rho} must exceed 1 with rho*k an integer; for k={k} use {choices}")
    return int(slots)
