"""Certificates against a slow recomputation, loop by loop, from the dump's files."""

import json
import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import load_file

from dump_samples import arrays
from refsym_theory import ScoreDump, certify, containment_error
from refsym_theory.errors import InputError
from refsym_theory.selection import tally as tally_module
from refsym_theory.selection.brackets import trigger_bound, value_brackets
from refsym_theory.selection.findings import captured_gain
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.recheck import recheck
from refsym_theory.selection.score_dump import DumpSettings, Prompt, ScoreDumpWriter

SHAPES = {
    0: LayerGeometry(3, 1, 8, 0.5, None, 150, 150, 8, 8),
    1: LayerGeometry(2, 1, 8, 0.5, None, 100, 163, 8, 8),  # cached prefix, ragged tail
    2: LayerGeometry(2, 2, 8, 0.5, 24, 150, 150, 8, 8),  # too short a window: no tile is eligible
}
SETTINGS = DumpSettings("toy", "0", "kmean", 8, 8, (Prompt(150, "a" * 64), Prompt(150, "b" * 64)), True, {})
K, RHO, Q = 4, 2, Fraction(2, 5)


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    root = tmp_path_factory.mktemp("certificate") / "dump"
    with ScoreDumpWriter(root, SETTINGS) as writer:
        for example in range(2):
            for layer, shape in SHAPES.items():
                shape = shape if example == 0 else replace(shape, q_len=shape.q_len - 27)
                made = arrays(shape, seed=7 * example + layer)
                made.scores[0] = np.round(made.scores[0])  # ties
                writer.write(example, layer, shape, replace(made, scores=3 * made.scores))
        writer.finish()
    return ScoreDump.open(root)


@pytest.fixture(scope="module")
def certificate(dump):
    return certify(dump, K, RHO, "0.4", draws=200, seed=5)


@pytest.fixture(scope="module")
def record(certificate):
    return json.loads(json.dumps(certificate.record(), allow_nan=False))


def cells_by_loops(dump, layer, k, tau_of):
    """Per example: one dict a (head, tile) with everything that a policy may rank by or gain."""
    for entry in dump.entries:
        if entry.layer != layer:
            continue
        t = load_file(dump.path / entry.path)
        forced = {tuple(pair) for pair in t["forced"].tolist()}
        keys = [min(8, entry.geometry.kv_len - 8 * b) for b in range(entry.geometry.n_blocks)]
        cells = []
        for head in range(entry.geometry.heads):
            for tile, (start, stop) in enumerate(pairwise(t["indptr"].tolist())):
                blocks = t["indices"][start:stop].tolist()
                score = dict(zip(blocks, t["scores"][head, start:stop].astype(float).tolist(), strict=True))
                mass = dict(zip(blocks, t["mass"][head, start:stop].astype(float).tolist(), strict=True))
                free = [b for b in blocks if (tile, b) not in forced]
                k_t, m_t = k - (len(blocks) - len(free)), RHO * k - (len(blocks) - len(free))
                if len(free) <= m_t:
                    continue
                ranked = sorted(free, key=lambda b: (-score[b], b))
                s = [score[b] for b in ranked]
                weight = {b: keys[b] / 8 * math.exp(score[b]) for b in blocks}
                tau = tau_of(head)
                kept, expanded = (float(containment_error(s, k_t, m, tau)) for m in (k_t, m_t))
                g, r = s[k_t - 1] - s[k_t], s[0] - s[k_t]
                cells.append(
                    {
                        "head": head,
                        "tile": tile,
                        "bracket": tuple(float(x) for x in value_brackets(s, k_t, m_t, tau)),
                        "kept": kept,
                        "expanded": expanded,
                        "V": max(kept - expanded, 0),
                        "W": sum(mass[b] for b in ranked[k_t:m_t]),
                        "dropped": sum(mass[b] for b in ranked[k_t:]),
                        "sigma": g / r if r else 0.0,
                        "gap": g,
                        "expansion_gap": -(s[k_t - 1] - s[m_t]),
                        "score_mass": -sum(weight[b] for b in ranked[k_t:]) / sum(weight.values()),
                    }
                )
        yield cells


def gain_by_loops(cells, level, policy, worth):
    """Sum of `worth` over the triggered candidates of one sequence."""
    rank = {"best_value": lambda c: -round(c["V"], 9), "best_mass": lambda c: -c["W"]}.get(policy) or (
        lambda c: c[policy]
    )
    groups = {}
    for c in cells:
        candidate = {"head": c["tile"], "tile": c["tile"], "cell": (c["tile"], c["head"])}[level]
        groups.setdefault(c["head"] if level == "head" else 0, {}).setdefault(candidate, []).append(c)
    total = 0.0
    for group in groups.values():
        count = math.ceil(Q * len(group))
        value = {key: sum(c[worth] for c in members) for key, members in group.items()}
        if policy == "random":
            total += sum(value.values()) * count / len(group)
        else:
            order = sorted(group, key=lambda key: (sum(rank(c) for c in group[key]) / len(group[key]), key))
            total += sum(value[key] for key in order[:count])
    return total


def regret_bound_by_loops(cells):
    """T times the pair bound on the regret of one head's sigma trigger in one sequence."""
    order = sorted(cells, key=lambda c: (c["sigma"], c["tile"]))
    inside = {c["tile"] for c in order[: math.ceil(Q * len(cells))]}
    low, high = zip(*(c["bracket"] for c in cells), strict=True)
    return len(cells) * trigger_bound(low, high, [c["tile"] in inside for c in cells])


def test_policies_are_those_of_the_loops(dump, certificate):
    """Every level, value and policy, over two sequences and two layers; sums of a few hundred terms agree to 1e-12."""
    tau = {(row.layer, row.head): row.tau for row in certificate.cells.itertuples()}
    sequences = [c for layer in (0, 1) for c in cells_by_loops(dump, layer, K, lambda h, n=layer: tau[n, h])]
    pairs = sum(len(c) for c in sequences)
    assert certificate.summary["tiles"] == pairs
    for row in certificate.policies.itertuples():
        worth, best = {"identification": ("V", "best_value"), "output": ("W", "best_mass")}[row.value]
        gain, top, random = (
            sum(gain_by_loops(c, row.level, policy, worth) for c in sequences)
            for policy in (row.policy, best, "random")
        )
        assert row.regret == pytest.approx((top - gain) / pairs, abs=1e-12), (row.level, row.value, row.policy)
        assert row.captured == pytest.approx(1 - (top - gain) / (top - random), abs=1e-8)
    for name, key in (("kept_error", "kept"), ("expanded_error", "expanded"), ("dropped_mass", "dropped")):
        expected = sum(c[key] for cells in sequences for c in cells) / pairs
        assert certificate.summary[name] == pytest.approx(expected, abs=1e-12)


def test_cells_are_those_of_the_loops(dump, certificate):
    for layer in (0, 1):
        rows = certificate.cells[certificate.cells.layer == layer].set_index("head")
        sequences = list(cells_by_loops(dump, layer, K, lambda h, rows=rows: rows.tau[h]))
        for head, row in rows.iterrows():
            mine = [[c for c in cells if c["head"] == head] for cells in sequences]
            tiles = sum(map(len, mine))
            assert row.tiles == tiles
            best, sigma, random = (
                sum(gain_by_loops(c, "head", p, "V") for c in mine) / tiles for p in ("best_value", "sigma", "random")
            )
            assert row.regret == pytest.approx(best - sigma, abs=1e-12)
            assert row.random_regret == pytest.approx(best - random, abs=1e-12)
            assert row.kept_error == pytest.approx(sum(c["kept"] for m in mine for c in m) / tiles, abs=1e-12)
            assert row.tie_share == sum(c["gap"] == 0 for m in mine for c in m) / tiles
            close = sum(c["gap"] < row.tau for m in mine for c in m) / tiles
            assert row.below_tau_share == pytest.approx(close, abs=1e-12)
            dropped = sum(c["dropped"] for m in mine for c in m) / tiles
            assert row.dropped_mass == pytest.approx(dropped, abs=1e-7)
            assert row.output_error_bound == pytest.approx(2 * row.value_radius * dropped, rel=1e-6)
            assert row.regret <= row.bound + 1e-9
            assert row.regret_bound == pytest.approx(sum(map(regret_bound_by_loops, mine)) / tiles, abs=1e-12)
            assert row.regret <= row.regret_bound + 1e-9
            spread = 5 * row.sampled_kept_error_se + 1e-12
            assert abs(row.sampled_kept_error - row.kept_error) <= spread


def test_curves_meet_the_chosen_point(certificate):
    by_q, summary = certificate.by_q, certificate.summary
    tile = by_q[(by_q.level == "tile") & (by_q.value == "identification")]
    at = tile[(tile.q == 0.4) & (tile.policy == "sigma")].risk.item()
    assert at == pytest.approx(summary["error_sigma"], abs=1e-14)
    for _, curve in tile.groupby("policy"):
        assert curve.risk.iloc[0] == pytest.approx(summary["kept_error"], abs=1e-13)
        assert curve.risk.iloc[-1] == pytest.approx(summary["expanded_error"], abs=1e-8)
        assert (np.diff(curve.risk) <= 1e-12).all()
    best = tile[tile.policy == "best_value"].risk.to_numpy()
    for _, curve in tile.groupby("policy"):
        assert (curve.risk.to_numpy() >= best - 1e-12).all()


def test_a_layer_without_eligible_tiles_gets_rows_of_none_and_a_note(certificate):
    rows = certificate.cells[certificate.cells.layer == 2]
    assert (rows.tiles == 0).all()
    assert rows.kept_error.isna().all()
    assert (rows.note == "no eligible tile").all()
    assert certificate.layers[certificate.layers.layer == 2].captured.isna().all()
    assert any("layer 2" in note for note in certificate.notes)


def test_the_curve_over_k_compares_the_same_tiles(dump, certificate):
    tiles = certificate.by_k.tiles.unique()
    assert len(tiles) == 1
    grid = certificate.settings["k_grid"]
    assert K in grid
    for k in (grid[0], grid[-1]):
        row = certificate.by_k[(certificate.by_k.k == k)].iloc[0]
        assert row.expanded == 2 * k
    errors = certificate.by_k.drop_duplicates("k")
    assert (errors.expanded_error <= errors.kept_error).all()


def test_the_record_is_strict_json_and_rechecks(dump, certificate):
    record = json.loads(json.dumps(certificate.record(), allow_nan=False))
    found = recheck(record, dump)
    assert found.differences == found.versions == ()
    assert found.compared > 1000
    changed = json.loads(json.dumps(record))
    changed["summary"]["kept_error"] += 3e-9
    changed["versions"]["numpy"] = "0"
    found = recheck(changed, dump)
    assert [line.split(":")[0] for line in found.differences] == ["summary.kept_error"]
    assert len(found.versions) == 1
    changed["source"]["index_sha256"] = "0" * 64
    with pytest.raises(InputError, match="not the dump it certifies"):
        recheck(changed, dump)


@pytest.mark.parametrize(
    ("place", "more"),
    [
        (("source", "prompts", 0, "tokens"), 1e-6),
        (("source", "prompts", 1, "tokens"), 0.0),
        (("source", "shards"), 1e-10),
        (("summary", "tiles"), 1e-10),
        (("summary", "sequences"), 0.0),
        (("summary", "forced_most"), 1e-10),
        (("summary", "integrals"), 1e-9),
        (("settings", "expanded"), 1e-10),
        (("cells", "tiles", 0), 1e-10),
        (("gap_distribution", "count", 0), 1e-10),
    ],
)
def test_recheck_wants_counts_and_settings_equal(dump, record, monkeypatch, place, more):
    """No count is 150.000001, nor 150.0: within the floats' 1e-9 is not enough."""
    fresh = SimpleNamespace(record=lambda: record)
    monkeypatch.setattr("refsym_theory.selection.recheck.certify", lambda *_, **__: fresh)
    changed = at = json.loads(json.dumps(record))
    *path, last = place
    for key in path:
        at = at[key]
    assert type(at[last]) is int
    at[last] += more
    assert isinstance(at[last], float)
    (line,) = recheck(changed, dump).differences
    assert line.startswith("".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in place)[1:] + ": ")


@pytest.mark.parametrize("name", ["k", "draws", "seed"])
def test_recheck_refuses_a_count_that_is_a_float(dump, record, name):
    for more in (0.0, 1e-6):
        changed = {**record, "settings": {**record["settings"], name: record["settings"][name] + more}}
        with pytest.raises(InputError, match=f"settings.{name} is"):
            recheck(changed, dump)


def test_the_same_in_small_chunks_and_with_more_threads(dump, certificate, monkeypatch):
    monkeypatch.setattr(tally_module, "_CHUNK_ENTRIES", 40)
    monkeypatch.setattr("numba.get_num_threads", lambda: 3)
    again = certify(dump, K, RHO, "0.4", draws=200, seed=5)
    assert again.record() == certificate.record()


def test_given_and_row_step_tau(dump):
    given = certify(dump, K, RHO, "0.4", tau=0.5, draws=0)
    assert (given.cells.tau == 0.5).all()
    assert given.settings["estimator"] == "given"
    step = certify(dump, K, RHO, "0.4", estimator="row-step", draws=0, tau_factors=[1.0])
    at_one = step.by_tau[(step.by_tau.level == "tile") & (step.by_tau.policy == "sigma")].regret.tolist()
    chosen = step.policies[(step.policies.level == "tile") & (step.policies.policy == "sigma")].regret.tolist()
    assert at_one == chosen


def test_without_mass_nothing_is_said_of_the_output(tmp_path):
    bare = replace(SETTINGS, prompts=SETTINGS.prompts[:1], with_mass=False)
    with ScoreDumpWriter(tmp_path, bare) as writer:
        writer.write(0, 0, SHAPES[0], arrays(SHAPES[0], 3, with_mass=False))
        writer.finish()
    found = certify(ScoreDump.open(tmp_path), K, RHO, "0.5", draws=10)
    assert set(found.policies.value) == {"identification"}
    assert "best_mass" not in set(found.policies.policy)
    assert found.summary["captured_output"] is None
    assert found.summary["dropped_mass"] is None
    assert any("no softmax mass" in note for note in found.notes)
    assert "value_radius" not in found.cells


def test_a_silent_head_is_none_with_a_note_and_all_silent_an_error(tmp_path):
    shape = SHAPES[0]
    for name, silent in (("one", [1]), ("all", [0, 1, 2])):
        made = arrays(shape, 3)
        made.half_diff_sq_sum[silent] = 0.0
        with ScoreDumpWriter(tmp_path / name, replace(SETTINGS, prompts=SETTINGS.prompts[:1])) as writer:
            writer.write(0, 0, shape, made)
            writer.finish()
    found = certify(ScoreDump.open(tmp_path / "one"), K, RHO, "0.4", draws=5)
    assert found.record()["cells"]["note"] == [None, "tau is zero or unmeasured", None]
    assert math.isnan(found.cells.regret[1])
    assert any("0.1" in note for note in found.notes)
    # Errors are averaged over the heads with noise, dropped mass over all.
    assert found.summary["kept_error"] == pytest.approx(found.cells.kept_error.mean(), abs=1e-14)
    assert found.summary["dropped_mass"] == pytest.approx(found.cells.dropped_mass.mean(), abs=1e-14)
    assert found.summary["error_random"] > found.cells.expanded_error.mean()
    with pytest.raises(InputError, match="tau is zero or unmeasured in every head"):
        certify(ScoreDump.open(tmp_path / "all"), K, RHO, "0.4")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, 2, "0.4"), "k=3 keeps no free block: up to 3 blocks.*use k >= 4"),
        ((5, "1.5", "0.4"), "rho\\*k = 7.5 is not an integer; the nearest that are: k=4 or k=6"),
        ((4, 1, "0.4"), "rho must be more than 1"),
        ((4, 2, "0"), "q must lie strictly between"),
        ((4, 2, "1"), "q must lie strictly between"),
        ((4, 2, "nan"), "q must be a decimal"),
        ((11, 2, "0.4"), "no tile is eligible: the largest sees 21 blocks, and rho\\*k = 22 must be fewer"),
        ((4, 2, "0.4", 0.0), "tau must be positive"),
        ((4, 2, "0.4", math.nan), "tau must be positive"),
    ],
)
def test_settings_that_do_not_fit(dump, arguments, message):
    with pytest.raises(InputError, match=message):
        certify(dump, *arguments)


def test_captured_gain_is_none_where_there_is_nothing_to_gain():
    assert captured_gain(0.0, 0.0) is None
    assert captured_gain(0.0, math.nan) is None
    assert captured_gain(0.1, 0.2) == 0.5
