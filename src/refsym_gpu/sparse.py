"""Sparse attention in the place of a layer's own, during prefill."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from refsym_gpu.attention import block_sparse_attention
from refsym_gpu.implementation import Implementation
from refsym_gpu.inputs import Number, Scorer, check_scorer, expanded_budget
from refsym_gpu.policies import LEVELS, Level, expand
from refsym_gpu.reference import TileScores
from refsym_gpu.selection import measure_noise, select_blocks, tile_scores
from refsym_gpu.urgency import BLOCKWISE, NOISY, POLICIES, Policy, split_half
from refsym_theory.errors import InputError

if TYPE_CHECKING:
    from refsym_gpu.models import AttentionCall


@dataclass(frozen=True)
class SparseAttention:
    """Keep k blocks a tile, rho*k where a policy expands it, and attend to those.

    Attributes
    ----------
    policy : str
        One of `refsym_gpu.urgency.POLICIES`; "router" is UG's, another name for "sigma".
    k, rho, q : budget, expansion factor, share of tiles (or cells) that expand
    scorer, level, threshold, block_m, block_n, impl
        As for `tile_scores` and `expand`.
    mass_scorer : {"kmean", "quest"}, optional
        Whose scores count as logits in score mass, where that is not ``scorer``; another pass over the keys.
    tau : float, optional
        Noise scale of every head; by default each head's split-half estimate, where the policy needs one.
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
    threshold: float | None = None
    mass_scorer: Scorer | None = None
    tau: float | None = None
    block_m: int = 64
    block_n: int = 64
    seed: int = 0
    impl: Implementation = "triton"

    def __post_init__(self) -> None:
        if self._policy not in POLICIES:
            raise InputError(f"unknown policy {self.policy!r}; choose one of router, {', '.join(POLICIES)}")
        if self.level not in LEVELS:
            raise InputError(f"unknown level {self.level!r}; choose one of {', '.join(LEVELS)}")
        if self.level == "block" and self._policy not in ("topk", *BLOCKWISE):
            raise InputError(f"policy {self.policy!r} values no single block; choose {' or '.join(BLOCKWISE)}")
        if self.threshold is not None and (self._policy != "sigma" or self.level == "block"):
            raise InputError("a threshold is for sigma, by tiles or cells")
        check_scorer(self.scorer)
        if self.mass_scorer is not None:
            check_scorer(self.mass_scorer)
        expanded_budget(self.k, self.rho)

    @property
    def _policy(self) -> Policy:
        return "sigma" if self.policy == "router" else self.policy  # type: ignore[return-value]

    def kept(self, call: "AttentionCall") -> Tensor:
        """Blocks that each tile attends to: int32 kv_idx [B, H, Q_t, rho*k]."""
        tiles = self.scores(call, self.scorer)
        chosen = select_blocks(tiles, k=self.k, rho=self.rho, q=0, impl=self.impl)
        other = self.mass_scorer not in (None, self.scorer) and self._policy == "score_mass"
        return expand(
            tiles,
            chosen,
            policy=self._policy,
            level=self.level,
            q=self.q,
            threshold=self.threshold,
            tau=self.noise_scale(call) if self._policy in NOISY else None,
            logits=self.scores(call, self.mass_scorer) if other and self.mass_scorer else None,
            seed=self.seed * 1_000_003 + call.layer,
        )

    def scores(self, call: "AttentionCall", scorer: Scorer) -> TileScores:
        """Tile scores of a layer."""
        return tile_scores(call.query, call.key, scorer=scorer, **self._tiling(call))

    def noise_scale(self, call: "AttentionCall") -> Tensor:
        """Noise scale of a layer's scores: float64 [B, H]."""
        if self.tau is not None:
            return torch.full(call.query.shape[:2], self.tau, dtype=torch.float64, device=call.query.device)
        return split_half(measure_noise(call.query, call.key, scorer=self.scorer, **self._tiling(call)))

    def _tiling(self, call: "AttentionCall") -> dict[str, Any]:
        sizes = {"block_m": self.block_m, "block_n": self.block_n}
        return {**sizes, "scale": call.scale, "window": call.window, "impl": self.impl}

    def __call__(self, call: "AttentionCall") -> Tensor:
        """Attention output [B, H, M, D_v]."""
        return self.attend(call, self.kept(call))

    def attend(self, call: "AttentionCall", kv_idx: Tensor) -> Tensor:
        """Attention output [B, H, M, D_v] over given blocks."""
        out, _ = block_sparse_attention(call.query, call.key, call.value, kv_idx, **self._tiling(call))
        return out
