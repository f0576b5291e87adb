"""Which key blocks a query tile sees: causal, windowed, ragged, behind a cached prefix."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refsym_theory.errors import InputError


@dataclass(frozen=True, eq=False)
class Visibility:
    """The visible (tile, block) pairs of a layer in CSR form.

    Attributes
    ----------
    indptr : int64 [Q_t + 1]
        Tile ``t`` sees the blocks ``indices[indptr[t]:indptr[t + 1]]``.
    indices : int32 [P]
        Visible blocks, ascending within a tile; never empty for any tile.
    forced : int32 [F, 2]
        (tile, block) pairs that are kept whatever their score, sorted and unique.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    forced: NDArray[np.int32]


@dataclass(frozen=True)
class LayerGeometry:
    """Shape of one attention layer during one prefill.

    Query row ``i`` sits at position ``p = offset + i`` (bottom-right aligned causality) and sees the keys
    ``j <= p`` with, under a window, ``j > p - window``.

    Attributes
    ----------
    heads, kv_heads, head_dim : int
        Query heads H, key heads H_kv (a divisor of H), channels of a head.
    scale : float
        Factor on q.k in the logits; finite and positive.
    window : int or None
        Keys that a row sees, itself included; None for full causal attention.
    q_len, kv_len : int
        Query rows and keys; ``q_len < kv_len`` behind a cached prefix.
    block_m, block_n : int
        Rows of a tile, keys of a block.

    Raises
    ------
    InputError
        A field has the wrong type or value; the message names it.
    """

    heads: int
    kv_heads: int
    head_dim: int
    scale: float
    window: int | None
    q_len: int
    kv_len: int
    block_m: int
    block_n: int

    def __post_init__(self) -> None:
        for name in ("heads", "kv_heads", "head_dim", "window", "q_len", "kv_len", "block_m", "block_n"):
            value = getattr(self, name)
            if name == "window" and value is None:
                continue
            if type(value) is not int or value < 1:
                raise InputError(f"{name} must be a positive integer, not {value!r}")
        if type(self.scale) is not float or not math.isfinite(self.scale) or self.scale <= 0:
            raise InputError(f"scale must be a finite positive float, not {self.scale!r}")
        if self.heads % self.kv_heads:
            raise InputError(f"kv_heads must divide heads, but {self.heads} % {self.kv_heads} is not 0")
        if self.q_len > self.kv_len:
            raise InputError(f"q_len must not exceed kv_len, but {self.q_len} > {self.kv_len}")
        if self.kv_len > np.iinfo(np.int32).max:
            raise InputError(f"kv_len must fit into int32, but is {self.kv_len}")

    @property
    def q_tiles(self) -> int:
        """Query tiles Q_t, the last one possibly partial."""
        return -(-self.q_len // self.block_m)

    @property
    def n_blocks(self) -> int:
        """Key blocks N_B, the last one possibly partial."""
        return -(-self.kv_len // self.block_n)

    @property
    def offset(self) -> int:
        """Position of the first query row: the length of the cached prefix."""
        return self.kv_len - self.q_len

    def block_keys(self) -> NDArray[np.int64]:
        """Real keys of each block, [N_B]."""
        starts = np.arange(self.n_blocks, dtype=np.int64) * self.block_n
        return np.minimum(self.block_n, self.kv_len - starts)

    def visible_range(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """First visible block, first diagonal block and last visible block of each tile, [Q_t] each.

        The rows of a tile are consecutive, so the keys that they see together are one interval, and so are
        the blocks; the diagonal blocks are its last ones.
        """
        top = self.offset + np.arange(self.q_tiles, dtype=np.int64) * self.block_m
        bottom = np.minimum(top + self.block_m, self.kv_len) - 1
        oldest = np.zeros_like(top) if self.window is None else np.maximum(top - self.window + 1, 0)
        return oldest // self.block_n, top // self.block_n, bottom // self.block_n

    def visible(self) -> Visibility:
        """Visible and forced (tile, block) pairs.

        A block is visible to a tile if a real row of the tile sees one of its keys. Forced are block 0 where
        visible and every block that holds the diagonal position of a real row.
        """
        first, diagonal, last = self.visible_range()
        indptr, indices = _ranges(first, last)
        # A tile whose diagonal starts in block 0 has block 0 among its diagonal blocks already.
        sink = np.flatnonzero((first == 0) & (diagonal > 0))
        diagonal_indptr, diagonal_blocks = _ranges(diagonal, last)
        tiles = np.concatenate([sink, np.repeat(np.arange(self.q_tiles), np.diff(diagonal_indptr))])
        blocks = np.concatenate([np.zeros_like(sink), diagonal_blocks])
        order = np.lexsort((blocks, tiles))
        forced = np.stack([tiles[order], blocks[order]], axis=1).astype(np.int32)
        return Visibility(indptr, indices, forced)


def _ranges(first: NDArray[np.int64], last: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Concatenated ranges ``first[t] .. last[t]``, inclusive and never empty, with their CSR offsets."""
    indptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(last - first + 1)])
    # Summing steps in place needs one int32 array of the pairs, however many there are.
    values = np.ones(indptr[-1], np.int32)
    values[indptr[:-1]] = first - np.concatenate([np.zeros(1, np.int64), last[:-1]])
    return indptr, np.cumsum(values, out=values)
