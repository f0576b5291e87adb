"""The rules that studies of selection compare, at equal average blocks, and what they kept while they ran."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import torch

from refsym_gpu.models import AttentionCall, register_attention
from refsym_gpu.sparse import SparseAttention

if TYPE_CHECKING:
    from torch import Tensor

    from refsym_gpu.inputs import Scorer


def arms(
    k: int, rho: int = 2, q: str = "0.4", *, scorer: Scorer = "kmean", threshold: float | None = None
) -> dict[str, SparseAttention]:
    """List what is compared, by name.

    All but "top-k" and "uniform" keep 1 + q (rho - 1) times k blocks of an eligible tile on average; "uniform" the
    nearest whole number below. Eligible are the same tiles, as rho k is the same.

    Parameters
    ----------
    threshold
        Of "sigma, threshold", which is left out without one: it keeps as many as it keeps.
    """
    base = SparseAttention("topk", k=k, rho=rho, q=q, scorer=scorer)
    average = k * (1 + Fraction(q) * (rho - 1))
    # From 3 blocks (the first, the tile's own, and one that the scores choose) up to rho k: the same average.
    most = rho * k
    wide = replace(base, k=3, rho=Fraction(most, 3), q=(average - 3) / (most - 3))
    found = {
        "top-k": base,
        "uniform": replace(base, k=int(average), rho=Fraction(rho * k, int(average))),
        "random": replace(base, policy="random"),
        "sigma": replace(base, policy="router"),
        "sigma, cell": replace(base, policy="router", level="cell"),
        "gap": replace(base, policy="gap"),
        "spread": replace(base, policy="spread"),
        "best value": replace(base, policy="best_value"),
        "expected misses, cell": replace(base, policy="expected_misses", level="cell"),
        "containment value, cell": replace(base, policy="containment_value", level="cell"),
        "score mass": replace(base, policy="score_mass"),
        "score mass, cell": replace(base, policy="score_mass", level="cell"),
        "score mass gained, cell": replace(base, policy="score_mass_gained", level="cell"),
        "score mass, block": replace(base, policy="score_mass", level="block"),
        "score mass, block, wide": replace(wide, policy="score_mass", level="block"),
    }
    if scorer == "quest":
        found["K-mean mass, cell"] = replace(base, policy="score_mass", level="cell", mass_scorer="kmean")
    if threshold is not None:
        found["sigma, threshold"] = replace(base, policy="router", level="cell", threshold=threshold)
    return found


@dataclass
class Watched:
    """A rule at work, and what it kept.

    Attributes
    ----------
    evidence : sequence of sequences of int
        Blocks that hold each hop's evidence.
    kept, tiles : int
        Blocks kept by eligible (tile, head) pairs, and how many such pairs there were.
    hits : list of float
        For each hop the sum, over layers and heads, of the share of its blocks that the last tile kept.
    cells : int
        Layers times heads.
    """

    rule: SparseAttention
    evidence: Sequence[Sequence[int]] = ()
    kept: int = 0
    tiles: int = 0
    hits: list[float] = field(default_factory=list)
    cells: int = 0

    def __call__(self, call: AttentionCall) -> Tensor:
        """Attend as the rule does."""
        block, index = self.rule.block_n, self.rule.kept(call)
        keys, rows = call.key.shape[2], call.query.shape[2]
        blocks = -(-keys // block)
        most = int(self.rule.k * Fraction(self.rule.rho))
        last = (keys - rows + torch.arange(self.rule.block_m, rows + self.rule.block_m, self.rule.block_m)).clamp(
            max=keys
        )
        eligible = (last + block - 1) // block > most  # a tile sees the blocks up to its last row's own
        counts = (index < blocks).sum(dim=-1)[:, :, eligible]
        self.kept, self.tiles = self.kept + int(counts.sum()), self.tiles + counts.numel()
        self.hits = self.hits or [0.0] * len(self.evidence)
        for hop, held in enumerate(self.evidence):
            shares = torch.stack([(index[0, :, -1] == b).any(dim=-1) for b in held]).double().mean(dim=0)
            self.hits[hop] += float(shares.sum())
        self.cells += index.shape[1]
        return self.rule.attend(call, index)

    @property
    def blocks(self) -> float:
        """Blocks that an eligible tile kept, on average; NaN if no tile was eligible."""
        return self.kept / self.tiles if self.tiles else float("nan")

    @property
    def hit_rates(self) -> list[float]:
        """For each hop the share of its evidence that the last tile kept, over layers and heads."""
        return [hit / self.cells for hit in self.hits]


@dataclass(frozen=True)
class Prefill:
    """A forward over tokens behind a prefix: hidden states of the last layer, and what decoding needs."""

    hidden: Tensor  # [rows, channels]
    cache: Any


def prefill(model: Any, tokens: Tensor, before: Any, rule: Watched | None) -> Prefill:
    """Run tokens [1, M] behind a cached prefix (None: at the beginning), attended to by a rule (None: densely)."""
    inner = model.model
    settings: Mapping[str, Any] = {"use_cache": True, "cache": copy.deepcopy(before)}
    if rule is None:
        out = inner(tokens, **settings)
    else:
        with register_attention(model, attend=rule):
            out = inner(tokens, **settings)
    return Prefill(out.last_hidden_state[0], out.cache)


def log_probabilities(model: Any, hidden: Tensor) -> Tensor:
    """Next-token log-probabilities, float64 [rows, vocabulary]."""
    found: Tensor = model.lm_head(hidden).double().log_softmax(dim=-1)
    return found


def divergence(dense: Tensor, sparse: Tensor) -> Tensor:
    """KL divergence of sparse from dense next-token distributions, in nats: [rows], from log-probabilities."""
    return (dense.exp() * (dense - sparse)).sum(dim=-1)
