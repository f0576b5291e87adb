"""The reference selection against loops in float64, one row, block and head at a time."""

import math
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from refsym_gpu.reference import (
    TileScores,
    block_scores,
    measure_attention,
    measure_noise,
    pool_blocks,
    select_blocks,
    tile_scores,
)
from refsym_theory.errors import InputError

quick = settings(derandomize=True, deadline=None, max_examples=60)


@dataclass
class Case:
    """A batch of ragged sequences, padded with NaN, and the settings to score it with."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    q_lens: list[int]
    kv_lens: list[int]
    scorer: str
    block_m: int
    block_n: int
    scale: float
    window: int | None

    def shape(self):
        return {"block_m": self.block_m, "block_n": self.block_n, "scale": self.scale, "window": self.window}

    def lens(self):
        return {"q_lens": self.q_lens, "kv_lens": self.kv_lens}

    def tiles(self):
        return tile_scores(self.q, self.k, scorer=self.scorer, **self.shape(), **self.lens())

    def alone(self, b):
        """Sequence b without its batch mates and without padding."""
        rows, keys = self.q_lens[b], self.kv_lens[b]
        return Case(
            self.q[b : b + 1, :, :rows],
            self.k[b : b + 1, :, :keys],
            self.v[b : b + 1, :, :keys],
            [rows],
            [keys],
            self.scorer,
            self.block_m,
            self.block_n,
            self.scale,
            self.window,
        )


@st.composite
def cases(draw, integers=None, scorers=("kmean", "quest")):
    kv_heads, group, dim = draw(st.integers(1, 2)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    kv_lens = draw(st.lists(st.integers(1, 26), min_size=1, max_size=2))
    q_lens = [draw(st.one_of(st.just(n), st.integers(1, n))) for n in kv_lens]
    generator = torch.Generator().manual_seed(draw(st.integers(0, 10_000)))
    whole = draw(st.booleans()) if integers is None else integers

    def padded(heads, lens):
        longest = max(lens) + draw(st.integers(0, 3))
        values = torch.randn(len(lens), heads, longest, dim, generator=generator)
        values = values.round() if whole else values
        for b, length in enumerate(lens):
            values[b, :, length:] = math.nan
        return values

    return Case(
        q=padded(kv_heads * group, q_lens),
        k=(k := padded(kv_heads, kv_lens)),
        v=torch.where(k.isnan(), math.nan, torch.randn(k.shape, generator=generator)),
        q_lens=q_lens,
        kv_lens=kv_lens,
        scorer=draw(st.sampled_from(scorers)),
        block_m=draw(st.integers(1, 7)),
        block_n=draw(st.integers(1, 7)),
        scale=draw(st.sampled_from([0.5, 0.3])),
        window=draw(st.one_of(st.none(), st.integers(1, 30))),
    )


class Oracle:
    """One sequence and head, from the definitions; a key j is seen by position p if p - window < j <= p."""

    def __init__(self, case, b, head):
        self.case = case
        rows, keys = case.q_lens[b], case.kv_lens[b]
        key_head = head // (case.q.shape[1] // case.k.shape[1])
        self.q = case.q[b, head, :rows].double()
        self.k = case.k[b, key_head, :keys].double()
        self.v = case.v[b, key_head, :keys].double()
        self.offset = keys - rows
        self.tiles = [range(t, min(t + case.block_m, rows)) for t in range(0, rows, case.block_m)]
        self.blocks = [range(j, min(j + case.block_n, keys)) for j in range(0, keys, case.block_n)]

    def sees_key(self, i, j):
        p = self.offset + i
        return j <= p and (self.case.window is None or j > p - self.case.window)

    def sees(self, i, block):
        return any(self.sees_key(i, j) for j in self.blocks[block])

    def score(self, i, block):
        keys = self.k[self.blocks[block].start : self.blocks[block].stop]
        if self.case.scorer == "kmean":
            return self.case.scale * float(self.q[i] @ keys.mean(dim=0))
        low, high = keys.min(dim=0).values, keys.max(dim=0).values
        return self.case.scale * float(torch.maximum(self.q[i] * low, self.q[i] * high).sum())

    def visible(self, tile):
        return [b for b in range(len(self.blocks)) if any(self.sees(i, b) for i in self.tiles[tile])]

    def forced(self, tile):
        own = {(self.offset + i) // self.case.block_n for i in self.tiles[tile]}
        return [b for b in self.visible(tile) if b == 0 or b in own]

    def free(self, tile):
        return [b for b in self.visible(tile) if b not in self.forced(tile)]

    def best(self, tile, block, rows=None):
        return max(
            self.score(i, block) for i in (rows if rows is not None else self.tiles[tile]) if self.sees(i, block)
        )

    def noise(self):
        step_sum, step_count, half_sum, half_count = 0.0, 0, 0.0, 0
        for t, rows in enumerate(self.tiles):
            for above, below in pairwise(rows):
                for b in self.free(t):
                    if self.sees(above, b) and self.sees(below, b):
                        step_sum += (self.score(above, b) - self.score(below, b)) ** 2
                        step_count += 1
            halves = [rows[::2], rows[1::2]]
            usable = [b for b in self.free(t) if all(any(self.sees(i, b) for i in half) for half in halves)]
            d = [self.best(t, b, halves[0]) - self.best(t, b, halves[1]) for b in usable]
            half_sum += sum((x - sum(d) / len(d)) ** 2 for x in d)
            half_count += max(len(d) - 1, 0)
        return step_sum, step_count, half_sum, half_count

    def mass(self, tile, block):
        total = 0.0
        for i in self.tiles[tile]:
            weights = {
                j: math.exp(self.case.scale * float(self.q[i] @ self.k[j]))
                for j in range(len(self.k))
                if self.sees_key(i, j)
            }
            total += sum(weights.get(j, 0.0) for j in self.blocks[block]) / sum(weights.values())
        return total / len(self.tiles[tile])

    def value_radius(self):
        return max(float((v - self.v.mean(dim=0)).norm()) for v in self.v)


def close(got, expected):
    return math.isclose(got, expected, rel_tol=2e-5, abs_tol=2e-5)


@quick
@given(cases())
def test_tile_scores_are_those_of_the_loops(case):
    tiles = case.tiles()
    assert tiles.scores.dtype == torch.float32
    for b in range(len(case.q_lens)):
        for head in range(case.q.shape[1]):
            oracle = Oracle(case, b, head)
            for t in range(tiles.scores.shape[2]):
                real = t < len(oracle.tiles)
                visible = oracle.visible(t) if real else []
                assert tiles.visible[b, t].nonzero().flatten().tolist() == visible
                assert tiles.forced[b, t].nonzero().flatten().tolist() == (oracle.forced(t) if real else [])
                for block in range(tiles.scores.shape[3]):
                    got = float(tiles.scores[b, head, t, block])
                    assert close(got, oracle.best(t, block)) if block in visible else math.isnan(got)


@quick
@given(cases())
def test_noise_sums_are_those_of_the_loops(case):
    noise = measure_noise(case.q, case.k, scorer=case.scorer, **case.shape(), **case.lens())
    for b in range(len(case.q_lens)):
        for head in range(case.q.shape[1]):
            expected = Oracle(case, b, head).noise()
            got = [float(getattr(noise, field.name)[b, head]) for field in fields(noise)]
            assert close(got[0], expected[0])
            assert close(got[2], expected[2])
            assert (got[1], got[3]) == (expected[1], expected[3])


@quick
@given(cases(scorers=["kmean"]))
def test_attention_mass_and_value_radius_are_those_of_the_loops(case):
    dense = measure_attention(case.q, case.k, case.v, **case.shape(), **case.lens())
    visible = case.tiles().visible
    for b in range(len(case.q_lens)):
        for head in range(case.q.shape[1]):
            oracle = Oracle(case, b, head)
            radius = oracle.value_radius()
            assert close(float(dense.value_radius[b, head]), radius)
            assert float(dense.value_radius[b, head]) >= radius * (1 - 1e-12)
            for t, block in (~visible[b]).nonzero().tolist():
                assert dense.mass[b, head, t, block] == 0
            for t, block in visible[b].nonzero().tolist():
                assert close(float(dense.mass[b, head, t, block]), oracle.mass(t, block))


@quick
@given(cases())
def test_no_result_depends_on_batch_mates_or_padding(case):
    batch = case.tiles()
    for b in range(len(case.q_lens)):
        single = case.alone(b)
        tiles = single.tiles()
        t, n = tiles.visible.shape[1:]
        torch.testing.assert_close(batch.scores[b, :, :t, :n], tiles.scores[0], rtol=0, atol=0, equal_nan=True)
        noise = measure_noise(case.q, case.k, scorer=case.scorer, **case.shape(), **case.lens())
        lone = measure_noise(single.q, single.k, scorer=case.scorer, **case.shape())
        assert torch.equal(noise.step_sq_sum[b], lone.step_sq_sum[0])
        dense = measure_attention(case.q, case.k, case.v, **case.shape(), **case.lens())
        mass = measure_attention(single.q, single.k, single.v, **case.shape()).mass
        assert torch.equal(dense.mass[b, :, :t, :n], mass[0])

        k = int(batch.forced.sum(-1).max()) + 2
        ours, theirs = select_blocks(batch, k=k, q="0.5"), select_blocks(tiles, k=k, q="0.5")
        assert torch.equal(ours.trigger[b, :t], theirs.trigger[0])
        assert torch.equal(ours.kv_idx[b, :, :t].clamp(max=n), theirs.kv_idx[0])


@quick
@given(cases(integers=True), st.integers(1, 3), st.sampled_from(["1.5", "2", "3"]), st.integers(0, 10))
def test_selection_is_that_of_the_loops_ties_included(case, extra, rho, tenths):
    tiles = case.tiles()
    k = int(tiles.forced.sum(-1).max()) + extra
    k += k % 2 if rho == "1.5" else 0
    share = Fraction(tenths, 10)
    got = select_blocks(tiles, k=k, rho=rho, q=share)
    slots, n_blocks = int(Fraction(rho) * k), tiles.scores.shape[3]
    assert got.kv_idx.shape == (*tiles.scores.shape[:3], slots)
    assert got.kv_idx.dtype == torch.int32
    heads = range(case.q.shape[1])
    for b in range(len(case.q_lens)):
        means, ranked, ranks = {}, {}, {}
        for t in range(tiles.visible.shape[1]):
            forced = tiles.forced[b, t].nonzero().flatten().tolist()
            free = [x for x in tiles.visible[b, t].nonzero().flatten().tolist() if x not in forced]
            k_t, m_t = k - len(forced), slots - len(forced)
            ranks[t] = k_t, m_t, forced
            assert (int(got.k_free[b, t]), int(got.m_free[b, t])) == (k_t, m_t)
            assert bool(got.eligible[b, t]) == (len(free) > m_t)
            total = 0.0
            for h in heads:
                s = {x: float(tiles.scores[b, h, t, x]) for x in free}
                order = sorted(free, key=lambda x: (-s[x], x))
                ranked[t, h] = order
                assert got.prefix_idx[b, h, t].tolist() == (order + [n_blocks] * slots)[:slots]
                top = [s[x] for x in order][:slots]
                assert got.prefix_scores[b, h, t, : len(top)].tolist() == top
                assert got.prefix_scores[b, h, t, len(top) :].isnan().all()
                margins = [float(getattr(got, name)[b, h, t]) for name in ("g", "G", "r", "sigma")]
                if len(free) > m_t:
                    at = [s[x] for x in order]
                    g, r = at[k_t - 1] - at[k_t], at[0] - at[k_t]
                    sigma = g / r if r else 0.0
                    assert margins == [g, at[k_t - 1] - at[m_t], r, sigma]
                    total += sigma
                else:
                    assert all(math.isnan(x) for x in margins)
            if len(free) > m_t:
                means[t] = total / len(heads)
                assert float(got.sigma_mean[b, t]) == means[t]
        chosen = sorted(means, key=lambda t: (means[t], t))[: -(-tenths * len(means) // 10)]
        assert got.trigger[b].nonzero().flatten().tolist() == sorted(chosen)
        for t, (k_t, m_t, forced) in ranks.items():
            for h in heads:
                kept = sorted(forced + ranked[t, h][: m_t if t in chosen or t not in means else k_t])
                assert got.kv_idx[b, h, t].tolist() == (kept + [n_blocks] * slots)[:slots]


def test_integer_inputs_on_blocks_of_a_power_of_two_are_exact_and_tie():
    generator = torch.Generator().manual_seed(3)
    q, k = (torch.randint(-2, 3, (1, 2, 64, 4), generator=generator).float() for _ in range(2))
    tiles = tile_scores(q, k, block_m=4, block_n=4, scale=0.5)
    rows = 0.5 * (q.double() @ k.double().reshape(1, 2, 16, 4, 4).mean(dim=3).mT)
    expected = rows.reshape(1, 2, 16, 4, 16).amax(dim=3)
    seen = tiles.visible[:, None].expand_as(expected)
    assert torch.equal(tiles.scores[seen].double(), expected[seen])
    got = select_blocks(tiles, k=4, q=1)
    assert (got.g == 0).any()
    assert (got.sigma[got.r == 0] == 0).all()


def test_minus_zero_ties_with_zero():
    scores = torch.tensor([-0.0, 0.0, -0.0, 0.0, 1.0]).reshape(1, 1, 1, 5)
    flags = torch.tensor([[[False, False, False, False, True]]])
    got = select_blocks(TileScores(scores, torch.ones_like(flags), flags), k=2, q=0)
    assert got.kv_idx.tolist() == [[[[0, 4, 5, 5]]]]


def test_all_scores_equal_triggers_the_first_tiles_and_keeps_the_first_blocks():
    q = k = torch.ones(1, 2, 40, 2)
    got = select_blocks(tile_scores(q, k, block_m=4, block_n=4), k=3, q="0.5")
    assert got.eligible[0].nonzero().flatten().tolist() == [6, 7, 8, 9]
    assert (got.sigma[:, :, 6:] == 0).all()
    assert got.trigger[0].nonzero().flatten().tolist() == [6, 7]
    assert got.kv_idx[0, 0, 6].tolist() == [0, 1, 2, 3, 4, 6]
    assert got.kv_idx[0, 1, 9].tolist() == [0, 1, 9, 10, 10, 10]


@pytest.mark.parametrize(("q", "triggered"), [(0.55, 55), ("0.55", 55), (Fraction(1, 3), 34), (0, 0), (1, 100)])
def test_trigger_count_is_the_ceiling_of_the_decimal_that_was_written(q, triggered):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 1, 103, 4, generator=generator)
    got = select_blocks(tile_scores(x, x, block_m=1, block_n=1), k=3, rho=Fraction(4, 3), q=q)
    assert int(got.eligible.sum()) == 99
    assert int(got.trigger.sum()) == min(triggered, 99) if q in (0, 1) else True
    x = torch.randn(1, 1, 104, 4, generator=generator)
    got = select_blocks(tile_scores(x, x, block_m=1, block_n=1), k=3, rho=Fraction(4, 3), q=q)
    assert int(got.eligible.sum()) == 100
    assert int(got.trigger.sum()) == triggered


@quick
@given(cases(scorers=["quest"]))
def test_quest_is_at_least_the_best_key_of_the_block(case):
    for b in range(len(case.q_lens)):
        one = case.alone(b)
        q, k = one.q[0], one.k[0].repeat_interleave(one.q.shape[1] // one.k.shape[1], dim=0)
        bound = block_scores(one.q, pool_blocks(one.k, block_n=one.block_n, scorer="quest"), scale=one.scale)[0]
        products = q @ k.mT * one.scale
        for block in range(bound.shape[-1]):
            best = products[..., block * one.block_n : (block + 1) * one.block_n].amax(dim=-1)
            assert (bound[..., block] >= best - 1e-5).all()


@quick
@given(cases())
def test_block_scores_are_the_rows_that_tile_scores_maximise(case):
    one = case.alone(0)
    pooled = pool_blocks(one.k, block_n=one.block_n, scorer=one.scorer)
    rows = block_scores(one.q, pooled, scale=one.scale)
    for head in range(one.q.shape[1]):
        oracle = Oracle(one, 0, head)
        for i in range(rows.shape[2]):
            for block in range(rows.shape[3]):
                assert close(float(rows[0, head, i, block]), oracle.score(i, block))


def test_pooling_ragged_sequences_averages_real_keys_only():
    k = torch.tensor([[1.0, 3.0, 5.0, math.nan], [2.0, math.nan, math.nan, math.nan]]).reshape(2, 1, 4, 1)
    (mean,) = pool_blocks(k, block_n=2, kv_lens=[3, 1])
    torch.testing.assert_close(mean.flatten(), torch.tensor([2, 5, 2, math.nan]), equal_nan=True)
    low, high = pool_blocks(k, block_n=2, scorer="quest", kv_lens=[3, 1])
    torch.testing.assert_close(low.flatten(), torch.tensor([1, 5, 2, math.nan]), equal_nan=True)
    torch.testing.assert_close(high.flatten(), torch.tensor([3, 5, 2, math.nan]), equal_nan=True)


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
def test_low_precision_inputs_are_scored_in_float32(scorer):
    generator = torch.Generator().manual_seed(1)
    q, k = (torch.randn(1, 2, 40, 8, generator=generator).bfloat16() for _ in range(2))
    got = tile_scores(q, k, scorer=scorer, block_m=8, block_n=8)
    expected = tile_scores(q.float(), k.float(), scorer=scorer, block_m=8, block_n=8)
    assert got.scores.dtype == torch.float32
    torch.testing.assert_close(got.scores, expected.scores, rtol=0, atol=0, equal_nan=True)
    assert measure_attention(q, k, k, block_m=8, block_n=8).mass.dtype == torch.float32


def test_permuting_heads_permutes_the_selection():
    generator = torch.Generator().manual_seed(2)
    q, k = torch.randn(1, 6, 90, 4, generator=generator), torch.randn(1, 3, 90, 4, generator=generator)
    order, key_order = torch.tensor([4, 5, 0, 1, 2, 3]), torch.tensor([2, 0, 1])
    plain = select_blocks(tile_scores(q, k, block_m=5, block_n=5), k=4)
    mixed = select_blocks(tile_scores(q[:, order], k[:, key_order], block_m=5, block_n=5), k=4)
    assert torch.equal(mixed.kv_idx, plain.kv_idx[:, order])
    assert torch.equal(mixed.trigger, plain.trigger)


def test_a_cached_prefix_gives_the_last_tiles_of_the_whole_prefill():
    generator = torch.Generator().manual_seed(4)
    q, k = (torch.randn(1, 2, 64, 4, generator=generator) for _ in range(2))
    whole = tile_scores(q, k, block_m=8, block_n=8, window=20)
    tail = tile_scores(q[:, :, 40:], k, block_m=8, block_n=8, window=20)
    torch.testing.assert_close(tail.scores, whole.scores[:, :, 5:], equal_nan=True)
    assert torch.equal(tail.forced, whole.forced[:, 5:])


class LargestTensor(TorchDispatchMode):
    """Remembers the largest tensor that any operation made."""

    elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for tensor in out if isinstance(out, (tuple, list)) else [out]:
            if isinstance(tensor, torch.Tensor):
                self.elements = max(self.elements, tensor.numel())
        return out


@pytest.mark.parametrize("scorer", ["kmean", "quest"])
def test_row_scores_never_exist_all_at_once(scorer):
    q, k = torch.randn(1, 4, 1024, 2), torch.randn(1, 2, 1024, 2)
    with LargestTensor() as largest:
        tile_scores(q, k, scorer=scorer, block_m=16, block_n=16)
        measure_noise(q, k, scorer=scorer, block_m=16, block_n=16)
        measure_attention(q, k, k, block_m=16, block_n=16)
    assert largest.elements <= 4 * 1024 * 1024 // 16 // 4


def test_a_score_that_is_not_finite_is_named():
    q = torch.randn(2, 2, 20, 4)
    q[1, 1, 9, 0] = math.nan
    tiles = tile_scores(q, torch.randn(2, 2, 20, 4), block_m=4, block_n=4)
    with pytest.raises(InputError, match="sequence 1, head 1, tile 2, block 0 is not finite"):
        select_blocks(tiles, k=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 2}, r"k=2 must exceed the 2 forced blocks of a tile; use 3 or more"),
        ({"k": 5, "rho": "1.5"}, r"for k=5 use 7/5 or 8/5"),
        ({"k": 5, "rho": 1}, r"rho=1 must exceed 1 .* use 6/5"),
        ({"k": 5, "q": 1.5}, r"q must lie in \[0, 1\], not 1.5"),
        ({"k": 5, "q": "often"}, "q must be a decimal number, not 'often'"),
        ({"k": 5, "rho": math.nan}, "rho must be a decimal number, not 'nan'"),
    ],
)
def test_budgets_that_make_no_sense_are_refused(options, message):
    x = torch.randn(1, 1, 40, 2)
    with pytest.raises(InputError, match=message):
        select_blocks(tile_scores(x, x, block_m=4, block_n=4), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scorer": "max"}, "unknown scorer"),
        ({"block_n": 0}, "block_n"),
        ({"window": 0}, "window"),
        ({"q_lens": [9]}, "q_lens must hold 1 lengths from 1 to 8"),
        ({"kv_lens": [4, 4]}, "kv_lens must hold 1 lengths"),
        ({"kv_lens": [4]}, "q_len must not exceed kv_len"),
        ({"k": torch.randn(1, 3, 8, 2)}, "kv_heads must divide heads"),
        ({"k": torch.randn(1, 1, 8, 3)}, r"must be \[B, H, M, D\]"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(options, message):
    x = torch.randn(1, 2, 8, 2)
    with pytest.raises(InputError, match=message):
        tile_scores(**{"q": x, "k": x, **options})
