"""The page's small tables: policies at every level, and the closed form's parts over the cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refsym.report.columns import Columns
from refsym.report.numerals import blocks, gain, number, points, share
from refsym.report.view import LEVELS, NAMES, POLICIES, RUNTIME_POLICIES, View

QUANTILES = (0.0, 0.1, 0.5, 0.9, 1.0)

_LEVEL_NAMES = {"tile": "tile rule (deployed)", "head": "per head", "cell": "cell rule"}


@dataclass(frozen=True)
class PolicyCell:
    """One (level, value) of one policy; `best` among those that a selector can compute."""

    captured: str
    regret: str
    best: bool


@dataclass(frozen=True)
class PolicyRow:
    """A policy over all (level, value)."""

    key: str
    name: str
    cells: tuple[PolicyCell, ...]


@dataclass(frozen=True)
class PolicyTable:
    """Captured gain and regret of every policy; `levels` are named with the blocks that they cost."""

    levels: tuple[str, ...]
    values: tuple[str, ...]
    rows: tuple[PolicyRow, ...]


def policy_table(view: View) -> PolicyTable:
    """Every policy at three levels, by identification error and by dropped mass."""
    at = [(level, value) for level in LEVELS for value in view.values]
    best: dict[tuple[str, str], str | None] = {}
    for level, value in at:
        known = {p: view.at_policy(level, value, p, "captured") for p in RUNTIME_POLICIES}
        defined = {p: c for p, c in known.items() if c is not None}
        best[level, value] = max(defined, key=lambda p: defined[p]) if defined else None
    present = set(view.policies.values("policy"))
    rows = [
        PolicyRow(
            key=policy.replace("_", "-"),
            name=NAMES[policy],
            cells=tuple(
                PolicyCell(
                    captured=gain(view.at_policy(level, value, policy, "captured")),
                    regret=points(view.at_policy(level, value, policy, "regret")).removesuffix(" points"),
                    best=best[level, value] == policy,
                )
                for level, value in at
            ),
        )
        for policy in POLICIES
        if policy in present
    ]
    levels = [f"{_LEVEL_NAMES[level]}, {blocks(view.blocks(level))} blocks" for level in LEVELS]
    return PolicyTable(tuple(levels), view.values, tuple(rows))


@dataclass(frozen=True)
class PartRow:
    """A part of the closed form: its symbol, what it is, its quantiles over the cells."""

    symbol: str
    meaning: str
    quantiles: tuple[str, ...]


def closed_form_parts(view: View) -> tuple[PartRow, ...]:
    """Quantiles over (layer, head) of the bound and of everything in it."""
    cells = view.cells
    tau = cells.numbers("tau")
    # chi and epsilon are infinite where a sequence has no floor, and None in the record.
    infinite = np.isnan(cells.numbers("bound_chi")) & np.isfinite(cells.numbers("bound"))
    parts = [
        ("R_q", "regret of σ, exact", cells.numbers("regret"), True),
        ("pair bound", "its bound from pairs of scores, without assumptions", cells.numbers("regret_bound"), True),
        ("closed form", "its bound by equation 24, π₂ included", cells.numbers("bound"), True),
        ("π₂", "share of tiles below the spacing floor", cells.numbers("bound_violating"), True),
        ("Δ₂ / τ", "the spacing floor used", cells.numbers("bound_delta_2") / tau, False),
        (
            "spacing / τ",
            "a tile's smallest other spacing, its median",
            cells.numbers("bound_spacing_median") / tau,
            False,
        ),
        ("χ", "excess of the union bound", np.where(infinite, np.inf, cells.numbers("bound_chi")), False),
        ("ε̄", "relative slack of the sandwich", np.where(infinite, np.inf, cells.numbers("bound_epsilon")), False),
        ("β", "largest |r / r̄ − 1|, what (A2) needs below 1", cells.numbers("bound_beta"), False),
        ("CV(r)", "the paper's proxy for β", cells.numbers("bound_spread_cv"), False),
        ("γ_q / τ", "threshold of the trigger as a gap", cells.numbers("bound_gamma") / tau, False),
        ("band mass", "share of tiles with g within γ_q (1 ± β)", cells.numbers("bound_band_mass"), True),
    ]
    return tuple(
        PartRow(symbol, meaning, tuple((share if is_share else number)(x) for x in _quantiles(values)))
        for symbol, meaning, values, is_share in parts
    )


def _quantiles(values: NDArray[np.float64]) -> list[float]:
    known = values[~np.isnan(values)]
    if not known.size:
        return [float("nan")] * len(QUANTILES)
    return [float(x) for x in np.quantile(known, QUANTILES, method="lower")]  # no arithmetic on infinities


@dataclass(frozen=True)
class Agreement:
    """How exact numbers, Monte Carlo and closed form agree over the cells.

    Attributes
    ----------
    cells
        Cells with a noise scale.
    sampled, within
        Cells with a sampled error that has a standard error above 0, and those within two of them.
    bracketed
        Cells whose exact regret lies between the split and the plug-in estimate.
    bounded, held
        Cells with a bound, and those whose exact regret it covers.
    one, half, band
        How many bounds have this term active in every sequence.
    no_floor, wide
        Bounds with Delta_2 = 0, and with beta >= 1.
    ratio, pair_ratio
        Medians of the closed form and of the pair bound over the exact regret.
    pair_held
        Cells whose exact regret the pair bound covers.
    """

    cells: int
    sampled: int
    within: int
    bracketed: int
    bounded: int
    held: int
    one: int
    half: int
    band: int
    no_floor: int
    wide: int
    ratio: str
    pair_ratio: str
    pair_held: int


def agreement_counts(view: View) -> Agreement:
    """Count the cells by how their three evaluations agree."""
    cells: Columns = view.cells
    exact, regret = cells.numbers("kept_error"), cells.numbers("regret")
    difference, error = cells.numbers("sampled_kept_error") - exact, cells.numbers("sampled_kept_error_se")
    split, plugin = cells.numbers("sampled_regret_split"), cells.numbers("sampled_regret_plugin")
    bound, branches = cells.numbers("bound"), cells.values("bound_branch")
    usable = np.isfinite(difference) & (error > 0)
    pair_bound = cells.numbers("regret_bound")
    return Agreement(
        cells=int(np.isfinite(exact).sum()),
        sampled=int(usable.sum()),
        within=int((np.abs(difference[usable]) <= 2 * error[usable]).sum()),
        bracketed=int(((split <= regret) & (regret <= plugin)).sum()),
        bounded=int(np.isfinite(bound).sum()),
        held=int((regret <= bound + 1e-9).sum()),
        one=branches.count("one"),
        half=branches.count("half"),
        band=branches.count("band"),
        no_floor=int((cells.numbers("bound_delta_2") == 0).sum()),
        wide=int((cells.numbers("bound_beta") >= 1).sum()),
        ratio=number(_median_ratio(bound, regret)),
        pair_ratio=number(_median_ratio(pair_bound, regret)),
        pair_held=int((regret <= pair_bound + 1e-9).sum()),
    )


def _median_ratio(bound: NDArray[np.float64], regret: NDArray[np.float64]) -> float | None:
    ratio = bound[regret > 0] / regret[regret > 0]
    known = ratio[np.isfinite(ratio)]
    return float(np.median(known)) if known.size else None
