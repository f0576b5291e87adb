"""Sums over unequal sequences by hand: rho = 3/2, ragged ends, a silent head, unequal noise, masses and radii."""

import math
from dataclasses import fields, replace
from fractions import Fraction
from itertools import pairwise
from statistics import median

import numpy as np
import pytest
from safetensors.numpy import load_file

from dump_samples import arrays
from refsym_theory import ScoreDump, certify, containment_error
from refsym_theory.selection import tally as tally_module
from refsym_theory.selection.certificate import TAU_FACTORS
from refsym_theory.selection.containment import sampled_misses
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.plan import fitted_plan
from refsym_theory.selection.policies import POLICIES
from refsym_theory.selection.regret import closed_form_bound
from refsym_theory.selection.score_dump import DumpSettings, Prompt, ScoreDumpWriter

SETTINGS = DumpSettings("toy", "0", "kmean", 8, 8, (Prompt(150, "a" * 64), Prompt(83, "b" * 64)), True, {})
# Sequence 0 of layer 0 is aligned (two forced blocks a tile), all others are not (three); all end in a partial block.
SHAPES = {
    (0, 0): LayerGeometry(3, 1, 8, 0.5, None, 150, 150, 8, 8),
    (1, 0): LayerGeometry(3, 1, 8, 0.5, None, 70, 83, 8, 8),
    (0, 1): LayerGeometry(2, 1, 8, 0.5, None, 90, 163, 8, 8),
    (1, 1): LayerGeometry(2, 1, 8, 0.5, None, 64, 147, 8, 8),
}
K, RHO, Q, DRAWS, SEED = 4, Fraction(3, 2), Fraction(3, 10), 64, 9  # halves of 32: sampled values are exact in binary
EXTRA = 2
LOUD = -1.0  # log of the weight of the last, partial block beside all others of its tile
HALVES = {  # squared differences of the half tiles, and their counts
    (0, 0): ([9.0, 30.0, 12.0], [40, 50, 60]),
    (1, 0): ([0.9, 2.0, 70.0], [10, 90, 20]),
    (0, 1): ([60.0, 0.0], [100, 100]),  # head 1 is silent
    (1, 1): ([1.0, 0.0], [40, 40]),
}
STEPS = {
    (0, 0): ([10.0, 80.0, 200.0], [100, 90, 80]),
    (1, 0): ([60.0, 5.0, 300.0], [20, 400, 50]),
    (0, 1): ([500.0, 0.0], [300, 300]),
    (1, 1): ([7.0, 0.0], [30, 30]),
}
RADII = {(0, 0): [5.0, 1.0, 2.0], (1, 0): [3.0, 4.0, 2.5], (0, 1): [1.0, 7.0], (1, 1): [6.0, 2.0]}
LAYERS = {0: 3, 1: 2}


def pooled(sums, layer, head):
    total, count = (sum(sums[example, layer][i][head] for example in range(2)) for i in range(2))
    return math.sqrt(total / (2 * count))


def made_up(example, layer):
    shape = SHAPES[example, layer]
    made = arrays(shape, 31 * example + layer + 4)
    rng = np.random.default_rng(example)
    if layer == 0:  # spacings of 2.1 tau and more except at the cut: the closed form's constants are finite
        tau = pooled(HALVES, 0, 0)
        for start, stop in pairwise(made.indptr.tolist()):
            falls = tau * (2.1 + 0.2 * rng.random(stop - start))
            ordered = -np.cumsum(falls)
            kept = K - 2 - example
            ordered[kept:] += falls[kept : kept + 1].sum() - tau * rng.random()
            # Sink and diagonal blocks are forced; free ones are those between, in a random order.
            made.scores[0, start:stop] = 0.0
            free = np.arange(start + 1, stop - 1 - example)
            made.scores[0, rng.permutation(free)] = ordered[: free.size]
    last = slice(made.indptr[-2], made.indptr[-1] - 1)
    made.scores[:, -1] = np.log(np.exp(made.scores[:, last].astype(float)).sum(axis=1)) + LOUD
    return replace(
        made,
        half_diff_sq_sum=np.array(HALVES[example, layer][0]),
        half_diff_count=np.array(HALVES[example, layer][1]),
        step_sq_sum=np.array(STEPS[example, layer][0]),
        step_count=np.array(STEPS[example, layer][1]),
        value_radius=np.array(RADII[example, layer], np.float32),
    )


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    root = tmp_path_factory.mktemp("tally") / "dump"
    with ScoreDumpWriter(root, SETTINGS) as writer:
        for (example, layer), shape in SHAPES.items():
            writer.write(example, layer, shape, made_up(example, layer))
        writer.finish()
    return ScoreDump.open(root)


@pytest.fixture(scope="module")
def certificate(dump):
    return certify(dump, K, "1.5", "0.3", draws=DRAWS, seed=SEED, k_grid=[4, 6, 8])


@pytest.fixture(scope="module")
def tallies(dump):
    """Each shard's own, by (example, layer)."""
    plan = fitted_plan(dump, K, "1.5", "0.3", [4, 6, 8], TAU_FACTORS, DRAWS, SEED)
    return {
        (entry.example, entry.layer): tally_module.tally(
            tally_module.Task(
                dump.path,
                entry,
                True,
                plan,
                np.array([pooled(HALVES, entry.layer, h) for h in range(LAYERS[entry.layer])]),
                np.array([pooled(STEPS, entry.layer, h) for h in range(LAYERS[entry.layer])]),
                1,
            )
        )
        for entry in dump.entries
    }


def tiles_by_loops(dump, k, share=True):
    """By (example, layer): a list over heads of lists over eligible tiles; one dict a (tile, head)."""
    out = {}
    for entry in dump.entries:
        t = load_file(dump.path / entry.path)
        forced = {tuple(pair) for pair in t["forced"].tolist()}
        heads = []
        for head in range(entry.geometry.heads):
            tau = pooled(HALVES, entry.layer, head)
            cells = []
            for tile, (start, stop) in enumerate(pairwise(t["indptr"].tolist())):
                blocks = t["indices"][start:stop].tolist()
                score = dict(zip(blocks, t["scores"][head, start:stop].astype(float).tolist(), strict=True))
                mass = dict(zip(blocks, t["mass"][head, start:stop].astype(float).tolist(), strict=True))
                free = [b for b in blocks if (tile, b) not in forced]
                fixed = len(blocks) - len(free)
                k_t, m_t = k - fixed, int(RHO * k) - fixed
                if len(free) <= m_t:
                    continue
                ranked = sorted(free, key=lambda b: (-score[b], b))
                s = [score[b] for b in ranked]
                keys = {b: min(8, entry.geometry.kv_len - 8 * b) if share else 8 for b in blocks}
                weight = {b: keys[b] * math.exp(score[b]) for b in blocks}
                kept, expanded = (float(containment_error(s, k_t, m, tau)) if tau else 0.0 for m in (k_t, m_t))
                misses = sampled_misses(np.array(s), k_t, (k_t, m_t), tau, DRAWS, SEED) if tau else np.zeros((2, 2))
                diffs = [s[i] - s[i + 1] for i in range(len(s) - 1) if i != k_t - 1]
                g, r = s[k_t - 1] - s[k_t], s[0] - s[k_t]
                cells.append(
                    {
                        "forced": fixed,
                        "kept": kept,
                        "expanded": expanded,
                        "V": kept - expanded,
                        "W": sum(mass[b] for b in ranked[k_t:m_t]),
                        "dropped": sum(mass[b] for b in ranked[k_t:]),
                        "gap": g,
                        "spread": r,
                        "sigma": g / r,
                        "spacing": min(diffs),
                        "score_mass": -sum(weight[b] for b in ranked[k_t:]) / sum(weight.values()),
                        "misses": misses.sum(axis=1).tolist(),
                        "n": [int(misses[0, i] - misses[1, i]) for i in range(2)],
                    }
                )
            heads.append(cells)
        out[entry.example, entry.layer] = heads
    return out


@pytest.fixture(scope="module")
def loops(dump):
    return tiles_by_loops(dump, K)


def triggered_sum(heads, level, rank, worth):
    """Sum of `worth` over the candidates with the least `rank` (None: any, on average) of one sequence."""
    tiles = range(len(heads[0]))
    groups = {
        "head": [[[c] for c in cells] for cells in heads],
        "tile": [[[cells[t] for cells in heads] for t in tiles]],
        "cell": [[[cells[t]] for t in tiles for cells in heads]],
    }[level]
    total = 0
    for group in groups:
        count = math.ceil(Q * len(group))
        values = [sum(worth(c) for c in members) for members in group]
        if rank is None:
            total += sum(values) * count / len(group)
        else:
            order = sorted(range(len(group)), key=lambda i: (sum(rank(c) for c in group[i]) / len(group[i]), i))
            total += sum(values[i] for i in order[:count])
    return total


def pairs(loops, noisy=False):
    return sum(
        len(cells)
        for (_, layer), heads in loops.items()
        for h, cells in enumerate(heads)
        if not noisy or (layer, h) != (1, 1)
    )


def each(loops, layer, head):
    """The (tile, head) dicts of one head, sequence by sequence."""
    return [loops[example, layer][head] for example in range(2)]


def test_tau_is_pooled_over_unequal_examples(certificate):
    for row in certificate.cells.itertuples():
        assert row.tau == pytest.approx(pooled(HALVES, row.layer, row.head), rel=1e-13)
        assert row.tau_split_half == row.tau
        assert row.tau_row_step == pytest.approx(pooled(STEPS, row.layer, row.head), rel=1e-13, nan_ok=True)


def test_medians_of_the_noise_scales(dump, certificate):
    measured = [(layer, h) for layer, heads in LAYERS.items() for h in range(heads) if (layer, h) != (1, 1)]
    halves = median(pooled(HALVES, *at) / pooled(STEPS, *at) for at in measured)
    assert certificate.summary["split_half_over_row_step"] == pytest.approx(halves, rel=1e-12)
    assert certificate.summary["tau_over_row_step"] == pytest.approx(halves, rel=1e-12)
    given = certify(dump, K, "1.5", "0.3", tau=0.5, draws=0, k_grid=[4], tau_factors=[1.0]).summary
    assert given["split_half_over_row_step"] == pytest.approx(halves, rel=1e-12)
    assert given["tau_over_row_step"] == pytest.approx(median(0.5 / pooled(STEPS, *at) for at in measured), rel=1e-12)


def test_score_mass_counts_the_real_keys_of_a_partial_block(dump, certificate, loops):
    whole = tiles_by_loops(dump, K, share=False)
    moved = 0
    for row in certificate.policies[certificate.policies.policy == "score_mass"].itertuples():
        key, best, weight = {
            "identification": ("V", lambda c: -round(c["V"], 9), pairs(loops, noisy=True)),
            "output": ("W", lambda c: -c["W"], pairs(loops)),
        }[row.value]
        top, gain, wrong = (
            sum(triggered_sum(heads, row.level, rank, lambda c, key=key: c[key]) for heads in cells.values())
            for cells, rank in ((loops, best), (loops, lambda c: c["score_mass"]), (whole, lambda c: c["score_mass"]))
        )
        assert row.regret == pytest.approx((top - gain) / weight, abs=1e-9)
        moved += abs(gain - wrong) / weight > 1e-4
    assert moved >= 4  # else a partial block counted as a whole one would go unseen


def test_blocks_that_expansion_costs(dump, certificate, loops):
    def share(cells, level, q):
        spent = total = 0
        for heads in cells.values():
            h, t = len(heads), len(heads[0])
            total += h * t
            spent += {
                "head": h * math.ceil(q * t),
                "tile": h * math.ceil(q * t),
                "cell": math.ceil(q * h * t),
            }[level]
        return spent / total

    assert len({len(heads[0]) for heads in loops.values()}) == 4  # unequal sequences
    for row in certificate.policies.itertuples():
        assert row.average_blocks == pytest.approx(K + EXTRA * share(loops, row.level, Q), rel=1e-13)
    for row in certificate.layers.itertuples():
        mine = {at: heads for at, heads in loops.items() if at[1] == row.layer}
        assert row.average_blocks == pytest.approx(K + EXTRA * share(mine, row.level, Q), rel=1e-13)
    for row in certificate.by_q.itertuples():
        q = Fraction(round(100 * row.q), 100)
        assert row.average_blocks == pytest.approx(K + EXTRA * share(loops, row.level, q), rel=1e-13)
    common = {at: heads for at, heads in tiles_by_loops(dump, 8).items() if heads[0]}
    assert set(certificate.by_k.k) == {4, 6, 8}
    for row in certificate.by_k.itertuples():
        assert row.tiles == pairs(common)
        assert row.average_blocks == pytest.approx(row.k + row.k // 2 * share(common, row.level, Q), rel=1e-13)
    assert certificate.summary["expanded_share"] == pytest.approx(share(loops, "tile", Q), rel=1e-13)
    assert certificate.summary["average_blocks"] == pytest.approx(K + EXTRA * share(loops, "tile", Q), rel=1e-13)


def test_headline_counts(certificate, loops):
    summary = certificate.summary
    cells = [c for heads in loops.values() for row in heads for c in row]
    assert summary["tiles"] == pairs(loops) == len(cells)
    assert summary["pairs_with_noise"] == pairs(loops, noisy=True) < len(cells)
    assert (summary["forced_least"], summary["forced_most"]) == (2, 3)
    assert {c["forced"] for c in cells} == {2, 3}
    single = sum(c["forced"] == K - 1 for c in cells)
    assert 0 < single < len(cells)
    assert summary["constant_sigma_share"] == pytest.approx(single / len(cells), rel=1e-14)
    assert any(f"{100 * single / len(cells):.0f} % of the (tile, head) pairs" in note for note in certificate.notes)


def test_sampled_columns_are_those_of_the_loops(certificate, loops):
    for row in certificate.cells.itertuples():
        if (row.layer, row.head) == (1, 1):
            assert math.isnan(row.sampled_kept_error)
            continue
        mine = each(loops, row.layer, row.head)
        tiles = sum(map(len, mine))
        for name, i in (("kept", 0), ("expanded", 1)):
            shares = [c["misses"][i] / DRAWS for cells in mine for c in cells]
            se = math.sqrt(sum(p * (1 - p) / DRAWS for p in shares)) / tiles
            assert getattr(row, f"sampled_{name}_error") == pytest.approx(sum(shares) / tiles, abs=1e-13)
            assert getattr(row, f"sampled_{name}_error_se") == pytest.approx(se, rel=1e-12)
        sigma, random, plugin, split = sampled_gains([[cells] for cells in mine], "head", tiles)
        assert row.sampled_regret_plugin == pytest.approx(plugin - sigma, abs=1e-13)
        assert row.sampled_regret_split == pytest.approx(split - sigma, abs=1e-13)
        assert row.sampled_captured_plugin == pytest.approx(1 - (plugin - sigma) / (plugin - random), rel=1e-10)
        assert row.sampled_captured_split == pytest.approx(1 - (split - sigma) / (split - random), rel=1e-10)
    summary, weight = certificate.summary, pairs(loops, noisy=True)
    sigma, random, plugin, split = sampled_gains(list(loops.values()), "tile", weight)
    assert plugin > split
    assert summary["sampled_captured_plugin"] == pytest.approx(1 - (plugin - sigma) / (plugin - random), rel=1e-10)
    assert summary["sampled_captured_split"] == pytest.approx(1 - (split - sigma) / (split - random), rel=1e-10)
    shares = [c["misses"][0] / DRAWS for heads in loops.values() for cells in heads for c in cells]
    assert summary["sampled_kept_error"] == pytest.approx(sum(shares) / weight, abs=1e-13)
    se = math.sqrt(sum(p * (1 - p) / DRAWS for p in shares)) / weight
    assert summary["sampled_kept_error_se"] == pytest.approx(se, rel=1e-12)


def sampled_gains(sequences, level, weight):
    """Sampled value of sigma's, of random, and of the best sets, the latter chosen on the same draws and across."""

    def total(rank, worth):
        return sum(triggered_sum(heads, level, rank, worth) for heads in sequences) / weight

    def value(c):
        return Fraction(sum(c["n"]), DRAWS)

    across = [total(lambda c, i=i: -c["n"][i], lambda c, i=i: Fraction(c["n"][1 - i], DRAWS // 2)) for i in range(2)]
    assert across[0] != across[1]
    found = (total(lambda c: c["sigma"], value), total(None, value), total(lambda c: -value(c), value), sum(across) / 2)
    return tuple(float(x) for x in found)


def test_closed_forms_are_pooled_by_tiles(certificate, loops):
    finite = 0
    for row in certificate.cells.itertuples():
        if (row.layer, row.head) == (1, 1):
            continue
        mine = each(loops, row.layer, row.head)
        assert len(mine[0]) != len(mine[1])
        forms = [
            closed_form_bound(
                *([c[name] for c in cells] for name in ("gap", "spread", "sigma", "spacing")),
                extra=EXTRA,
                tau=row.tau,
                q=Q,
            )
            for cells in mine
        ]
        for name in ("bound", "cost", "delta_2", "violating", "epsilon", "spread_mean", "gamma", "band_mass"):
            a, b = (len(cells) * getattr(form, name) for cells, form in zip(mine, forms, strict=True))
            column = "bound" if name == "bound" else f"bound_{name}"
            assert getattr(row, column) == pytest.approx((a + b) / sum(map(len, mine)), rel=1e-12), name
        finite += all(math.isfinite(form.epsilon) for form in forms)
    assert finite  # somewhere epsilon, and in it (rho - 1) k, counts


def test_output_bounds_are_those_of_the_loops(certificate, loops):
    for row in certificate.cells.itertuples():
        mine = each(loops, row.layer, row.head)
        tiles = sum(map(len, mine))
        radius = max(RADII[example, row.layer][row.head] for example in range(2))
        dropped = sum(c["dropped"] for cells in mine for c in cells) / tiles
        regained = sum(c["W"] for cells in mine for c in cells) / tiles
        by_sigma = sum(triggered_sum([cells], "head", lambda c: c["sigma"], lambda c: c["W"]) for cells in mine) / tiles
        assert row.value_radius == radius
        assert row.output_error_bound == pytest.approx(2 * radius * dropped, rel=1e-9)
        assert row.output_error_bound_sigma == pytest.approx(2 * radius * (dropped - by_sigma), rel=1e-9)
        assert row.output_error_bound_expanded == pytest.approx(2 * radius * (dropped - regained), rel=1e-9)
        assert row.dropped_mass_expanded == pytest.approx(dropped - regained, rel=1e-9)


@pytest.mark.parametrize("swapped", [False, True])
def test_merging_adds_sums_and_keeps_extremes(tallies, swapped):
    a, b = (
        replace(tallies[0, 0], numerical_error=3e-10, forced=(2, 2)),
        replace(tallies[1, 0], numerical_error=2e-10, forced=(1, 3)),
    )
    assert min(tallies[at].numerical_error for at in SHAPES) > 0
    assert a.single == 0 < b.single
    both = tally_module.merged(b, a) if swapped else tally_module.merged(a, b)
    assert both.numerical_error == 3e-10
    assert both.forced == (1, 3)
    assert tally_module.merged(replace(a, forced=(0, 9)), b).forced == (0, 9)
    assert both.value_radius.tolist() == [5.0, 4.0, 2.5]
    assert both.single == b.single
    assert both.integrals == a.integrals + b.integrals
    assert both.examples == {0, 1}
    assert np.array_equal(both.ties, a.ties + b.ties)
    assert np.array_equal(both.gap_counts, a.gap_counts + b.gap_counts)
    for name in (field.name for field in fields(tally_module.Sampled)):
        for x, y, z in zip(*(getattr(t.sampled, name) for t in (a, b, both)), strict=True):
            assert np.array_equal(x + y, z)
    assert both.chosen.tiles == a.chosen.tiles + b.chosen.tiles
    assert np.array_equal(both.chosen.noisy, a.chosen.noisy)
    silent = tallies[0, 1]
    assert np.array_equal(tally_module.merged(silent, tallies[1, 1]).chosen.noisy, [True, False])
    assert tally_module.merged(silent, tallies[1, 1]).closed_forms[1] is None


def test_the_summary_reports_the_largest_numerical_error(certificate, tallies):
    assert certificate.summary["numerical_error"] == max(t.numerical_error for t in tallies.values())
    assert certificate.summary["integrals"] == sum(t.integrals for t in tallies.values())


def test_best_value_ties_below_the_promised_accuracy():
    """V* of 0.3 and of 0.3 + 1e-12 tie to the lower tile; of 0.3 + 1e-8 do not."""
    for more, expected in ((1e-12, 0.1), (1e-8, 0.7)):
        cut = replace(tally_module._Cut.empty(1, np.full(2, 1), np.full(2, 2)), regained=np.array([[0.1, 0.7]]))
        errors = np.array([[[0.3, 0.3 + more]], [[0.0, 0.0]]])
        half = Fraction(1, 2)
        brackets = np.array([[[0.2, 0.1]], [[0.4, 0.5]]])
        (found,) = tally_module._settings(cut, errors[None], brackets[None], np.array([True]), half, (half,), True)
        assert found.regret_bound[0] == 0.5 - 0.2  # the first tile expands: margins tie
        for level in range(3):
            assert found.gains[level][POLICIES.index("best_value"), 1, 0, 0] == expected
