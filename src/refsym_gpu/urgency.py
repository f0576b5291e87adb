"""How much each (tile, head) wants more blocks, from tile scores alone.

Costs are beside the scores and the sorted prefix, which every selection has.

- ``sigma``: small margin g / r (UG eq. 18): the cut is unclear for the spread of what is above it. Free.
- ``gap``: small cutoff gap g. ``expansion_gap``: large gap G between the cut and what expansion would reach. Free.
- ``spread``: small spread r: where scores lie close together the tail weighs most. sigma divides by r, so it ranks the
  other way round. Free.
- ``score_mass``: softmax of the scores over visible blocks, summed below the cut: what is dropped if scores are
  logits. One pass over the scores.
- ``score_mass_gained``: the share of the expanded free blocks' softmax that expansion would add. One pass over the
  prefix.
- ``expected_misses``: how many of the truly best blocks expansion would recover, under Gaussian noise of scale tau on
  the scores: sum over the added ranks of Phi((s - theta) / tau), theta where sum over all free blocks of that is k.
- ``containment_value``: how much likelier the kept set is to hold all of them, blocks taken as independent:
  product over ranks beyond rho k of Phi((theta - s) / tau) minus the same over ranks beyond k. Like the former two
  Newton steps for theta: three passes over the scores, and the noise sums.
- ``best_value``: UG's V* itself (eq. 19), by the exact integral: the best there is for identification. Hundreds of
  passes.
- ``random``: any; ``topk``: none.
"""

import math
from collections.abc import Callable
from typing import Literal, get_args

import torch
from torch import Tensor

from refsym_gpu.reference import ScoreNoise, Selection, TileScores
from refsym_theory.errors import InputError
from refsym_theory.selection.regret import expansion_value

Policy = Literal[
    "topk",
    "sigma",
    "gap",
    "expansion_gap",
    "spread",
    "score_mass",
    "score_mass_gained",
    "expected_misses",
    "containment_value",
    "best_value",
    "random",
]
POLICIES: tuple[Policy, ...] = get_args(Policy)
NOISY: tuple[Policy, ...] = ("expected_misses", "containment_value", "best_value")
"""Policies that need the noise scale."""
BLOCKWISE: tuple[Policy, ...] = ("score_mass", "expected_misses")
"""Policies that say what a single block is worth."""

_NEWTON_STEPS = 2


def split_half(noise: ScoreNoise) -> Tensor:
    """Noise scale tau of each head, float64 [B, H]: the split-half estimate, NaN where nothing was counted."""
    return (noise.half_diff_sq_sum / (2 * noise.half_diff_count)).sqrt()


def urgency(
    tiles: TileScores,
    selection: Selection,
    policy: Policy,
    *,
    tau: Tensor | None = None,
    logits: TileScores | None = None,
    seed: int = 0,
) -> Tensor:
    """How much each (tile, head) wants expansion: float64 [B, H, Q_t], -inf where it is not eligible.

    Parameters
    ----------
    tiles, selection : from `tile_scores` and `select_blocks`
    tau : [B, H]
        Noise scale of the scores, for the policies of `NOISY`.
    logits : other scores of the same tiles
        Whose softmax ``score_mass`` takes, in place of ``tiles``: Quest's scores are bounds, K-mean's are logits.
    seed : of ``random``

    Raises
    ------
    InputError
        The policy is not known, or none ("topk"); or it needs tau, and tau is missing, negative or not finite.
    """
    if policy not in POLICIES or policy == "topk":
        raise InputError(f"unknown trigger policy {policy!r}; choose one of {', '.join(POLICIES[1:])}")
    if policy == "random":
        generator = torch.Generator().manual_seed(seed)
        found = torch.rand(selection.sigma.shape, generator=generator, dtype=torch.float64).to(tiles.scores.device)
    elif policy == "score_mass":
        found = _dropped(logits or tiles, selection)
    elif policy == "score_mass_gained":
        found = _gained(selection)
    elif policy in NOISY:
        compute = {"expected_misses": _misses, "containment_value": _containment, "best_value": _best}[policy]
        found = _noisy(compute, tiles, selection, tau, policy)
    else:
        signed = {"sigma": -selection.sigma, "gap": -selection.g, "expansion_gap": selection.G, "spread": -selection.r}
        found = signed[policy]
    return torch.where(selection.eligible[:, None], found, -math.inf)


def block_urgency(
    tiles: TileScores,
    selection: Selection,
    policy: Policy,
    *,
    tau: Tensor | None = None,
    logits: TileScores | None = None,
) -> Tensor:
    """How much each block that expansion would add is wanted by itself: float64 [B, H, Q_t, rho*k] by free rank.

    -inf outside ranks k .. rho*k - 1 and where the tile is not eligible. Parameters as in `urgency`.

    Raises
    ------
    InputError
        The policy is none of `BLOCKWISE`; or as in `urgency`.
    """
    if policy not in BLOCKWISE:
        raise InputError(f"policy {policy!r} values no single block; choose {' or '.join(BLOCKWISE)}")
    if policy == "score_mass":
        weights = _weights(logits or tiles)
        found = _at(weights, selection.prefix_idx)
    else:
        found = _noisy(_membership, tiles, selection, tau, policy)
    return torch.where(added(selection) & selection.eligible[:, None, :, None], found, -math.inf)


def added(selection: Selection) -> Tensor:
    """Free ranks that expansion adds: bool [B, 1, Q_t, rho*k]."""
    rank = torch.arange(selection.prefix_idx.shape[-1], device=selection.prefix_idx.device)
    return ((rank >= selection.k_free[..., None]) & (rank < selection.m_free[..., None]))[:, None]


def _at(values: Tensor, index: Tensor) -> Tensor:
    """Values of blocks; 0 for the sentinel."""
    padded = torch.nn.functional.pad(values, (0, 1))
    return padded.gather(-1, index.long().clamp(max=padded.shape[-1] - 1))


def _weights(tiles: TileScores) -> Tensor:
    """Softmax of the scores over visible blocks; a partial block counts by its keys."""
    scores = torch.where(tiles.visible[:, None], tiles.scores.double(), -math.inf)
    if tiles.tiling is not None:
        for b, keys in enumerate(tiles.tiling.kv_lens):
            last = keys % tiles.tiling.block_n
            if last:
                scores[b, ..., keys // tiles.tiling.block_n] += math.log(last / tiles.tiling.block_n)
    # A tile beyond a short sequence's end sees nothing, and weighs nothing.
    return scores.softmax(dim=-1).nan_to_num()


def _dropped(tiles: TileScores, selection: Selection) -> Tensor:
    """Score mass of the free blocks below the cut."""
    weights = _weights(tiles)
    rank = torch.arange(selection.prefix_idx.shape[-1], device=weights.device)
    above = (rank < selection.k_free[..., None])[:, None]
    kept = (_at(weights, selection.prefix_idx) * above).sum(dim=-1)
    free = (weights * (tiles.visible & ~tiles.forced)[:, None]).sum(dim=-1)
    return free - kept


def _gained(selection: Selection) -> Tensor:
    """Softmax of the expanded prefix, summed over the ranks that expansion adds."""
    rank = torch.arange(selection.prefix_scores.shape[-1], device=selection.sigma.device)
    within = rank < selection.m_free[:, None, :, None]
    scores = torch.where(within, selection.prefix_scores.double().nan_to_num(nan=-math.inf), -math.inf)
    weights = scores.softmax(dim=-1).nan_to_num()
    return (weights * added(selection)).sum(dim=-1)


# Free scores by falling rank [H, T, F], which of them are real, free ranks kept k and rho k [T], tau [H].
_Noisy = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def _noisy(compute: _Noisy, tiles: TileScores, selection: Selection, tau: Tensor | None, policy: str) -> Tensor:
    """Compute on the eligible tiles of each sequence; where a head has no noise, nothing is uncertain: 0."""
    if tau is None:
        raise InputError(f"policy {policy!r} needs tau, the noise scale of each head")
    heads = selection.sigma.shape[1]
    if tau.shape != selection.sigma.shape[:2]:
        raise InputError(f"tau must be [B, H] = {list(selection.sigma.shape[:2])}, not {list(tau.shape)}")
    whole = selection.prefix_idx.shape if compute is _membership else selection.sigma.shape
    out = torch.zeros(whole, dtype=torch.float64, device=tiles.scores.device)
    for b in range(len(out)):
        here = selection.eligible[b].nonzero()[:, 0]
        if not len(here):
            continue
        if not (tau[b].isfinite() & (tau[b] >= 0)).all():
            raise InputError(f"tau of sequence {b} must be finite and not negative")
        free = (tiles.visible & ~tiles.forced)[b, here]
        scores = torch.where(free, tiles.scores[b][:, here].double(), -math.inf)
        ranked = scores.sort(dim=-1, descending=True).values
        real = torch.arange(ranked.shape[-1], device=ranked.device) < free.sum(dim=-1)[:, None]
        ranked = torch.where(real, ranked, 0.0)
        for h in range(heads):
            if tau[b, h] > 0:
                found = compute(ranked[h], real, selection.k_free[b, here], selection.m_free[b, here], tau[b, h])
                if compute is _membership:
                    found = _fit(found, whole[-1])
                out[b, h, here] = found
    return out


def _fit(values: Tensor, width: int) -> Tensor:
    """Cut or pad the last axis."""
    return torch.nn.functional.pad(values[..., :width], (0, max(0, width - values.shape[-1])))


def _threshold(ranked: Tensor, real: Tensor, k: Tensor, tau: Tensor) -> Tensor:
    """Level theta [T, 1] above which k blocks are expected: Newton's method from the middle of the cut."""
    at = k[:, None]
    theta = (ranked.gather(-1, at - 1) + ranked.gather(-1, at)) / 2
    for _ in range(_NEWTON_STEPS):
        z = (ranked - theta) / tau
        expected = (torch.special.ndtr(z) * real).sum(dim=-1, keepdim=True)
        slope = ((-z * z / 2).exp() * real).sum(dim=-1, keepdim=True) / (tau * math.sqrt(2 * math.pi))
        # Where no block is near theta the slope vanishes, and so does what is to be mended.
        step = ((expected - at) / slope.clamp(min=torch.finfo(torch.float64).tiny)).clamp(-tau, tau)
        theta = theta + step
    return theta


def _membership(ranked: Tensor, real: Tensor, k: Tensor, m: Tensor, tau: Tensor) -> Tensor:
    """P(block is truly above theta), by rank."""
    above: Tensor = torch.special.ndtr((ranked - _threshold(ranked, real, k, tau)) / tau)
    return above * real


def _misses(ranked: Tensor, real: Tensor, k: Tensor, m: Tensor, tau: Tensor) -> Tensor:
    rank = torch.arange(ranked.shape[-1], device=ranked.device)
    new = (rank >= k[:, None]) & (rank < m[:, None])
    return (_membership(ranked, real, k, m, tau) * new).sum(dim=-1)


def _containment(ranked: Tensor, real: Tensor, k: Tensor, m: Tensor, tau: Tensor) -> Tensor:
    below = torch.special.log_ndtr((_threshold(ranked, real, k, tau) - ranked) / tau) * real
    rank = torch.arange(ranked.shape[-1], device=ranked.device)
    kept, expanded = ((below * (rank >= ranks[:, None])).sum(dim=-1).exp() for ranks in (k, m))
    gained: Tensor = expanded - kept
    return gained


def _best(ranked: Tensor, real: Tensor, k: Tensor, m: Tensor, tau: Tensor) -> Tensor:
    value = expansion_value(
        ranked.cpu().numpy(), k.cpu().numpy(), m.cpu().numpy(), float(tau), valid=real.cpu().numpy()
    )
    return torch.from_numpy(value).to(ranked.device)
