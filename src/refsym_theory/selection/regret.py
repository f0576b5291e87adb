"""What expanding a tile is worth, and what the closed form promises of the sigma trigger (UG D.2, D.3)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refsym_theory.errors import InputError
from refsym_theory.selection.containment import containment_error
from refsym_theory.selection.trigger import exact_decimal, triggered_count

Float = NDArray[np.float64]


def expansion_value(
    scores: ArrayLike, k: ArrayLike, expanded: ArrayLike, tau: ArrayLike, *, valid: ArrayLike | None = None
) -> Float:
    """Expansion value V* = E_k - E_m >= 0 of each tile (UG equation 19), m = ``expanded`` free ranks.

    Arguments, shapes and errors as in `containment_error`.
    """
    kept = containment_error(scores, k, k, tau, valid=valid)
    return np.maximum(kept - containment_error(scores, k, expanded, tau, valid=valid), 0.0)


@dataclass(frozen=True)
class ClosedForm:
    """The bound of UG equation 24 for one (layer, head), with all its parts; of one sequence, or pooled over several.

    Attributes
    ----------
    bound
        Upper bound on the regret R_q of the sigma trigger; covers `violating`.
    cost
        C_q, the bound on the cost of one mistaken pair.
    branch
        Which of the minimum's terms is active: "one", "half" or "band"; all that are, joined by "/", when pooled.
    delta_2
        The spacing floor used, the candidate with the smallest bound.
    violating
        pi_2, the share of tiles below that floor.
    spacing_low, spacing_median, spacing_high
        10 %, 50 % and 90 % quantiles over the tiles of the smallest secondary spacing, what Delta_2 could be.
    chi, epsilon
        Of Lemma 1; infinite where ``delta_2`` is 0.
    spread_mean, beta, spread_cv
        r-bar, max |r / r-bar - 1|, and CV(r), which is not beta.
    gamma
        gamma_q = sigma_(q) r-bar.
    band_mass
        Share of tiles with gap in [gamma (1 - beta), gamma (1 + beta)].
    triggered, tiles
        D and T.
    """

    bound: float
    cost: float
    branch: str
    delta_2: float
    violating: float
    spacing_low: float
    spacing_median: float
    spacing_high: float
    chi: float
    epsilon: float
    spread_mean: float
    beta: float
    spread_cv: float
    gamma: float
    band_mass: float
    triggered: int
    tiles: int


def chi(delta_over_tau: ArrayLike) -> Float:
    """Lemma 1's chi = sum over m >= 1 of (m + 1) exp(-m^2 d^2 / 4), d = Delta_2 / tau; infinite at d = 0.

    Below d = 1e-3 an upper bound stands for the sum: its integral plus its largest term (it has one maximum).
    """
    d = np.atleast_1d(np.asarray(delta_over_tau, dtype=np.float64))
    out = np.full(d.shape, np.inf)
    for i in np.flatnonzero(d > 0):
        rate = d.flat[i] ** 2 / 4.0
        if d.flat[i] < 1e-3:
            peak = (1.0 + np.sqrt(1.0 + 2.0 / rate)) / 2.0 if rate > 0 else np.inf
            out.flat[i] = 0.5 / rate + np.sqrt(np.pi / rate) / 2.0 + peak + 1.0 if rate > 0 else np.inf
        else:
            m = np.arange(1.0, np.ceil(14.0 / d.flat[i]) + 2.0)  # exp(-49) of what is left
            out.flat[i] = np.sum((m + 1.0) * np.exp(-rate * m**2))
    return out.reshape(np.shape(delta_over_tau))


_FLOOR_QUANTILES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


def closed_form_bound(
    gap: ArrayLike,
    spread: ArrayLike,
    sigma: ArrayLike,
    spacing: ArrayLike,
    *,
    extra: int,
    tau: float,
    q: str | float | Fraction,
) -> ClosedForm:
    """Closed-form bound on the regret of the sigma-quantile trigger (UG Proposition 1, equation 24).

    The printed factor min(q, 1 - q) fails when q T is not an integer; min(D, T - D) / T stands in its place. The
    floor Delta_2 of (A1) runs over quantiles of the tiles' own smallest spacing; tiles below it cost at most one
    each, so their share pi_2 is added. Where beta >= 1, (A2) does not hold and the band term is not used.

    Parameters
    ----------
    gap, spread, sigma, spacing
        [T] as in `Margins`, over the eligible tiles of one head and one sequence.
    extra
        Free ranks that expansion adds: (rho - 1) k.
    tau
        Noise scale, positive.
    q
        Trigger fraction as an exact decimal.
    """
    g, r, s, floor = (np.asarray(a, dtype=np.float64) for a in (gap, spread, sigma, spacing))
    tiles = g.size
    if tiles == 0:
        raise InputError("closed form: no eligible tile")
    if not (np.isfinite(tau) and tau > 0):
        raise InputError(f"closed form: tau must be positive and finite, not {tau}")
    triggered = triggered_count(exact_decimal(q, "q"), tiles)
    mean = float(r.mean())
    beta = float(np.abs(r / mean - 1.0).max()) if mean > 0 else 0.0
    threshold = float(np.sort(s)[triggered - 1]) if triggered else 0.0
    gamma = threshold * mean
    band = np.inf
    if beta < 1.0:
        z = gamma * (1.0 - beta) / (np.sqrt(2.0) * tau)
        band = np.sqrt(2.0) * beta * gamma / tau * np.exp(-0.5 * z * z) / np.sqrt(2.0 * np.pi)
    finite = floor[np.isfinite(floor)]
    candidates = np.unique([0.0, *(np.quantile(finite, _FLOOR_QUANTILES, method="lower") if finite.size else ())])
    values = chi(candidates / tau)
    with np.errstate(over="ignore"):
        far = np.exp(-((extra * candidates / tau) ** 2) / 4.0)
        epsilon = values + (1.0 + values) * far
    costs = np.stack([np.ones_like(epsilon), (1.0 + epsilon) / 2.0, band + epsilon])
    violating = (floor[None, :] < candidates[:, None]).mean(axis=1)
    bounds = min(triggered, tiles - triggered) / tiles * costs.min(axis=0) + violating
    best = int(np.argmin(bounds))
    low, median, high = np.quantile(floor, (0.1, 0.5, 0.9), method="lower").tolist()
    return ClosedForm(
        bound=float(bounds[best]),
        cost=float(costs[:, best].min()),
        branch=("one", "half", "band")[int(np.argmin(costs[:, best]))],
        delta_2=float(candidates[best]),
        violating=float(violating[best]),
        spacing_low=low,
        spacing_median=median,
        spacing_high=high,
        chi=float(values[best]),
        epsilon=float(epsilon[best]),
        spread_mean=mean,
        beta=beta,
        spread_cv=float(r.std() / mean) if mean > 0 else 0.0,
        gamma=gamma,
        band_mass=float(((g >= gamma * (1.0 - beta)) & (g <= gamma * (1.0 + beta))).mean()),
        triggered=triggered,
        tiles=tiles,
    )


def pooled_form(a: ClosedForm, b: ClosedForm) -> ClosedForm:
    """Closed form over the sequences of both: bound and parts weighted by tiles, since regrets add that way."""
    tiles = a.tiles + b.tiles
    values = {
        field.name: (a.tiles * getattr(a, field.name) + b.tiles * getattr(b, field.name)) / tiles
        for field in fields(ClosedForm)
        if field.name not in ("branch", "triggered", "tiles")
    }
    branches = {*a.branch.split("/"), *b.branch.split("/")}
    return ClosedForm(**values, branch="/".join(sorted(branches)), triggered=a.triggered + b.triggered, tiles=tiles)
