"""Selection kernels in Triton's interpreter, against the reference and float64; test_gpu.py has them on a card."""

import math
from fractions import Fraction

import pytest

torch = pytest.importorskip("torch")

from refsym_gpu import reference, selection  # noqa: E402
from refsym_gpu.inputs import geometries  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402

pytestmark = pytest.mark.usefixtures("poisoned")

TYPES = (torch.float32, torch.float16, torch.bfloat16)

SHAPES = {
    "one row, one key": {"rows": 1, "keys": 1},
    "one short": {"rows": 63, "keys": 63},
    "one block": {"rows": 64, "keys": 64},
    "one more": {"rows": 65, "keys": 65, "heads": 3, "kv_heads": 1},
    "prefix": {"rows": 40, "keys": 127, "block_m": 16, "block_n": 16, "heads": 2, "kv_heads": 2},
    "ragged": {"rows": 70, "keys": 90, "q_lens": [70, 1, 33], "kv_lens": [90, 1, 64], "block_m": 16, "block_n": 16},
    "window": {"rows": 70, "keys": 90, "window": 37, "block_m": 16, "block_n": 16, "dim": 96},
    "window within a block": {"rows": 50, "keys": 50, "window": 5, "block_m": 16, "block_n": 8},
    "blocks larger than tiles": {"rows": 33, "keys": 130, "block_m": 8, "block_n": 64, "heads": 3, "kv_heads": 1},
    "odd blocks": {"rows": 47, "keys": 61, "block_m": 20, "block_n": 12, "dim": 96},
    "wide": {"rows": 20, "keys": 20, "dim": 256, "block_m": 16, "block_n": 16},
}


def inputs(dtype, *, rows, keys, heads=2, kv_heads=1, dim=64, seed=0, grid=False, **sizes):
    """Random q and k; on a grid of quarters all sums of products are exact in float32."""
    generator = torch.Generator().manual_seed(seed)
    batch = len(sizes.get("q_lens", [0]))

    def draw(*shape):
        if grid:
            return torch.randint(-4, 5, shape, generator=generator).to(dtype) / 4
        return torch.randn(shape, generator=generator).to(dtype)

    return draw(batch, heads, rows, dim), draw(batch, kv_heads, keys, dim), sizes


def exact_scores(q, k, scorer, sizes):
    """Tile scores in float64 by loops over tiles and blocks, and the sum of absolute products behind each."""
    sizes = {"block_m": 64, "block_n": 64} | sizes
    layers = geometries(
        q, k, sizes["block_m"], sizes["block_n"], None, sizes.get("window"), sizes.get("q_lens"), sizes.get("kv_lens")
    )
    out = torch.full(
        (*q.shape[:2], -(-q.shape[2] // sizes["block_m"]), -(-k.shape[2] // sizes["block_n"])), math.nan
    ).double()
    size = out.clone()
    for b, layer in enumerate(layers):
        for h in range(layer.heads):
            keys = k[b, h // (layer.heads // layer.kv_heads), : layer.kv_len].double()
            for t, (first, _, last) in enumerate(zip(*layer.visible_range(), strict=True)):
                for block in range(first, last + 1):
                    part = keys[block * layer.block_n : (block + 1) * layer.block_n]
                    newest = min((block + 1) * layer.block_n, layer.kv_len) - 1
                    best = -math.inf
                    for row in range(t * layer.block_m, min((t + 1) * layer.block_m, layer.q_len)):
                        p = layer.offset + row
                        if block * layer.block_n <= p and (layer.window is None or newest > p - layer.window):
                            x = q[b, h, row].double()
                            products = (
                                x * part.mean(0)
                                if scorer == "kmean"
                                else torch.maximum(x * part.amin(0), x * part.amax(0))
                            )
                            if products.sum() > best:
                                best = products.sum()
                                size[b, h, t, block] = products.abs().sum() * layer.scale
                    out[b, h, t, block] = best * layer.scale
    return out, size


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_scores_are_those_of_float64_within_the_budget(dtype, shape, scorer):
    q, k, sizes = inputs(dtype, **SHAPES[shape])
    found = selection.tile_scores(q, k, scorer=scorer, **sizes)
    plain = reference.tile_scores(q, k, scorer=scorer, **sizes)
    assert torch.equal(found.visible, plain.visible)
    assert torch.equal(found.forced, plain.forced)
    assert torch.equal(found.scores.isnan(), ~found.visible[:, None].expand_as(found.scores))
    exact, size = exact_scores(q, k, scorer, sizes)
    # A mean in two parts of p bits loses 2^-2p of it, a sum of D products in float32 at most D eps.
    bits = {torch.float32: 23, torch.float16: 21, torch.bfloat16: 15}[dtype] if scorer == "kmean" else 23
    budget = size * (2.0**-bits + q.shape[3] * 2.0**-24) + 1e-30
    seen = found.visible[:, None].expand_as(size)
    assert ((found.scores - exact).abs()[seen] <= budget[seen]).all()
    assert ((plain.scores - exact).abs()[seen] <= budget[seen]).all()


def test_small_keys_in_float16_keep_their_digits():
    q, k, sizes = inputs(torch.float16, rows=64, keys=64, block_m=16, block_n=16)
    k = k / 2048
    found = selection.tile_scores(q, k, **sizes)
    exact, size = exact_scores(q, k, "kmean", sizes)
    seen = found.visible[:, None].expand_as(size)
    assert ((found.scores - exact).abs()[seen] <= (size * 2.0**-18 + 1e-30)[seen]).all()


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_on_a_dyadic_grid_scores_and_sets_are_the_same_bits(dtype, scorer):
    sizes = {"block_m": 16, "block_n": 16}
    q, k, _ = inputs(dtype, rows=112, keys=112, heads=2, grid=True, **sizes)
    found, plain = (f(q, k, scorer=scorer, **sizes) for f in (selection.tile_scores, reference.tile_scores))
    assert torch.equal(found.scores.nan_to_num(), plain.scores.nan_to_num())
    kept = selection.select_blocks(found, k=3, rho=2, q="0.4"), reference.select_blocks(plain, k=3, rho=2, q="0.4")
    for name in reference.Selection.__annotations__:
        assert torch.equal(*(getattr(s, name).double().nan_to_num(nan=-9.0) for s in kept)), name


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
@pytest.mark.parametrize("shape", ["one row, one key", "one more", "ragged", "window", "odd blocks"])
def test_sums_behind_tau_come_from_the_same_pass(shape, scorer):
    q, k, sizes = inputs(torch.float32, **SHAPES[shape])
    found, plain = (f(q, k, scorer=scorer, **sizes) for f in (selection.measure_noise, reference.measure_noise))
    for name in ("step_count", "half_diff_count"):
        assert torch.equal(getattr(found, name), getattr(plain, name))
    for name in ("step_sq_sum", "half_diff_sq_sum"):
        torch.testing.assert_close(getattr(found, name), getattr(plain, name), rtol=2e-5, atol=1e-10)


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_pooling_is_the_references(dtype, scorer):
    _, k, _ = inputs(dtype, rows=1, keys=65, kv_heads=2)
    k = torch.cat([k, k + 1])
    found = selection.pool_blocks(k, block_n=16, scorer=scorer, kv_lens=[65, 17])
    plain = selection.pool_blocks(k, block_n=16, scorer=scorer, kv_lens=[65, 17], impl="reference")
    for one, other in zip(found, plain, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-6, equal_nan=True)
        assert one[1, :, 2:].isnan().all()


def made(scores, *, rows, keys, block_m=4, block_n=4, window=None, q_lens=None, kv_lens=None):
    """Tile scores with a given content."""
    heads, batch = scores.shape[1], scores.shape[0]
    q, k = torch.zeros(batch, heads, rows, 1), torch.zeros(batch, 1, keys, 1)
    plain = reference.tile_scores(q, k, block_m=block_m, block_n=block_n, window=window, q_lens=q_lens, kv_lens=kv_lens)
    filled = torch.where(plain.visible[:, None], scores, math.nan)
    return reference.TileScores(filled, plain.visible, plain.forced, plain.tiling)


CUTS = {
    "plain": {"k": 4, "rho": 2, "q": "0.4"},
    "rho of three halves": {"k": 4, "rho": "1.5", "q": "0.55"},
    "none triggered": {"k": 3, "rho": 2, "q": 0},
    "all triggered": {"k": 3, "rho": 2, "q": 1},
    "all fits": {"k": 12, "rho": 2, "q": "0.4"},
}
CONTENTS = {
    "random": lambda shape, g: torch.randn(shape, generator=g),
    "all ties": lambda shape, g: torch.zeros(shape),
    "few values": lambda shape, g: torch.randint(-1, 2, shape, generator=g).float(),
    "zeros of both signs": lambda shape, g: torch.where(torch.rand(shape, generator=g) < 0.5, 0.0, -0.0),
    "far apart": lambda shape, g: torch.randn(shape, generator=g) * 10.0 ** torch.randint(-30, 30, shape, generator=g),
    "rising": lambda shape, g: torch.arange(shape[-1]).float().expand(shape),
}


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("content", CONTENTS)
def test_kept_sets_margins_and_triggers_are_exactly_the_references(content, cut):
    generator = torch.Generator().manual_seed(3)
    tiles = made(CONTENTS[content]((1, 2, 10, 10), generator).contiguous(), rows=40, keys=40)
    found = selection.select_blocks(tiles, **CUTS[cut])
    plain = reference.select_blocks(tiles, **CUTS[cut])
    for name in reference.Selection.__annotations__:
        one, other = getattr(found, name), getattr(plain, name)
        assert one.dtype == other.dtype
        assert torch.equal(one.double().nan_to_num(nan=-9.0), other.double().nan_to_num(nan=-9.0)), name


@pytest.mark.parametrize(
    "sizes",
    [
        {"rows": 40, "keys": 52, "window": 21},
        {"rows": 40, "keys": 52, "q_lens": [40, 3, 17], "kv_lens": [52, 3, 50]},
        {"rows": 16, "keys": 40, "block_m": 2, "block_n": 5},
        {"rows": 3, "keys": 3},
    ],
    ids=["window", "ragged", "odd", "one block"],
)
def test_selection_follows_windows_lengths_and_prefixes(sizes):
    batch = len(sizes.get("q_lens", [0]))
    shape = batch, 2, -(-sizes["rows"] // sizes.get("block_m", 4)), -(-sizes["keys"] // sizes.get("block_n", 4))
    tiles = made(torch.randn(shape, generator=torch.Generator().manual_seed(5)), **sizes)
    found, plain = (f(tiles, k=4, rho=2, q="0.4") for f in (selection.select_blocks, reference.select_blocks))
    for name in reference.Selection.__annotations__:
        assert torch.equal(*(getattr(s, name).double().nan_to_num(nan=-9.0) for s in (found, plain))), name
    # A sequence's triggers do not depend on its batch mates.
    if batch > 1:
        one = made(tiles.scores[2:, :, :5, :13].nan_to_num(), rows=17, keys=50)
        alone = selection.select_blocks(one, k=4, rho=2, q="0.4")
        assert torch.equal(alone.trigger[0], found.trigger[2, :5])


def test_end_to_end_sets_differ_only_where_the_cut_is_closer_than_the_budget():
    sizes = {"block_m": 16, "block_n": 16}
    q, k, _ = inputs(torch.bfloat16, rows=160, keys=160, dim=64, seed=2)
    found, plain = (f(q, k, **sizes) for f in (selection.tile_scores, reference.tile_scores))
    one = selection.select_blocks(found, k=3, rho=2, q=0)
    other = reference.select_blocks(plain, k=3, rho=2, q=0)
    budget = (found.scores - plain.scores).abs().nan_to_num().amax()
    changed = (one.kv_idx != other.kv_idx).any(dim=-1)
    close = (other.g < 2 * budget) | other.g.isnan()
    print(f"{int(changed.sum())} of {changed.numel()} kept sets differ")
    assert not (changed & ~close).any()


def test_bad_input_gets_the_same_line_from_both():
    q, k, _ = inputs(torch.float32, rows=64, keys=64, heads=3, kv_heads=1)
    for call, message in (
        (
            lambda impl: selection.tile_scores(q[:, :2], k.expand(-1, 3, -1, -1), impl=impl),
            "kv_heads must divide heads",
        ),
        (lambda impl: selection.tile_scores(q, k, scorer="max", impl=impl), "unknown scorer 'max'"),
        (lambda impl: selection.tile_scores(q, k[..., :32], impl=impl), r"q \[1, 3, 64, 64\] and k \[1, 1, 64, 32\]"),
        (lambda impl: selection.pool_blocks(k, block_n=0, impl=impl), "block_n must be a positive integer"),
        (lambda impl: selection.tile_scores(q, k, kv_lens=[65], impl=impl), "kv_lens must hold 1 lengths from 1 to 64"),
    ):
        for impl in ("triton", "reference"):
            with pytest.raises(InputError, match=message):
                call(impl)
    tiles = made(torch.zeros(1, 1, 4, 4), rows=16, keys=16)
    for impl in ("triton", "reference"):
        with pytest.raises(InputError, match="k=2 must exceed the 2 forced blocks"):
            selection.select_blocks(tiles, k=2, impl=impl)
        with pytest.raises(InputError, match=r"rho=1\.2 must exceed 1"):
            selection.select_blocks(tiles, k=3, rho="1.2", impl=impl)
        with pytest.raises(InputError, match=r"q must lie in \[0, 1\]"):
            selection.select_blocks(tiles, k=3, q="1.1", impl=impl)
    with pytest.raises(InputError, match="unknown implementation 'cuda'"):
        selection.tile_scores(q, k, impl="cuda")


def test_ceil_of_q_tiles_is_exact():
    # 0.55 * 100 is above 55 in floats: 100 eligible tiles, 55 triggered, not 56.
    from refsym_gpu.kernels.select import trigger_kernel

    mean, eligible = torch.randn(1, 100).double(), torch.ones(1, 100, dtype=torch.bool)
    for share in (Fraction("0.55"), Fraction("0.07"), Fraction(1, 3), Fraction(0), Fraction(1)):
        trigger = torch.empty(1, 100, dtype=torch.bool)
        trigger_kernel[(2, 1)](mean, eligible, trigger, 100, share.numerator, share.denominator, BT=64)
        assert int(trigger.sum()) == math.ceil(share * 100)
        assert mean[trigger].max() <= mean[~trigger].min() if 0 < share < 1 else True
