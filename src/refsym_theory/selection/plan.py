"""What a certificate evaluates: settings, checked against the dump that they are for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from refsym_theory.errors import InputError
from refsym_theory.selection.geometry import LayerGeometry
from refsym_theory.selection.score_dump import ScoreDump
from refsym_theory.selection.trigger import exact_decimal

Int = NDArray[np.int64]


@dataclass(frozen=True)
class Plan:
    """What is evaluated on every shard.

    Attributes
    ----------
    k, rho, q
        Kept blocks, expansion factor, trigger fraction.
    k_grid
        Ascending; all are evaluated on the tiles eligible at the largest, so that they compare.
    tau_factors
        Multiples of the row-step estimate.
    q_grid
        Trigger fractions of the risk curve.
    draws, seed
        Of the Monte Carlo evaluation; no draws, no evaluation.
    """

    k: int
    rho: Fraction
    q: Fraction
    k_grid: tuple[int, ...]
    tau_factors: tuple[float, ...]
    q_grid: tuple[Fraction, ...]
    draws: int
    seed: int

    def expanded(self, k: int) -> int:
        """Blocks kept by an expanded tile, rho k."""
        return int(self.rho * k)


def eligible_tiles(visible: Int, forced: Int, expanded: int) -> Int:
    """Tiles with more free visible blocks than the free ranks that expansion keeps, ascending."""
    return np.flatnonzero(visible - forced > expanded - forced)


def fitted_plan(
    dump: ScoreDump,
    k: int,
    rho: str | float | Fraction,
    q: str | float | Fraction,
    k_grid: Sequence[int] | None,
    tau_factors: Sequence[float],
    draws: int,
    seed: int,
) -> Plan:
    """The plan that the settings make for a dump; `None` for `k_grid` chooses up to eight values of k.

    Raises
    ------
    InputError
        For settings out of range or that no tile of the dump fits; the message names the nearest that work.
    """
    factor, fraction = exact_decimal(rho, "rho"), exact_decimal(q, "q")
    if factor <= 1:
        raise InputError(f"rho must be more than 1, not {rho}")
    if not 0 < fraction < 1:
        raise InputError(f"q must lie strictly between 0 and 1, not {q}; the risk curve shows both ends")
    if draws < 0 or seed < 0:
        raise InputError("draws and seed must not be negative")
    if not all(math.isfinite(f) and f > 0 for f in tau_factors):
        raise InputError("tau_factors must be positive and finite")
    geometries = {entry.geometry for entry in dump.entries}
    counts = [_visible_and_forced(geometry) for geometry in geometries]
    most_forced = max(int(forced.max()) for _, forced in counts)
    step = factor.denominator
    least = (most_forced // step + 1) * step
    if k % step:
        lower = k - k % step
        near = " or ".join(f"k={c}" for c in sorted({max(lower, least), max(lower + step, least)}))
        raise InputError(f"rho*k = {float(factor * k):g} is not an integer; the nearest that are: {near}")
    if k <= most_forced:
        raise InputError(
            f"k={k} keeps no free block: up to {most_forced} blocks of a tile are forced; use k >= {least}"
        )
    if not _eligible(counts, factor, k):
        widest = max(int(visible.max()) for visible, _ in counts)
        raise InputError(
            f"no tile is eligible: the largest sees {widest} blocks, and rho*k = {int(factor * k)} must be fewer"
        )
    if k_grid is None:
        grid = _default_grid(counts, factor, k, most_forced)
    else:
        grid = tuple(sorted({*k_grid, k}))
        for other in grid:
            if other % step or other <= most_forced or not _eligible(counts, factor, other):
                raise InputError(f"k={other} in the curve over k does not fit (forced, rho*k, or no eligible tile)")
    q_grid = tuple(sorted({Fraction(i, 100) for i in range(101)} | {fraction}))
    return Plan(k, factor, fraction, grid, tuple(float(f) for f in tau_factors), q_grid, draws, seed)


def _visible_and_forced(geometry: LayerGeometry) -> tuple[Int, Int]:
    first, diagonal, last = geometry.visible_range()
    return last - first + 1, last - diagonal + 1 + ((first == 0) & (diagonal > 0))


def _eligible(counts: Iterable[tuple[Int, Int]], rho: Fraction, k: int) -> bool:
    expanded = int(rho * k)
    # The first comparison also keeps a number that no array can hold out of the second.
    return any(
        expanded < visible.max() and eligible_tiles(visible, forced, expanded).size for visible, forced in counts
    )


def _default_grid(counts: Sequence[tuple[Int, Int]], rho: Fraction, k: int, forced: int) -> tuple[int, ...]:
    """Up to eight values from about k / 2 to 2 k that fit, k among them."""
    step = rho.denominator
    fit = [
        c for c in range(step, 2 * k + 1, step) if c > forced and 2 * c >= k and (c <= k or _eligible(counts, rho, c))
    ]
    wanted = np.geomspace(fit[0], fit[-1], 8)
    picked = {k, *(min(fit, key=lambda c: abs(math.log(c / w))) for w in wanted)}
    while len(picked) > 8:
        ordered = sorted(picked)
        gaps = {b: c / a for a, b, c in zip(ordered, ordered[1:], ordered[2:], strict=False) if b != k}
        picked.remove(min(gaps, key=lambda b: gaps[b]))
    return tuple(sorted(picked))
