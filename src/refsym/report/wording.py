"""The answer in words. Every sentence follows from the numbers by a rule; none is typed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from refsym.report.numerals import blocks, count, gain, points, setting, share
from refsym.report.view import NAMES, RUNTIME_POLICIES, View

Verdict = Literal["better", "same", "worse", "none"]

SAME = 0.05
"""Captured gains within this of 0 count as no better than random tiles."""
CLEARLY = 0.1
"""Another policy is named if it captures this much more than sigma."""
MATERIAL = {"identification": 0.01, "output": 0.005}
"""Another rule is named if it leaves this much less error or dropped mass."""
SAFE = 0.01
"""Below this error and this dropped mass a cut needs no router."""
CONSTANT = 0.5
"""With sigma constant in at least this share of the pairs there is no verdict on it."""

_RULES = {"tile": "the tile rule", "head": "a budget per head", "cell": "the cell rule"}
_LEVEL_WORDS = {"identification": "identification error", "output": "dropped mass"}


@dataclass(frozen=True)
class Sentence:
    """A statement and the few words that announce it."""

    lead: str
    text: str


@dataclass(frozen=True)
class Answer:
    """What the first screen says."""

    headline: str
    sentences: tuple[Sentence, ...]
    advice: tuple[Sentence, ...]


def verdict(captured: float | None) -> Verdict:
    """How a trigger does beside random tiles of the same number."""
    if captured is None:
        return "none"
    return "better" if captured > SAME else "worse" if captured < -SAME else "same"


def answer(view: View) -> Answer:
    """Put the certificate's numbers into words."""
    if not judged(view):
        return Answer(_headline(view), (_risk(view), _constant_sigma(view)), tuple(_advice(view)))
    sentences = [_risk(view), _router(view)]
    if view.summary["captured_identification"] is not None:
        sentences.append(_over_tau(view))
    sentences.append(_output(view))
    return Answer(_headline(view), tuple(sentences), tuple(_advice(view)))


def judged(view: View) -> bool:
    """Whether sigma varies over enough pairs for a verdict on it."""
    return bool(view.summary["constant_sigma_share"] < CONSTANT)


def _headline(view: View) -> str:
    s, k = view.summary, view.settings["k"]
    text = f"The cut at k = {k} misses a truly best free block with probability {share(s['kept_error'])}; "
    if not judged(view):
        return text + "there is no verdict on the σ router: k keeps too few free blocks for σ to vary."
    captured = s["captured_identification"]
    mine = verdict(captured)
    if mine != "none" and survival(view) == "no":
        return text + "whether the σ router beats random tiles depends on the noise scale."
    end = {
        "better": f"the σ router captures {gain(captured)} of what choosing the tiles can add",
        "same": f"the σ router chooses tiles no better than chance ({gain(captured)} captured)",
        "worse": f"the σ router chooses tiles worse than chance ({gain(captured)} captured)",
        "none": "no choice of tiles does better than random ones",
    }[mine]
    output = verdict(s["captured_output"])
    if mine == "better" and output in ("same", "worse"):
        end += ", but no dropped mass beyond what random tiles regain"
    return f"{text}{end}."


def forced(view: View) -> str:
    """How many of the kept blocks are forced: "2", or "1–2" where tiles differ."""
    least, most = view.summary["forced_least"], view.summary["forced_most"]
    return str(least) if least == most else f"{least}–{most}"


def free(view: View, kept: int) -> str:
    """How many of so many kept blocks are free."""
    least, most = view.summary["forced_least"], view.summary["forced_most"]
    return str(kept - most) if least == most else f"{kept - most}–{kept - least}"


def _risk(view: View) -> Sentence:
    s, c = view.summary, view.settings
    noise = "given" if c["estimator"] == "given" else "estimated"
    sequences, each = ("sequence", "each layer") if s["sequences"] == 1 else ("sequences", "each layer and sequence")
    verb = "is" if s["forced_most"] == 1 else "are"
    others = free(view, c["k"])
    best = "the truly best free block" if others == "1" else f"at least one of the truly best {others} free blocks"
    return Sentence(
        "Risk.",
        f"Of k = {c['k']} blocks {forced(view)} {verb} forced (block 0 and the diagonal, always kept). "
        f"Over {count(s['pairs_with_noise'])} (tile, head) pairs of {count(s['sequences'])} {sequences}, "
        f"the others kept miss {best} with mean probability {share(s['kept_error'])}, "
        f"if the scores are as noisy as {noise}. At q = {setting(view.q)} the router expands "
        f"{share(s['expanded_share'])} of the tiles (D = ⌈qT⌉ in {each}) to {c['expanded']} blocks, "
        f"{blocks(s['average_blocks'])} on average, and brings that to {share(s['error_sigma'])}; "
        f"expanding all, to {share(s['expanded_error'])}. "
        "This is about blocks under a model of noise, not about task accuracy.",
    )


def _constant_sigma(view: View) -> Sentence:
    """Instead of every verdict on sigma."""
    part = share(view.summary["constant_sigma_share"])
    return Sentence(
        "No verdict on σ.",
        f"{part} of the (tile, head) pairs keep a single free block, where σ = 1 whatever the scores. Among them σ "
        "orders the tiles by their index, so what the router does here, for the error or for the output, "
        "says nothing about σ as a trigger.",
    )


def _router(view: View) -> Sentence:
    s = view.summary
    captured = s["captured_identification"]
    start = (
        f"As many tiles drawn at random would reach {share(s['error_random'])}, "
        f"the best possible trigger {share(s['error_best'])}"
    )
    if captured is None:
        return Sentence("Router.", start + ": there is nothing that a choice of tiles could gain.")
    worth = points(s["error_random"] - s["error_best"])
    gained = {
        "better": f"the σ router captures {gain(captured)}",
        "same": f"the σ router captures next to nothing ({gain(captured)})",
        "worse": f"the σ router loses: it captures {gain(captured)}",
        "none": "",
    }[verdict(captured)]
    constant = s["constant_sigma_share"]
    aside = (
        f" In {share(constant)} of the pairs σ = 1 whatever the scores (a single free block is kept); "
        "those it orders by tile index."
        if constant > 0
        else ""
    )
    return Sentence("Router.", f"{start}. Of the {worth} between, {gained}.{aside}")


@dataclass(frozen=True)
class TauCurve:
    """Captured gain of a policy (tile rule, identification) against tau as a multiple of row-step."""

    factors: Sequence[float]
    captured: Sequence[float]

    @classmethod
    def of(cls, view: View, policy: str = "sigma") -> TauCurve:
        """The points of the grid where the captured gain is defined."""
        rows = view.by_tau.where(level="tile", value="identification", policy=policy)
        pairs = zip(rows.values("factor"), rows.values("captured"), strict=True)
        kept = sorted((f, c) for f, c in pairs if c is not None)
        return cls([f for f, _ in kept], [c for _, c in kept])

    def at(self, factor: float) -> float | None:
        """Linear in log tau between the grid's points; None outside them."""
        if not self.factors or not self.factors[0] <= factor <= self.factors[-1]:
            return None
        return float(np.interp(np.log(factor), np.log(self.factors), self.captured))


def estimates(view: View) -> list[tuple[str, float]]:
    """The two estimators' names and medians over heads as multiples of row-step; row-step is 1."""
    ratio = view.summary["split_half_over_row_step"]
    return [("split-half", ratio), ("row-step", 1.0)] if ratio is not None else [("row-step", 1.0)]


def _elsewhere(view: View) -> list[tuple[str, float]]:
    """Captured gain of sigma at the estimates that were not used, read off the curve."""
    curve = TauCurve.of(view)
    found = [(name, curve.at(f)) for name, f in estimates(view) if name != view.settings["estimator"]]
    return [(name, value) for name, value in found if value is not None]


def survival(view: View) -> Literal["yes", "partly", "no"]:
    """Whether the verdict on sigma is the same at both estimates (else no) and on the whole grid (else partly)."""
    mine = verdict(view.summary["captured_identification"])
    if any(verdict(value) != mine for _, value in _elsewhere(view)):
        return "no"
    return "yes" if all(verdict(value) == mine for value in TauCurve.of(view).captured) else "partly"


def _over_tau(view: View) -> Sentence:
    captured = view.summary["captured_identification"]
    curve = TauCurve.of(view)
    used = view.settings["estimator"]
    at = [f"{gain(captured)} at the {'τ given' if used == 'given' else used + ' estimate used here'}"]
    at += [f"about {gain(value)} at {_described(name)}" for name, value in _elsewhere(view)]
    span = ""
    if curve.captured:
        low, high = min(curve.captured), max(curve.captured)
        span = (
            f"from {gain(low)} to {gain(high)} over noise scales of {setting(curve.factors[0])} to "
            f"{setting(curve.factors[-1])} times row-step"
        )
    survives = survival(view)
    apart = len(at) > 1 and verdict(captured) != "same"
    if survives == "no":
        return Sentence(
            "Does it survive other noise scales? No.",
            f"The captured gain is {', '.join(at)}"
            + (f", and runs {span}" if span else "")
            + ". Which estimate is right decides the verdict.",
        )
    if survives == "partly":
        return Sentence(
            "Does it survive other noise scales? Partly.",
            f"The captured gain is {', '.join(at)}{': these agree in sign' if apart else ''}, but it runs {span}: "
            "the verdict changes further out.",
        )
    return Sentence(
        f"Does it survive other noise scales? Yes{', in sign' if apart else ''}.",
        f"The captured gain is {', '.join(at)}" + (f", and runs {span}." if span else "."),
    )


def _described(estimator: str) -> str:
    return "row-step, the paper's estimate" if estimator == "row-step" else estimator


def _output(view: View) -> Sentence:
    s = view.summary
    if "output" not in view.values:
        return Sentence(
            "Output.", "The dump carries no softmax mass, so nothing here says what dropping a block costs the output."
        )
    left = {p: view.left("tile", "output", p) for p in ("sigma", "random", "best_mass")}
    what = (
        f"As measured, without any model of noise, the cut drops {share(s['dropped_mass'])} of the softmax mass; "
        f"σ brings that to {share(left['sigma'])}, random tiles to {share(left['random'])}, "
        f"the best trigger to {share(left['best_mass'])}"
    )
    mine, theirs = verdict(s["captured_output"]), verdict(s["captured_identification"])
    if mine == "none":
        return Sentence("Output.", f"{what}: no choice of tiles matters there.")
    if theirs == "none":
        return Sentence("Output.", f"{what}: σ captures {gain(s['captured_output'])} there.")
    if mine != theirs:
        lead = "The output disagrees."
    else:
        lead = "The output agrees." if mine == "same" else "The output agrees in sign."
    gains = f"{gain(s['captured_output'])} there, {gain(s['captured_identification'])} of the error"
    return Sentence(lead, f"{what}: σ captures {gains}.")


def _advice(view: View) -> list[Sentence]:
    s = view.summary
    has_mass = "output" in view.values
    if s["kept_error"] < SAFE and (not has_mass or s["dropped_mass"] < SAFE):
        k = view.settings["k"]
        return [Sentence("Nothing to repair.", f"At k = {k} the cut is safe without a router; a smaller k may do.")]
    if not judged(view):
        return [_larger_k(view)]
    return [*_better_trigger(view), *_better_rule(view), *_plain_cut(view), *_slope(view)]


def _larger_k(view: View) -> Sentence:
    """The least k that keeps two free blocks in every tile and has an integer rho k."""
    step, most = Fraction(str(view.settings["rho"])).denominator, view.summary["forced_most"]
    least = -(-(most + 2) // step) * step
    return Sentence(
        "Use a larger k:",
        f"with up to {most} forced blocks σ can vary in every tile from k = {least} on; certify again there.",
    )


def _better_trigger(view: View) -> list[Sentence]:
    found = []
    for value in view.values:
        gains = {p: view.at_policy("tile", value, p, "captured") for p in RUNTIME_POLICIES}
        known = {p: g for p, g in gains.items() if g is not None}
        if "sigma" not in known:
            continue
        top = max(known, key=lambda p: known[p])
        if known[top] >= known["sigma"] + CLEARLY:
            found.append((value, top, known[top], known["sigma"]))
    if not found:
        return [Sentence("Trigger.", "No other trigger made of the same scores captures clearly more than σ.")]
    parts = []
    for value, top, most, sigma in found:
        text = f"by {_LEVEL_WORDS[value]} the {NAMES[top]} captures {gain(most)} where σ captures {gain(sigma)}"
        if value == "identification":
            text += _at_other_estimates(view, top)
        parts.append(text)
    names = {top for _, top, _, _ in found}
    joined = "; ".join(parts)
    end = "; the two levels call for different triggers, so settle it on your task." if len(names) > 1 else "."
    return [Sentence("Try another trigger:", joined + end)]


def _at_other_estimates(view: View, policy: str) -> str:
    """How a policy that wins at the tau used does at the other estimate."""
    mine, sigma = TauCurve.of(view, policy), TauCurve.of(view)
    parts = [
        f"at {name} about {gain(mine.at(f))} and {gain(sigma.at(f))}"
        for name, f in estimates(view)
        if name != view.settings["estimator"] and mine.at(f) is not None and sigma.at(f) is not None
    ]
    return f" ({', '.join(parts)})" if parts else ""


def _better_rule(view: View) -> list[Sentence]:
    """The best of the triggers that a selector can compute under another rule, beside the best under the tile rule."""
    parts, costs = [], []
    for value in view.values:
        tile, other = _best(view, value, ("tile",)), _best(view, value, ("head", "cell"))
        if tile is None or other is None or other.risk > tile.risk - MATERIAL[value]:
            continue
        parts.append(
            f"{_RULES[other.level]} with the {_trigger(other.policy)} leaves {share(other.risk)} "
            f"{_LEVEL_WORDS[value]} where the tile rule with the {_trigger(tile.policy)} leaves {share(tile.risk)}"
        )
        costs.append(_instead(other.cost, tile.cost))
    if not parts:
        return []
    if len(set(costs)) > 1:
        parts = [f"{part}, {cost}" for part, cost in zip(parts, costs, strict=True)]
        costs = []
    text = "; ".join(parts) + (f", {costs[0]}" if costs else "")
    return [Sentence("Spend the blocks by head, not by tile:", f"{text}.")]


@dataclass(frozen=True)
class _Choice:
    """A rule and a trigger, what they leave, and their cost in blocks."""

    level: str
    policy: str
    risk: float
    cost: float


def _best(view: View, value: str, levels: Sequence[str]) -> _Choice | None:
    """The one that leaves least of those that a selector can compute."""
    found = []
    for level in levels:
        for policy in RUNTIME_POLICIES:
            risk, cost = (view.at_policy(level, value, policy, name) for name in ("risk", "average_blocks"))
            if risk is not None and cost is not None:
                found.append(_Choice(level, policy, risk, cost))
    return min(found, key=lambda choice: choice.risk, default=None)


def _instead(cost: float, tile_cost: float) -> str:
    mine, theirs = blocks(cost), blocks(tile_cost)
    return f"for {mine} blocks each" if mine == theirs else f"for {mine} blocks in place of {theirs}"


def _trigger(policy: str) -> str:
    return "σ trigger" if policy == "sigma" else NAMES[policy]


def _plain_cut(view: View) -> list[Sentence]:
    """Whether a larger k without a router drops less mass for as many blocks; only mass compares across k."""
    rows = view.by_k.where(level="tile", value="output", policy="sigma")
    k, dropped, routed = rows.numbers("k"), rows.numbers("dropped_mass"), rows.numbers("risk")
    at = np.flatnonzero(k == view.settings["k"])
    if not at.size or not np.isfinite(routed[at[0]]):
        return []
    cost = float(rows.numbers("average_blocks")[at[0]])
    if not k.min() <= cost <= k.max():
        return []
    plain, with_router = float(np.interp(cost, k, dropped)), float(routed[at[0]])
    numbers = (
        f"for {blocks(cost)} blocks a tile a plain cut drops about {share(plain)} of the mass, "
        f"the router at k = {view.settings['k']} drops {share(with_router)}"
    )
    if plain < with_router:
        return [Sentence("Or raise k and drop the router:", f"{numbers} (on the tiles that all k share).")]
    return [Sentence("Keep a router rather than a larger k:", f"{numbers} (on the tiles that all k share).")]


def _slope(view: View) -> list[Sentence]:
    """What the next tenth of q buys, by the risk curve; the next q that expands more tiles if a tenth does not."""
    curves = {value: view.by_q.where(level="tile", value=value, policy="sigma") for value in view.values}
    curve = curves["identification"]
    q, cost = curve.numbers("q"), curve.numbers("average_blocks")
    if not q.size:
        return []
    now = int(np.abs(q - view.q).argmin())
    further = np.flatnonzero((q >= min(view.q + 0.1, 1.0) - 1e-9) & (cost > cost[now] + 1e-9))
    if not further.size:
        return []
    then = int(further[q[further].argmin()])
    parts = []
    for value, rows in curves.items():
        risk = rows.numbers("risk")
        if np.isfinite(risk[[now, then]]).all():
            parts.append(f"{points(float(risk[now] - risk[then]))} of {_LEVEL_WORDS[value]}")
    if not parts:
        return []
    return [
        Sentence(
            "Choose q and k by the curves below:",
            f"raising q from {setting(view.q)} to {setting(float(q[then]))} costs "
            f"{blocks(float(cost[then] - cost[now]))} more blocks a tile and removes {' and '.join(parts)}.",
        )
    ]
