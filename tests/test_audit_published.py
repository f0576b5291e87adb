"""The two papers' printed numbers: what the audit says of them, and that it notices a change."""

from __future__ import annotations

import math
import time
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest
from scipy import stats

from refsym_stats.audit import PUBLISHED, Audit, Finding, Verdict, audit

CANNOT_BE = {
    "rs": {
        "s44-stage-cnt": "4,445.1 ms of table 13 is 4.45 s to two decimals; the text has 4.44 s for every rule.",
    },
    "ug": {
        "s1-growth": "The attended set grows by k q (rho - 1) = 13.2 blocks a row, not by 1 + q = 1.4.",
        "s35-wall-32": "1.53 is above the block factor 1.4: wall time is more than proportional to it.",
        "s35-wall-64": "1.47 is above the block factor 1.4 as well.",
        "s1-dominates-36": "On Qwen3.6 the router alone (0.98, on K-mean) beats it on Quest (0.97).",
        "s41-dense": "Dense accuracy is 1.00 in section 4.1's words and 0.96 on Nemo in table 4's caption.",
        "s43-widens-7b": "1.00 less 0.28 at 32K and 0.81 less 0.09 at 128K are both 0.72: the gap stays.",
        "s44-nemo-total": "0.66 less 0.50 over 100 items is 16 pp, not 15.",
        "s44-nemo-p": "A net gain of 6 has a one-sided sign-test p of at least 1/64, not at most 0.004.",
        "s44-nemo-p-paired": "So it is over the 96 items that dense answers.",
        "c-monotonic": "0.38, 0.35, 0.47, 0.53 is not monotonic.",
        "s34-monotonic": "The same sweep, in section 3.4.",
        "c-counts": "No denominator up to 30 makes 0.38, 0.35, 0.47 and 0.53 counts.",
        "d4-cells": "10 x 48 x 40 x (512 - 66) is 8.6 million, not 5.7.",
    },
}


@cache
def published(name: str) -> Audit:
    return audit(name)


def finding(name: str, label: str) -> Finding:
    return next(f for f in published(name).findings if f.id == label)


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_cannot_be_is_pinned(name: str) -> None:
    assert {f.id for f in published(name).of(Verdict.CANNOT_BE)} == set(CANNOT_BE[name])


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_finding_has_a_place_and_its_arithmetic(name: str) -> None:
    for found in published(name).findings:
        assert found.place
        assert found.printed
        assert found.arithmetic
        assert len(found.arithmetic) < 2000
        assert "neither way" not in found.arithmetic, f"{found.id} is not settled"


def test_the_papers_hold_at_least_two_hundred_and_sixty_checks_that_recompute_something() -> None:
    recomputed = [f for name in PUBLISHED for f in published(name).findings if f.kind != "none"]
    assert len(recomputed) >= 260


def test_both_papers_are_audited_within_five_seconds() -> None:
    start = time.perf_counter()
    for name in PUBLISHED:
        audit(name)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    ("label", "gains", "losses", "printed"),
    [
        ("g2-mcnemar-2", 55, 63, "0.52"),
        ("g2-mcnemar-3", 90, 111, "0.16"),
        ("g4-mcnemar", 23, 32, "0.28"),
        ("t10-120-1-p", 0, 0, "1.000"),
        ("t10-120-8-p", 6, 3, "0.508"),
        ("t10-360-1-p", 0, 3, "0.250"),
        ("t10-360-8-p", 10, 14, "0.541"),
        ("t10-2786-1-p", 17, 10, "0.248"),
        ("t10-2786-8-p", 87, 67, "0.125"),
    ],
)
def test_every_printed_mcnemar_p_of_rs_is_reproduced(label: str, gains: int, losses: int, printed: str) -> None:
    expected = stats.binomtest(gains, gains + losses).pvalue if gains + losses else 1.0
    found = finding("rs", label)
    assert found.verdict is Verdict.AGREES
    assert found.printed == printed == f"{expected:.{len(printed) - 2}f}"
    assert float(found.computed) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("n", "gains", "losses", "low", "high"),
    [
        (120, 6, 3, "-2.45", "+7.45"),
        (360, 0, 3, "-1.78", "+0.11"),
        (360, 10, 14, "-3.79", "+1.57"),
        (2786, 17, 10, "-0.11", "+0.62"),
        (2786, 87, 67, "-0.16", "+1.59"),
    ],
)
def test_the_intervals_of_table_10_follow_from_its_counts(n: int, gains: int, losses: int, low: str, high: str) -> None:
    differences = [1] * gains + [-1] * losses + [0] * (n - gains - losses)
    interval = stats.ttest_1samp(differences, 0).confidence_interval()
    assert (f"{100 * interval.low:+.2f}", f"{100 * interval.high:+.2f}") == (low, high)
    q = 8 if (n, gains) in ((120, 6), (360, 10), (2786, 87)) else 1
    for side, text in (("low", low), ("high", high)):
        found = finding("rs", f"t10-{n}-{q}-{side}")
        assert (found.printed, found.verdict) == (text, Verdict.AGREES)


def test_the_family_and_the_attainable_minima_are_reproduced() -> None:
    assert sum((9, 17, 12, 4, 3, 6, 1, 2)) == 54
    for label, expected in {
        "d2-family": 54,
        "d2-threshold": 0.05 / 54,
        "d2-sign-flip": 2 / 1024,
        "d3-minimum": math.ldexp(1, -30),
        "d3-learned-bias-p": math.ldexp(1, -29),
        "i2-floor": 1 / 20001,
        "t3-floor": 4 / 20001,
    }.items():
        found = finding("rs", label)
        assert found.verdict is Verdict.AGREES
        assert float(found.computed) == pytest.approx(expected, rel=1e-6)


def test_tables_2_3_and_15_leave_one_set_of_counts() -> None:
    # 7,148 - 7,018 = 130 and 7,148 - 7,032 = 116 of 12,445: the printed +1.04 and +0.93 pp.
    joint = finding("rs", "t3-robust-joint").arithmetic
    assert "Only these counts fit: t2.robust_mc_2 7,148, t2.robust_std_2 7,032, t2.robust_cnt_2 7,018" in joint
    assert [f"{100 * (7148 - other) / 12445:.2f}" for other in (7032, 7018)] == ["0.93", "1.04"]
    partitions = finding("rs", "t15-joint").arithmetic
    assert "Only these counts fit" in partitions
    total = sum((8141, 8051, 8104, 7973))
    assert f"{100 * total / 12445 / 4:.2f}" == "64.82"
    for count in ("t15.mc_uniform 8,141", "t15.mc_motion 8,051", "t15.mc_entropy 8,104", "t15.mc_keyframe 7,973"):
        assert count in partitions


def test_table_9_and_12_name_their_gains_and_losses() -> None:
    expected = {"t9-pairs-count": "19/15", "t9-pairs-measure": "21/17", "t9-pairs-local": "10/8"}
    expected |= {"t12-pairs-narrow-measure": "6/3", "t12-pairs-wide-measure": "9/15", "t12-pairs-wide-reverse": "9/9"}
    assert {label: finding("rs", label).computed for label in expected} == expected


def test_the_sign_test_of_ug_cannot_reach_its_p() -> None:
    least = min(stats.binomtest(6 + k, 6 + 2 * k, alternative="greater").pvalue for k in range(48))
    assert least == pytest.approx(1 / 64)
    assert "0.015625" in finding("ug", "s44-nemo-p").arithmetic


@pytest.mark.parametrize(
    ("name", "right", "wrong", "label"),
    [
        ("rs", 'cw2 = "63"', 'cw2 = "64"', "t1-split-2"),
        ("rs", 'printed = "0.541"', 'printed = "0.542"', "t10-360-8-p"),
        ("rs", 'printed = "+1.59"', 'printed = "+1.60"', "t10-2786-8-high"),
        ("rs", 'printed = "597,360"', 'printed = "597,630"', "i5-rows"),
        ("rs", 'printed = "0.067"', 'printed = "0.076"', "h4-p"),
        ("rs", 'to_std_motion = "+0.51"', 'to_std_motion = "+0.53"', "t15-joint"),
        ("ug", 'printed = "92.4"', 'printed = "94.2"', "s44-effective"),
    ],
)
def test_a_planted_error_is_caught(tmp_path: Path, name: str, right: str, wrong: str, label: str) -> None:
    text = (files("refsym_stats") / "published" / f"{name}.toml").read_text(encoding="utf-8")
    assert right in text
    path = tmp_path / "planted.toml"
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    planted = {f.id for f in audit(path).of(Verdict.CANNOT_BE)}
    assert label in planted - set(CANNOT_BE[name])
    assert audit(path).sha256 != published(name).sha256
