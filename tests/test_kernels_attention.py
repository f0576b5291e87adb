"""Attention kernels in Triton's interpreter, against loops over rows in float64 and the reference's own gradients."""

import itertools
import math

import pytest

torch = pytest.importorskip("torch")

from refsym_gpu import attention, reference_attention, selection  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402

TYPES = (torch.float32, torch.float16, torch.bfloat16)
EPSILON = {torch.float32: 2.0**-23, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7}


def tensors(dtype, *, batch=1, heads=2, kv_heads=1, rows, keys, dim=64, value_dim=None, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shapes = (heads, rows, dim), (kv_heads, keys, dim), (kv_heads, keys, value_dim or dim)
    return tuple(torch.randn(batch, *shape, generator=generator).to(dtype) for shape in shapes)


def by_rows(q, k, v, seen, log_mass=None, softcap=None):
    """Attention row by row in float64; `seen(b, h, row)` lists the keys of a row."""
    out = torch.zeros(*q.shape[:3], v.shape[3], dtype=torch.float64)
    lse = torch.full(q.shape[:3], -math.inf, dtype=torch.float64)
    group = q.shape[1] // k.shape[1]
    for b, h, row in itertools.product(*map(range, q.shape[:3])):
        keys = seen(b, h, row)
        if keys:
            scores = k[b, h // group, keys].double() @ q[b, h, row].double() / math.sqrt(q.shape[3])
            if softcap:
                scores = softcap * torch.tanh(scores / softcap)
            if log_mass is not None:
                scores = scores + log_mass[b, h // group, keys].double()
            lse[b, h, row] = scores.logsumexp(0)
            if lse[b, h, row] > -math.inf:
                out[b, h, row] = scores.softmax(0) @ v[b, h // group, keys].double()
    return out, lse


def causal(rows, keys, window=None):
    """Keys that a row sees, rows at the end of the keys; lists of lengths for ragged batches."""

    def seen(b, h, row):
        m, n = (x[b] if isinstance(x, list) else x for x in (rows, keys))
        if row >= m:
            return []
        position = n - m + row
        return list(range(0 if window is None else max(0, position - window + 1), position + 1))

    return seen


def close(found, exact, q, v):
    """Within what the type itself loses: outputs and weights are rounded to it, sums are taken in float32."""
    out, lse = found
    epsilon = EPSILON[q.dtype]
    assert out.dtype == q.dtype
    assert lse.dtype == torch.float32
    budget = epsilon * (exact[0].abs() + 2 * v.double().abs().amax()) + 1e-6
    assert ((out.double() - exact[0]).abs() <= budget).all()
    finite = exact[1] > -math.inf
    assert torch.equal(finite, lse > -math.inf)
    assert ((lse.double() - exact[1])[finite].abs() <= 4e-6 * (1 + exact[1][finite].abs())).all()


SPARSE = {
    "one row": {"rows": 1, "keys": 1},
    "63": {"rows": 63, "keys": 63, "block": 16},
    "65": {"rows": 65, "keys": 65, "heads": 3},
    "prefix": {"rows": 40, "keys": 127, "block": 16, "kv_heads": 2},
    "wide heads": {"rows": 20, "keys": 36, "dim": 256, "block": 16},
    "96 channels": {"rows": 33, "keys": 50, "dim": 96, "value_dim": 80, "block": 16},
    "ragged": {"rows": 40, "keys": 60, "q_lens": [40, 1, 17], "kv_lens": [60, 1, 33], "block": 16},
    "window": {"rows": 40, "keys": 60, "window": 21, "block": 16},
    "odd blocks": {"rows": 31, "keys": 45, "block": 12},
}


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("shape", SPARSE)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_rows_attend_to_the_visible_keys_of_their_kept_blocks(dtype, shape):
    sizes = dict(SPARSE[shape])
    block, lengths = sizes.pop("block", 64), {n: sizes.pop(n) for n in ("q_lens", "kv_lens", "window") if n in sizes}
    q, k, v = tensors(dtype, batch=len(lengths.get("q_lens", [0])), **sizes)
    tiles = selection.tile_scores(q, k, block_m=block, block_n=block, impl="reference", **lengths)
    kv_idx = selection.select_blocks(tiles, k=4, rho="1.5", q="0.5", impl="reference").kv_idx
    full = causal(lengths.get("q_lens", sizes["rows"]), lengths.get("kv_lens", sizes["keys"]), lengths.get("window"))

    def seen(b, h, row):
        kept = kv_idx[b, h, row // block].tolist()
        return [key for key in full(b, h, row) if key // block in kept]

    settings = {"block_m": block, "block_n": block, **lengths}
    exact = by_rows(q, k, v, seen)
    close(attention.block_sparse_attention(q, k, v, kv_idx, **settings), exact, q, v)
    close(attention.block_sparse_attention(q, k, v, kv_idx, impl="reference", **settings), exact, q, v)


@pytest.mark.parametrize("impl", ["triton", "reference"])
def test_a_tile_may_keep_nothing_or_only_what_its_rows_do_not_see(impl):
    q, k, v = tensors(torch.float32, rows=32, keys=48)
    # Of three blocks: none; the last, which the first tile's rows do not see; the first two.
    kv_idx = torch.tensor([[[[3, 3], [2, 3]], [[0, 1], [0, 1]]]], dtype=torch.int32)
    full = causal(32, 48)

    def seen(b, h, row):
        return [key for key in full(b, h, row) if key // 16 in kv_idx[b, h, row // 16].tolist()]

    found = attention.block_sparse_attention(q, k, v, kv_idx, block_m=16, block_n=16, impl=impl)
    close(found, by_rows(q, k, v, seen), q, v)
    assert (found[0][0, 0, :16] == 0).all()
    assert (found[1][0, 0, :16] == -math.inf).all()


@pytest.mark.parametrize("impl", ["triton", "reference"])
@pytest.mark.parametrize("softcap", [None, 0.5, 30.0])
def test_masses_weigh_keys_after_the_softcap(softcap, impl):
    q, k, v = tensors(torch.float32, rows=20, keys=33, kv_heads=2)
    log_mass = torch.randn(1, 2, 33)
    log_mass[0, 0, 3:20] = -math.inf  # keys without mass, whole blocks of them
    kv_idx = torch.arange(3, dtype=torch.int32).expand(1, 2, 2, 3).contiguous()
    exact = by_rows(q, k, v, causal(20, 33), log_mass, softcap)
    settings = {"log_mass": log_mass, "softcap": softcap, "impl": impl}
    close(attention.block_sparse_attention(q, k, v, kv_idx, block_m=16, block_n=16, **settings), exact, q, v)
    close(attention.mass_weighted_attention(q, k, v, **settings), exact, q, v)


def test_a_key_of_mass_m_counts_as_m_keys():
    q, k, v = tensors(torch.float32, rows=7, keys=5)
    times = torch.tensor([1, 3, 2, 1, 4])
    again = [x.repeat_interleave(times, dim=2) for x in (k, v)]
    for impl in ("triton", "reference"):
        weighed = attention.mass_weighted_attention(
            q, k, v, times.float().log().expand(1, 1, 5), causal=False, impl=impl
        )
        repeated = attention.mass_weighted_attention(q, *again, causal=False, impl=impl)
        torch.testing.assert_close(weighed, repeated, rtol=1e-5, atol=1e-6)


def test_large_scores_neither_overflow_nor_vanish():
    q, k, v = tensors(torch.float32, rows=16, keys=16)
    for scale in (1e4, 1e-30):
        exact = by_rows(q * scale * 8, k, v, causal(16, 16))
        for impl in ("triton", "reference"):
            found = attention.mass_weighted_attention(q * scale * 8, k, v, impl=impl)
            torch.testing.assert_close(found[0].double(), exact[0], rtol=1e-2, atol=1e-4)
            assert found[1].isfinite().all()


DENSE = {
    "causal": {"rows": 40, "keys": 40},
    "prefix, window": {"rows": 20, "keys": 70, "window": 33, "heads": 3},
    "ragged": {"rows": 33, "keys": 65, "q_lens": [33, 1, 20], "kv_lens": [65, 1, 64]},
    "more rows than keys": {"rows": 70, "keys": 9, "causal": False, "kv_heads": 2},
    "mask": {"rows": 17, "keys": 30, "causal": False, "mask": True, "softcap": 2.0},
    "mask, causal": {"rows": 20, "keys": 20, "mask": True, "value_dim": 48, "dim": 96},
    "no masses": {"rows": 30, "keys": 66, "masses": False, "heads": 4, "kv_heads": 2},
}


@pytest.mark.usefixtures("poisoned")
@pytest.mark.parametrize("shape", DENSE)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_gradients_are_those_of_the_reference_in_float64(dtype, shape):
    sizes = dict(DENSE[shape])
    names = "q_lens", "kv_lens", "window", "causal", "softcap"
    settings = {name: sizes.pop(name) for name in names if name in sizes}
    masked, weighed = sizes.pop("mask", False), sizes.pop("masses", True)
    q, k, v = tensors(dtype, batch=len(settings.get("q_lens", [0])), **sizes)
    generator = torch.Generator().manual_seed(1)
    given = [q, k, v] + ([torch.randn(k.shape[:3], generator=generator)] if weighed else [])
    if masked:
        settings["visible"] = torch.rand(1, 1, q.shape[2], k.shape[2], generator=generator) < 0.5
        settings["visible"][..., 3, :] = False  # a row without keys
    grads = []
    for impl, parts in (("triton", given), ("reference", [x.double() for x in given])):
        leaves = [x.clone().requires_grad_() for x in parts]
        out, lse = attention.mass_weighted_attention(*leaves, impl=impl, **settings)
        # Both outputs count: the log-sum-exp has gradients too.
        weights = torch.randn(out.shape, generator=generator.manual_seed(2)).to(dtype)
        loss = (out * weights.to(out.dtype)).sum() + torch.where(lse > -math.inf, lse, 0.0).sin().sum()
        grads.append((out.detach(), *torch.autograd.grad(loss, leaves)))
    for one, other in zip(*grads, strict=True):
        assert one.isfinite().all()
        assert (one.double() - other).abs().max() <= 4 * EPSILON[dtype] * other.abs().max() + 2e-6


def test_offsets_pass_two_to_the_31():
    # Memory that is never touched costs nothing: the second head's keys lie behind 2^31 others.
    q, k, v = tensors(torch.float16, rows=16, keys=20, kv_heads=2)
    far = 2**31 + 64
    stretched = []
    for x in (k, v):
        held = torch.empty(far + 20 * 64, dtype=torch.float16)
        view = held.as_strided((1, 2, 20, 64), (0, far, 64, 1))
        view.copy_(x)
        stretched.append(view)
    for near, away in ((q, q),):
        torch.testing.assert_close(
            attention.mass_weighted_attention(away, *stretched), attention.mass_weighted_attention(near, k, v)
        )
    found, plain = (selection.tile_scores(q, x, block_m=16, block_n=16).scores for x in (stretched[0], k))
    torch.testing.assert_close(found, plain, equal_nan=True)


@pytest.mark.parametrize("impl", ["triton", "reference"])
def test_bad_input_gets_one_clear_line(impl):
    q, k, v = tensors(torch.float32, rows=16, keys=16)
    kv_idx = torch.zeros(1, 2, 1, 2, dtype=torch.int32)
    sparse, dense = attention.block_sparse_attention, attention.mass_weighted_attention
    for call, message in (
        (lambda: sparse(q, k, v, kv_idx.long(), impl=impl), r"kv_idx must be int32 .* got torch.int64 \[1, 2, 1, 2\]"),
        (lambda: sparse(q, k, v, kv_idx[:, :1], impl=impl), r"\[B, H, Q_t\] = \[1, 2, 1\]"),
        (lambda: sparse(q, k, v[:, :, :8], kv_idx, impl=impl), r"v \[1, 1, 8, 64\] must have the batch, heads"),
        (lambda: sparse(q, k, v.double(), kv_idx, impl=impl), "q, k and v must have one type"),
        (lambda: sparse(q, k, v, kv_idx, softcap=-1.0, impl=impl), "softcap must be a finite positive number"),
        (lambda: sparse(q, k, v, kv_idx, log_mass=k[..., 0].mT, impl=impl), "log_mass .* must be"),
        (lambda: dense(q, k, v, causal=False, window=4, impl=impl), "window 4: a positive number .* causal=True"),
        (lambda: dense(q, k[:, :, :8], v[:, :, :8], impl=impl), "16. rows do not fit .8. keys"),
        (lambda: dense(q, k, v, visible=torch.ones(16, 16), impl=impl), "visible must be bool"),
        (lambda: dense(q, k, v, visible=torch.ones(1, 1, 16, 15, dtype=torch.bool), impl=impl), "visible must be bool"),
        (lambda: dense(q, k.expand(-1, 3, -1, -1), v.expand(-1, 3, -1, -1), impl=impl), "kv_heads must divide heads"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="unknown implementation"):
        dense(q, k, v, impl="flash")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_operators_stand_in_a_compiled_graph():
    q, k, v = tensors(torch.float32, rows=70, keys=90, kv_heads=2)
    sizes = {"block_m": 16, "block_n": 16}

    def pipeline(q, k, v):
        tiles = selection.tile_scores(q, k, **sizes)
        kept = selection.select_blocks(tiles, k=4, rho="1.5").kv_idx
        return attention.block_sparse_attention(q, k, v, kept, **sizes)[0]

    compiled = torch.compile(pipeline, fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(q, k, v), pipeline(q, k, v))

    def loss(q):
        return attention.mass_weighted_attention(q, k, v)[0].square().sum()

    plain, through = q.clone().requires_grad_(), q.clone().requires_grad_()
    loss(plain).backward()
    torch.compile(loss, fullgraph=True, backend="aot_eager")(through).backward()
    assert torch.equal(plain.grad, through.grad)


def test_operators_keep_their_promises_to_torch():
    q, k, v = tensors(torch.float32, rows=9, keys=9)
    kv_idx = torch.zeros(1, 2, 1, 1, dtype=torch.int32)
    sizes = 16, 16, 0.1, None, None, [9], [9]
    scores = selection.tile_scores(q, k, block_m=4, block_n=4).scores
    for operator, arguments in (
        (attention._sparse, (q, k, v, kv_idx, None, *sizes, "triton")),
        (attention._weighted, (q.requires_grad_(), k, v, None, None, True, 0.1, None, None, [9], [9])),
        (selection._tile_scores, (q.detach(), k, "kmean", 4, 4, 0.1, None, [9], [9], "triton")),
        (selection._measure_noise, (q.detach(), k, "kmean", 4, 4, 0.1, None, [9], [9], "triton")),
        (selection._pool, (k, 4, "quest", [9], "triton")),
        (selection._select, (scores, 3, 6, 2, 5, 4, 4, None, [9], [9])),
    ):
        tests = ("test_schema", "test_faketensor", "test_autograd_registration")
        torch.library.opcheck(operator, arguments, test_utils=tests)


def test_the_reference_takes_everything_that_flash_attention_does():
    q, k, v = tensors(torch.float32, rows=48, keys=48, heads=4, kv_heads=2)
    peer = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    for found in (
        reference_attention.mass_weighted_attention(q, k, v)[0],
        attention.mass_weighted_attention(q, k, v)[0],
    ):
        torch.testing.assert_close(found, peer, rtol=1e-5, atol=1e-6)
