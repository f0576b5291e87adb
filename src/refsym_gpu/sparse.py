"""Sparse attention in the place of a layer's own, during prefill."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from torch import Tensor

from refsym_gpu.attention import block_sparse_attention
from refsym_gpu.implementation import Implementation
from refsym_gpu.inputs import Number, Scorer, check_scorer, expanded_budget
from refsym_gpu.policies import LEVELS, POLICIES, Level, Policy, expand
from refsym_gpu.selection import select_blocks, tile_scores
from refsym_theory.errors import InputError

if TYPE_CHECKING:
    from refsym_gpu.models import AttentionCall


@dataclass(frozen=True)
class SparseAttention:
    """Keep k blocks a tile, rho*k where a policy expands it, and attend to those.

    Attributes
    ----------
    policy : str
        One of `refsym_gpu.policies.POLICIES`; "router" is UG's, another name for "sigma".
    k, rho, q : budget, expansion factor, share of tiles (or cells) that expand
    scorer, level, block_m, block_n, impl
        As for `tile_scores` and `expand`.
    seed : int
        Of "random"; each layer draws for itself.

    Raises
    ------
    InputError
        A name is not known, or rho*k is no integer above k.
    """

    policy: str
    k: int
    rho: Number = 2
    q: Number = "0.4"
    scorer: Scorer = "kmean"
    level: Level = "tile"
    block_m: int = 64
    block_n: int = 64
    seed: int = 0
    impl: Implementation = "triton"

    def __post_init__(self) -> None:
        if self._policy not in POLICIES:
            raise InputError(f"unknown policy {self.policy!r}; choose one of router, {', '.join(POLICIES)}")
        if self.level not in LEVELS:
            raise InputError(f"unknown level {self.level!r}; choose tile or cell")
        check_scorer(self.scorer)
        expanded_budget(self.k, self.rho)

    @property
    def _policy(self) -> Policy:
        return "sigma" if self.policy == "router" else self.policy  # type: ignore[return-value]

    def kept(self, call: "AttentionCall") -> Tensor:
        """Blocks that each tile attends to: int32 kv_idx [B, H, Q_t, rho*k]."""
        tiles = tile_scores(
            call.query,
            call.key,
            scorer=self.scorer,
            block_m=self.block_m,
            block_n=self.block_n,
            scale=call.scale,
            window=call.window,
            impl=self.impl,
        )
        chosen = select_blocks(tiles, k=self.k, rho=self.rho, q=0, impl=self.impl)
        seed = self.seed * 1_000_003 + call.layer
        return expand(tiles, chosen, policy=self._policy, level=self.level, q=self.q, seed=seed)

    def __call__(self, call: "AttentionCall") -> Tensor:
        """Attention output [B, H, M, D_v]."""
        return self.attend(call, self.kept(call))

    def attend(self, call: "AttentionCall", kv_idx: Tensor) -> Tensor:
        """Attention output [B, H, M, D_v] over given blocks."""
        out, _ = block_sparse_attention(
            call.query,
            call.key,
            call.value,
            kv_idx,
            block_m=self.block_m,
            block_n=self.block_n,
            scale=call.scale,
            window=call.window,
            impl=self.impl,
        )
        return out
