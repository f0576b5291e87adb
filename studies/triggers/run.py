"""Does a certificate's captured gain say which trigger helps a layer's output: policy by policy, layer by layer.

A dense forward over a context; at each layer, for each scorer and budget, the error that every (tile, head) makes with
k blocks and with rho k: squared distance of its sparse output from the dense one. What a trigger policy would gain is
then a sum, and so is what it gains by the certificate: identification (V*, at each head's split-half noise) and softmax
mass. Captured gain, in each currency: 0 is chance, 1 the best trigger of the same budget in that currency.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from scipy import stats
from torch import Tensor

from refsym.progress import progress
from refsym.study import Account, Finding, Records, Table, parse, parser, read_records
from refsym.study.contexts import Context, generated, in_turn
from refsym.study.on_model import inputs_of, model_of
from refsym_gpu.models import AttentionCall, register_attention
from refsym_gpu.policies import keep
from refsym_gpu.reference import Selection, TileScores, measure_attention
from refsym_gpu.selection import select_blocks
from refsym_gpu.sparse import SparseAttention
from refsym_gpu.urgency import POLICIES, Policy, urgency
from refsym_theory.selection.policies import gains, random_gains

FORMAT = 1
CONTEXTS, TOKENS = 8, 2_048
SCORERS = ("kmean", "quest")
BUDGETS = ((4, 2), (8, 2), (12, 2))
SHARES = (Fraction(1, 5), Fraction(2, 5))
RANKED: tuple[Policy, ...] = tuple(name for name in POLICIES if name not in ("topk", "random"))
CURRENCIES = ("output", "value", "mass")
LEVELS = ("tile", "cell")


def block_errors(call: AttentionCall, dense: Tensor, rule: SparseAttention, kv_idx: Tensor) -> Tensor:
    """Squared distance from the dense output, float64 [H, Q_t], summed over a tile's rows and channels."""
    apart = (rule.attend(call, kv_idx) - dense)[0].double().square().sum(dim=-1)
    apart = torch.nn.functional.pad(apart, (0, -apart.shape[-1] % rule.block_m))
    return apart.reshape(len(apart), -1, rule.block_m).sum(dim=-1)


def regained_mass(mass: Tensor, chosen: Selection) -> Tensor:
    """Dense softmax mass of the blocks that expansion adds: float64 [H, Q_t]."""
    rank = torch.arange(chosen.prefix_idx.shape[-1])
    added = (rank >= chosen.k_free[0, :, None]) & (rank < chosen.m_free[0, :, None])
    padded = torch.nn.functional.pad(mass[0].double(), (0, 1))
    return (padded.gather(-1, chosen.prefix_idx[0].long()) * added).sum(dim=-1)


def worth(call: AttentionCall, rule: SparseAttention) -> tuple[TileScores, Selection, dict[str, np.ndarray], Tensor]:
    """What expansion of each eligible (head, tile) is worth in each currency, [H, T]; and the noise scale [1, H]."""
    tiles = rule.scores(call, rule.scorer)
    chosen = select_blocks(tiles, k=rule.k, rho=rule.rho, q=0)
    here, tau = chosen.eligible[0], rule.noise_scale(call)
    dense = torch.nn.functional.scaled_dot_product_attention(
        call.query, call.key, call.value, is_causal=True, scale=call.scale, enable_gqa=True
    )
    none = torch.zeros_like(chosen.sigma, dtype=torch.bool)
    plain, expanded = (block_errors(call, dense, rule, keep(tiles, chosen, t)) for t in (none, ~none))
    sizes = {"block_m": rule.block_m, "block_n": rule.block_n}
    mass = measure_attention(call.query, call.key, call.value, scale=call.scale, window=call.window, **sizes).mass
    found = {
        "output": plain - expanded,
        "value": urgency(tiles, chosen, "best_value", tau=tau)[0],
        "mass": regained_mass(mass, chosen),
    }
    return tiles, chosen, {name: of[:, here].numpy() for name, of in found.items()}, tau


def captured(call: AttentionCall, rule: SparseAttention) -> Iterator[dict[str, Any]]:
    """A row for each policy, level and share: what it gains in each currency, and what chance and the best would."""
    tiles, chosen, value, tau = worth(call, rule)
    stacked = np.stack([value[name] for name in CURRENCIES])
    ranked = {name: -urgency(tiles, chosen, name, tau=tau)[0][:, chosen.eligible[0]].numpy() for name in RANKED} | {
        "best_mass": -value["mass"],
        "best_output": -value["output"],
    }
    for level in LEVELS:
        chance = random_gains(stacked, level, SHARES)[:, 0]
        best = np.stack([gains(-value[name], value[name][None], level, SHARES)[0, 0] for name in CURRENCIES])
        for policy, priority in ranked.items():
            gained = gains(priority, stacked, level, SHARES)[:, 0]
            for i, share in enumerate(SHARES):
                yield {
                    "policy": policy,
                    "level": level,
                    "q": float(share),
                    **{f"gained_{name}": float(gained[c, i]) for c, name in enumerate(CURRENCIES)},
                    **{f"chance_{name}": float(chance[c, i]) for c, name in enumerate(CURRENCIES)},
                    **{f"best_{name}": float(best[c, i]) for c, name in enumerate(CURRENCIES)},
                }


@torch.inference_mode()
def observed(model: Any, context: Context, budgets: tuple[tuple[int, int], ...]) -> list[dict[str, Any]]:
    """All rows of one context."""
    rows: list[dict[str, Any]] = []

    def watch(call: AttentionCall) -> None:
        for scorer in SCORERS:
            for k, rho in budgets:
                rule = SparseAttention("topk", k=k, rho=rho, scorer=scorer)  # type: ignore[arg-type]
                labels = {"item": context.item, "layer": call.layer, "scorer": scorer, "k": k, "rho": rho}
                rows.extend(labels | row for row in captured(call, rule))

    with register_attention(model, watch):
        model.model(context.tokens)
    return rows


def main(argv: list[str] | None = None) -> None:
    """Run the contexts that the records lack."""
    arguments = parse(parser(__doc__, Path(__file__).parent, model=True, data=True), argv)
    model, tokenizer = model_of(arguments)
    contexts = generated(tokenizer, 704, 2) if arguments.quick else in_turn(arguments.data, tokenizer, TOKENS, CONTEXTS)
    budgets = ((3, 2),) if arguments.quick else BUDGETS
    settings = {
        "format": FORMAT,
        **inputs_of(arguments, "numpy"),
        "contexts": [CONTEXTS, TOKENS],
        "budgets": budgets,
        "shares": [str(share) for share in SHARES],
    }
    records = Records(arguments.out, settings, force=arguments.force)
    todo = [context for context in contexts if context.item not in records.done("item")]
    with progress("contexts") as report:
        for number, context in enumerate(todo):
            report(number, len(todo))
            records.add(observed(model, context, budgets))


def share(rows: pd.DataFrame, currency: str) -> float:
    """Captured gain of the rows together: sums first, as the design has it."""
    gained, chance, best = (rows[f"{part}_{currency}"].sum() for part in ("gained", "chance", "best"))
    return float((gained - chance) / (best - chance)) if best > chance else float("nan")


def _over(contexts: list[float]) -> tuple[float, float, float]:
    """Mean with its 95 % Student interval."""
    values = np.array([value for value in contexts if np.isfinite(value)])
    if not len(values):
        return float("nan"), float("nan"), float("nan")
    half = (
        stats.t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    )
    return float(values.mean()), float(values.mean() - half), float(values.mean() + half)


def agreement(rows: pd.DataFrame, currency: str) -> tuple[float, float, float]:
    """Spearman's correlation over layers between captured gain in a currency and in output, averaged over contexts."""
    found = []
    for _, context in rows.groupby("item"):
        pairs = [(share(layer, currency), share(layer, "output")) for _, layer in context.groupby("layer")]
        finite = np.array([pair for pair in pairs if np.isfinite(pair).all()])
        found.append(float(stats.spearmanr(*finite.T).statistic) if len(finite) > 2 else float("nan"))
    return _over(found)


def account(path: Path) -> Account:
    """Tabulate captured gains, and correlate them over layers."""
    rows, settings = read_records(path)
    table = pd.DataFrame(rows)
    contexts = table["item"].nunique()
    interval = f"95 %, Student t over {contexts} contexts"
    main_k, main_q = (8, 0.4) if (table["k"] == 8).any() else (int(table["k"].iloc[0]), 0.4)
    at = table[(table["k"] == main_k) & (table["q"] == main_q)]
    findings, columns = [], [f"{scorer}, {level}" for scorer in SCORERS for level in LEVELS]
    tables = {name: [] for name in ("output", "value")}
    shares: dict[tuple[str, str, str], tuple[float, float, float]] = {}
    for policy in (*RANKED, "best_mass", "best_output"):
        for currency, lines in tables.items():
            line: list[Any] = [policy.replace("_", " ")]
            for scorer in SCORERS:
                for level in LEVELS:
                    here = at[(at["policy"] == policy) & (at["level"] == level) & (at["scorer"] == scorer)]
                    mean, low, high = _over([share(part, currency) for _, part in here.groupby("item")])
                    line.append(f"{mean:.2f} [{low:.2f}, {high:.2f}]")
                    if currency == "output":
                        shares[policy, scorer, level] = mean, low, high
            lines.append(line)
    for policy in ("sigma", "gap", "spread", "best_value", "expected_misses", "score_mass", "score_mass_gained"):
        mean, low, high = shares[policy, "kmean", "tile"]
        findings.append(
            Finding(
                f"Share of the attainable cut in output error, {policy.replace('_', ' ')}, tiles, K-mean",
                "here",
                mean,
                low=low,
                high=high,
                interval=interval,
            )
        )
    correlations = []
    for scorer in SCORERS:
        for policy in ("sigma", "gap", "spread", "score_mass"):
            here = at[(at["policy"] == policy) & (at["level"] == "tile") & (at["scorer"] == scorer)]
            line = [f"{policy.replace('_', ' ')}, {scorer}"]
            for currency in ("value", "mass"):
                mean, low, high = agreement(here, currency)
                line.append(f"{mean:.2f} [{low:.2f}, {high:.2f}]")
                if (policy, scorer) == ("sigma", "kmean"):
                    name = {"value": "identification", "mass": "softmax mass"}[currency]
                    findings.append(
                        Finding(
                            f"Rank correlation over layers: sigma's captured gain by {name} against by output error",
                            "here",
                            mean,
                            low=low,
                            high=high,
                            interval=interval,
                        )
                    )
            correlations.append(line)
    budgets = [
        [f"{scorer}, k = {k}, q = {q:g}"]
        + [
            round(_over([share(part, "output") for _, part in here[here["policy"] == p].groupby("item")])[0], 3)
            for p in ("sigma", "spread", "expected_misses", "score_mass")
        ]
        for (scorer, k, q), here in table[table["level"] == "cell"].groupby(["scorer", "k", "q"])
    ]
    by_value, by_mass = findings[-2], findings[-1]
    sigma, mass = shares["sigma", "kmean", "tile"], shares["score_mass", "kmean", "tile"]
    return Account(
        "What a certificate's captured gain says of a layer's output",
        "UG D.4 proposes to predict a trigger's worth from the score dump. The certificate values expansions by "
        "identification (V*) and by softmax mass.",
        f"SmolLM2-135M-Instruct, {contexts} contexts of {settings['contexts'][1]:,} tokens, "
        f"{table['layer'].nunique()} layers, both scorers, k in {sorted(set(table['k']))}, rho 2, q in 0.2 and 0.4. "
        "Errors are of single layers on dense inputs. Where not said otherwise: "
        f"k = {main_k}, q = {main_q:g}.",
        [
            f"By output error sigma captures {sigma[0]:.2f} of what the best tiles would gain over random ones (K-mean "
            f"scores), dropped score mass {mass[0]:.2f}. Over layers, sigma's captured gain by identification goes "
            f"with its captured gain by output error at a rank correlation of {by_value.found:.2f} "
            f"[{by_value.low:.2f}, {by_value.high:.2f}], by softmax mass at {by_mass.found:.2f} "
            f"[{by_mass.low:.2f}, {by_mass.high:.2f}]."
        ],
        findings,
        [
            Table(f"Captured gain by output error, {interval}", ["Policy", *columns], tables["output"]),
            Table("Captured gain by identification (V*)", ["Policy", *columns], tables["value"]),
            Table(
                "Rank correlation over layers with captured gain by output error, tiles",
                ["Policy", "by identification", "by softmax mass"],
                correlations,
            ),
            Table(
                "Captured gain by output error, cells, by budget",
                ["Setting", "sigma", "spread", "expected misses", "score mass"],
                budgets,
            ),
        ],
        settings=settings,
    )


if __name__ == "__main__":
    main()
