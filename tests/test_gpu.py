"""Compiled kernels on a card against the reference; `pytest -m gpu` runs them, elsewhere they are skipped."""

import itertools

import pytest

torch = pytest.importorskip("torch")

from refsym_gpu import attention, reference, selection  # noqa: E402
from refsym_gpu.implementation import INTERPRETED  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(INTERPRETED or not torch.cuda.is_available(), reason="needs a CUDA device and `-m gpu`"),
]

SHAPES = [
    {"rows": 1, "keys": 1},
    {"rows": 65, "keys": 127, "heads": 3, "kv_heads": 1},
    {"rows": 1_000, "keys": 4_095, "heads": 6, "kv_heads": 2},
    {"rows": 2_048, "keys": 2_048, "window": 700},
    {"rows": 300, "keys": 900, "q_lens": [300, 1, 64], "kv_lens": [900, 1, 65]},
]
CASES = list(itertools.product((torch.bfloat16, torch.float16, torch.float32), (64, 96, 128, 256), range(len(SHAPES))))


def given(dtype, dim, shape):
    sizes = dict(SHAPES[shape])
    settings = {name: sizes.pop(name) for name in ("window", "q_lens", "kv_lens") if name in sizes}
    batch, heads, kv_heads = len(settings.get("q_lens", [0])), sizes.get("heads", 4), sizes.get("kv_heads", 2)
    generator = torch.Generator("cuda").manual_seed(dim)
    parts = (heads, sizes["rows"]), (kv_heads, sizes["keys"]), (kv_heads, sizes["keys"])
    tensors = [torch.randn(batch, *part, dim, generator=generator, device="cuda").to(dtype) for part in parts]
    return *tensors, settings


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
@pytest.mark.parametrize(("dtype", "dim", "shape"), CASES, ids=str)
def test_scores_sets_and_outputs_are_the_references(dtype, dim, shape, scorer):
    q, k, v, settings = given(dtype, dim, shape)
    found, plain = (
        selection.tile_scores(q, k, scorer=scorer, impl=impl, **settings) for impl in ("triton", "reference")
    )
    assert torch.equal(found.visible, plain.visible)
    seen = found.visible[:, None].expand_as(found.scores)
    size = q.float().norm(dim=-1).amax() * k.float().norm(dim=-1).amax() * dim**-0.5
    bits = 16 if dtype is torch.bfloat16 and scorer == "kmean" else 20
    assert (found.scores - plain.scores).abs()[seen].max() <= size * 2.0**-bits
    one, other = (selection.select_blocks(plain, k=6, rho=2, q="0.4", impl=impl) for impl in ("triton", "reference"))
    for name in reference.Selection.__annotations__:
        assert torch.equal(*(getattr(s, name).double().nan_to_num(nan=-9.0) for s in (one, other))), name
    ours, theirs = (
        attention.block_sparse_attention(q, k, v, one.kv_idx, impl=impl, **settings) for impl in ("triton", "reference")
    )
    near = {torch.bfloat16: 0.04, torch.float16: 0.005, torch.float32: 1e-4}[dtype]
    torch.testing.assert_close(ours[0].float(), theirs[0].float(), rtol=near, atol=near)
    torch.testing.assert_close(ours[1], theirs[1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
def test_sums_behind_tau_are_the_references(scorer):
    q, k, _, settings = given(torch.bfloat16, 128, 3)
    found, plain = (
        selection.measure_noise(q, k, scorer=scorer, impl=impl, **settings) for impl in ("triton", "reference")
    )
    assert torch.equal(found.step_count, plain.step_count)
    assert torch.equal(found.half_diff_count, plain.half_diff_count)
    torch.testing.assert_close(found.step_sq_sum, plain.step_sq_sum, rtol=1e-3, atol=0)
    torch.testing.assert_close(found.half_diff_sq_sum, plain.half_diff_sq_sum, rtol=1e-3, atol=0)


@pytest.mark.parametrize(("dtype", "dim", "shape"), [case for case in CASES if case[2] != 2], ids=str)
def test_gradients_are_the_references(dtype, dim, shape):
    q, k, v, settings = given(dtype, dim, shape)
    mass = torch.randn(k.shape[:3], device="cuda")
    grads = []
    for impl in ("triton", "reference"):
        leaves = [x.clone().requires_grad_() for x in (q, k, v, mass)]
        out, lse = attention.mass_weighted_attention(*leaves, impl=impl, **settings)
        loss = out.float().sin().sum() + torch.where(lse.isfinite(), lse, 0.0).sum()
        grads.append(torch.autograd.grad(loss, leaves))
    near = {torch.bfloat16: 0.05, torch.float16: 0.01, torch.float32: 1e-3}[dtype]
    for one, other in zip(*grads, strict=True):
        assert (one - other).float().abs().max() <= near * other.float().abs().max() + 1e-5


def test_nothing_is_read_back_from_the_device():
    q, k, v, settings = given(torch.bfloat16, 128, 3)
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        tiles = selection.tile_scores(q, k, **settings)
        kept = selection.select_blocks(tiles, k=8, rho=2, q="0.4")
        attention.block_sparse_attention(q, k, v, kept.kv_idx, **settings)
    finally:
        torch.cuda.set_sync_debug_mode("default")
