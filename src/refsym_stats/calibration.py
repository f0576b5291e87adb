r"""How often intervals cover and tests reject, by simulation on differences whose mean is known.

A difference between two arms on item i of cluster g under training seed s is made of a cluster's part, an item's part
that all seeds share, and the rest; a seed may also shift all of its differences. Its mean is exact by construction. One
number can be asked of such data in three ways, and an interval answers only some of them:

- new sources, same seeds: these checkpoints on all the sources there are;
- same items, new seeds: all checkpoints that the recipe could have given, on this test set;
- new sources, new seeds: both at once.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import norm
from scipy.stats import t as student

from refsym_stats.arguments import fraction, whole
from refsym_stats.bootstrap import cluster_bootstrap, crossed_bootstrap
from refsym_stats.equivalence import tost
from refsym_stats.errors import InputError
from refsym_stats.mcnemar import mcnemar_exact
from refsym_stats.multiplicity import bonferroni, gated, holm
from refsym_stats.randomization import sign_flip
from refsym_stats.result import Result

Array = NDArray[np.float64]

SOURCES, SEEDS, BOTH = "new sources, same seeds", "same items, new seeds", "new sources, new seeds"
COVERAGE, SIZE, FAMILY = "coverage", "size", "family-wise size"
CALIBRATED, CONSERVATIVE, SHORT, MANY = "calibrated", "conservative", "too short", "too many rejections"

TOLERANCE = Fraction(1, 100)
"""A share this near the nominal one is calibrated, however many replications there are."""

ROOM = 0.8
"""How much more discordance than is kept a binary law draws, so that its seeds can move it."""

CLIP = 3.0
"""Standard deviations of the seeds' shifts that a binary law must have room for; a normal's rest changes nothing."""

ENUMERATED = 20
"""Real differences up to which sign flips are enumerated here; `sign_flip` itself goes to 50."""

BATCH = 4_000_000
"""Differences that are held at once."""


@dataclass(frozen=True)
class Scenario:
    """A law of differences and what is tried on it.

    Attributes
    ----------
    name, group : str
        The group is the question that several scenarios answer together.
    laws : tuple of {"binary", "normal", "skewed", "heavy", "lognormal"}
        One a contrast; several are a family of correlated contrasts.
    sizes : tuple of int
        Items of each cluster.
    methods : tuple of str
        Keys of `METHODS`, or of `FAMILIES` for a family.
    seeds : int
    cluster_share, item_share : float
        Parts of the variance (binary: of the latent normal's) that a cluster's items, an item's seeds, have in common.
    seed_spread, effect : float
        Standard deviation of the seeds' shifts, and the true mean, in standard errors over sources.
    discordance : float
        P(gain) + P(loss) of a binary difference.
    linked : bool
        Clusters have 2 or 10 items by chance and a mean that depends on it; the question-weighted mean is zero still.
    times : int
        Multiplies the replications where they are cheap.
    """

    name: str
    group: str
    laws: tuple[str, ...]
    sizes: tuple[int, ...]
    methods: tuple[str, ...]
    seeds: int = 1
    cluster_share: float = 0.2
    item_share: float = 0.4
    seed_spread: float = 0.0
    effect: float = 0.0
    discordance: float = 0.12
    linked: bool = False
    times: int = 1

    @property
    def room(self) -> float:
        """How much more discordance is drawn than is kept."""
        return ROOM if self.seed_spread else 0.0

    def bound(self, law: str) -> float:
        """Return the largest shift of a seed: half of a binary law's room, since cancelling may double it."""
        return self.room * (self.discordance - abs(self.truth(law))) / 2 if law == "binary" else math.inf

    @property
    def rest(self) -> float:
        """Part of the variance that nothing shares."""
        return 1 - self.cluster_share - self.item_share

    def truth(self, law: str) -> float:
        """Return the mean difference."""
        return self.effect * self.standard_error(law)

    def standard_error(self, law: str) -> float:
        """Standard deviation of the mean over seeds and items when sources are drawn anew and seeds shift nothing."""
        n, squares = sum(self.sizes), sum(size**2 for size in self.sizes)
        if law != "binary":
            variance, item, cluster = 1.0, self.cluster_share + self.item_share, self.cluster_share
        else:
            # At no effect; one of a few standard errors changes little. Thinning loosens what seeds share.
            half, more = self.discordance / 2, 1 + self.room
            variance = self.discordance
            item = _variance(half * more, half * more, self.cluster_share + self.item_share) / more**2
            cluster = _variance(half * more, half * more, self.cluster_share) / more**2
        one = variance / self.seeds + item * (self.seeds - 1) / self.seeds
        return math.sqrt(n * one + (squares - n) * cluster) / n


def _variance(up: float, down: float, share: float) -> float:
    """Variance of E[D | shared part of the latent normal], by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    means = _given(math.sqrt(share) * nodes, up, down, 1 - share)
    return float(weights @ (means - (up - down)) ** 2 / weights.sum())


def _given(shared: Array, up: float, down: float, rest: float) -> Array:
    """E[D | the shared part of the latent normal] for P(D = 1) = up and P(D = -1) = down."""
    scale = math.sqrt(rest)
    return np.asarray(ndtr((shared - ndtri(1 - up)) / scale) - ndtr((ndtri(down) - shared) / scale))


@dataclass(frozen=True, eq=False)
class Sample:
    """Replications of one contrast.

    Attributes
    ----------
    differences : array [R, S, n]
        Integers for a binary law; 0 where an item is absent.
    codes : array [n]
        Cluster of each item, ascending from 0.
    present : array [R, n] of bool
    truth : float
        With new sources and new seeds.
    same_seeds, same_items : array [R]
        With the seeds, or the items, that the replication drew.
    asked : array [R]
        The effect that a test is told.
    draws, seed : int
        Of resampling.
    """

    differences: NDArray[Any]
    codes: NDArray[np.int64]
    present: NDArray[np.bool_]
    truth: float
    same_seeds: Array
    same_items: Array
    asked: Array
    draws: int
    seed: int
    level: float = 0.95

    def target(self, name: str) -> Array:
        """Return the number asked for in each replication."""
        fixed = {SOURCES: self.same_seeds, SEEDS: self.same_items}
        return fixed.get(name, np.full(len(self.differences), self.truth))

    @cached_property
    def totals(self) -> NDArray[Any]:
        """Sums over seeds [R, n]."""
        return np.asarray(self.differences.sum(axis=1))

    @cached_property
    def rates(self) -> Array:
        """Means of each seed [R, S]."""
        return np.asarray(self.differences.sum(axis=2) / self.present.sum(axis=1)[:, None])

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Items of each cluster [R, G]."""
        return np.asarray(_within(self.present.astype(np.int64), self.codes))

    @cached_property
    def flips(self) -> Array:
        """p-values of the sign flip over clusters."""
        return _flipped(self, clustered=True)

    @cached_property
    def over_seeds(self) -> Student:
        """Student's results over seeds."""
        return paired_t_batch(self.rates, self.level)

    @cached_property
    def over_clusters(self) -> Student:
        """Cluster-robust results of the mean over seeds."""
        sums = _within(self.totals, self.codes) / self.differences.shape[1]
        largest = np.abs(self.totals).max(axis=1) / self.differences.shape[1]
        return cluster_robust_batch(sums, self.sizes, largest, self.level)

    def items(self) -> Iterator[tuple[int, NDArray[Any], NDArray[np.int64]]]:
        """Yield of each replication its number, its differences [S, n] and their clusters."""
        for r, here in enumerate(self.present):
            yield r, self.differences[r][:, here], self.codes[here]


def _within(values: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[Any]:
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return np.add.reduceat(values, starts, axis=-1)


@dataclass(frozen=True)
class Student:
    """Student's intervals and two-sided p-values of many replications; NaN where they are undefined."""

    estimate: Array
    error: Array
    degrees: Array
    low: Array
    high: Array
    p_value: Array

    @classmethod
    def of(cls, estimate: Array, error: Array, degrees: Array, level: float) -> Student:
        """From an estimate, its standard error (NaN where undefined) and the degrees of freedom."""
        degrees = np.broadcast_to(degrees, estimate.shape)
        needed = {d: float(student.ppf((1 + level) / 2, d)) for d in np.unique(degrees) if d > 0}
        half = np.array([needed.get(d, math.nan) for d in degrees]) * error
        p = np.asarray(2 * student.sf(np.abs(estimate / error), degrees))
        return cls(estimate, error, degrees, estimate - half, estimate + half, p)


def paired_t_batch(rates: Array, level: float = 0.95) -> Student:
    """`paired_t` of each row of differences [R, S]."""
    seeds = rates.shape[1]
    estimate = rates.mean(axis=1)
    squares = ((rates - estimate[:, None]) ** 2).sum(axis=1)
    moving = np.ptp(rates, axis=1) > 0
    error = np.where(moving, np.sqrt(squares / max(seeds - 1, 1) / seeds), np.nan)
    return Student.of(estimate, error, np.array(seeds - 1.0), level)


def cluster_robust_batch(sums: Array, sizes: NDArray[Any], largest: Array, level: float = 0.95) -> Student:
    """`cluster_robust` of each row of cluster sums [R, G] over cluster sizes [R, G], 0 for a cluster that is absent.

    `largest` [R] is the largest difference of an item in size: what `cluster_robust` judges rounding by.
    """
    n, groups = sizes.sum(axis=1), (sizes > 0).sum(axis=1).astype(np.float64)
    estimate = sums.sum(axis=1) / n
    residuals = sums - sizes * estimate[:, None]
    still = np.abs(residuals).max(axis=1) <= np.finfo(float).eps * n * largest
    inflation = groups / np.maximum(groups - 1, 1)
    error = np.where(still | (groups < 2), np.nan, np.sqrt(inflation * (residuals**2).sum(axis=1)) / n)
    return Student.of(estimate, error, groups - 1, level)


def _ends(found: Student) -> tuple[Array, Array]:
    return found.low, found.high


def _item_t(sample: Sample) -> tuple[Array, Array]:
    values = sample.totals / sample.differences.shape[1]
    return _ends(
        cluster_robust_batch(values, sample.present.astype(np.int64), np.abs(values).max(axis=1), sample.level)
    )


def _collected(sample: Sample, one: Callable[[NDArray[Any], NDArray[np.int64], int], Result]) -> tuple[Array, Array]:
    """Interval ends of a procedure that takes one replication at a time; NaN where it returns none."""
    out = np.full((2, len(sample.differences)), np.nan)
    for r, values, codes in sample.items():
        found = one(values, codes, sample.seed + r)
        if found.low is not None and found.high is not None:
            out[:, r] = found.low, found.high
    return out[0], out[1]


def _resampled(method: str) -> Callable[[Sample], tuple[Array, Array]]:
    def run(sample: Sample) -> tuple[Array, Array]:
        count = sample.differences.shape[1]

        def one(values: NDArray[Any], codes: NDArray[np.int64], seed: int) -> Result:
            return cluster_bootstrap(
                values.sum(axis=0), codes, level=sample.level, method=method, draws=sample.draws, seed=seed, workers=1
            )

        low, high = _collected(sample, one)
        return low / count, high / count

    return run


def _crossed(sample: Sample) -> tuple[Array, Array]:
    def one(values: NDArray[Any], codes: NDArray[np.int64], seed: int) -> Result:
        return crossed_bootstrap(values, codes, level=sample.level, draws=sample.draws, seed=seed, workers=1)

    return _collected(sample, one)


def _flipped(sample: Sample, *, clustered: bool) -> Array:
    """Exact p-values for integers and few units; by Monte Carlo, as in RS, for many real numbers."""
    units = sample.sizes.shape[1] if clustered else sample.present.shape[1]
    method = "auto" if sample.differences.dtype.kind == "i" or units <= ENUMERATED else "monte-carlo"
    out = np.empty(len(sample.differences))
    for r, values, codes in sample.items():
        found = sign_flip(
            values.sum(axis=0),
            clusters=codes if clustered else None,
            method=method,
            draws=sample.draws,
            seed=sample.seed + r,
            workers=1,
        )
        out[r] = found.p_value
    return out


@cache
def _mcnemar(gains: int, losses: int, n: int, mid_p: bool, interval: str, level: float) -> tuple[float, float, float]:
    found = mcnemar_exact(gains, losses, n=n, mid_p=mid_p, interval=interval, level=level)
    low, high, p = (math.nan if v is None else float(v) for v in (found.low, found.high, found.p_value))
    return low, high, p


def _paired_counts(sample: Sample, mid_p: bool = False, interval: str = "score") -> Array:
    """Low, high and p [3, R] of McNemar's test."""
    values, n = sample.differences[:, 0], sample.differences.shape[2]
    counts = zip((values > 0).sum(axis=1).tolist(), (values < 0).sum(axis=1).tolist(), strict=True)
    return np.array([_mcnemar(up, down, n, mid_p, interval, sample.level) for up, down in counts]).T


def _equivalence(sample: Sample, found: Student, units: str) -> Array:
    """p-values of two one-sided tests whose margin is the true effect: every claim of equivalence is an error."""
    out = np.full(len(found.estimate), np.nan)
    for r in np.flatnonzero(np.isfinite(found.error)):
        count: dict[str, Any] = {units: int(found.degrees[r]) + 1}
        estimate, error = float(found.estimate[r]), float(found.error[r])
        p = tost(Result("", 1, estimate, error, level=sample.level, **count), abs(float(sample.asked[r]))).p_value
        out[r] = math.nan if p is None else p
    return out


def _gate(sample: Sample) -> Array:
    """RS I.2's p-value of one contrast."""
    pairs = zip(sample.flips, _known(sample.over_seeds.p_value), strict=True)
    return np.array([float(gated(source, seed, family_size=1)) for source, seed in pairs])


def _known(p: Array) -> Array:
    """An undefined p-value rejects nothing."""
    return np.where(np.isnan(p), 1.0, p)


@dataclass(frozen=True)
class Method:
    """A procedure as the simulation asks it.

    Attributes
    ----------
    kind : str
        COVERAGE or SIZE.
    targets : tuple of str
        What its answer is held against, where seeds are drawn; otherwise there are only new sources.
    run : callable
        Interval ends (low, high), or p-values, of a `Sample`.
    """

    kind: str
    targets: tuple[str, ...]
    run: Callable[[Sample], Any]


_FIXED = (SOURCES, BOTH)
METHODS: dict[str, Method] = {
    "paired t over seeds": Method(COVERAGE, (SEEDS, SOURCES, BOTH), lambda s: _ends(s.over_seeds)),
    "cluster-robust t": Method(COVERAGE, _FIXED, lambda s: _ends(s.over_clusters)),
    "t over items": Method(COVERAGE, _FIXED, _item_t),
    "cluster bootstrap, percentile": Method(COVERAGE, _FIXED, _resampled("percentile")),
    "cluster bootstrap, basic": Method(COVERAGE, _FIXED, _resampled("basic")),
    "crossed bootstrap, percentile": Method(COVERAGE, _FIXED, _crossed),
    "sign flip over clusters": Method(SIZE, _FIXED, lambda s: s.flips),
    "sign flip over items": Method(SIZE, _FIXED, lambda s: _flipped(s, clustered=False)),
    "gate": Method(SIZE, _FIXED, _gate),
    "McNemar, exact": Method(SIZE, (SOURCES,), lambda s: _paired_counts(s)[2]),
    "McNemar, mid-p": Method(SIZE, (SOURCES,), lambda s: _paired_counts(s, mid_p=True)[2]),
    "paired counts, score interval": Method(COVERAGE, (SOURCES,), lambda s: _paired_counts(s)[:2]),
    "paired counts, t interval": Method(COVERAGE, (SOURCES,), lambda s: _paired_counts(s, interval="t")[:2]),
    "equivalence, cluster-robust t": Method(SIZE, (SOURCES,), lambda s: _equivalence(s, s.over_clusters, "clusters")),
    "equivalence, paired t over seeds": Method(SIZE, (SEEDS, BOTH), lambda s: _equivalence(s, s.over_seeds, "seeds")),
}


def _adjusted(adjust: Callable[[Array], Array]) -> Callable[[Array, Array], Array]:
    return lambda source, seed: np.array([adjust(p) for p in source])


FAMILIES: dict[str, Callable[[Array, Array], Array]] = {
    "sign flip, unadjusted": lambda source, seed: source,
    "sign flip, Bonferroni": _adjusted(lambda p: bonferroni(p, len(p))),
    "sign flip, Holm": _adjusted(lambda p: holm(p, len(p))),
    "paired t over seeds, Bonferroni": lambda source, seed: np.array([bonferroni(p, len(p)) for p in seed]),
    "gate, Bonferroni": lambda source, seed: np.array(
        [gated(a, b, family_size=len(a)) for a, b in zip(source, seed, strict=True)]
    ),
}
"""Adjusted p-values [R, contrasts] from those over sources and over seeds."""


@dataclass
class Tally:
    """What happened to one method held against one target, over replications."""

    hits: int = 0
    count: int = 0
    undefined: int = 0
    below: int = 0
    above: int = 0
    widths: list[Array] = field(default_factory=list)

    def interval(self, low: Array, high: Array, truth: Array) -> None:
        """Count intervals that hold the truth. An undefined one claims nothing, so it misses nothing."""
        below, above = high < truth, low > truth
        self.count += len(low)
        self.below += int(below.sum())
        self.above += int(above.sum())
        self.hits += int((~below & ~above).sum())
        self.undefined += int(np.isnan(low).sum())
        self.widths.append((high - low)[~np.isnan(low)])

    def test(self, p: Array, level: float) -> None:
        """Count rejections at 1 - level."""
        self.count += len(p)
        self.undefined += int(np.isnan(p).sum())
        self.hits += int((p <= 1 - level + 1e-12).sum())


def wilson(hits: int, count: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a share."""
    z2 = float(norm.ppf((1 + level) / 2)) ** 2
    centre = (hits + z2 / 2) / (count + z2)
    half = math.sqrt(z2 * (hits * (count - hits) / count + z2 / 4)) / (count + z2)
    return max(0.0, centre - half), min(1.0, centre + half)


def verdict(kind: str, hits: int, count: int, nominal: float) -> str:
    """Judge a share: calibrated if the nominal one is in its Wilson interval or within one point of it."""
    low, high = wilson(hits, count)
    apart = Fraction(hits, count) - Fraction(repr(nominal))
    if low <= nominal <= high or abs(apart) <= TOLERANCE:
        return CALIBRATED
    if kind == COVERAGE:
        return CONSERVATIVE if apart > 0 else SHORT
    return CONSERVATIVE if apart < 0 else MANY


def simulate(
    scenarios: Iterable[Scenario], *, replications: int = 2_000, draws: int = 999, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Try procedures on data of known effects.

    Parameters
    ----------
    scenarios : iterable of Scenario
    replications : int
        Of each scenario, times its `times`.
    draws : int
        Of each bootstrap and each Monte Carlo test.
    seed : int
        A scenario's numbers depend on it and on the scenario's name, not on what else is run.
    level : float
        Of the intervals; tests are at 1 - level.

    Returns
    -------
    DataFrame
        A row a scenario, method and target: settings, `hits` of `count` (intervals that cover, or tests that reject),
        `share` with its Wilson interval `low`, `high`, how many were `undefined`, how many intervals lay `below` and
        `above` the truth, their mean `width`, and the `verdict`. An undefined answer covers, and rejects nothing.

    Raises
    ------
    InputError
        A setting out of range, an unknown law or method, or seeds that shift a single seed.
    """
    replications, draws = whole(replications, "replications"), whole(draws, "draws")
    seed, level = whole(seed, "seed", 0), fraction(level)
    found = [_one(scenario, replications, draws, seed, level) for scenario in scenarios]
    if not found:
        raise InputError("simulate: no scenario")
    return pd.concat(found, ignore_index=True)


def _one(scenario: Scenario, replications: int, draws: int, seed: int, level: float) -> pd.DataFrame:
    _demand(scenario)
    tallies: dict[tuple[str, str, str], Tally] = {}
    for batch in samples(scenario, replications * scenario.times, draws=draws, seed=seed, level=level):
        (_family if len(batch) > 1 else _single)(scenario, batch, tallies)
    return pd.DataFrame([_row(scenario, key, tally, draws, seed, level) for key, tally in tallies.items()])


def _demand(scenario: Scenario) -> None:
    known = FAMILIES if len(scenario.laws) > 1 else METHODS
    for method in scenario.methods:
        if method not in known:
            raise InputError(f"{scenario.name}: unknown method {method!r}; one of {'; '.join(known)}")
    for law in scenario.laws:
        if law not in LAWS:
            raise InputError(f"{scenario.name}: unknown law {law!r}; one of {', '.join(LAWS)}")
    if scenario.seed_spread and scenario.seeds == 1:
        raise InputError(f"{scenario.name}: one seed cannot be told from its shift; give more seeds")
    if scenario.rest < 1e-9 or min(scenario.cluster_share, scenario.item_share) < 0:
        raise InputError(f"{scenario.name}: shares of clusters and items must leave something for the rest")
    if scenario.effect == 0 and any(method.startswith("equivalence") for method in scenario.methods):
        raise InputError(f"{scenario.name}: equivalence is tried with the true effect as its margin; give an effect")
    if "binary" in scenario.laws and scenario.linked:
        raise InputError(f"{scenario.name}: a mean that goes with the size needs a real-valued law")
    if "binary" in scenario.laws and not abs(scenario.truth("binary")) < scenario.discordance < 1 / (1 + scenario.room):
        raise InputError(
            f"{scenario.name}: discordance {scenario.discordance:g} must lie between the effect and "
            f"{1 / (1 + scenario.room):.3g}"
        )
    for law in scenario.laws:
        if scenario.seed_spread and scenario.bound(law) < CLIP * scenario.seed_spread * scenario.standard_error(law):
            raise InputError(f"{scenario.name}: seeds shift more than the discordance has room for; give more of it")


def _targets(scenario: Scenario, targets: tuple[str, ...]) -> tuple[str, ...]:
    return targets if scenario.seeds > 1 else (SOURCES,)


def _single(scenario: Scenario, batch: list[tuple[Sample, Sample]], tallies: dict[tuple[str, str, str], Tally]) -> None:
    for name in scenario.methods:
        method = METHODS[name]
        answers: dict[int, Any] = {}
        for target in _targets(scenario, method.targets):
            tally = tallies.setdefault((name, method.kind, target), Tally())
            sample = _facing(batch[0], target, method.kind)
            if id(sample) not in answers:
                answers[id(sample)] = method.run(sample)
            if method.kind == COVERAGE:
                low, high = answers[id(sample)]
                tally.interval(low, high, sample.target(target))
            else:
                tally.test(answers[id(sample)], sample.level)


def _facing(pair: tuple[Sample, Sample], target: str, kind: str) -> Sample:
    """The sample on which a null hypothesis about this target is true: with the same seeds, shifts that cancel."""
    sample, cancelled = pair
    if kind == COVERAGE or target == BOTH:
        return sample
    return cancelled if target == SOURCES else replace(sample, asked=sample.same_items)


def _family(scenario: Scenario, batch: list[tuple[Sample, Sample]], tallies: dict[tuple[str, str, str], Tally]) -> None:
    drawn = [sample for sample, _ in batch]
    source = np.stack([sample.flips for sample in drawn], axis=1)
    seeds = np.stack([_known(sample.over_seeds.p_value) for sample in drawn], axis=1)
    for name in scenario.methods:
        tally = tallies.setdefault((name, FAMILY, BOTH), Tally())
        tally.test(FAMILIES[name](source, seeds).min(axis=1), drawn[0].level)


def _row(
    scenario: Scenario, key: tuple[str, str, str], tally: Tally, draws: int, seed: int, level: float
) -> dict[str, Any]:
    name, kind, target = key
    nominal = level if kind == COVERAGE else round(1 - level, 12)
    low, high = wilson(tally.hits, tally.count)
    widths = np.concatenate(tally.widths) if tally.widths else np.empty(0)
    return {
        "scenario": scenario.name,
        "group": scenario.group,
        "law": " and ".join(dict.fromkeys(scenario.laws)),
        "contrasts": len(scenario.laws),
        "items": math.nan if scenario.linked else float(sum(scenario.sizes)),
        "clusters": len(scenario.sizes),
        "seeds": scenario.seeds,
        "cluster_share": scenario.cluster_share,
        "item_share": scenario.item_share,
        "seed_spread": scenario.seed_spread,
        "effect": scenario.effect,
        "truth": scenario.truth(scenario.laws[0]),
        "standard_error": math.nan if scenario.linked else scenario.standard_error(scenario.laws[0]),
        "method": name,
        "kind": kind,
        "target": target,
        "nominal": nominal,
        "count": tally.count,
        "hits": tally.hits,
        "share": tally.hits / tally.count,
        "low": low,
        "high": high,
        "verdict": verdict(kind, tally.hits, tally.count, nominal),
        "undefined": tally.undefined,
        "below": tally.below,
        "above": tally.above,
        "width": float(widths.mean()) if widths.size else math.nan,
        "draws": draws if _draws(scenario, name) else 0,
        "seed": seed,
    }


def _draws(scenario: Scenario, name: str) -> bool:
    """Whether a method draws here: bootstraps do, sign flips of many real numbers do."""
    units = sum(scenario.sizes) if name.endswith("items") else len(scenario.sizes)
    flips = ("flip" in name or name.startswith("gate")) and units > ENUMERATED
    return "bootstrap" in name or (flips and set(scenario.laws) != {"binary"})


def samples(
    scenario: Scenario, replications: int, *, draws: int = 999, seed: int = 0, level: float = 0.95
) -> Iterator[list[tuple[Sample, Sample]]]:
    """Yield batches of replications: a pair of samples a contrast, the second with seed shifts that cancel.

    Both are made of the same random numbers. Where seeds shift nothing they are one and the same.
    """
    n, groups = _slots(scenario)
    batch = max(1, BATCH // (n * scenario.seeds * len(scenario.laws)))
    name = int.from_bytes(hashlib.sha256(scenario.name.encode()).digest()[:4], "big")
    for number, first in enumerate(range(0, replications, batch)):
        generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(name, number)))
        count = min(batch, replications - first)
        yield _draw(
            scenario, count, groups, generator, {"draws": draws, "seed": int(generator.integers(2**31)), "level": level}
        )


def _slots(scenario: Scenario) -> tuple[int, NDArray[np.int64]]:
    """Items that there is room for, and their clusters."""
    sizes = np.full(len(scenario.sizes), LINKED[1]) if scenario.linked else np.array(scenario.sizes)
    return int(sizes.sum()), np.repeat(np.arange(len(sizes)), sizes)


LINKED = 2, 10
"""Sizes of clusters whose size goes with their mean, equally likely."""

LINK = 0.2
"""Mean difference of an item of a large cluster; in a small one -10/2 of it, so that the items' mean is zero."""

SAME_ENDPOINT, SAME_COMPARATOR = 0.5, -0.5
"""Correlations of a family's latent normals: an arm in common, and two endpoints of one comparison."""


def _draw(
    scenario: Scenario, count: int, codes: NDArray[np.int64], generator: np.random.Generator, settings: dict[str, Any]
) -> list[tuple[Sample, Sample]]:
    contrasts, seeds, n = len(scenario.laws), scenario.seeds, len(codes)
    groups = len(scenario.sizes)
    mixing = np.linalg.cholesky(_correlation(contrasts))

    def normals(*shape: int) -> Array:
        plain = generator.standard_normal((contrasts, count, *shape))
        return plain if contrasts == 1 else np.einsum("kl,l...->k...", mixing, plain)

    shifts = normals(seeds)
    parts = normals(groups), normals(n), normals(seeds, n)
    uniform = generator.random((count, seeds, n)) if scenario.room else np.zeros((count, 1, 1))
    present, means = np.ones((count, n), bool), np.zeros((count, n))
    if scenario.linked:
        sizes = generator.choice(LINKED, (count, groups))
        slot = np.arange(n) % LINKED[1]
        present = slot < sizes[:, codes]
        means = np.where(sizes == LINKED[1], LINK, -LINK * LINKED[1] / LINKED[0])[:, codes]
    out = []
    for k, law in enumerate(scenario.laws):
        make = _binary if law == "binary" else _real
        truth = scenario.truth(law)
        spread, bound = scenario.seed_spread * scenario.standard_error(law), scenario.bound(law)
        moved = np.clip(spread * shifts[k], -bound, bound)
        pieces = parts[0][k][:, codes], parts[1][k], parts[2][k]

        def sample(
            moved: Array, *, make: Any = make, law: str = law, pieces: Any = pieces, truth: float = truth
        ) -> Sample:
            values, same_items = make(scenario, law, truth, moved, pieces, uniform, means)
            values *= present[:, None]
            return Sample(
                values,
                codes,
                present,
                truth,
                truth + moved.mean(axis=1),
                (same_items * present).sum(axis=1) / present.sum(axis=1),
                np.full(count, truth),
                **settings,
            )

        drawn = sample(moved)
        cancelled = sample(moved - moved.mean(axis=1, keepdims=True)) if spread else drawn
        out.append((drawn, cancelled))
    return out


def _correlation(contrasts: int) -> Array:
    """Of two endpoints against contrasts / 2 comparators."""
    if contrasts == 1:
        return np.eye(1)
    comparators = contrasts // 2
    shared = np.full((comparators, comparators), SAME_ENDPOINT) + (1 - SAME_ENDPOINT) * np.eye(comparators)
    return np.asarray(np.kron([[1.0, SAME_COMPARATOR], [SAME_COMPARATOR, 1.0]], shared), dtype=np.float64)


def _real(
    scenario: Scenario, law: str, truth: float, moved: Array, parts: Any, uniform: Array, means: Array
) -> tuple[Array, Array]:
    """Differences [R, S, n] that add up standardised parts, and their means given cluster and item [R, n]."""
    cluster, item, rest = (LAWS[law](part) for part in parts)
    kept = means + truth + math.sqrt(scenario.cluster_share) * cluster + math.sqrt(scenario.item_share) * item
    return kept[:, None] + math.sqrt(scenario.rest) * rest + moved[:, :, None], kept


def _binary(
    scenario: Scenario, law: str, truth: float, moved: Array, parts: Any, uniform: Array, means: Array
) -> tuple[NDArray[Any], Array]:
    """Differences in {-1, 0, 1}: a latent normal's tails, thinned to move a seed's mean by exactly its shift.

    With a the share of gains and b that of losses, a gain is kept with probability (1 + shift / 2a) / (1 + room) and a
    loss with (1 - shift / 2b) / (1 + room): linear in the shift, so that the mean over seeds is known as well.
    """
    up, down = (scenario.discordance + truth) / 2, (scenario.discordance - truth) / 2
    more = 1 + scenario.room
    shared = math.sqrt(scenario.cluster_share) * parts[0] + math.sqrt(scenario.item_share) * parts[1]
    latent = shared[:, None] + math.sqrt(scenario.rest) * parts[2]
    shift = moved[:, :, None]
    gains = (latent > ndtri(1 - up * more)) & (uniform * more <= 1 + shift / (2 * up))
    losses = (latent < ndtri(down * more)) & (uniform * more <= 1 - shift / (2 * down))
    return gains.astype(np.int64) - losses, _given(shared, up * more, down * more, scenario.rest) / more


def _lognormal(z: Array) -> Array:
    return np.asarray((np.exp(z) - math.exp(0.5)) / math.sqrt((math.e - 1) * math.e))


LAWS: dict[str, Callable[[Array], Array]] = {
    "binary": lambda z: z,
    "normal": lambda z: z,
    # (z + 1)^2: skewness 2.2, excess kurtosis 6.7.
    "skewed": lambda z: ((z + 1) ** 2 - 2) / math.sqrt(6),
    # Student's t with 3 degrees of freedom: symmetric, no fourth moment.
    "heavy": lambda z: student.ppf(ndtr(z), 3) / math.sqrt(3),
    "lognormal": _lognormal,
}
"""From a standard normal to a standardised part."""
