import importlib.util
import json
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import binomtest, skew

from refsym.report import calibration as page
from refsym_stats import InputError, cluster_bootstrap, cluster_robust, crossed_bootstrap, paired_t, sign_flip
from refsym_stats.calibration import (
    BOTH,
    CALIBRATED,
    CONSERVATIVE,
    COVERAGE,
    FAMILIES,
    FAMILY,
    LAWS,
    MANY,
    METHODS,
    SEEDS,
    SHORT,
    SIZE,
    SOURCES,
    Scenario,
    Tally,
    cluster_robust_batch,
    paired_t_batch,
    samples,
    simulate,
    verdict,
    wilson,
)

ROOT = Path(__file__).parents[1]
SIZES = (1, 2, 3, 4) * 15


def a_scenario(**changes):
    fixed = {"name": "small", "group": "Few", "laws": ("binary",), "sizes": SIZES, "methods": tuple(METHODS)[:3]}
    return Scenario(**(fixed | {"discordance": 0.3} | changes))


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("calibration_run", ROOT / "studies/calibration/run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def collected(scenario, replications, seed=0):
    """Of every batch and contrast: truths and estimates, standing and with seed shifts that cancel."""
    out = [[] for _ in scenario.laws]
    for batch in samples(scenario, replications, seed=seed):
        for k, (drawn, cancelled) in enumerate(batch):
            weights = drawn.present.sum(axis=1) * scenario.seeds
            out[k].append(
                np.stack(
                    [
                        drawn.differences.sum(axis=(1, 2)) / weights - drawn.truth,
                        drawn.differences.sum(axis=(1, 2)) / weights - drawn.same_seeds,
                        drawn.differences.sum(axis=(1, 2)) / weights - drawn.same_items,
                        cancelled.differences.sum(axis=(1, 2)) / weights - cancelled.truth,
                    ]
                )
            )
    return [np.concatenate(parts, axis=1) for parts in out]


@pytest.mark.parametrize("law", LAWS)
def test_the_mean_of_a_big_sample_is_the_truth_for_every_target(law):
    scenario = a_scenario(laws=(law,), seeds=3, seed_spread=1.0, effect=1.5)
    # Quantiles of Student's law are slow.
    for errors in collected(scenario, 1_000 if law == "heavy" else 6_000)[0]:
        assert abs(errors.mean()) < 4 * errors.std() / math.sqrt(len(errors))


@pytest.mark.parametrize("law", ["binary", "normal", "skewed", "lognormal"])
def test_the_standard_error_is_the_spread_of_estimates_about_the_truth_of_the_seeds(law):
    scenario = a_scenario(laws=(law,), seeds=3, seed_spread=1.0, cluster_share=0.3, item_share=0.3)
    spread = collected(scenario, 6_000)[0][3].std()
    assert spread == pytest.approx(scenario.standard_error(law), rel=0.06 if law == "lognormal" else 0.04)


@pytest.mark.parametrize("law", ["binary", "skewed"])
def test_a_seed_moves_its_mean_by_exactly_its_shift(law):
    fixed = {"seeds": 2, "seed_spread": 3.0, "cluster_share": 0.0, "effect": 2.0, "discordance": 0.3}
    scenario = a_scenario(laws=(law,), sizes=(1,) * 2_000, **fixed)
    moved, seen, cancelled = [], [], []
    for ((drawn, twin),) in samples(scenario, 800):
        moved.append(drawn.same_seeds - drawn.truth)
        seen.append(drawn.rates.mean(axis=1) - drawn.truth)
        cancelled.append(twin.rates.mean(axis=1) - twin.truth)
        assert np.abs(twin.same_seeds - twin.truth).max() < 1e-15
    moved, seen, cancelled = (np.concatenate(part) for part in (moved, seen, cancelled))
    assert moved.std() == pytest.approx(3 / math.sqrt(2) * scenario.standard_error(law), rel=0.08)
    assert moved @ seen / (moved @ moved) == pytest.approx(1, abs=0.08)
    assert abs(np.corrcoef(moved, cancelled)[0, 1]) < 0.15


def test_clusters_whose_mean_goes_with_their_size_have_an_item_weighted_mean_of_zero():
    scenario = a_scenario(laws=("normal",), sizes=(10,) * 20_000, linked=True)
    drawn, _ = next(samples(scenario, 4))[0]
    sizes = drawn.sizes
    sums = np.add.reduceat(drawn.totals, np.flatnonzero(np.diff(drawn.codes, prepend=-1)), axis=-1)
    error = drawn.totals.sum() / drawn.present.sum()
    assert abs(error) < 0.02
    assert set(np.unique(sizes)) == {2, 10}
    assert sums[sizes == 2].sum() / sizes[sizes == 2].sum() == pytest.approx(-1.0, abs=0.03)
    assert sums[sizes == 10].sum() / sizes[sizes == 10].sum() == pytest.approx(0.2, abs=0.03)


def test_laws_have_the_moments_that_they_are_named_for():
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)
    weights = weights / weights.sum()
    for name in ("normal", "skewed", "lognormal"):
        values = LAWS[name](nodes)
        assert weights @ values == pytest.approx(0, abs=1e-9)
        assert weights @ values**2 == pytest.approx(1, abs=1e-6)
    assert weights @ LAWS["skewed"](nodes) ** 3 == pytest.approx(32 / 6**1.5)
    sample = LAWS["heavy"](np.random.default_rng(0).standard_normal(200_000))
    assert abs(np.median(sample)) < 0.01
    assert np.quantile(sample, 0.975) == pytest.approx(3.182446 / math.sqrt(3), rel=0.02)
    assert abs(skew(np.clip(sample, -10, 10))) < 0.2


def test_the_correlation_within_clusters_is_the_share_asked_for():
    scenario = a_scenario(laws=("normal",), sizes=(2,) * 500, cluster_share=0.6, item_share=0.1)
    drawn, _ = next(samples(scenario, 40))[0]
    pairs = drawn.totals.reshape(-1, 2)
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(0.6, abs=0.02)


def test_the_family_is_correlated_as_said():
    scenario = a_scenario(
        laws=("normal", "normal", "normal", "normal"), sizes=(1,) * 500, methods=tuple(FAMILIES), seeds=2
    )
    batch = next(samples(scenario, 40))
    found = np.corrcoef([drawn.differences.reshape(-1) for drawn, _ in batch])
    expected = np.kron([[1, -0.5], [-0.5, 1]], [[1, 0.5], [0.5, 1]])
    np.testing.assert_allclose(found, expected, atol=0.03)


def test_batches_of_cluster_robust_and_paired_t_equal_the_public_functions():
    for scenario in (
        a_scenario(laws=("skewed",), seeds=3, seed_spread=1.0),
        a_scenario(laws=("normal",), sizes=(10,) * 7, linked=True),
        a_scenario(sizes=(1,) * 6, discordance=0.2, seeds=2),
    ):
        drawn, _ = next(samples(scenario, 60))[0]
        pairs = [(drawn.over_seeds, [paired_t(row) for row in drawn.rates])]
        averaged = [(values.mean(axis=0), codes) for _, values, codes in drawn.items()]
        pairs += [(drawn.over_clusters, [cluster_robust(values, codes) for values, codes in averaged])]
        items = drawn.totals / scenario.seeds
        pairs += [
            (
                cluster_robust_batch(items, drawn.present.astype(int), np.abs(items).max(axis=1)),
                [cluster_robust(values) for values, _ in averaged],
            )
        ]
        for batch, results in pairs:
            for name, field in (
                ("estimate", "estimate"),
                ("error", "standard_error"),
                ("low", "low"),
                ("high", "high"),
            ):
                expected = [getattr(result, field) for result in results]
                expected = np.array([math.nan if value is None else value for value in expected])
                np.testing.assert_allclose(getattr(batch, name), expected, rtol=1e-10, atol=1e-12)
            expected = np.array([math.nan if r.p_value is None else r.p_value for r in results])
            np.testing.assert_allclose(batch.p_value, expected, rtol=1e-9, atol=1e-12)


def test_batches_leave_undefined_what_the_public_functions_leave_undefined():
    still = np.array([[0.5, 0.5, 0.5], [1.0, 2.0, 3.0]])
    assert np.isnan(paired_t_batch(still).error).tolist() == [True, False]
    assert np.isnan(paired_t_batch(still[:, :1]).low).all()
    items = np.array([[2.0, 1.0, 3.0], [2.0, 2.0, 3.0], [0.1, 0.1, 0.1]])
    sums = np.stack([items[:, 0], items[:, 1:].sum(axis=1)], axis=1)
    found = cluster_robust_batch(sums, np.tile([1, 2], (3, 1)), items.max(axis=1))
    assert np.isnan(found.p_value).tolist() == [True, False, True]
    assert [cluster_robust(row, [0, 1, 1]).p_value is None for row in items] == [True, False, True]


def test_the_same_seed_gives_the_same_rows_whatever_else_is_run():
    one, other = a_scenario(), a_scenario(name="another", effect=1.0)
    together = simulate([other, one], replications=50, draws=99, seed=3)
    alone = simulate([one], replications=50, draws=99, seed=3)
    kept = together[together["scenario"] == "small"].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, alone)
    for changed in (
        simulate([one], replications=50, draws=99, seed=4),
        simulate([replace(one, name="x")], replications=50, draws=99, seed=3),
    ):
        assert not alone["width"].equals(changed["width"])


def test_every_method_answers_in_a_quick_run_of_fifty_replications():
    single = a_scenario(
        effect=0.5,
        methods=tuple(
            name for name in METHODS if "seeds" not in name and name not in ("gate", "crossed bootstrap, percentile")
        ),
    )
    seeds = a_scenario(
        name="seeds",
        seeds=3,
        seed_spread=1.0,
        effect=1.0,
        discordance=0.5,
        methods=tuple(name for name in METHODS if "McNemar" not in name and "counts" not in name),
    )
    laws = ("binary", "binary", "skewed", "skewed")
    family = a_scenario(name="family", laws=laws, seeds=3, methods=tuple(FAMILIES))
    found = simulate([single, seeds, family], replications=50, draws=99)
    assert set(found["method"]) == {*METHODS, *FAMILIES}
    assert (found["count"] == 50).all()
    assert (found["hits"] == (found["share"] * 50).round()).all()
    covered = found[found["kind"] == COVERAGE]
    assert (covered["below"] + covered["above"] + covered["hits"] == 50).all()
    assert set(found.loc[found["scenario"] == "small", "target"]) == {SOURCES}
    assert set(found.loc[found["scenario"] == "seeds", "target"]) == {SOURCES, SEEDS, BOTH}
    assert set(found.loc[found["scenario"] == "family", "kind"]) == {FAMILY}
    drew = found[found["draws"] > 0]
    assert set(drew.loc[drew["scenario"] != "family", "method"]) == {name for name in METHODS if "bootstrap" in name}
    assert set(drew.loc[drew["scenario"] == "family", "method"]) == {name for name in FAMILIES if "paired" not in name}


def test_shares_are_those_of_the_public_functions_on_the_same_data():
    scenario = a_scenario(seeds=2, methods=("cluster-robust t", "sign flip over clusters"), effect=0.0)
    found = simulate([scenario], replications=40, seed=9).set_index(["method", "target"])["hits"]
    covers = rejects = 0
    for batch in samples(scenario, 40, seed=9):
        for _, values, codes in batch[0][0].items():
            result = cluster_robust(values.mean(axis=0), codes)
            covers += result.low <= 0 <= result.high
            rejects += sign_flip(values.sum(axis=0), clusters=codes).p_value <= 0.05
    assert found["cluster-robust t", BOTH] == covers
    assert found["sign flip over clusters", BOTH] == rejects


def test_the_same_seeds_are_asked_about_differently_from_new_ones():
    methods = ("cluster-robust t", "paired t over seeds", "sign flip over clusters")
    scenario = a_scenario(seeds=3, seed_spread=4.0, laws=("normal",), methods=methods)
    found = simulate([scenario], replications=400, draws=199).set_index(["method", "target"])["share"]
    assert found["cluster-robust t", SOURCES] > 0.9
    assert found["cluster-robust t", BOTH] < 0.7
    assert found["paired t over seeds", SEEDS] > 0.9
    assert found["sign flip over clusters", SOURCES] < 0.1
    assert found["sign flip over clusters", BOTH] > 0.3


def test_resampling_methods_ask_the_public_functions_about_the_mean_over_seeds():
    drawn, _ = next(samples(a_scenario(seeds=3, seed_spread=1.0), 5, draws=199))[0]
    for r, values, codes in drawn.items():
        settings = {"draws": 199, "seed": drawn.seed + r}
        for method in ("percentile", "basic"):
            low, high = METHODS[f"cluster bootstrap, {method}"].run(drawn)
            public = cluster_bootstrap(values.sum(axis=0), codes, method=method, **settings)
            assert (3 * low[r], 3 * high[r]) == pytest.approx((public.low, public.high))
            assert low[r] <= values.mean() <= high[r]
        low, high = METHODS["crossed bootstrap, percentile"].run(drawn)
        crossed = crossed_bootstrap(values, codes, **settings)
        assert (low[r], high[r]) == (crossed.low, crossed.high)
        seed = paired_t(values.mean(axis=1)).p_value
        source = sign_flip(values.sum(axis=0), clusters=codes).p_value
        assert METHODS["gate"].run(drawn)[r] == pytest.approx(max(seed, source))
        assert METHODS["sign flip over items"].run(drawn)[r] == sign_flip(values.sum(axis=0)).p_value


def test_a_test_rejects_at_its_level_and_not_beyond():
    tally = Tally()
    tally.test(np.array([0.05, 0.0500001, 0.01, math.nan]), 0.95)
    assert (tally.hits, tally.count, tally.undefined) == (2, 4, 1)


def test_an_answer_that_is_undefined_covers_and_does_not_reject():
    scenario = a_scenario(
        sizes=(1,) * 4,
        discordance=1e-9,
        methods=("cluster-robust t", "sign flip over clusters", "paired counts, t interval"),
    )
    found = simulate([scenario], replications=20).set_index("method")
    assert found.loc["cluster-robust t", ["hits", "undefined", "below", "above"]].tolist() == [20, 20, 0, 0]
    assert found.loc["sign flip over clusters", "hits"] == 0
    assert math.isnan(found.loc["cluster-robust t", "width"])


@pytest.mark.parametrize(("hits", "count"), [(0, 20), (20, 20), (1_900, 2_000), (3, 7)])
def test_wilson_is_scipys(hits, count):
    expected = binomtest(hits, count).proportion_ci(method="wilson")
    assert wilson(hits, count) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("kind", "hits", "count", "expected"),
    [
        # A million replications: Wilson's interval is narrow, so the point decides, its ends included.
        (COVERAGE, 940_000, 1_000_000, CALIBRATED),
        (COVERAGE, 939_999, 1_000_000, SHORT),
        (COVERAGE, 960_000, 1_000_000, CALIBRATED),
        (COVERAGE, 960_001, 1_000_000, CONSERVATIVE),
        (SIZE, 60_000, 1_000_000, CALIBRATED),
        (SIZE, 60_001, 1_000_000, MANY),
        (SIZE, 40_000, 1_000_000, CALIBRATED),
        (FAMILY, 39_999, 1_000_000, CONSERVATIVE),
        # Forty replications: the interval decides.
        (COVERAGE, 35, 40, SHORT),
        (COVERAGE, 36, 40, CALIBRATED),
        (SIZE, 4, 40, CALIBRATED),
        (SIZE, 5, 40, MANY),
    ],
)
def test_a_verdict_turns_exactly_at_its_boundary(kind, hits, count, expected):
    nominal = 0.95 if kind == COVERAGE else 0.05
    low, high = wilson(hits, count)
    agrees = low <= nominal <= high or abs(Fraction(hits, count) - Fraction(str(nominal))) <= Fraction(1, 100)
    assert agrees == (expected == CALIBRATED)
    assert verdict(kind, hits, count, nominal) == expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"methods": ("guess",)}, "unknown method 'guess'"),
        ({"laws": ("cauchy",)}, "unknown law 'cauchy'"),
        ({"seed_spread": 1.0}, "one seed cannot be told from its shift"),
        ({"cluster_share": 0.7, "item_share": 0.3}, "must leave something"),
        ({"linked": True}, "needs a real-valued law"),
        ({"methods": ("equivalence, cluster-robust t",)}, "give an effect"),
        ({"discordance": 0.9, "seeds": 2, "seed_spread": 1.0}, "discordance 0.9"),
        ({"effect": 50.0}, "discordance 0.3"),
        ({"seed_spread": 9.0, "seeds": 2}, "seeds shift more than"),
    ],
)
def test_a_scenario_that_cannot_be_made_is_named(changes, words):
    with pytest.raises(InputError, match=f"^small: .*{words}"):
        simulate([a_scenario(**changes)], replications=2)


def test_nothing_to_simulate_is_an_error():
    with pytest.raises(InputError, match="no scenario"):
        simulate([])


def test_the_study_resumes_and_refuses_other_settings(study, tmp_path, capsys):
    out = tmp_path / "records.parquet"
    arguments = ["--replications", "20", "--draws", "49", "--only", "Equivalence", "--out", str(out)]
    study.main(arguments)
    whole = out.read_bytes()
    table = pq.read_table(out)
    first = table["scenario"][0].as_py()
    pq.write_table(table.filter(pa.compute.equal(table["scenario"], first)), out)
    capsys.readouterr()
    study.main(arguments)
    assert first not in capsys.readouterr().err
    assert pq.read_table(out).equals(table)
    assert len(whole) > 0
    with pytest.raises(SystemExit, match="other settings \\(draws\\); --force"):
        study.main([*arguments, "--draws", "50"])


def test_scenarios_of_the_study_can_all_be_made(study):
    groups = {}
    for scenario in study.scenarios():
        assert {*scenario.methods} <= {*(FAMILIES if len(scenario.laws) > 1 else METHODS)}
        small = replace(scenario, methods=scenario.methods[:1], times=1)
        if scenario.sizes != study.DEPLOYMENT:
            simulate([small], replications=1, draws=9)
        groups.setdefault(scenario.group, []).append(scenario)
    assert list(groups) == [
        "Few clusters",
        "Unequal clusters",
        "Dependence within clusters",
        "Tails",
        "Seeds",
        "Families",
        "Paired counts",
        "Equivalence",
    ]
    assert sum(study.DEPLOYMENT) == 2489
    assert len(study.DEPLOYMENT) == 2290


def records(path, **changes):
    """A small records.parquet, made by the code that makes the real one."""
    scenarios = [
        a_scenario(name=f"{groups} clusters", group="Few clusters", sizes=(20,) * groups, methods=tuple(METHODS)[1:7])
        for groups in (5, 10)
    ]
    table = pa.Table.from_pandas(simulate(scenarios, replications=60, draws=99).assign(**changes))
    made = {"format": 1, "replications": 60, "draws": 99, "seed": 0, "level": 0.95, "scenarios": 2, "seconds": 61.0}
    made |= {"sources_sha256": "0" * 64, "versions": {"python": "3.11"}}
    pq.write_table(table.replace_schema_metadata({b"refsym": json.dumps(made).encode()}), path)
    return path


def test_the_same_records_give_the_same_bytes(tmp_path):
    path = records(tmp_path / "records.parquet")
    page.main([str(path), str(tmp_path / "a")])
    page.main([str(path), str(tmp_path / "b")])
    for name in ("report.html", "calibration.md", "calibration.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_the_page_holds_every_number_and_nothing_from_outside(tmp_path):
    study = page.Study.read(records(tmp_path / "records.parquet"))
    html, text = page.render_calibration(study), page.calibration_markdown(study)
    for row in study.rows:
        assert page.percent(row["share"]) in html
        assert f"| {page.percent(row['share'])} | {page.percent(row['low'])} to {page.percent(row['high'])} |" in text
    assert not re.search(r"(?:src|href)=[\"'](?!#)", html)
    assert "http" not in html.replace("http://www.w3.org", "")
    assert html.count('class="strip"') == len(study.rows)


def test_strings_of_the_records_are_escaped(tmp_path):
    bad = "<script>alert('x')</script> | `a`"
    study = page.Study.read(records(tmp_path / "records.parquet", group=bad, scenario=bad))
    html, text = page.render_calibration(study), page.calibration_markdown(study)
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "<script" not in text
    assert "&lt;script>alert('x')&lt;/script> \\| `a`" in text


def test_sentences_follow_the_numbers(tmp_path):
    study = page.Study.read(records(tmp_path / "records.parquet"))

    def said(shares):
        rows = [
            dict(row, share=shares.get(row["clusters"], row["share"]), verdict=verdict_)
            for row, verdict_ in ((row, SHORT if row["clusters"] == 5 else CALIBRATED) for row in study.rows)
        ]
        changed = replace(study, rows=rows)
        return [found.text for found in page.findings(changed) if found.text.startswith("Cluster-robust t")]

    assert said({5: 0.8, 10: 0.95}) == [
        "Cluster-robust t, for new sources, same seeds: too short with 5 (80.0%) clusters of 20 items; "
        "calibrated with 10 (95.0%). Nominal coverage: 95.0%."
    ]


def test_a_run_that_is_not_complete_says_so(tmp_path):
    study = page.Study.read(records(tmp_path / "records.parquet"))
    assert "not complete" not in page.render_calibration(study)
    short = replace(study, rows=[row for row in study.rows if row["scenario"] == "5 clusters"])
    assert "1 of 2 designs are missing" in page.render_calibration(short)
    assert "1 designs are missing" in page.headline(short)


def test_other_files_are_refused_in_one_line(tmp_path):
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"a": [1]}), other)
    with pytest.raises(SystemExit, match="no records of a calibration study"):
        page.main([str(other), str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="calibration: "):
        page.main([str(tmp_path / "absent.parquet"), str(tmp_path / "out")])
    with pytest.raises(SystemExit, match="usage"):
        page.main([])
    assert not (tmp_path / "out").exists()


def test_strips_stay_on_their_axis():
    row = {"kind": COVERAGE, "share": 0.3, "low": 0.28, "high": 0.32, "nominal": 0.95}
    strip = page.Strip.of(row)
    assert (strip.dot, strip.low, strip.outside) == (0.0, 0.0, True)
    assert strip.nominal == 90.0
    assert strip.band == (88.0, 92.0)
