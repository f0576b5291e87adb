"""Block selection: pooling, tile scores, the noise of the scores, kept blocks; by Triton kernels or in plain torch.

Shapes and equations are those of :mod:`refsym_gpu.reference`, which is what every implementation computes. Each
operation is a custom operator of torch, so that it stands in a compiled graph as one node.
"""

from collections.abc import Sequence
from fractions import Fraction

import torch
from torch import Tensor

from refsym_gpu import reference
from refsym_gpu.implementation import Implementation, by_kernels, lengths_on
from refsym_gpu.inputs import Number, Scorer, check_budget, check_lens, check_scorer, expanded_budget, geometries
from refsym_gpu.reference import ScoreNoise, Selection, TileScores, Tiling
from refsym_theory.errors import InputError
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.trigger import exact_decimal


def pool_blocks(
    k: Tensor,
    *,
    block_n: int,
    scorer: Scorer = "kmean",
    kv_lens: Sequence[int] | None = None,
    impl: Implementation = "triton",
) -> tuple[Tensor, ...]:
    """Summarise each block's real keys; see :func:`refsym_gpu.reference.pool_blocks`.

    Parameters
    ----------
    k : [B, H_kv, N, D]
    impl : "triton" or "reference"
        Kernels run on CUDA tensors; CPU tensors fall back to the reference.

    Raises
    ------
    InputError
        As the reference; also for an unknown implementation.
    """
    check_scorer(scorer)
    lengths = check_lens("kv_lens", kv_lens, k.shape[0], k.shape[2])
    if block_n < 1:
        raise InputError(f"block_n must be a positive integer, not {block_n}")
    mean, extreme = _pool(k, block_n, scorer, lengths, impl)
    return (mean,) if scorer == "kmean" else (mean, extreme)


@torch.library.custom_op("refsym::pool_blocks", mutates_args=())
def _pool(k: Tensor, block_n: int, scorer: str, kv_lens: Sequence[int], impl: str) -> tuple[Tensor, Tensor]:
    if not by_kernels(impl, k):
        found = reference.pool_blocks(k, block_n=block_n, scorer=scorer, kv_lens=kv_lens)  # type: ignore[arg-type]
        return found[0], found[1] if len(found) > 1 else found[0].new_empty(0)
    from refsym_gpu.kernels.pool import pool

    mean = scorer == "kmean"
    pooled = pool(k, lengths_on(k.device, list(kv_lens)), block_n, mean=mean, extremes=not mean)
    if mean:
        return pooled["mean"], k.new_empty(0, dtype=torch.float32)
    return pooled["minimum"], pooled["maximum"]


@_pool.register_fake
def _(k: Tensor, block_n: int, scorer: str, kv_lens: Sequence[int], impl: str) -> tuple[Tensor, Tensor]:
    shape = (*k.shape[:2], -(-k.shape[2] // block_n), k.shape[3])
    first = k.new_empty(shape, dtype=torch.float32)
    return first, torch.empty_like(first) if scorer == "quest" else first.new_empty(0)


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
    impl: Implementation = "triton",
) -> TileScores:
    """Best score of each visible block among the tile's real rows; see :func:`refsym_gpu.reference.tile_scores`.

    Raises
    ------
    InputError
        As the reference; also for an unknown implementation.
    """
    tiling = _tiling(q, k, scorer, block_m, block_n, window, q_lens, kv_lens)
    factor = q.shape[3] ** -0.5 if scale is None else float(scale)
    scores, visible, forced = _tile_scores(
        q, k, scorer, block_m, block_n, factor, window, tiling.q_lens, tiling.kv_lens, impl
    )
    return TileScores(scores, visible, forced, tiling)


@torch.library.custom_op("refsym::tile_scores", mutates_args=())
def _tile_scores(
    q: Tensor,
    k: Tensor,
    scorer: str,
    block_m: int,
    block_n: int,
    scale: float,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
    impl: str,
) -> tuple[Tensor, Tensor, Tensor]:
    layers = geometries(q, k, block_m, block_n, scale, window, q_lens, kv_lens)
    if not by_kernels(impl, q):
        tiles = reference.tile_scores(
            q,
            k,
            scorer=scorer,  # type: ignore[arg-type]
            block_m=block_m,
            block_n=block_n,
            scale=scale,
            window=window,
            q_lens=q_lens,
            kv_lens=kv_lens,
        )
        return tiles.scores, tiles.visible, tiles.forced
    scores, _ = _scored(q, k, scorer, layers, noise=False)
    return scores, *_visibility(layers, scores)


@_tile_scores.register_fake
def _(
    q: Tensor,
    k: Tensor,
    scorer: str,
    block_m: int,
    block_n: int,
    scale: float,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
    impl: str,
) -> tuple[Tensor, Tensor, Tensor]:
    tiles, blocks = -(-q.shape[2] // block_m), -(-k.shape[2] // block_n)
    scores = q.new_empty((q.shape[0], q.shape[1], tiles, blocks), dtype=torch.float32)
    visible = q.new_empty((q.shape[0], tiles, blocks), dtype=torch.bool)
    return scores, visible, torch.empty_like(visible)


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
    impl: Implementation = "triton",
) -> ScoreNoise:
    """How rough the row scores are within a tile; see :func:`refsym_gpu.reference.measure_noise`.

    Raises
    ------
    InputError
        As the reference; also for an unknown implementation.
    """
    tiling = _tiling(q, k, scorer, block_m, block_n, window, q_lens, kv_lens)
    factor = q.shape[3] ** -0.5 if scale is None else float(scale)
    return ScoreNoise(
        *_measure_noise(q, k, scorer, block_m, block_n, factor, window, tiling.q_lens, tiling.kv_lens, impl)
    )


@torch.library.custom_op("refsym::measure_noise", mutates_args=())
def _measure_noise(
    q: Tensor,
    k: Tensor,
    scorer: str,
    block_m: int,
    block_n: int,
    scale: float,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
    impl: str,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    if by_kernels(impl, q):
        layers = geometries(q, k, block_m, block_n, scale, window, q_lens, kv_lens)
        _, sums = _scored(q, k, scorer, layers, noise=True)
        assert sums is not None
        steps, step_counts, halves, half_counts = sums
        return steps.sum(-1), step_counts.sum(-1), halves.sum(-1), half_counts.sum(-1)
    found = reference.measure_noise(
        q,
        k,
        scorer=scorer,  # type: ignore[arg-type]
        block_m=block_m,
        block_n=block_n,
        scale=scale,
        window=window,
        q_lens=q_lens,
        kv_lens=kv_lens,
    )
    # Views of one tensor there; an operator's outputs may not share memory.
    sums = found.step_sq_sum.clone(), found.step_count.clone(), found.half_diff_sq_sum, found.half_diff_count
    return sums[0], sums[1], sums[2].clone(), sums[3].clone()


@_measure_noise.register_fake
def _(
    q: Tensor,
    k: Tensor,
    scorer: str,
    block_m: int,
    block_n: int,
    scale: float,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
    impl: str,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    sums, counts = (q.new_empty(q.shape[:2], dtype=dtype) for dtype in (torch.float64, torch.int64))
    return sums, counts, torch.empty_like(sums), torch.empty_like(counts)


def select_blocks(
    tiles: TileScores, *, k: int, rho: Number = 2, q: Number = "0.4", impl: Implementation = "triton"
) -> Selection:
    """Keep the forced blocks and the best free ones; see :func:`refsym_gpu.reference.select_blocks`.

    On a device nothing is read back: a score that is not finite is not looked for.

    Raises
    ------
    InputError
        k, rho or q out of range; from the reference also a score that is not finite.
    """
    share = exact_decimal(q, "q")
    if not 0 <= share <= 1:
        raise InputError(f"q must lie in [0, 1], not {q}")
    tiling = tiles.tiling
    if tiling is None or not by_kernels(impl, tiles.scores):
        by_kernels(impl, tiles.scores)
        return reference.select_blocks(tiles, k=k, rho=rho, q=q)
    slots = expanded_budget(k, rho)
    return Selection(
        *_select(
            tiles.scores,
            k,
            slots,
            share.numerator,
            share.denominator,
            tiling.block_m,
            tiling.block_n,
            tiling.window,
            tiling.q_lens,
            tiling.kv_lens,
        )
    )


@torch.library.custom_op("refsym::select_blocks", mutates_args=())
def _select(
    scores: Tensor,
    k: int,
    slots: int,
    numerator: int,
    denominator: int,
    block_m: int,
    block_n: int,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    from refsym_gpu.kernels.select import select

    check_budget(k, _most_forced(block_m, block_n, window, q_lens, kv_lens))
    rows, keys = (lengths_on(scores.device, list(lengths)) for lengths in (q_lens, kv_lens))
    share = Fraction(numerator, denominator)
    found = select(scores, rows, keys, k=k, slots=slots, share=share, block_m=block_m, block_n=block_n, window=window)
    kv_idx, prefix, values, k_free, m_free, eligible, *rest = (found[name] for name in Selection.__annotations__)
    g, big_g, r, sigma, mean, trigger = rest
    return kv_idx, prefix, values, k_free, m_free, eligible, g, big_g, r, sigma, mean, trigger


@_select.register_fake
def _(
    scores: Tensor,
    k: int,
    slots: int,
    numerator: int,
    denominator: int,
    block_m: int,
    block_n: int,
    window: int | None,
    q_lens: Sequence[int],
    kv_lens: Sequence[int],
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    batch, heads, tiles, _ = scores.shape

    def by_head(dtype: torch.dtype, *last: int) -> Tensor:
        return scores.new_empty((batch, heads, tiles, *last), dtype=dtype)

    def by_tile(dtype: torch.dtype) -> Tensor:
        return scores.new_empty((batch, tiles), dtype=dtype)

    kept = by_head(torch.int32, slots), by_head(torch.int32, slots), by_head(torch.float32, slots)
    ranks = by_tile(torch.int64), by_tile(torch.int64), by_tile(torch.bool)
    margins = by_head(torch.float64), by_head(torch.float64), by_head(torch.float64), by_head(torch.float64)
    return *kept, *ranks, *margins, by_tile(torch.float64), by_tile(torch.bool)


def _most_forced(block_m: int, block_n: int, window: int | None, q_lens: Sequence[int], kv_lens: Sequence[int]) -> int:
    """Forced blocks of the tile that has most of them."""
    most = 0
    for rows, keys in set(zip(q_lens, kv_lens, strict=True)):
        layer = LayerGeometry(1, 1, 1, 1.0, window, rows, keys, block_m, block_n)
        first, diagonal, last = layer.visible_range()
        most = max(most, int((last - diagonal + 1 + ((first == 0) & (diagonal > 0))).max()))
    return most


def _tiling(
    q: Tensor,
    k: Tensor,
    scorer: str,
    block_m: int,
    block_n: int,
    window: int | None,
    q_lens: Sequence[int] | None,
    kv_lens: Sequence[int] | None,
) -> Tiling:
    check_scorer(scorer)
    layers = geometries(q, k, block_m, block_n, None, window, q_lens, kv_lens)
    return Tiling.of(layers)


def _scored(
    q: Tensor, k: Tensor, scorer: str, layers: list[LayerGeometry], *, noise: bool
) -> tuple[Tensor, tuple[Tensor, Tensor, Tensor, Tensor] | None]:
    from refsym_gpu.kernels.pool import pool
    from refsym_gpu.kernels.score import score

    one, quest = layers[0], scorer == "quest"
    rows, keys = (lengths_on(q.device, [getattr(x, name) for x in layers]) for name in ("q_len", "kv_len"))
    pooled = pool(k, keys, one.block_n, mean=not quest, extremes=quest)
    # Minimum and maximum are keys' values: the inputs' type holds them exactly.
    parts = [pooled[name].to(q.dtype) for name in (("minimum", "maximum") if quest else ("high", "low"))]
    return score(
        q,
        (parts[0], parts[1]),
        rows,
        keys,
        quest=quest,
        block_m=one.block_m,
        block_n=one.block_n,
        scale=one.scale,
        window=one.window,
        fill=float("nan"),
        noise=noise,
    )


def _visibility(layers: list[LayerGeometry], scores: Tensor) -> tuple[Tensor, Tensor]:
    """Visible and forced blocks [B, Q_t, N_B] on the scores' device, without reading anything back."""
    batch, _, tiles, blocks = scores.shape
    bounds = torch.full((3, batch, tiles), -1, dtype=torch.int64)
    bounds[0] = 0
    for b, layer in enumerate(layers):
        for bound, values in zip(bounds, layer.visible_range(), strict=True):
            bound[b, : layer.q_tiles] = torch.from_numpy(values)
    first, diagonal, last = (bound[..., None] for bound in bounds.to(scores.device, non_blocking=True))
    block = torch.arange(blocks, device=scores.device)
    visible = (block >= first) & (block <= last)
    return visible, visible & ((block == 0) | (block >= diagonal))
