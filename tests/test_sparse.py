"""Trigger policies against loops, and sparse attention in a model's place."""

import itertools
import math
from fractions import Fraction

import mpmath
import pytest

torch = pytest.importorskip("torch")

from refsym_gpu import policies, reference, urgency  # noqa: E402
from refsym_gpu.models import UnsupportedAttentionError, register_attention  # noqa: E402
from refsym_gpu.sparse import SparseAttention  # noqa: E402
from refsym_theory import containment_error  # noqa: E402
from refsym_theory.errors import InputError  # noqa: E402
from tiny_models import tiny_model, tokens  # noqa: E402


def selected(*, rows=96, keys=96, heads=3, batch=1, seed=0, k=4, rho=2, ties=False, **sizes):
    generator = torch.Generator().manual_seed(seed)
    q, key = (torch.randn(batch, h, n, 8, generator=generator) for h, n in ((heads, rows), (1, keys)))
    if ties:
        q, key = q.round(), torch.zeros_like(key)
    tiles = reference.tile_scores(q, key, block_m=8, block_n=8, **sizes)
    return tiles, reference.select_blocks(tiles, k=k, rho=rho, q=0)


def scales(tiles):
    return torch.tensor(TAU, dtype=torch.float64).expand(len(tiles.scores), -1)


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

    if policy in urgency.NOISY:
        return noisy(ranked, plain, more, TAU[h], policy)
    return {
        "sigma": -(g / r if r else 0.0),
        "gap": -g,
        "expansion_gap": ranked[plain - 1] - ranked[more],
        "spread": -r,
        "score_mass": sum(weight(block) for block in free[plain:]) / sum(map(weight, visible)),
        "score_mass_gained": sum(map(math.exp, ranked[plain:more])) / sum(map(math.exp, ranked[:more])),
    }[policy]


TAU = (0.3, 1.5, 0.0)


def noisy(ranked, k, m, tau, policy):
    """Policies under noise, from their definitions, in mpmath; theta by its defining equation, not by Newton."""
    if tau == 0:
        return 0.0
    if policy == "best_value":
        kept, expanded = (containment_error(ranked, k, kept=size, tau=tau) for size in (k, m))
        return float(kept - expanded)
    # Two steps of Newton's method, each at most tau long, from the middle of the cut: the policy's definition.
    theta = (ranked[k - 1] + ranked[k]) / 2
    for _ in range(2):
        over = sum(mpmath.ncdf((s - theta) / tau) for s in ranked) - k
        slope = sum(mpmath.npdf((s - theta) / tau) for s in ranked) / tau
        theta += max(-tau, min(tau, over / slope))
    if policy == "expected_misses":
        return float(sum(mpmath.ncdf((s - theta) / tau) for s in ranked[k:m]))
    below = [mpmath.ncdf((theta - s) / tau) for s in ranked]
    return float(mpmath.fprod(below[m:]) - mpmath.fprod(below[k:]))


CASES = {
    "plain": {},
    "prefix": {"rows": 40, "keys": 100},
    "ragged": {"batch": 2, "q_lens": [96, 90], "kv_lens": [96, 91]},
    "window": {"window": 70},
    "ties": {"ties": True},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("policy", [name for name in urgency.POLICIES if name not in ("topk", "random")])
def test_urgencies_are_what_a_loop_says(policy, case):
    tiles, chosen = selected(**CASES[case])
    found = urgency.urgency(tiles, chosen, policy, tau=scales(tiles))
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
@pytest.mark.parametrize("policy", urgency.POLICIES[1:])
def test_as_many_expand_as_the_share_says_and_they_are_the_most_urgent(policy, q):
    tiles, chosen = selected(batch=2, q_lens=[96, 80], kv_lens=[96, 80])
    blocks, heads = tiles.scores.shape[-1], tiles.scores.shape[1]
    wanted = urgency.urgency(tiles, chosen, policy, tau=scales(tiles), seed=3)
    for level in ("tile", "cell"):
        kept = policies.expand(tiles, chosen, policy=policy, level=level, q=q, tau=scales(tiles), seed=3)
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


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("policy", urgency.BLOCKWISE)
def test_blocks_that_compete_one_by_one_are_the_most_wanted_of_all_cells_and_as_many(policy, case):
    tiles, chosen = selected(**CASES[case])
    blocks, slots = tiles.scores.shape[-1], chosen.kv_idx.shape[-1]
    for q in ("0", "0.4", "1"):
        kept = policies.expand(tiles, chosen, policy=policy, level="block", q=q, tau=scales(tiles))
        plain = policies.expand(tiles, chosen, policy="topk")
        wanted = urgency.block_urgency(tiles, chosen, policy, tau=scales(tiles))
        for b in range(len(kept)):
            here = chosen.eligible[b].nonzero()[:, 0].tolist()
            cells = [(t, h) for t in here for h in range(tiles.scores.shape[1])]
            worth, more = {}, set()
            for t, h in cells:
                new = set(kept[b, h, t].tolist()) - set(plain[b, h, t].tolist())
                assert set(plain[b, h, t].tolist()) - {blocks} <= set(kept[b, h, t].tolist())
                for rank in range(int(chosen.k_free[b, t]), int(chosen.m_free[b, t])):
                    block = int(chosen.prefix_idx[b, h, t, rank])
                    worth[t, h, rank] = float(wanted[b, h, t, rank])
                    if block in new:
                        more.add((t, h, rank))
                        new.remove(block)
                assert new <= {blocks}
            count = math.ceil(Fraction(q) * len(cells)) * 4
            assert more == set(sorted(worth, key=lambda key: (-worth[key], key))[:count])
        assert kept.shape[-1] == slots


def test_a_block_is_worth_its_share_of_the_softmax_or_its_chance_to_be_among_the_best():
    tiles, chosen = selected(keys=99, rows=99)
    mass = urgency.block_urgency(tiles, chosen, "score_mass")
    misses = urgency.block_urgency(tiles, chosen, "expected_misses", tau=scales(tiles))
    whole = urgency.urgency(tiles, chosen, "expected_misses", tau=scales(tiles))
    for t in chosen.eligible[0].nonzero()[:, 0].tolist():
        added = range(int(chosen.k_free[0, t]), int(chosen.m_free[0, t]))
        assert (mass[0, :, t, : added[0]] == -math.inf).all()
        assert (mass[0, :, t, added[-1] + 1 :] == -math.inf).all()
        torch.testing.assert_close(misses[0, :, t, added].sum(-1), whole[0, :, t], rtol=1e-12, atol=1e-15)
        for h in range(3):
            visible = tiles.visible[0, t].nonzero()[:, 0].tolist()
            weight = {b: math.exp(tiles.scores[0, h, t, b]) * (3 / 8 if b == 12 else 1) for b in visible}
            for rank in added:
                share = weight[int(chosen.prefix_idx[0, h, t, rank])] / sum(weight.values())
                assert float(mass[0, h, t, rank]) == pytest.approx(share, rel=1e-6)


def test_mass_of_other_scores_values_the_blocks_that_these_scores_chose():
    tiles, chosen = selected(seed=1)
    other, _ = selected(seed=2)
    found = urgency.urgency(tiles, chosen, "score_mass", logits=other)
    weights = torch.where(other.visible[:, None], other.scores.double(), -math.inf).softmax(-1)
    plain = policies.expand(tiles, chosen, policy="topk").long()
    for t in chosen.eligible[0].nonzero()[:, 0].tolist():
        for h in range(3):
            kept = [b for b in plain[0, h, t].tolist() if b < weights.shape[-1]]
            assert float(found[0, h, t]) == pytest.approx(1 - float(weights[0, h, t, kept].sum()), abs=1e-9)


def test_a_threshold_expands_whatever_lies_below_it_and_nothing_else():
    tiles, chosen = selected(batch=2, q_lens=[96, 80], kv_lens=[96, 80])
    blocks = tiles.scores.shape[-1]
    for level, sigma in (("cell", chosen.sigma), ("tile", chosen.sigma_mean[:, None].expand_as(chosen.sigma))):
        limit = float(sigma[0, 1, chosen.eligible[0]].median())
        kept = policies.expand(tiles, chosen, policy="sigma", level=level, threshold=limit)
        counts = (kept < blocks).sum(-1)
        for b in range(2):
            here = chosen.eligible[b]
            assert torch.equal(counts[b][:, here] == 8, sigma[b][:, here] <= limit)
    with pytest.raises(InputError, match="a threshold is for sigma, not for 'gap'"):
        policies.expand(tiles, chosen, policy="gap", threshold=0.1)
    with pytest.raises(InputError, match="not for blocks"):
        policies.expand(tiles, chosen, policy="score_mass", level="block", threshold=0.1)


def test_policies_under_noise_need_its_scale():
    tiles, chosen = selected()
    with pytest.raises(InputError, match="'best_value' needs tau"):
        urgency.urgency(tiles, chosen, "best_value")
    with pytest.raises(InputError, match=r"tau must be \[B, H\] = \[1, 3\], not \[3\]"):
        urgency.urgency(tiles, chosen, "best_value", tau=torch.ones(3))
    with pytest.raises(InputError, match="tau of sequence 0 must be finite"):
        urgency.urgency(tiles, chosen, "expected_misses", tau=torch.tensor([[1.0, math.nan, 1.0]]))
    with pytest.raises(InputError, match="values no single block; choose score_mass or expected_misses"):
        urgency.block_urgency(tiles, chosen, "gap")


def test_random_draws_from_its_seed_alone():
    tiles, chosen = selected()
    first, again, other = (urgency.urgency(tiles, chosen, "random", seed=seed) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


@pytest.mark.parametrize("impl", ["reference", "triton"])
@pytest.mark.parametrize("scorer", ["kmean", "quest"])
def test_a_budget_that_fits_everything_is_dense_attention(scorer, impl):
    model, ids = tiny_model("llama"), tokens(40)
    with torch.inference_mode():
        dense = model(ids).logits
        settings = {"k": 5, "rho": 2, "block_m": 8, "block_n": 8, "impl": impl}
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
        ({"policy": "score_mass", "k": 4, "mass_scorer": "max"}, "unknown scorer 'max'"),
        ({"policy": "router", "k": 4, "level": "block"}, "policy 'router' values no single block"),
        ({"policy": "gap", "k": 4, "threshold": 0.1}, "a threshold is for sigma"),
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
        (lambda: urgency.urgency(tiles, chosen, "topk"), "unknown trigger policy 'topk'"),
        (lambda: policies.expand(tiles, chosen, policy="gap", level="head"), "unknown level 'head'"),
        (lambda: policies.expand(tiles, chosen, policy="gap", level="block"), "values no single block"),
        (lambda: policies.expand(tiles, chosen, policy="gap", q="1.2"), r"q must lie in \[0, 1\]"),
    ):
        with pytest.raises(InputError, match=message):
            call()
