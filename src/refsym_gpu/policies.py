"""Which blocks each tile keeps beyond the cut: what competes with what, for how many blocks in all.

At tile level a tile expands for all heads, by its heads' mean urgency, as deployed; at cell level every (tile, head)
competes for itself; at block level every block that an expansion would add does, so that a cell may get any number of
them. All three spend the same: ceil(q T) of T tiles, or ceil(q T H) of the cells, or (rho - 1) k times as many blocks.
"""

import math
from fractions import Fraction
from typing import Literal

import torch
from torch import Tensor

from refsym_gpu.inputs import Number
from refsym_gpu.reference import Selection, TileScores
from refsym_gpu.urgency import Policy, block_urgency, urgency
from refsym_theory.errors import InputError
from refsym_theory.selection.trigger import exact_decimal, triggered_count

Level = Literal["tile", "cell", "block"]
LEVELS = ("tile", "cell", "block")


def expand(
    tiles: TileScores,
    selection: Selection,
    *,
    policy: Policy,
    level: Level = "tile",
    q: Number = "0.4",
    threshold: float | None = None,
    tau: Tensor | None = None,
    logits: TileScores | None = None,
    seed: int = 0,
) -> Tensor:
    """Kept blocks under a policy: int32 kv_idx [B, H, Q_t, rho*k].

    Parameters
    ----------
    tiles, selection
        From `tile_scores` and `select_blocks`; k and rho are the selection's, its own trigger is not used.
    policy, level
        Who expands, and what competes with what.
    q : share of the eligible tiles (or cells) that expand: ceil(q T), or ceil(q T H), of each sequence
    threshold
        In place of q: all whose sigma is at most this expand, whatever their number (UG appendix C's absolute rule).
    tau, logits, seed
        As in `urgency`.

    Raises
    ------
    InputError
        Policy or level is not known, they do not go together, or q lies outside [0, 1].
    """
    if level not in LEVELS:
        raise InputError(f"unknown level {level!r}; choose one of {', '.join(LEVELS)}")
    share = exact_decimal(q, "q")
    if not 0 <= share <= 1:
        raise InputError(f"q must lie in [0, 1], not {q}")
    none = torch.zeros_like(selection.sigma, dtype=torch.bool)
    if policy == "topk":
        return keep(tiles, selection, none)
    if level == "block":
        if threshold is not None:
            raise InputError("a threshold is for tiles or cells, not for blocks")
        wanted = block_urgency(tiles, selection, policy, tau=tau, logits=logits)
        return _keep_ranks(tiles, selection, _kept_ranks(selection, none) | _most_wanted(wanted, selection, share))
    wanted = urgency(tiles, selection, policy, tau=tau, logits=logits, seed=seed)
    if threshold is not None:
        if policy != "sigma":
            raise InputError(f"a threshold is for sigma, not for {policy!r}")
        sigma = selection.sigma if level == "cell" else selection.sigma_mean[:, None].expand_as(selection.sigma)
        return keep(tiles, selection, sigma <= threshold)  # NaN, where not eligible, is below nothing
    trigger = none
    for b in range(len(trigger)):
        trigger[b] = _first(wanted[b], selection.eligible[b], level, share)
    return keep(tiles, selection, trigger)


def keep(tiles: TileScores, selection: Selection, trigger: Tensor) -> Tensor:
    """Kept blocks where the triggered (tile, head) pairs [B, H, Q_t] expand: forced ones, then free ones by rank."""
    return _keep_ranks(tiles, selection, _kept_ranks(selection, trigger))


def _kept_ranks(selection: Selection, trigger: Tensor) -> Tensor:
    """Free ranks that are kept, bool [B, H, Q_t, rho*k]; tiles that are not eligible keep what fits."""
    more = trigger | ~selection.eligible[:, None]
    ranks = torch.where(more, selection.m_free[:, None], selection.k_free[:, None])
    return torch.arange(selection.kv_idx.shape[-1], device=ranks.device) < ranks[..., None]


def _keep_ranks(tiles: TileScores, selection: Selection, kept_ranks: Tensor) -> Tensor:
    n_blocks, slots = tiles.scores.shape[-1], selection.kv_idx.shape[-1]
    chosen = torch.where(kept_ranks, selection.prefix_idx, n_blocks).long()
    kept = tiles.scores.new_zeros((*chosen.shape[:-1], n_blocks + 1), dtype=torch.bool).scatter_(-1, chosen, True)
    kept = kept[..., :n_blocks] | tiles.forced[:, None]
    block = torch.arange(n_blocks, device=chosen.device)
    found = torch.where(kept, block, n_blocks).sort(dim=-1).values[..., :slots]
    return torch.nn.functional.pad(found, (0, slots - found.shape[-1]), value=n_blocks).int()


def _first(wanted: Tensor, eligible: Tensor, level: Level, share: Fraction) -> Tensor:
    """The most urgent of one sequence [H, Q_t]; ties to the lower tile, then the lower head."""
    heads = len(wanted)
    here = eligible.nonzero()[:, 0]
    trigger = torch.zeros_like(wanted, dtype=torch.bool)
    if level == "tile":
        total = wanted[0, here].clone()
        for head in range(1, heads):
            total += wanted[head, here]
        order = (-total / heads).argsort(stable=True)[: triggered_count(share, len(here))]
        trigger[:, here[order]] = True
        return trigger
    order = (-wanted[:, here].T.reshape(-1)).argsort(stable=True)[: triggered_count(share, len(here) * heads)]
    trigger[order % heads, here[order // heads]] = True
    return trigger


def _most_wanted(wanted: Tensor, selection: Selection, share: Fraction) -> Tensor:
    """The most wanted blocks of each sequence [B, H, Q_t, rho*k]; ties to the lower tile, head, rank."""
    chosen = torch.zeros_like(wanted, dtype=torch.bool)
    for b in range(len(wanted)):
        here = selection.eligible[b].nonzero()[:, 0]
        if not len(here):
            continue
        each = int(selection.m_free[b, here[0]] - selection.k_free[b, here[0]])
        count = triggered_count(share, len(here) * wanted.shape[1]) * each
        by_tile = wanted[b][:, here].transpose(0, 1)  # [T, H, slots]
        order = (-by_tile.reshape(-1)).argsort(stable=True)[:count]
        flags = torch.zeros(by_tile.numel(), dtype=torch.bool, device=wanted.device)
        flags[order] = True
        chosen[b][:, here] = flags.reshape(by_tile.shape).transpose(0, 1)
    return chosen & (wanted > -math.inf)
