"""Trigger policies against loops, and sparse attention in a model's place."""

import itertools
import math
from fractions import Fraction

import pytest

torch = pytest.importorskip("torch")

from refsym_gpu import policies, reference  # noqa: E402
from refsym_gpu.models import UnsupportedAttentionError, register_attention  # noqa: E402
from refsym_gpu.sparse import SparseAttention  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402
from tiny_models import tiny_model, tokens  # noqa: E402


def selected(*, rows=96, keys=96, heads=3, batch=1, seed=0, k=4, rho=2, ties=False, **sizes):
    generator = torch.Generator().manual_seed(seed)
    q, key = (torch.randn(batch, h, n, 8, generator=generator) for h, n in ((heads, rows), (1, keys)))
    if ties:
        q, key = q.round(), torch.zeros_like(key)
    tiles = reference.tile_scores(q, key, block_m=8, block_n=8, **sizes)
    return tiles, reference.select_blocks(tiles, k=k, rho=rho, q=0)


def by_hand(tiles, b, h, t, k, rho, policy):
    """A tile's urgency from its scores alone."""
    visible, forced = tiles.visible[b, t].nonzero()[:, 0].tolist(), tiles.forced[b, t]
    scores = {block: float(tiles.scores[b, h, t, block]) for block in visible}
    free = sorted((block for block in visible if not forced[block]), key=lambda block: (-scores[block], block))
    plain, more = k - int(forced.sum()), rho * k - int(forced.sum())
    if len(free) <= more:
        return None
    ranked = [scores[block] for block in free]
    g, r = ranked[plain - 1] - ranked[plain], ranked[0] - ranked[plain]
    last, size = tiles.tiling.kv_lens[b] % 8, tiles.tiling.kv_lens[b] // 8

    def weight(block):
        return math.exp(scores[block]) * (last / 8 if last and block == size else 1)

    return {
        "sigma": -(g / r if r else 0.0),
        "gap": -g,
        "expansion_gap": ranked[plain - 1] - ranked[more],
        "spread": -r,
        "score_mass": sum(weight(block) for block in free[plain:]) / sum(map(weight, visible)),
        "score_mass_gained": sum(map(math.exp, ranked[plain:more])) / sum(map(math.exp, ranked[:more])),
    }[policy]


CASES = {
    "plain": {},
    "prefix": {"rows": 40, "keys": 100},
    "ragged": {"batch": 2, "q_lens": [96, 90], "kv_lens": [96, 91]},
    "window": {"window": 70},
    "ties": {"ties": True},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("policy", ["sigma", "gap", "expansion_gap", "spread", "score_mass", "score_mass_gained"])
def test_urgencies_are_what_a_loop_says(policy, case):
    tiles, chosen = selected(**CASES[case])
    found = policies.urgency(tiles, chosen, policy)
    seen = 0
    for b, h, t in itertools.product(*map(range, found.shape)):
        expected = by_hand(tiles, b, h, t, 4, 2, policy) if tiles.visible[b, t].any() else None
        if expected is None:
            assert found[b, h, t] == -math.inf
        else:
            assert float(found[b, h, t]) == pytest.approx(expected, rel=1e-6, abs=1e-6)
            seen += 1
    assert seen > 0


@pytest.mark.parametrize("q", ["0", "0.4", "0.55", "1"])
@pytest.mark.parametrize("policy", policies.POLICIES[1:])
def test_as_many_expand_as_the_share_says_and_they_are_the_most_urgent(policy, q):
    tiles, chosen = selected(batch=2, q_lens=[96, 80], kv_lens=[96, 80])
    blocks, heads = tiles.scores.shape[-1], tiles.scores.shape[1]
    wanted = policies.urgency(tiles, chosen, policy, seed=3)
    for level in policies.LEVELS:
        kept = policies.expand(tiles, chosen, policy=policy, level=level, q=q, seed=3)
        counts = (kept < blocks).sum(dim=-1)
        for b in range(2):
            here = chosen.eligible[b].nonzero()[:, 0]
            more = counts[b][:, here] == 8
            assert ((counts[b][:, here] == 4) | more).all()
            if level == "tile":
                assert (more == more[:1]).all()
                assert int(more[0].sum()) == math.ceil(Fraction(q) * len(here))
                mean = wanted[b][:, here].mean(dim=0)
                if 0 < more[0].sum() < len(here):
                    assert mean[more[0]].min() >= mean[~more[0]].max() - 1e-12
            else:
                assert int(more.sum()) == math.ceil(Fraction(q) * len(here) * heads)
                if 0 < more.sum() < more.numel():
                    assert wanted[b][:, here][more].min() >= wanted[b][:, here][~more].max()


@pytest.mark.parametrize("case", CASES)
def test_the_papers_router_is_sigma_by_tiles(case):
    tiles, _ = selected(**CASES[case])
    for q in ("0", "0.4", "1"):
        paper = reference.select_blocks(tiles, k=4, rho=2, q=q)
        assert torch.equal(policies.expand(tiles, paper, policy="sigma", q=q), paper.kv_idx)
    assert torch.equal(policies.expand(tiles, paper, policy="topk"), reference.select_blocks(tiles, k=4, q=0).kv_idx)


def test_random_draws_from_its_seed_alone():
    tiles, chosen = selected()
    first, again, other = (policies.urgency(tiles, chosen, "random", seed=seed) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("impl", ["reference", "triton"])
@pytest.mark.parametrize("scorer", ["kmean", "quest"])
def test_a_budget_that_fits_everything_is_dense_attention(scorer, impl):
    model, ids = tiny_model("llama"), tokens(40)
    with torch.inference_mode():
        dense = model(ids).logits
        settings = {"k": 40, "rho": 2, "block_m": 8, "block_n": 8, "impl": impl}
        with register_attention(model, policy="router", scorer=scorer, **settings):
            sparse = model(ids).logits
        after = model(ids).logits
    torch.testing.assert_close(sparse, dense, rtol=1e-4, atol=1e-5)
    assert torch.equal(after, dense)


def test_prefill_is_sparse_and_decoding_dense():
    model, ids = tiny_model("llama"), tokens(80)
    calls = []

    class Watched(SparseAttention):
        def __call__(self, call):
            calls.append(call.query.shape[2])
            return super().__call__(call)

    rule = Watched("score_mass", k=3, level="cell", block_m=8, block_n=8, impl="reference")
    seen = []
    with torch.inference_mode():
        dense = model(ids).logits
        with register_attention(model, seen.append, attend=rule):
            first = model(ids[:, :-1], use_cache=True)
            last = model(ids[:, -1:], cache=first.cache).logits
    layers = model.config.num_hidden_layers
    assert calls == [79] * layers
    assert [call.query.shape[2] for call in seen] == [79] * layers + [1] * layers
    assert not torch.allclose(first.logits, dense[:, :-1], atol=1e-4)
    assert last.isfinite().all()
    # Rows whose tiles keep all that they see are as before: no block is dropped below 3 blocks of 8 keys.
    torch.testing.assert_close(first.logits[:, :24], dense[:, :24], rtol=1e-4, atol=1e-5)


def test_what_cannot_be_done_is_named():
    model, ids = tiny_model("llama"), tokens(20)
    for settings, message in (
        ({}, "needs observe, attend or policy"),
        ({"policy": "best", "k": 4}, "unknown policy 'best'; choose one of router, topk"),
        ({"policy": "router"}, "policy 'router' needs k"),
        ({"policy": "router", "k": 4, "level": "head"}, "unknown level 'head'"),
        ({"policy": "router", "k": 4, "rho": "1.3"}, r"rho=1\.3 must exceed 1"),
        ({"policy": "router", "k": 4, "scorer": "max"}, "unknown scorer 'max'"),
        ({"k": 4}, "k: settings of a policy; name one"),
        ({"policy": "router", "k": 4, "attend": lambda call: call.value}, "give one of them"),
    ):
        with pytest.raises(InputError, match=message), register_attention(model, **settings):
            pass
    with register_attention(model, policy="topk", k=4, block_m=8, block_n=8, impl="reference"):
        with pytest.raises(UnsupportedAttentionError, match="needs gradients"):
            model(ids)
        with (
            torch.inference_mode(),
            pytest.raises(InputError, match="observed already"),
            register_attention(model, policy="topk", k=4),
        ):
            pass
    tiles, chosen = selected()
    for call, message in (
        (lambda: policies.urgency(tiles, chosen, "topk"), "unknown trigger policy 'topk'"),
        (lambda: policies.expand(tiles, chosen, policy="gap", level="head"), "unknown level 'head'"),
        (lambda: policies.expand(tiles, chosen, policy="gap", q="1.2"), r"q must lie in \[0, 1\]"),
    ):
        with pytest.raises(InputError, match=message):
            call()
