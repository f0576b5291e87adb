r"""Kernel attention under masses, couplings of masses, and the stability bound (RS sections 2.1 to 2.3).

The module is not called ``attention``: a submodule of that name would hide the function `refsym_theory.attention`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refsym_theory.errors import InputError

Float = NDArray[np.float64]
Kernel = str | Callable[[Float], ArrayLike]


def _log_softplus(scores: Float) -> Float:
    """Return log log(1 + e^s); below -37 it is s to all digits, where log(1 + e^s) could underflow."""
    with np.errstate(divide="ignore"):
        return np.where(scores < -37.0, scores, np.log(np.logaddexp(0.0, scores)))


LOG_KERNELS: dict[str, Callable[[Float], Float]] = {
    "exp": lambda scores: scores,
    "sigmoid": lambda scores: -np.logaddexp(0.0, -scores),
    "softplus": _log_softplus,
}
"""Named kernels, by their logarithms."""


def attention(
    scores: ArrayLike, values: ArrayLike, mass: ArrayLike, kernel: Kernel = "exp", *, valid: ArrayLike | None = None
) -> Float:
    r"""Attention under masses, :math:`\sum_i m_i K(s_i) v_i / \sum_i m_i K(s_i)` (RS equation 1).

    Parameters
    ----------
    scores
        Scores ``[..., N]``; with ``kernel="exp"`` of any size.
    values
        Values ``[..., N, D]``, or ``[N]`` for scalar values.
    mass
        Masses ``[..., N]``, at least 0, in any unit; a key of mass zero is left out (RS section 3.3).
    kernel
        "exp", "sigmoid", "softplus", or a function that takes scores to finite positive numbers. Temperature and
        softcap belong to the scores, before the mass.
    valid
        Which keys exist, ``[..., N]``; the others are not read. All, if not given.

    Returns
    -------
    ndarray
        Outputs ``[..., D]``, or ``[...]`` for scalar values. Leading axes broadcast.

    Raises
    ------
    InputError
        Where shapes do not fit, a number is not finite, a mass is negative, a kernel value is not positive, or a row
        has no mass.
    """
    s, m, v = _array(scores, "scores"), _array(mass, "mass"), _array(values, "values")
    scalar = v.ndim == 1
    v = v[:, None] if scalar else v
    if s.ndim < 1 or m.ndim < 1 or v.ndim < 2:
        raise InputError("scores and mass are [..., N] and values [..., N, D] or [N]; got a scalar")
    present = np.True_ if valid is None else np.asarray(valid)
    if present.dtype != bool:
        raise InputError(f"valid must be boolean, not {present.dtype}")
    shape = _broadcast("scores, mass, valid and values", s.shape, m.shape, present.shape, v.shape[:-1])
    if v.shape[-2] != shape[-1]:
        raise InputError(f"values have {v.shape[-2]} keys, scores {shape[-1]}")
    s, m, present = (np.broadcast_to(x, shape) for x in (s, m, present))
    _finite(np.where(present, s, 0.0), "scores")
    _masses(np.where(present, m, 0.0), "mass")
    used = present & (np.where(present, m, 0.0) > 0)
    if not used.any(axis=-1).all():
        row = tuple(int(i) for i in np.argwhere(~used.any(axis=-1))[0])
        raise InputError(f"row {row} has no key of positive mass: every query needs one")
    v = np.where(present[..., None], v, 0.0)
    _finite(v, "values")
    # Keys that are not used get weight 0; the others are scaled by the largest, so that nothing overflows.
    logits = np.full(shape, -np.inf)
    logits[used] = log_kernel(s[used], kernel) + np.log(m[used])
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    output: Float = (weights[..., None, :] @ v)[..., 0, :]
    return output[..., 0] if scalar else output


def log_kernel(scores: ArrayLike, kernel: Kernel = "exp") -> Float:
    """Logarithms of the kernel values; arguments and errors as in `attention`."""
    s = _finite(_array(scores, "scores"), "scores")
    if isinstance(kernel, str):
        if kernel not in LOG_KERNELS:
            raise InputError(f"kernel {kernel!r} is not one of {', '.join(LOG_KERNELS)}")
        return LOG_KERNELS[kernel](s)
    found = _array(kernel(s), "kernel values")
    if found.shape != s.shape:
        raise InputError(f"the kernel takes scores {s.shape} to {found.shape}: it must act on each score")
    if np.any(_finite(found, "kernel values") <= 0):
        raise InputError(f"kernel values must be positive; the smallest is {found.min()!r}")
    return np.log(found)


def tilt_tv_bound(delta: ArrayLike) -> Float:
    r"""Largest total variation that a tilt of logarithmic range delta can cause, :math:`\tanh(\Delta/4)` (RS Lemma 1).

    Parameters
    ----------
    delta
        Ranges of log f, at least 0, of any shape; infinite gives 1.

    Raises
    ------
    InputError
        Where one is negative or NaN.
    """
    d = _array(delta, "delta")
    if not np.all(d >= 0):
        raise InputError("delta must be at least 0, and not NaN")
    bound: Float = np.tanh(d / 4.0)
    return bound


def mass_coupling(edges: ArrayLike, new_edges: ArrayLike) -> Float:
    r"""Physical coupling of two partitions of one interval, :math:`\mu(C_i \cap D_j) / \mu(\Omega)` (RS Section 2.3).

    Parameters
    ----------
    edges, new_edges
        Cell borders ``[I + 1]`` and ``[J + 1]``, increasing, with the same ends. Mass is length here: where it is
        not, give the cumulative mass at the borders.

    Returns
    -------
    ndarray
        Coupling ``[I, J]`` with total 1.

    Raises
    ------
    InputError
        Where borders do not increase (a cell would have no mass), are not finite, or end elsewhere.
    """
    a, b = (_borders(x, name) for x, name in ((edges, "edges"), (new_edges, "new_edges")))
    if a[0] != b[0] or a[-1] != b[-1]:
        raise InputError(f"the partitions cover different intervals: [{a[0]}, {a[-1]}] and [{b[0]}, {b[-1]}]")
    upper, lower = np.minimum(a[1:, None], b[1:]), np.maximum(a[:-1, None], b[:-1])
    overlap: Float = np.maximum(upper - lower, 0.0) / (a[-1] - a[0])
    return overlap


@dataclass(frozen=True)
class StabilityBound:
    """How far two attention outputs can be apart (RS Theorem 1), with all its parts; each ``[...]``.

    Attributes
    ----------
    eps_v
        Largest change of a value over the coupled pairs.
    eps_v_weighted
        Its average under the new attention, which may replace it.
    delta
        Range of the changes of the log-kernels over the coupled pairs.
    diameter
        Largest distance between two old values of positive mass, D_v.
    tv
        Total variation between the two lifted attention distributions; at most tanh(delta / 4).
    bound
        eps_v + diameter * tanh(delta / 4) (equation 2).
    bound_weighted
        The same with `eps_v_weighted`: never larger.
    error
        Distance of the two outputs; at most `bound_weighted`.
    """

    eps_v: Float
    eps_v_weighted: Float
    delta: Float
    diameter: Float
    tv: Float
    bound: Float
    bound_weighted: Float
    error: Float


def stability_bound(
    coupling: ArrayLike,
    log_kernels: ArrayLike,
    new_log_kernels: ArrayLike,
    values: ArrayLike,
    new_values: ArrayLike,
    *,
    mass: ArrayLike | None = None,
    new_mass: ArrayLike | None = None,
    norm: float = 2.0,
) -> StabilityBound:
    """Compare two representations of one signal by a coupling of their masses (RS Theorem 1, equation 2).

    Parameters
    ----------
    coupling
        Masses ``[..., I, J]`` that old key i and new key j share, at least 0, in any unit.
    log_kernels, new_log_kernels
        log K of the scores, ``[..., I]`` and ``[..., J]``: for the exponential kernel the scores themselves.
    values, new_values
        Values ``[..., I, D]`` and ``[..., J, D]``.
    mass, new_mass
        Masses ``[..., I]`` and ``[..., J]``, each in any unit. Where given, the coupling is checked against them.
    norm
        The p of the vector norm, at least 1; `numpy.inf` for the largest coordinate.

    Returns
    -------
    StabilityBound
        Leading axes broadcast. Keys without mass in the coupling are left out, but must be finite.

    Raises
    ------
    InputError
        Where shapes do not fit, a number is not finite, the coupling is negative or without mass, or its row or column
        sums are not the masses (relative to their total, to 1e-9).
    """
    if not norm >= 1:
        raise InputError(f"norm must be at least 1, not {norm!r}")
    gamma = _masses(_array(coupling, "coupling"), "coupling")
    names = ("log_kernels", "new_log_kernels", "values", "new_values")
    k, k_new, v, v_new = (
        _finite(_array(x, name), name)
        for x, name in zip((log_kernels, new_log_kernels, values, new_values), names, strict=True)
    )
    if gamma.ndim < 2 or k.ndim < 1 or k_new.ndim < 1 or v.ndim < 2 or v_new.ndim < 2:
        raise InputError(
            "coupling is [..., I, J], log-kernels [..., I] and [..., J], values [..., I, D] and [..., J, D]"
        )
    sizes = gamma.shape[-2:]
    if (k.shape[-1], k_new.shape[-1]) != sizes or (v.shape[-2], v_new.shape[-2]) != sizes:
        raise InputError(
            f"the coupling joins {sizes[0]} keys with {sizes[1]}; log-kernels have {k.shape[-1]} and "
            f"{k_new.shape[-1]}, values {v.shape[-2]} and {v_new.shape[-2]}"
        )
    if v.shape[-1] != v_new.shape[-1]:
        raise InputError(f"values have {v.shape[-1]} coordinates, new values {v_new.shape[-1]}")
    total = gamma.sum(axis=(-2, -1), keepdims=True)
    if not np.all(total > 0):
        raise InputError("the coupling has no mass")
    gamma = gamma / total
    _same_marginal(gamma.sum(axis=-1), mass, "mass", "row")
    _same_marginal(gamma.sum(axis=-2), new_mass, "new_mass", "column")
    lead = _broadcast("leading axes", gamma.shape[:-2], k.shape[:-1], k_new.shape[:-1], v.shape[:-2], v_new.shape[:-2])
    gamma, v, v_new = (np.broadcast_to(x, lead + x.shape[-2:]) for x in (gamma, v, v_new))
    k, k_new = (np.broadcast_to(x, lead + x.shape[-1:]) for x in (k, k_new))
    rows = np.array([_one_bound(gamma[at], k[at], k_new[at], v[at], v_new[at], norm) for at in np.ndindex(lead)])
    columns = rows.reshape(*lead, len(fields(StabilityBound)))
    return StabilityBound(*(columns[..., place][()] for place in range(columns.shape[-1])))


def _one_bound(gamma: Float, k: Float, k_new: Float, v: Float, v_new: Float, norm: float) -> tuple[float, ...]:
    """Fields of the bound for one problem."""
    i, j = np.nonzero(gamma)
    p, q = (_normalized(np.log(gamma[i, j]) + x) for x in (k[i], k_new[j]))
    moved = np.linalg.norm(v_new[j] - v[i], ord=norm, axis=-1)
    eps, weighted, delta = float(moved.max()), float(q @ moved), float(np.ptp(k_new[j] - k[i]))
    present = v[np.unique(i)]
    # A row at a time: all pairs at once would need I * I * D numbers.
    diameter = max(float(np.linalg.norm(present - row, ord=norm, axis=-1).max()) for row in present)
    allocation = diameter * float(tilt_tv_bound(delta))
    error = float(np.linalg.norm(q @ v_new[j] - p @ v[i], ord=norm))
    tv = float(np.abs(p - q).sum()) / 2.0
    return eps, weighted, delta, diameter, tv, eps + allocation, weighted + allocation, error


def _normalized(logits: Float) -> Float:
    weights = np.exp(logits - logits.max())
    shares: Float = weights / weights.sum()
    return shares


def _same_marginal(found: Float, mass: ArrayLike | None, name: str, side: str) -> None:
    if mass is None:
        return
    m = _masses(_array(mass, name), name)
    if m.ndim < 1 or m.shape[-1] != found.shape[-1]:
        raise InputError(f"{name} has the shape {m.shape}, the coupling {found.shape[-1]} {side}s")
    total = m.sum(axis=-1, keepdims=True)
    if not np.all(total > 0):
        raise InputError(f"{name} has no mass")
    _broadcast(f"{name} and coupling", m.shape, found.shape)
    off = np.abs(m / total - found)
    if np.any(off > 1e-9):
        place = np.unravel_index(int(off.argmax()), off.shape)
        raise InputError(f"{side} {place[-1]} of the coupling is not its {name}: the shares differ by {off[place]:.3g}")


def _borders(x: ArrayLike, name: str) -> Float:
    edges = _finite(_array(x, name), name)
    if edges.ndim != 1 or edges.size < 2:
        raise InputError(f"{name} must be a row of at least two borders, not {edges.shape}")
    if np.any(np.diff(edges) <= 0):
        place = int(np.argmax(np.diff(edges) <= 0))
        raise InputError(f"{name} must increase: {edges[place]} is followed by {edges[place + 1]}, a cell without mass")
    return edges


def _array(x: Any, name: str) -> Float:
    try:
        return np.asarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must be an array of numbers: {error}") from None


def _finite(x: Float, name: str) -> Float:
    if not np.all(np.isfinite(x)):
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
        raise InputError(f"{name} must be finite; at {place} it is {x[place]}")
    return x


def _masses(x: Float, name: str) -> Float:
    if np.any(_finite(x, name) < 0):
        place = tuple(int(i) for i in np.argwhere(x < 0)[0])
        raise InputError(f"{name} must be at least 0; at {place} it is {x[place]}")
    return x


def _broadcast(what: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise InputError(f"{what} do not fit together: {', '.join(map(str, shapes))}") from None
