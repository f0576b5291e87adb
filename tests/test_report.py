"""The certificate's page: same bytes, nothing unescaped, nothing from outside, and words that follow the numbers."""

import html.parser
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from refsym.report import render_certificate
from refsym.report.numerals import blocks, count, gain, number, points, setting, share
from refsym.report.view import View
from refsym.report.wording import answer, survival, verdict
from refsym_theory.selection.containment import TOLERANCE
from refsym_theory.selection.findings import captured_gain

Record = dict[str, Any]

POLICIES = ("sigma", "gap", "expansion_gap", "score_mass", "best_mass", "best_value", "random")
LEVELS = ("head", "tile", "cell")
FACTORS = (0.03, 0.2, 1.0, 2.0)
CAPTURED = {"sigma": 0.6, "gap": 0.62, "expansion_gap": -0.3, "score_mass": 0.1, "random": 0.0}
WORTH = {"identification": 0.02, "output": 0.01}  # what the best trigger gains over random tiles
BLOCKS = {"tile": 11.33, "head": 11.33, "cell": 11.21}  # at q = 0.4
START = {"identification": (0.6, 0.1), "output": (0.2, 0.1)}  # at q = 0 and at q = 1


def table(rows: list[Record]) -> Record:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def captured_by(value: str, policy: str) -> float:
    best = "best_mass" if value == "output" else "best_value"
    return 1.0 if policy == best else CAPTURED.get(policy, 0.3)


def choices() -> list[Record]:
    """A row a (level, value, policy), with regret, captured gain and cost."""
    return [
        {
            "level": level,
            "value": value,
            "policy": policy,
            "regret": WORTH[value] * (1 - captured_by(value, policy)),
            "captured": captured_by(value, policy),
            "average_blocks": BLOCKS[level],
        }
        for level in LEVELS
        for value in WORTH
        for policy in POLICIES
    ]


def left(row: Record, q: float) -> float:
    start, end = START[row["value"]]
    return float(start - q * (start - end) - 4 * q * (1 - q) * WORTH[row["value"]] * row["captured"])


def cell(layer: int, head: int) -> Record:
    return {
        "layer": layer, "head": head, "tau_row_step": 1.0, "tau_split_half": 0.4, "tau": 0.4, "tiles": 10,
        "note": None, "kept_error": 0.6, "expanded_error": 0.1, "regret": 0.008, "random_regret": 0.02,
        "captured": 0.6, "regret_bound": 0.3, "tie_share": 0.1, "below_tau_share": 0.5, "bound": 0.4, "bound_cost": 1.0,
        "bound_branch": "one", "bound_delta_2": 0.0, "bound_violating": 0.0,
        "bound_spacing_low": 0.0, "bound_spacing_median": 0.01, "bound_spacing_high": 0.02, "bound_chi": None,
        "bound_epsilon": None, "bound_spread_mean": 1.0, "bound_beta": 0.5, "bound_spread_cv": 0.2,
        "bound_gamma": 0.3, "bound_band_mass": 0.3, "sampled_kept_error": 0.61, "sampled_kept_error_se": 0.01,
        "sampled_expanded_error": 0.1, "sampled_expanded_error_se": 0.01, "sampled_regret_plugin": 0.01,
        "sampled_regret_split": -0.002, "sampled_captured_plugin": 0.5, "sampled_captured_split": 0.7,
        "dropped_mass": 0.2, "dropped_mass_expanded": 0.1, "mass_regret": 0.004, "random_mass_regret": 0.01,
        "captured_mass": -1.4, "value_radius": 2.0, "output_error_bound": 0.8, "output_error_bound_sigma": 0.6,
        "output_error_bound_expanded": 0.4,
    }  # fmt: skip


def make(layers: int = 2, heads: int = 2) -> Record:
    """A small record by hand: consistent where a reader would notice, else plausible."""
    means = {
        "tiles": 40,
        "kept_error": 0.6,
        "expanded_error": 0.1,
        "regret_bound": 0.3,
        "dropped_mass": 0.2,
        "dropped_mass_expanded": 0.1,
    }
    rows = choices()
    policies = [{**row, "risk": left(row, 0.4)} for row in rows]
    return {
        "format": 1,
        "kind": "refsym certificate",
        "settings": {
            "k": 8, "rho": "2", "expanded": 16, "q": "2/5", "tau": None, "estimator": "split-half",
            "k_grid": [6, 8, 12], "tau_factors": list(FACTORS), "draws": 100, "seed": 0,
        },
        "source": {
            "model": "tiny", "revision": "r1", "scorer": "kmean", "block_m": 64, "block_n": 64, "with_mass": True,
            "prompts": [{"tokens": 2048, "sha256": "ab" * 32}], "layers": layers, "shards": layers,
            "index_sha256": "cd" * 32, "made_with": {"torch": "2.13.0"},
        },
        "versions": {"python": "3.11", "refsym": "0.1.0"},
        "summary": {
            **means, "sequences": 1, "error_sigma": 0.39, "error_best": 0.38, "error_random": 0.4,
            "captured_identification": 0.6, "captured_output": 0.6, "captured_over_tau_lowest": 0.55,
            "captured_over_tau_highest": 0.7, "tie_share": 0.1, "split_half_over_row_step": 0.4,
            "tau_over_row_step": 0.4, "pairs_with_noise": 40, "average_blocks": 11.33, "expanded_share": 0.4167,
            "forced_least": 1, "forced_most": 2, "constant_sigma_share": 0.0, "numerical_error": 1e-11,
            "integrals": 1000, "sampled_kept_error": 0.61, "sampled_kept_error_se": 0.01,
            "sampled_captured_plugin": 0.5, "sampled_captured_split": 0.7,
        },
        "cells": table([cell(layer, head) for layer in range(layers) for head in range(heads)]),
        "layers": table([{"layer": n, **row} for n in range(layers) for row in policies if row["level"] != "head"]),
        "policies": table(policies),
        "by_tau": table([{"factor": f, **means, **row} for f in FACTORS for row in rows]),
        "by_k": table(
            [
                {"k": k, "expanded": 2 * k, **means, **row, "risk": left(row, 0.4), "average_blocks": k * 1.4063}
                for k in (6, 8, 12)
                for row in rows
            ]
        ),
        "by_q": table(
            [
                {
                    "q": i / 20,
                    **{n: row[n] for n in ("level", "value", "policy")},
                    "risk": left(row, i / 20),
                    "average_blocks": 8 + 8 * math.ceil(12 * i / 20) / 12,
                }
                for row in rows
                for i in range(21)
            ]
        ),
        "gap_distribution": {"low": [0.0, 0.0, 0.1, 1.0], "high": [0.0, 0.1, 1.0, None], "count": [4, 1, 20, 15]},
        "notes": ["a note"],
    }  # fmt: skip


def set_captured(record: Record, name: str, captured: float | None, /, **labels: Any) -> None:
    """Write into the rows of a table that carry these labels."""
    columns = record[name]
    for i in range(len(columns["captured"])):
        if all(columns[label][i] == wanted for label, wanted in labels.items()):
            columns["captured"][i] = captured


def without_mass(record: Record) -> None:
    record["source"]["with_mass"] = False
    for name in ("layers", "policies", "by_tau", "by_k", "by_q"):
        columns = record[name]
        keep = [i for i, v in enumerate(columns["value"]) if v != "output" and columns["policy"][i] != "best_mass"]
        record[name] = {label: [values[i] for i in keep] for label, values in columns.items()}
    for name in [n for n in record["cells"] if "mass" in n or "output" in n or n == "value_radius"]:
        if name != "bound_band_mass":
            del record["cells"][name]
    record["summary"] |= {"captured_output": None, "dropped_mass": 0.0, "dropped_mass_expanded": 0.0}


def without_draws(record: Record) -> None:
    record["settings"]["draws"] = 0
    for part in (record["cells"], record["summary"]):
        for name in [n for n in part if n.startswith("sampled")]:
            del part[name]


def layer_of_none(record: Record) -> None:
    for name, values in record["cells"].items():
        if name not in ("layer", "head", "note"):
            values[:2] = [None, None]
    record["cells"]["note"][:2] = ["no eligible tile"] * 2
    keep = [i for i, layer in enumerate(record["layers"]["layer"]) if layer != 0]
    record["layers"] = {n: [None, *(v[i] for i in keep)] for n, v in record["layers"].items()}
    record["layers"]["layer"][0] = 0


def nothing_to_gain(record: Record) -> None:
    for name in ("policies", "by_tau", "by_k", "layers"):
        record[name]["captured"] = [None] * len(record[name]["captured"])
    for name in [n for n in record["summary"] if "captured" in n]:
        record["summary"][name] = None
    for name in [n for n in record["cells"] if "captured" in n]:
        record["cells"][name] = [None] * 4


def no_estimates(record: Record) -> None:
    record["settings"] |= {"estimator": "given", "tau": 0.1}
    record["summary"] |= {"split_half_over_row_step": None, "tau_over_row_step": None}


def given_tau(record: Record) -> None:
    record["settings"] |= {"estimator": "given", "tau": 0.1}
    record["summary"]["tau_over_row_step"] = 0.3


def no_tau_curve(record: Record) -> None:
    record["by_tau"] = {}
    record["settings"]["tau_factors"] = []
    record["summary"] |= {"captured_over_tau_lowest": None, "captured_over_tau_highest": None}


def no_ties_no_gaps(record: Record) -> None:
    record["gap_distribution"]["count"] = [0, 0, 0, 0]


# Changes that do not meet on the page are rendered together, for time.
VARIANTS: dict[str, tuple[Callable[[Record], None], ...]] = {
    "no mass": (without_mass,),
    "nothing to gain, no estimates": (nothing_to_gain, no_estimates),
    "a layer of None, no curve over tau": (layer_of_none, no_tau_curve),
    "given tau, no gaps": (given_tau, no_ties_no_gaps),
}


@pytest.fixture(scope="module")
def page() -> str:
    return render_certificate(make())


class Elements(html.parser.HTMLParser):
    """Names, ids and attributes of a page's elements; complains of tags that do not close."""

    VOID = frozenset({"meta", "br", "hr", "img", "link"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.ids: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.ids.extend(value for name, value in attrs if name == "id" and value is not None)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.ids.extend(value for name, value in attrs if name == "id" and value is not None)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def drawings(page: str) -> list[str]:
    return re.findall(r"<svg .*?</svg>", page, flags=re.DOTALL)


def check(page: str) -> None:
    """Well formed, self-contained, no id twice, no leftover of a missing number."""
    elements = Elements(page)
    assert not elements.open
    assert len(set(elements.ids)) == len(elements.ids)
    assert not {"script", "link", "iframe", "object", "img"} & set(elements.names)
    assert set(re.findall(r"\b(?:https?|file):[^\"'\s)<]*", page)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not re.search(r"@import|@font-face|url\((?!#)", page)
    for svg in drawings(page):
        root = ElementTree.fromstring(svg)
        title = root[0]
        assert title.tag.endswith("title")
        assert title.text
        assert root.get("aria-labelledby") == title.get("id")
        used = set(re.findall(r"(?:href=\"#|url\(#)([^\")]+)", svg))
        assert used <= {node.get("id") for node in root.iter()}
    words = re.sub(r"<style>.*?</style>|<svg .*?</svg>|<[^>]+>", " ", page, flags=re.DOTALL)
    assert not re.search(r"\b(nan|None|inf|Undefined)\b", words)


def test_same_record_same_bytes(page: str) -> None:
    again = render_certificate(json.loads(json.dumps(make())))
    assert again == page
    check(page)
    assert len(drawings(page)) == 7


def test_users_own_matplotlib_settings_do_not_show(page: str) -> None:
    import matplotlib

    with matplotlib.rc_context({"font.size": 30, "svg.fonttype": "path", "axes.facecolor": "red"}):
        assert render_certificate(make()) == page


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS.keys())
def test_renders_what_is_missing(changes: tuple[Callable[[Record], None], ...]) -> None:
    record = make()
    for change in changes:
        change(record)
    check(render_certificate(record))


def test_renders_one_layer_without_mass_and_draws() -> None:
    record = make(layers=1, heads=1)
    without_mass(record)
    without_draws(record)
    page = render_certificate(record)
    check(page)
    assert "taken without masses" in page
    assert "No Monte Carlo" in page


def test_every_string_is_escaped() -> None:
    evil = "<script>alert(1)</script>\"'& $x$ {{ 7*7 }}"
    record = make()
    record["notes"] = [evil]
    record["versions"][evil] = evil
    record["source"] |= dict.fromkeys(("model", "revision", "scorer", "index_sha256"), evil)
    record["source"]["made_with"] = {evil: evil}
    record["source"]["prompts"][0]["sha256"] = evil
    record["settings"] |= {"estimator": evil, evil: evil}
    record["cells"]["note"][0] = evil
    record["cells"]["bound_branch"][0] = evil
    record["cells"]["head"] = ["0", evil, "0", evil]  # goes into a figure
    page = render_certificate(record)
    check(page)
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "{{ 7*7 }}" in page
    assert any("&lt;script&gt;" in svg for svg in drawings(page))
    assert not re.search(r"&(?!(?:amp|lt|gt|quot|#\d+);)", re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL))


@pytest.mark.parametrize("broken", [{}, {"kind": "refsym certificate", "format": 2}, {"kind": "x", "format": 1}])
def test_refuses_another_record(broken: Record) -> None:
    with pytest.raises(ValueError, match="not the record of a refsym certificate"):
        render_certificate(broken)


def words(change: Callable[[Record], None] | None = None) -> tuple[str, str, str]:
    """Headline, sentences and advice after a change to the record."""
    record = make()
    if change is not None:
        change(record)
    found = answer(View.of(record))
    sentences = " ".join(f"{s.lead} {s.text}" for s in found.sentences)
    return found.headline, sentences, " ".join(f"{s.lead} {s.text}" for s in found.advice)


def test_words_where_sigma_is_better_at_every_noise_scale() -> None:
    headline, sentences, advice = words()
    assert headline == (
        "The cut at k = 8 misses a truly best free block with probability 60.0%; "
        "the σ router captures 60.0% of what choosing the tiles can add."
    )
    assert "Of the 2.00 points between, the σ router captures 60.0%." in sentences
    assert "other noise scales? Yes, in sign." in sentences
    assert "The output agrees in sign." in sentences
    assert "No other trigger" in advice
    assert "not about task accuracy" in sentences


def test_words_where_the_estimates_disagree() -> None:
    def flip(record: Record) -> None:
        for factor in (1.0, 2.0):
            set_captured(record, "by_tau", -0.2, factor=factor, policy="sigma", value="identification")

    headline, sentences, _ = words(flip)
    assert headline.endswith("whether the σ router beats random tiles depends on the noise scale.")
    assert "other noise scales? No." in sentences
    assert "60.0% at the split-half estimate used here, about −20.0% at row-step" in sentences
    assert "from −20.0% to 60.0% over noise scales of 0.03 to 2 times row-step" in sentences


def test_words_where_only_the_far_grid_disagrees() -> None:
    def far(record: Record) -> None:
        set_captured(record, "by_tau", 0.0, factor=0.03, policy="sigma", value="identification")

    headline, sentences, _ = words(far)
    assert "captures 60.0%" in headline
    assert "other noise scales? Partly." in sentences
    assert "60.0% at the split-half estimate used here, about 60.0% at row-step" in sentences
    assert "these agree in sign" in sentences


def test_words_where_the_estimates_agree_in_sign_only() -> None:
    def fall(record: Record) -> None:
        for factor in (1.0, 2.0):
            set_captured(record, "by_tau", 0.09, factor=factor, policy="sigma", value="identification")

    sentences = words(fall)[1]
    assert "other noise scales? Yes, in sign." in sentences
    assert "60.0% at the split-half estimate used here, about 9.0% at row-step" in sentences
    assert "estimates agree" not in sentences


def test_words_where_one_estimate_agrees_with_nothing() -> None:
    def alone(record: Record) -> None:
        record["settings"]["estimator"] = "row-step"
        record["summary"]["split_half_over_row_step"] = None
        set_captured(record, "by_tau", 0.0, factor=0.03, policy="sigma", value="identification")

    sentences = words(alone)[1]
    assert "other noise scales? Partly. The captured gain is 60.0% at the row-step estimate used here, but" in sentences


def test_words_where_the_output_disagrees() -> None:
    def disagree(record: Record) -> None:
        record["summary"]["captured_output"] = 0.01
        set_captured(record, "policies", 0.01, level="tile", value="output", policy="sigma")
        set_captured(record, "policies", 0.4, level="tile", value="output", policy="expansion_gap")

    headline, sentences, advice = words(disagree)
    assert "but no dropped mass beyond what random tiles regain" in headline
    assert "The output disagrees." in sentences
    assert "by dropped mass the cutoff gap g captures 62.0% where σ captures 1.0%" in advice


def test_words_where_the_levels_call_for_different_triggers() -> None:
    def differ(record: Record) -> None:
        set_captured(record, "policies", 0.9, level="tile", value="identification", policy="gap")
        set_captured(record, "policies", 0.8, level="tile", value="output", policy="score_mass")

    advice = words(differ)[2]
    assert "by identification error the cutoff gap g captures 90.0% where σ captures 60.0%" in advice
    assert "by dropped mass the score mass captures 80.0%" in advice
    assert "the two levels call for different triggers" in advice


def set_risk(record: Record, risk: float, /, **labels: Any) -> None:
    """Write into the policies that carry these labels."""
    columns = record["policies"]
    for i in range(len(columns["risk"])):
        if all(columns[label][i] == wanted for label, wanted in labels.items()):
            columns["risk"][i] = risk


def test_words_where_another_rule_leaves_less() -> None:
    def by_cell(record: Record) -> None:
        set_risk(record, 0.36, level="tile", value="identification", policy="gap")
        set_risk(record, 0.34, level="cell", value="identification", policy="score_mass")

    assert (
        "Spend the blocks by head, not by tile: the cell rule with the score mass leaves 34.0% identification error "
        "where the tile rule with the cutoff gap g leaves 36.0%, for 11.21 blocks in place of 11.33."
    ) in words(by_cell)[2]
    assert "the cell rule" not in words()[2]


def test_words_where_a_head_budget_costs_the_same() -> None:
    advice = words(lambda record: set_risk(record, 0.1, level="head", value="output", policy="sigma"))[2]
    assert "a budget per head with the σ trigger leaves 10.0% dropped mass" in advice
    assert "for 11.33 blocks each." in advice


def test_words_where_two_rules_cost_differently() -> None:
    def both(record: Record) -> None:
        set_risk(record, 0.1, level="head", value="output", policy="sigma")
        set_risk(record, 0.2, level="cell", value="identification", policy="gap")

    advice = words(both)[2]
    assert "leaves 38.8%, for 11.21 blocks in place of 11.33; a budget per head" in advice
    assert "for 11.33 blocks each." in advice


def test_words_where_only_another_trigger_leaves_less() -> None:
    """The rule is not praised for what its trigger does under the tile rule too."""

    def by_gap(record: Record) -> None:
        for level in LEVELS:
            set_risk(record, 0.3, level=level, value="identification", policy="gap")
        set_risk(record, 0.295, level="cell", value="identification", policy="gap")  # less, by no material amount

    assert "Spend the blocks" not in words(by_gap)[2]


def test_words_on_what_the_router_costs() -> None:
    sentences = words()[1]
    assert (
        "At q = 0.4 the router expands 41.7% of the tiles (D = ⌈qT⌉ in each layer) to 16 blocks, 11.33 on average, "
        "and brings that to 39.0%; expanding all, to 10.0%."
    ) in sentences
    assert "in each layer and sequence)" in words(lambda record: record["summary"].update(sequences=2))[1]


def test_words_on_the_next_q() -> None:
    assert "raising q from 0.4 to 0.5 costs 0.67 more blocks a tile" in words()[2]


def stairs(high: float) -> Callable[[Record], None]:
    def change(record: Record) -> None:
        curve = record["by_q"]
        curve["average_blocks"] = [10.0 if q < 0.625 else high for q in curve["q"]]

    return change


def test_words_on_the_next_q_that_expands_more() -> None:
    assert "raising q from 0.4 to 0.65 costs 2 more blocks a tile" in words(stairs(12.0))[2]
    assert "raising q" not in words(stairs(10.0))[2]


def test_words_on_forced_blocks() -> None:
    sentences = words()[1]
    assert "Of k = 8 blocks 1–2 are forced (block 0 and the diagonal, always kept)." in sentences
    assert "the truly best 6–7 free blocks" in sentences
    sentences = words(lambda record: record["summary"].update(forced_least=2))[1]
    assert "Of k = 8 blocks 2 are forced" in sentences
    assert "the truly best 6 free blocks" in sentences
    sentences = words(lambda record: record["summary"].update(forced_most=1))[1]
    assert "Of k = 8 blocks 1 is forced" in sentences

    def one_free(record: Record) -> None:
        record["summary"] |= {"forced_least": 2}
        record["settings"] |= {"k": 3}

    assert "the others kept miss the truly best free block with mean" in words(one_free)[1]


def test_words_on_the_pairs_behind_the_error() -> None:
    sentences = words(lambda record: record["summary"].update(pairs_with_noise=30))[1]
    assert "Over 30 (tile, head) pairs of 1 sequence" in sentences
    assert "40 (tile, head)" not in sentences


def test_words_where_sigma_is_constant_in_some_pairs() -> None:
    _, sentences, advice = words(lambda record: record["summary"].update(constant_sigma_share=0.2))
    assert "In 20.0% of the pairs σ = 1 whatever the scores" in sentences
    assert "the σ router captures 60.0%." in sentences
    assert "Use a larger k" not in advice
    assert "σ = 1" not in words()[1]


@pytest.mark.parametrize(("rho", "least"), [("2", 4), ("7/5", 5)])
def test_no_verdict_where_sigma_is_constant(rho: str, least: int) -> None:
    def constant(record: Record) -> None:
        record["summary"]["constant_sigma_share"] = 0.5
        record["settings"]["rho"] = rho

    headline, sentences, advice = words(constant)
    assert "no verdict on the σ router" in headline
    assert "No verdict on σ. 50.0% of the (tile, head) pairs keep a single free block" in sentences
    assert "by their index" in sentences
    for verdict_on_sigma in ("captures", "Router.", "noise scales?", "The output"):
        assert verdict_on_sigma not in headline + sentences + advice
    assert advice.startswith("Use a larger k:")
    assert f"from k = {least} on" in advice
    record = make()
    constant(record)
    page = render_certificate(record)
    check(page)
    assert "No verdict: σ = 1 in 50.0% of the (tile, head) pairs" in page


def test_page_states_the_claim_and_the_cost(page: str) -> None:
    text = " ".join(re.sub(r"<style>.*?</style>|<svg .*?</svg>|<[^>]+>", "", page, flags=re.DOTALL).split())
    assert "the 1–2 forced (block 0 and the diagonal, always kept) and the 6–7 best-scored of the others" in text
    assert "the spread r from the best free score to the first dropped one" in text
    assert "D = ⌈qT⌉" in text
    assert "cell rule, 11.21 blocks" in text
    assert "a budget per head 11.33, the cell rule 11.21" in text
    assert "top-8 block" not in text
    assert "share q" not in text


def test_page_states_its_accuracy(page: str) -> None:
    assert pytest.approx(1e-9) == TOLERANCE
    assert captured_gain(0.0, 0.99e-7) is None
    assert captured_gain(0.0, 1.01e-7) == 1.0
    text = " ".join(page.split())
    assert "undefined where the regret of random tiles is below 10⁻⁷" in text
    assert "ranks the tiles by V* at the accuracy promised for an error, 10⁻⁹" in text


@pytest.mark.parametrize(
    ("plain", "lead"), [(0.1, "Or raise k and drop the router:"), (0.3, "Keep a router rather than a larger k:")]
)
def test_words_beside_a_larger_k(plain: float, lead: str) -> None:
    def change(record: Record) -> None:
        record["by_k"]["dropped_mass"] = [plain] * len(record["by_k"]["dropped_mass"])

    advice = words(change)[2]
    assert f"{lead} for 11.25 blocks a tile a plain cut drops about {share(plain)}" in advice


def test_words_without_mass() -> None:
    _, sentences, advice = words(without_mass)
    assert "carries no softmax mass" in sentences
    assert "dropped mass" not in advice
    assert "plain cut" not in advice


def test_words_where_nothing_can_be_gained() -> None:
    headline, sentences, _ = words(nothing_to_gain)
    assert headline.endswith("no choice of tiles does better than random ones.")
    assert "nothing that a choice of tiles could gain" in sentences
    assert "noise scales?" not in sentences


def test_words_where_sigma_loses() -> None:
    def lose(record: Record) -> None:
        record["summary"]["captured_identification"] = -0.4
        set_captured(record, "by_tau", -0.4, policy="sigma")
        set_captured(record, "policies", -0.4, policy="sigma")

    headline, sentences, advice = words(lose)
    assert "worse than chance (−40.0% captured)" in headline
    assert "the σ router loses: it captures −40.0%" in sentences
    assert "The output disagrees." in sentences
    assert "the cutoff gap g captures 62.0% where σ captures −40.0%" in advice


def test_words_where_the_cut_is_safe() -> None:
    def safe(record: Record) -> None:
        record["summary"] |= {"kept_error": 0.004, "dropped_mass": 0.002}

    assert words(safe)[2].startswith("Nothing to repair.")


def test_a_given_tau_is_set_beside_both_estimates() -> None:
    sentences = words(given_tau)[1]
    assert "60.0% at the τ given, about 60.0% at split-half, about 60.0% at row-step, the paper's estimate" in sentences


def test_one_layer_survives() -> None:
    assert survival(View.of(make(layers=1))) == "yes"


@pytest.mark.parametrize(
    ("captured", "expected"),
    [(None, "none"), (0.0, "same"), (0.05, "same"), (0.051, "better"), (-0.05, "same"), (-0.051, "worse")],
)
def test_verdict(captured: float | None, expected: str) -> None:
    assert verdict(captured) == expected


def test_numerals() -> None:
    shares = (0.6869, 0.0356, 1.0, 0.0, 2.5e-8, None)
    assert [share(x) for x in shares] == ["68.7%", "3.56%", "100%", "0%", "<0.001%", "–"]
    assert points(-0.0168) == "−1.68 points"
    assert [gain(x) for x in (0.00201, -0.1246, -0.0001, None)] == ["0.2%", "−12.5%", "0.0%", "–"]
    assert [number(x) for x in (0.0, 12345.0, -2.5e-7, float("inf"), float("nan"), 0.9999)] == [
        "0", "12345", "−2.50 × 10⁻⁷", "∞", "–", "1.00",
    ]  # fmt: skip
    assert setting(0.4) == "0.4"
    assert [blocks(x) for x in (34 / 3, 11.25, 16.0, 2 / 3)] == ["11.33", "11.25", "16", "0.67"]
    assert count(12960) == "12\u202f960"


def test_every_policy_of_the_record_has_its_name_and_colours():
    """A policy added to the numbers must not be missing from the page."""
    from refsym.report import view
    from refsym.report.figures import canvas
    from refsym_theory.selection import policies

    assert set(view.POLICIES) == set(policies.POLICIES) == set(view.NAMES)
    assert set(canvas.COLOURS) == set(canvas.DASHES) == set(policies.POLICIES)
    css = (Path(view.__file__).parent / "templates" / "page.css").read_text()
    for policy in policies.POLICIES:
        assert f"--{policy.replace('_', '-')}:" in css
