"""Which tiles expand: trigger policies over what the selection already computed, for tiles or for single cells.

Each policy gives every eligible (tile, head) an urgency, computed from tile scores alone, in one pass over scores that
exist:

- ``sigma``: small margin g / r (UG eq. 18): the cut is unclear for the spread of what is above it.
- ``gap``: small cutoff gap g. ``expansion_gap``: large gap G between the cut and what expansion would reach.
- ``spread``: small spread r: where scores lie close together the tail weighs most. sigma divides by r, so it ranks the
  other way round.
- ``score_mass``: softmax of the scores over visible blocks, summed below the cut: what is dropped if scores are logits.
- ``score_mass_gained``: the share of the expanded free blocks' softmax that expansion would add.
- ``random``: any; ``topk``: none.

At tile level a tile expands for all heads, by its heads' mean urgency, as deployed; at cell level every (tile, head)
competes for itself, for as many expansions in all.
"""

import math
from fractions import Fraction
from typing import Literal

import torch
from torch import Tensor

from refsym_gpu.inputs import Number
from refsym_gpu.reference import Selection, TileScores
from refsym_theory.errors import InputError
from refsym_theory.selection.trigger import exact_decimal, triggered_count

Policy = Literal["topk", "sigma", "gap", "expansion_gap", "spread", "score_mass", "score_mass_gained", "random"]
POLICIES = ("topk", "sigma", "gap", "expansion_gap", "spread", "score_mass", "score_mass_gained", "random")
Level = Literal["tile", "cell"]
LEVELS = ("tile", "cell")


def urgency(tiles: TileScores, selection: Selection, policy: Policy, *, seed: int = 0) -> Tensor:
    """How much each (tile, head) wants expansion: float64 [B, H, Q_t], -inf where it is not eligible.

    Raises
    ------
    InputError
        The policy is not known, or none ("topk").
    """
    if policy not in POLICIES or policy == "topk":
        raise InputError(f"unknown trigger policy {policy!r}; choose one of {', '.join(POLICIES[1:])}")
    if policy == "random":
        generator = torch.Generator().manual_seed(seed)
        found = torch.rand(selection.sigma.shape, generator=generator, dtype=torch.float64).to(tiles.scores.device)
    elif policy == "score_mass":
        found = _dropped(tiles, selection)
    elif policy == "score_mass_gained":
        found = _gained(selection)
    else:
        signed = {"sigma": -selection.sigma, "gap": -selection.g, "expansion_gap": selection.G, "spread": -selection.r}
        found = signed[policy]
    return torch.where(selection.eligible[:, None], found, -math.inf)


def expand(
    tiles: TileScores,
    selection: Selection,
    *,
    policy: Policy,
    level: Level = "tile",
    q: Number = "0.4",
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
    seed : of ``random``

    Raises
    ------
    InputError
        Policy or level is not known, or q lies outside [0, 1].
    """
    if level not in LEVELS:
        raise InputError(f"unknown level {level!r}; choose tile or cell")
    share = exact_decimal(q, "q")
    if not 0 <= share <= 1:
        raise InputError(f"q must lie in [0, 1], not {q}")
    trigger = torch.zeros_like(selection.sigma, dtype=torch.bool)
    if policy != "topk":
        wanted = urgency(tiles, selection, policy, seed=seed)
        for b in range(len(trigger)):
            trigger[b] = _first(wanted[b], selection.eligible[b], level, share)
    return keep(tiles, selection, trigger)


def keep(tiles: TileScores, selection: Selection, trigger: Tensor) -> Tensor:
    """Kept blocks where the triggered (tile, head) pairs [B, H, Q_t] expand: forced ones, then free ones by rank."""
    n_blocks, slots = tiles.scores.shape[-1], selection.kv_idx.shape[-1]
    more = trigger | ~selection.eligible[:, None]
    ranks = torch.where(more, selection.m_free[:, None], selection.k_free[:, None])
    rank = torch.arange(slots, device=ranks.device)
    chosen = torch.where(rank < ranks[..., None], selection.prefix_idx, n_blocks).long()
    kept = tiles.scores.new_zeros((*ranks.shape, n_blocks + 1), dtype=torch.bool).scatter_(-1, chosen, True)
    kept = kept[..., :n_blocks] | tiles.forced[:, None]
    block = torch.arange(n_blocks, device=ranks.device)
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


def _dropped(tiles: TileScores, selection: Selection) -> Tensor:
    """Score mass below the cut: a partial block counts by its keys."""
    scores = torch.where(tiles.visible[:, None], tiles.scores.double(), -math.inf)
    if tiles.tiling is not None:
        for b, keys in enumerate(tiles.tiling.kv_lens):
            last = keys % tiles.tiling.block_n
            if last:
                scores[b, ..., keys // tiles.tiling.block_n] += math.log(last / tiles.tiling.block_n)
    # A tile beyond a short sequence's end sees nothing, and weighs nothing.
    weights = scores.softmax(dim=-1).nan_to_num()
    plain = keep(tiles, selection, torch.zeros_like(selection.sigma, dtype=torch.bool)).long()
    padded = torch.nn.functional.pad(weights, (0, 1))
    return 1 - padded.gather(-1, plain.clamp(max=padded.shape[-1] - 1)).sum(dim=-1)


def _gained(selection: Selection) -> Tensor:
    """Softmax of the expanded prefix, summed over the ranks that expansion adds."""
    rank = torch.arange(selection.prefix_scores.shape[-1], device=selection.sigma.device)
    within = rank < selection.m_free[:, None, :, None]
    scores = torch.where(within, selection.prefix_scores.double().nan_to_num(nan=-math.inf), -math.inf)
    weights = scores.softmax(dim=-1).nan_to_num()
    added = rank >= selection.k_free[:, None, :, None]
    return (weights * added).sum(dim=-1)
