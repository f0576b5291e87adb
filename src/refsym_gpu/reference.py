"""Block selection in plain torch: the specification that every kernel is measured against.

Equation numbers are those of the uncertainty-gated selection paper. Shapes: B sequences, H query heads over
H_kv key heads (query head h reads key head ``h // (H / H_kv)``), M query rows, N keys, D channels, Q_t query
tiles of ``block_m`` rows, N_B key blocks of ``block_n`` keys. Sequences of a batch may be ragged: sequence b
fills the first ``q_lens[b]`` rows and ``kv_lens[b]`` keys, its last row sits at its last key, and what lies
beyond is never read. Scores are float32 whatever the inputs are. Sequences are worked on one by one and tile
by tile over visible blocks only, so that no result depends on a batch mate and [H, M, N_B] never exists.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import torch
from torch import Tensor

from refsym_gpu.inputs import Number, Scorer, check_budget, check_lens, check_scorer, expanded_budget, geometries
from refsym_theory.errors import InputError
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.trigger import exact_decimal, triggered_count


@dataclass(frozen=True)
class Tiling:
    """How rows and keys of a batch are cut into tiles and blocks.

    Attributes
    ----------
    block_m, block_n : int
    window : int or None
    q_lens, kv_lens : tuple of int
        Real rows and keys of each sequence.
    """

    block_m: int
    block_n: int
    window: int | None
    q_lens: tuple[int, ...]
    kv_lens: tuple[int, ...]

    @classmethod
    def of(cls, layers: Sequence[LayerGeometry]) -> "Tiling":
        """Collect what the sequences of a batch share, and their lengths."""
        one = layers[0]
        rows, keys = tuple(layer.q_len for layer in layers), tuple(layer.kv_len for layer in layers)
        return cls(one.block_m, one.block_n, one.window, rows, keys)


@dataclass(frozen=True, eq=False)
class TileScores:
    """Tile scores of a batch (eq. 3), nothing forced yet.

    Attributes
    ----------
    scores : float32 [B, H, Q_t, N_B]
        NaN where the tile does not see the block, so that a misuse shows.
    visible : bool [B, Q_t, N_B]
        A real row of the tile sees one of the block's keys.
    forced : bool [B, Q_t, N_B]
        Kept whatever the score: block 0 where visible, and the blocks of the tile's own positions.
    tiling : Tiling, optional
        What a kernel reads in place of the two masks.
    """

    scores: Tensor
    visible: Tensor
    forced: Tensor
    tiling: Tiling | None = None


@dataclass(frozen=True, eq=False)
class Selection:
    """Which blocks each tile attends to, and how clear the cut was.

    Ranks count the free blocks of a tile (visible and not forced) by falling score, ties by rising index.

    Attributes
    ----------
    kv_idx : int32 [B, H, Q_t, rho*k]
        Kept blocks, ascending, then the sentinel N_B (eq. 14).
    prefix_idx, prefix_scores : int32, float32 [B, H, Q_t, rho*k]
        The sorted prefix: block and score at each free rank; N_B and NaN beyond the last free block.
    k_free, m_free : int64 [B, Q_t]
        Free ranks kept without and with expansion: k - F_t and rho*k - F_t with F_t forced blocks.
    eligible : bool [B, Q_t]
        The tile has more than m_free free blocks; only such tiles have margins and can be triggered.
    g, G, r, sigma : float64 [B, H, Q_t]
        Cutoff gap, expansion gap, spread and margin (eqs. 11 and 18); NaN where not eligible.
    sigma_mean : float64 [B, Q_t]
        Mean of sigma over the heads, summed in head order (eq. 12).
    trigger : bool [B, Q_t]
        The ceil(q*T) eligible tiles of smallest ``sigma_mean`` of each sequence (eq. 13).
    """

    kv_idx: Tensor
    prefix_idx: Tensor
    prefix_scores: Tensor
    k_free: Tensor
    m_free: Tensor
    eligible: Tensor
    g: Tensor
    G: Tensor
    r: Tensor
    sigma: Tensor
    sigma_mean: Tensor
    trigger: Tensor


@dataclass(frozen=True, eq=False)
class AttentionMass:
    """What dense attention does with the blocks.

    Attributes
    ----------
    mass : float32 [B, H, Q_t, N_B]
        Softmax mass of the block, mean over the tile's real rows; 0 where invisible.
    value_radius : float32 [B, H]
        Largest distance of a value vector from the mean value, rounded up; twice it bounds the diameter.
    """

    mass: Tensor
    value_radius: Tensor


@dataclass(frozen=True, eq=False)
class ScoreNoise:
    """Sums behind the two estimators of the noise scale tau.

    Attributes
    ----------
    step_sq_sum, step_count : float64, int64 [B, H]
        Squared differences of the scores of adjacent rows of a tile, over the free blocks that both see.
    half_diff_sq_sum, half_diff_count : float64, int64 [B, H]
        Squares of (max over even rows) - (max over odd rows), centred within the tile, over its free blocks
        that both halves see; the count is the number of such blocks minus one for each tile that has any.
    """

    step_sq_sum: Tensor
    step_count: Tensor
    half_diff_sq_sum: Tensor
    half_diff_count: Tensor


def pool_blocks(
    k: Tensor, *, block_n: int, scorer: Scorer = "kmean", kv_lens: Sequence[int] | None = None
) -> tuple[Tensor, ...]:
    """Summarise each block's real keys (eqs. 1, 2 and 6).

    Parameters
    ----------
    k : [B, H_kv, N, D]
    block_n : keys of a block
    scorer : "kmean" or "quest"
    kv_lens : real keys of each sequence; all N by default

    Returns
    -------
    tuple of float32 [B, H_kv, N_B, D]
        ``(mean,)`` for "kmean", elementwise ``(minimum, maximum)`` for "quest"; NaN beyond a sequence's end.

    Raises
    ------
    InputError
        Unknown scorer, a size that is not positive, or lengths that do not fit.
    """
    check_scorer(scorer)
    if block_n < 1:
        raise InputError(f"block_n must be a positive integer, not {block_n}")
    lengths = check_lens("kv_lens", kv_lens, k.shape[0], k.shape[2])
    shape = (k.shape[0], k.shape[1], -(-k.shape[2] // block_n), k.shape[3])
    pooled = tuple(k.new_full(shape, math.nan, dtype=torch.float32) for _ in range(1 + (scorer == "quest")))
    for b, length in enumerate(lengths):
        for out, part in zip(pooled, _pool(k[b, :, :length].float(), block_n, scorer), strict=True):
            out[b, :, : part.shape[1]] = part
    return pooled


def block_scores(q: Tensor, pooled: tuple[Tensor, ...], *, scale: float) -> Tensor:
    """Score every row against every block: ``scale * q.mean`` or Quest's upper bound (eqs. 1, 2 and 7).

    Quest's sum over channels of max(q kmax, q kmin) is q+.kmax + q-.kmin with q+ = max(q, 0), q- = min(q, 0).

    Parameters
    ----------
    q : [..., H, M, D]
    pooled : from :func:`pool_blocks`, each [..., H_kv, N_B, D]
    scale : the attention's own factor on q.k

    Returns
    -------
    float32 [..., H, M, N_B]
    """
    return _products(_signed(q.float(), pooled), _stacked(pooled)) * scale


def tile_scores(
    q: Tensor,
    k: Tensor,
    *,
    scorer: Scorer = "kmean",
    block_m: int = 64,
    block_n: int = 64,
    scale: float | None = None,
    window: int | None = None,
    q_lens: Sequence[int] | None = None,
    kv_lens: Sequence[int] | None = None,
) -> TileScores:
    """Best score of each visible block among the tile's real rows that see it (eqs. 3 and 8).

    Parameters
    ----------
    q, k : [B, H, M, D], [B, H_kv, N, D]
        After rotary embedding.
    scorer : "kmean" or "quest"
    block_m, block_n : rows of a tile, keys of a block
    scale : factor on q.k; D**-0.5 by default
    window : keys that a row sees, itself included; None for all
    q_lens, kv_lens : real rows and keys of each sequence; all by default

    Raises
    ------
    InputError
        Unknown scorer, shapes or lengths that do not fit together, a size that is not positive.
    """
    check_scorer(scorer)
    layers = geometries(q, k, block_m, block_n, scale, window, q_lens, kv_lens)
    n_tiles, n_blocks = -(-q.shape[2] // block_m), -(-k.shape[2] // block_n)
    shape = (q.shape[0], q.shape[1], n_tiles, n_blocks)
    scores = q.new_full(shape, math.nan, dtype=torch.float32)
    visible = torch.zeros((q.shape[0], n_tiles, n_blocks), dtype=torch.bool, device=q.device)
    forced = torch.zeros_like(visible)
    for b, layer in enumerate(layers):
        for tile in _tiles(q[b], k[b], layer, scorer):
            row_scores = tile.products
            if tile.unseen is not None:
                row_scores = row_scores.masked_fill(tile.unseen, -math.inf)
            # Rounding is monotone: scaling the maximum gives the maximum of the scaled scores, bit for bit.
            scores[b, :, tile.index, tile.blocks] = row_scores.amax(dim=1) * layer.scale
            visible[b, tile.index, tile.blocks] = True
            forced[b, tile.index, tile.blocks] = tile.forced
    return TileScores(scores, visible, forced, Tiling.of(layers))


def select_blocks(tiles: TileScores, *, k: int, rho: Number = 2, q: Number = "0.4") -> Selection:
    """Keep the forced blocks and the best free ones, more where the cut is least clear (eqs. 9 to 14).

    A tile keeps k blocks in all, rho*k if it is triggered. Ties go to the lower block index, and among tiles
    of equal margin to the lower tile index. sigma is 0 where the spread is 0. A tile that is not eligible is
    never triggered and keeps everything it sees: at most rho*k blocks, so it fits.

    Parameters
    ----------
    tiles : from :func:`tile_scores`
    k : blocks kept, forced ones included; more than any tile's forced blocks
    rho : expansion factor above 1 with rho*k an integer
    q : share of the eligible tiles that are triggered, in [0, 1]; 0 is plain top-k

    ``rho`` and ``q`` are taken as the decimal that is written (0.55 is 55/100), never as the nearest float.

    Raises
    ------
    InputError
        k, rho or q out of range, with the nearest values that work; a score that is not finite, with its
        place.
    """
    scores, visible, forced = tiles.scores, tiles.visible, tiles.forced
    n_blocks = scores.shape[-1]
    _check_finite(scores, visible)
    forced_count = forced.sum(dim=-1)
    check_budget(k, int(forced_count.max()))
    slots = expanded_budget(k, rho)
    share = exact_decimal(q, "q")
    if not 0 <= share <= 1:
        raise InputError(f"q must lie in [0, 1], not {q}")

    free = visible & ~forced
    free_count = free.sum(dim=-1)
    k_free, m_free = k - forced_count, slots - forced_count
    eligible = free_count > m_free

    ranked, order = torch.where(free[:, None], scores, -math.inf).sort(dim=-1, descending=True, stable=True)
    rank = torch.arange(n_blocks, device=scores.device)
    real = (rank < free_count[..., None])[:, None]

    def at(ranks: Tensor) -> Tensor:
        index = ranks.clamp(0, n_blocks - 1)[:, None, :, None].expand(*ranked.shape[:-1], 1)
        return ranked.gather(-1, index)[..., 0].double()

    def margin(high: Tensor, low: Tensor) -> Tensor:
        return torch.where(eligible[:, None], high - low, math.nan)

    g = margin(at(k_free - 1), at(k_free))
    G = margin(at(k_free - 1), at(m_free))
    r = margin(at(torch.zeros_like(k_free)), at(k_free))
    sigma = torch.where(r == 0, 0.0, g / r)
    sigma_mean = _ordered_mean(sigma)
    trigger = _trigger(sigma_mean, eligible, share)

    kept_ranks = torch.where(trigger | ~eligible, m_free, k_free)[:, None, :, None]
    keep = ((rank < kept_ranks) & real).expand_as(order)
    kept = torch.zeros_like(keep).scatter(-1, order, keep)
    kept |= forced[:, None]
    return Selection(
        kv_idx=_first(torch.where(kept, rank, n_blocks).sort(dim=-1).values, slots, n_blocks).int(),
        prefix_idx=_first(torch.where(real, order, n_blocks), slots, n_blocks).int(),
        prefix_scores=_first(torch.where(real, ranked, math.nan), slots, math.nan),
        k_free=k_free,
        m_free=m_free,
        eligible=eligible,
        g=g,
        G=G,
        r=r,
        sigma=sigma,
        sigma_mean=sigma_mean,
        trigger=trigger,
    )


def measure_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    block_m: int = 64,
    block_n: int = 64,
    scale: float | None = None,
    window: int | None = None,
    q_lens: Sequence[int] | None = None,
    kv_lens: Sequence[int] | None = None,
) -> AttentionMass:
    """Dense softmax mass of every visible block, and the radius of the values.

    Parameters are those of :func:`tile_scores`, with ``v`` [B, H_kv, N, D_v]. One tile of one key head is in
    memory at a time.

    Raises
    ------
    InputError
        As :func:`tile_scores`; also if v has not the heads and keys of k.
    """
    if v.shape[:3] != k.shape[:3]:
        raise InputError(f"v {list(v.shape)} must have the batch, heads and keys of k {list(k.shape)}")
    layers = geometries(q, k, block_m, block_n, scale, window, q_lens, kv_lens)
    shape = (q.shape[0], q.shape[1], -(-q.shape[2] // block_m), -(-k.shape[2] // block_n))
    mass = q.new_zeros(shape, dtype=torch.float32)
    radius = q.new_empty(shape[:2], dtype=torch.float32)
    group = q.shape[1] // k.shape[1]
    for b, layer in enumerate(layers):
        queries, keys = q[b, :, : layer.q_len].float(), k[b, :, : layer.kv_len].float()
        radius[b] = _value_radius(v[b, :, : layer.kv_len]).repeat_interleave(group)
        for index, (first, _, last) in enumerate(_visible_ranges(layer)):
            rows = slice(index * block_m, min((index + 1) * block_m, layer.q_len))
            start, stop = first * block_n, min((last + 1) * block_n, layer.kv_len)
            position = layer.offset + torch.arange(rows.start, rows.stop, device=q.device)[:, None]
            key = torch.arange(start, stop, device=q.device)
            unseen = key > position
            if window is not None:
                unseen |= key <= position - window
            for head in range(layer.kv_heads):
                heads = slice(head * group, (head + 1) * group)
                logits = queries[heads, rows] @ keys[head, start:stop].T * layer.scale
                share = logits.masked_fill_(unseen, -math.inf).softmax(dim=-1).mean(dim=1)
                share = torch.nn.functional.pad(share, (0, -(stop - start) % block_n))
                mass[b, heads, index, first : last + 1] = share.reshape(group, -1, block_n).sum(dim=-1)
    return AttentionMass(mass, radius)


def measure_noise(
    q: Tensor,
    k: Tensor,
    *,
    scorer: Scorer = "kmean",
    block_m: int = 64,
    block_n: int = 64,
    scale: float | None = None,
    window: int | None = None,
    q_lens: Sequence[int] | None = None,
    kv_lens: Sequence[int] | None = None,
) -> ScoreNoise:
    """How rough the row scores are within a tile, over its free blocks; parameters as :func:`tile_scores`.

    Raises
    ------
    InputError
        As :func:`tile_scores`.
    """
    check_scorer(scorer)
    layers = geometries(q, k, block_m, block_n, scale, window, q_lens, kv_lens)
    squares = torch.zeros((2, *q.shape[:2]), dtype=torch.float64, device=q.device)
    counts = torch.zeros((2, q.shape[0]), dtype=torch.int64, device=q.device)
    for b, layer in enumerate(layers):
        for tile in _tiles(q[b], k[b], layer, scorer):
            rows = (tile.products[:, :, ~tile.forced] * layer.scale).double()  # [H, rows, free]
            seen = torch.ones(rows.shape[1:], dtype=torch.bool, device=q.device)
            if tile.unseen is not None:
                seen = ~tile.unseen[:, ~tile.forced]
            both = seen[1:] & seen[:-1]
            squares[0, b] += ((rows[:, 1:] - rows[:, :-1]) * both).square().sum(dim=(1, 2))
            counts[0, b] += both.sum()

            halves = rows.masked_fill(~seen, -math.inf)
            usable = seen[::2].any(dim=0) & seen[1::2].any(dim=0)
            if not usable.any():
                continue
            difference = halves[:, ::2, usable].amax(dim=1) - halves[:, 1::2, usable].amax(dim=1)
            squares[1, b] += (difference - difference.mean(dim=1, keepdim=True)).square().sum(dim=1)
            counts[1, b] += usable.sum() - 1
    every_head = counts[:, :, None].expand_as(squares).contiguous()
    return ScoreNoise(squares[0], every_head[0], squares[1], every_head[1])


@dataclass(frozen=True, eq=False)
class _Tile:
    """Unscaled row scores of one tile over its visible blocks, which are consecutive."""

    index: int
    blocks: slice
    products: Tensor  # [H, rows, blocks]
    unseen: Tensor | None  # bool [rows, blocks], None if every row sees every block
    forced: Tensor  # bool [blocks]


def _tiles(q: Tensor, k: Tensor, layer: LayerGeometry, scorer: Scorer) -> Iterator[_Tile]:
    """Walk the tiles of one sequence, ``q`` [H, M, D] and ``k`` [H_kv, N, D] possibly padded."""
    pooled = _pool(k[:, : layer.kv_len].float(), layer.block_n, scorer)
    queries, keys = _signed(q[:, : layer.q_len].float(), pooled), _stacked(pooled)
    for index, (first, diagonal, last) in enumerate(_visible_ranges(layer)):
        rows = slice(index * layer.block_m, min((index + 1) * layer.block_m, layer.q_len))
        blocks = torch.arange(first, last + 1, device=q.device)
        yield _Tile(
            index=index,
            blocks=slice(first, last + 1),
            products=_products(queries[:, rows], keys[:, first : last + 1]),
            unseen=_unseen(layer, rows, blocks, diagonal),
            forced=(blocks == 0) | (blocks >= diagonal),
        )


def _visible_ranges(layer: LayerGeometry) -> Iterator[tuple[int, int, int]]:
    """First visible, first diagonal and last visible block of each tile."""
    return zip(*(bound.tolist() for bound in layer.visible_range()), strict=True)


def _unseen(layer: LayerGeometry, rows: slice, blocks: Tensor, diagonal: int) -> Tensor | None:
    """Rows and blocks that do not see each other, [rows, blocks]; None if there are none."""
    first, last = int(blocks[0]), int(blocks[-1])
    bottom = layer.offset + rows.stop - 1
    cut_by_window = layer.window is not None and (bottom - layer.window + 1) // layer.block_n > first
    if last == diagonal and not cut_by_window:
        return None
    position = layer.offset + torch.arange(rows.start, rows.stop, device=blocks.device)[:, None]
    unseen = blocks * layer.block_n > position
    if layer.window is not None:
        newest = ((blocks + 1) * layer.block_n).clamp(max=layer.kv_len) - 1
        unseen |= newest <= position - layer.window
    return unseen


def _pool(k: Tensor, block_n: int, scorer: Scorer) -> tuple[Tensor, ...]:
    """Pool the keys [H_kv, N, D] of one sequence."""
    whole = k.shape[1] // block_n
    parts = [k[:, : whole * block_n].reshape(k.shape[0], whole, block_n, -1)] if whole else []
    if k.shape[1] % block_n:
        parts.append(k[:, None, whole * block_n :])
    if scorer == "kmean":
        return (torch.cat([part.mean(dim=2) for part in parts], dim=1),)
    return (
        torch.cat([part.amin(dim=2) for part in parts], dim=1),
        torch.cat([part.amax(dim=2) for part in parts], dim=1),
    )


def _signed(q: Tensor, pooled: tuple[Tensor, ...]) -> Tensor:
    """Queries laid out for one product with :func:`_stacked`: q, or [q-, q+] for Quest."""
    return q if len(pooled) == 1 else torch.cat([q.clamp(max=0), q.clamp(min=0)], dim=-1)


def _stacked(pooled: tuple[Tensor, ...]) -> Tensor:
    return pooled[0] if len(pooled) == 1 else torch.cat(pooled, dim=-1)


def _products(q: Tensor, keys: Tensor) -> Tensor:
    """Products of [..., H, rows, D] with [..., H_kv, blocks, D]; each key head serves its group of heads."""
    *lead, heads, rows, dim = q.shape
    grouped = q.reshape(*lead, keys.shape[-3], -1, dim)  # [..., H_kv, group * rows, D]
    return (grouped @ keys.mT).reshape(*lead, heads, rows, -1)


def _value_radius(v: Tensor) -> Tensor:
    """Radius around the mean of the values [H_kv, N, D_v] of each key head, rounded up to float32."""
    centred = v.double() - v.double().mean(dim=1, keepdim=True)
    radius = centred.square().sum(dim=-1).amax(dim=-1).sqrt()
    nearest = radius.float()
    above = torch.nextafter(nearest, torch.full_like(nearest, math.inf))
    return torch.where(nearest < radius, above, nearest)


def _ordered_mean(sigma: Tensor) -> Tensor:
    """Mean over the heads of [B, H, Q_t], added in head order so that ties never hang on a reduction tree."""
    total = sigma[:, 0].clone()
    for head in range(1, sigma.shape[1]):
        total += sigma[:, head]
    return total / sigma.shape[1]


def _trigger(sigma_mean: Tensor, eligible: Tensor, share: Fraction) -> Tensor:
    """The ceil(share * T) eligible tiles of smallest mean margin, sequence by sequence."""
    trigger = torch.zeros_like(eligible)
    for b in range(len(eligible)):
        tiles = eligible[b].nonzero()[:, 0]
        chosen = sigma_mean[b, tiles].argsort(stable=True)[: triggered_count(share, len(tiles))]
        trigger[b, tiles[chosen]] = True
    return trigger


def _first(values: Tensor, width: int, fill: float) -> Tensor:
    """Cut or pad the last axis to ``width``."""
    return torch.nn.functional.pad(values[..., :width], (0, max(0, width - values.shape[-1])), value=fill)


def _check_finite(scores: Tensor, visible: Tensor) -> None:
    bad = ~scores.isfinite() & visible[:, None]
    if bad.any():
        b, head, tile, block = bad.nonzero()[0].tolist()
        raise InputError(f"score of sequence {b}, head {head}, tile {tile}, block {block} is not finite")
