"""Does attention follow how densely a region was sampled: two equal regions, 10 and 6 keys, 12 and 4, 14 and 2.

RS 4.2 and G.3 on a small language model. A question's context, its first token aside, is cut into two spans of equal
length; so many of each span's tokens are kept, at the middles of equal cells, with their own positions; the options
follow. Recorded for the last token, in every layer and head, are the odds of its attention to the dense span against
the sparse one: counting keys, weighing them by their cells, and with one count for all of them. Two schedules of cells
whose widths grow geometrically have masses that vary within a span.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from refsym.progress import progress
from refsym.study import Account, Finding, Records, Table, parse, parser, read_records
from refsym.study.on_model import inputs_of, model_of
from refsym.study.probe import causal_mask, last_row
from refsym.study.questions import Question, in_turn, made_up, read_rows

FORMAT = 1
QUESTIONS, SHORTEST, LONGEST = 160, 34, 260
ALLOCATIONS = ((10, 6), (12, 4), (14, 2))
SPANS = (4, 8)
"""Widest cell over narrowest, of eight cells: what the printed bounds of G.3 are (claim RS.G3-ranges)."""
GEOMETRIC = 8
ROUNDING = 1e-5
"""Relative; logits are float32 products of at most some tens, each rounded twice."""


@dataclass(frozen=True)
class Layout:
    """Which tokens are kept, and what they stand for.

    Attributes
    ----------
    kept : int64 [n]
        Their places, the dense span's first.
    mass : float64 [n]
        Tokens that each stands for.
    dense : int
        How many belong to the dense span.
    """

    name: str
    kept: Tensor
    mass: Tensor
    dense: int


def allocation(context: int, dense: int, sparse: int) -> Layout:
    """Two equal spans behind the first token, `dense` and `sparse` cells."""
    span = (context - 1) // 2
    kept, mass = [], []
    for region, cells in enumerate((dense, sparse)):
        middles = (np.arange(cells) + 0.5) * span / cells
        kept += [1 + region * span + int(middle) for middle in middles]
        mass += [span / cells] * cells
    return Layout(f"{dense}/{sparse}", torch.tensor(kept), torch.tensor(mass, dtype=torch.float64), dense)


def geometric(context: int, ratio: int) -> Layout:
    """Eight cells of widths that grow from 1 to `ratio`; the narrower four are the dense group."""
    widths = float(ratio) ** (np.arange(GEOMETRIC) / (GEOMETRIC - 1))
    widths *= (context - 1) / widths.sum()
    middles = 1 + widths.cumsum() - widths / 2
    places = np.maximum.accumulate(middles.astype(np.int64) - np.arange(GEOMETRIC)) + np.arange(GEOMETRIC)
    return Layout(f"geometric {ratio}", torch.tensor(places), torch.tensor(widths), GEOMETRIC // 2)


def odds(model: Any, question: Question, layout: Layout, log_mass: Tensor) -> Tensor:
    """Log-odds of dense against sparse, float64 [layers, heads]."""
    places = torch.cat([torch.tensor([0]), layout.kept, torch.arange(question.context, len(question.tokens))])
    bias = torch.zeros(len(places), dtype=torch.float64)
    bias[1 : 1 + len(layout.kept)] = log_mass
    embedded = model.get_input_embeddings()(question.tokens)[places]
    log = last_row(model, embedded, places, causal_mask(bias))[..., 1 : 1 + len(layout.kept)]
    return log[..., : layout.dense].logsumexp(-1) - log[..., layout.dense :].logsumexp(-1)


@torch.inference_mode()
def observed(model: Any, question: Question) -> Iterator[dict[str, Any]]:
    """A row for each layout, rule, layer and head."""
    layouts = [allocation(question.context, *pair) for pair in ALLOCATIONS]
    layouts += [geometric(question.context, ratio) for ratio in SPANS]
    for layout in layouts:
        standard = odds(model, question, layout, torch.zeros(len(layout.kept), dtype=torch.float64))
        rules = {"measure": layout.mass.log()}
        if not layout.name.startswith("geometric"):
            rules["count"] = torch.full_like(layout.mass, math.log(float(layout.mass.sum()) / len(layout.mass)))
        for rule, log_mass in rules.items():
            ratio = (odds(model, question, layout, log_mass) - standard).exp()
            for layer in range(ratio.shape[0]):
                for head in range(ratio.shape[1]):
                    yield {
                        "item": question.item,
                        "cluster": question.cluster,
                        "layout": layout.name,
                        "rule": rule,
                        "layer": layer,
                        "head": head,
                        "ratio": float(ratio[layer, head]),
                        "low": float(layout.mass[: layout.dense].min() / layout.mass[layout.dense :].max()),
                        "high": float(layout.mass[: layout.dense].max() / layout.mass[layout.dense :].min()),
                    }


def main(argv: list[str] | None = None) -> None:
    """Run the questions that the records lack."""
    arguments = parse(parser(__doc__, Path(__file__).parent, model=True, data=True), argv)
    model, tokenizer = model_of(arguments)
    if arguments.quick:
        questions = made_up(tokenizer, 3)
    else:
        questions = in_turn(read_rows(arguments.data), tokenizer, QUESTIONS, shortest=SHORTEST, longest=LONGEST)
    settings = {
        "format": FORMAT,
        **inputs_of(arguments),
        "questions": [QUESTIONS, SHORTEST, LONGEST],
    }
    records = Records(arguments.out, settings, force=arguments.force)
    todo = [question for question in questions if question.item not in records.done("item")]
    with progress("questions") as report:
        for number, question in enumerate(todo):
            report(number, len(todo))
            records.add(observed(model, question))


def account(path: Path) -> Account:
    """Hold the odds against the masses."""
    rows, settings = read_records(path)
    table = pd.DataFrame(rows)
    expected = {f"{dense}/{sparse}": sparse / dense for dense, sparse in ALLOCATIONS}
    first = table[table["layer"] == 0]
    findings, summary = [], []
    for name, mass in expected.items():
        weighed = first[(first["layout"] == name) & (first["rule"] == "measure")]["ratio"]
        off = float((weighed / mass - 1).abs().max())
        findings.append(
            Finding(
                f"{name}: measure odds over standard odds, first layer, largest relative distance from {mass:.4g}",
                "RS G.3",
                off,
                holds=off <= ROUNDING,
                note=f"Over {len(weighed):,} questions and heads; scores are shared there.",
            )
        )
        counted = first[(first["layout"] == name) & (first["rule"] == "count")]["ratio"]
        changed = float((counted - 1).abs().max())
        findings.append(
            Finding(
                f"{name}: the same for one count of all keys, largest distance from 1",
                "RS 4.2",
                changed,
                holds=changed <= ROUNDING,
                note="A count cannot tell the allocations apart.",
            )
        )
    uniform = first[first["layout"].isin(list(expected)) & (first["rule"] == "measure")]
    within = int(((uniform["ratio"] / uniform["layout"].map(expected) - 1).abs() < 0.01).sum())
    findings.append(
        Finding(
            f"Observations within 1 %, of {len(uniform):,}",
            "RS G.3",
            within,
            "60,479",
            incomparable="another model: 60,479 of 60,480",
            holds=within == len(uniform),
        )
    )
    for ratio in SPANS:
        here = first[first["layout"] == f"geometric {ratio}"]
        low, high = float(here["low"].iloc[0]), float(here["high"].iloc[0])
        inside = bool(((here["ratio"] >= low * (1 - ROUNDING)) & (here["ratio"] <= high * (1 + ROUNDING))).all())
        printed = {4: ("0.250", "0.820"), 8: ("0.125", "0.743")}[ratio]
        findings += [
            Finding(f"Geometric widths 1 to {ratio}: lower bound", "RS G.3", low, printed[0]),
            Finding(f"Geometric widths 1 to {ratio}: upper bound", "RS G.3", high, printed[1]),
            Finding(
                f"Geometric widths 1 to {ratio}: all {len(here):,} first-layer ratios inside",
                "RS G.3",
                f"{here['ratio'].min():.3f} to {here['ratio'].max():.3f}",
                holds=inside,
            ),
        ]
    last = int(table["layer"].max())
    for name, mass in expected.items():
        for layer in (0, last // 2, last):
            part = table[(table["layout"] == name) & (table["rule"] == "measure") & (table["layer"] == layer)]
            spread = (part["ratio"] / mass).quantile([0.05, 0.5, 0.95])
            summary.append([f"{name}, layer {layer}", *map(float, spread)])
    return Account(
        "Attention odds between two regions sampled unequally",
        "RS 4.2 and G.3: weighing keys by mass scales the first-layer odds by 6/10, 4/12 and 2/14; one count for all "
        "keys leaves them; with masses that vary within a region the ratio lies between two bounds.",
        f"SmolLM2-135M-Instruct, {table['item'].nunique()} questions, the last token's attention at "
        f"{table['layer'].nunique()} layers and {table['head'].nunique()} heads. Two spans of each context.",
        [
            f"In the first layer, where both rules share their scores, all {len(uniform):,} ratios are those of the "
            f"masses to {max(f.found for f in findings[:6:2]):.0e}. Deeper, hidden states differ too and ratios spread."
            if all(finding.holds is not False for finding in findings)
            else "A ratio is not that of the masses: see the findings."
        ],
        findings,
        [
            Table(
                "Measure odds over standard odds, in units of the mass ratio",
                ["Allocation", "5 %", "median", "95 %"],
                summary,
                "Quantiles over questions and heads.",
            )
        ],
        settings=settings,
    )


if __name__ == "__main__":
    main()
