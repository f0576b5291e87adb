r"""Rotary position, averaged over the support of a token (RS section 3.2, appendices B.2 and C.2).

A rotary matrix is block diagonal; block r turns the channels (2r, 2r+1) by the angle :math:`\omega_r \cdot x`. Its
average over a support is, block by block, one complex number: the characteristic function of the support at
:math:`\omega_r`. So everything here is a complex array ``[..., R]``, and the averaged position of a token is the
product ``phase(x, frequencies) * factor`` of its centre and of the centred characteristic function of its support.

Positions are ``[..., n]`` in n physical coordinates, frequencies ``[R, n]`` in radians a unit of each coordinate,
vectors ``[..., 2R]``; leading axes broadcast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refsym_theory.errors import InputError

Reals = NDArray[np.float64]
Complexes = NDArray[np.complex128]


def phase(x: ArrayLike, frequencies: ArrayLike) -> Complexes:
    r"""Characteristic function of a point: :math:`e^{i \omega_r \cdot x}`.

    Parameters
    ----------
    x
        Positions ``[..., n]``.
    frequencies
        Angular frequencies ``[R, n]``.

    Returns
    -------
    ndarray
        Unit complex numbers ``[..., R]``.

    Raises
    ------
    InputError
        Where an argument is not finite, or the numbers of coordinates differ.
    """
    turns: Complexes = np.exp(1j * _angles(x, frequencies, "x"))
    return turns


def box_factor(widths: ArrayLike, frequencies: ArrayLike) -> Reals:
    r"""Characteristic function of a centred box: :math:`\prod_a \operatorname{sinc}(\omega_{ra} h_a / 2)`.

    Parameters
    ----------
    widths
        Side lengths ``[..., n]``, at least 0; a zero is a point along its axis.
    frequencies
        Angular frequencies ``[R, n]``.

    Returns
    -------
    ndarray
        Real factors ``[..., R]`` in [-1, 1].

    Raises
    ------
    InputError
        Where a width is negative, an argument is not finite, or the numbers of coordinates differ.
    """
    h, omega = _coordinates(widths, frequencies, "widths")
    if np.any(h < 0):
        raise InputError("widths must be at least 0")
    # NumPy's sinc is sin(pi t) / (pi t).
    factors: Reals = np.sinc(h[..., None, :] * omega / (2 * np.pi)).prod(axis=-1)
    return factors


def gaussian_factor(covariance: ArrayLike, frequencies: ArrayLike) -> Reals:
    r"""Characteristic function of a centred Gaussian: :math:`\exp(-\omega_r^\top \Sigma\, \omega_r / 2)`.

    The Gaussian of the same variance as a box of widths h has the covariance ``diag(h**2 / 12)``.

    Parameters
    ----------
    covariance
        Covariance matrices ``[..., n, n]``.
    frequencies
        Angular frequencies ``[R, n]``.

    Returns
    -------
    ndarray
        Real factors ``[..., R]`` in (0, 1].

    Raises
    ------
    InputError
        Where a matrix is not square, symmetric and positive semidefinite, an argument is not finite, or the numbers
        of coordinates differ.
    """
    sigma, omega = _coordinates(covariance, frequencies, "covariance")
    if sigma.ndim < 2 or sigma.shape[-2] != sigma.shape[-1]:
        raise InputError(f"covariance must be [..., n, n], not {list(sigma.shape)}")
    size = np.abs(sigma).max(initial=0.0)
    if np.abs(sigma - np.swapaxes(sigma, -1, -2)).max(initial=0.0) > 1e-12 * size:
        raise InputError("covariance must be symmetric")
    if np.linalg.eigvalsh(sigma).min(initial=0.0) < -1e-12 * size:
        raise InputError("covariance must have no negative eigenvalue")
    variances: Reals = np.einsum("rm,...mn,rn->...r", omega, sigma, omega)
    return np.exp(-np.maximum(variances, 0.0) / 2)


def atoms_factor(offsets: ArrayLike, weights: ArrayLike, frequencies: ArrayLike) -> Complexes:
    r"""Characteristic function of finitely many points: :math:`\sum_m p_m e^{i \omega_r \cdot x_m}`.

    Parameters
    ----------
    offsets
        Points ``[..., m, n]``, relative to the token's centre.
    weights
        Masses ``[..., m]``, at least 0 and not all 0; they are divided by their sum.
    frequencies
        Angular frequencies ``[R, n]``.

    Returns
    -------
    ndarray
        Complex numbers ``[..., R]`` of modulus at most 1; real for every symmetric support, in general not.

    Raises
    ------
    InputError
        Where the weights are no distribution, an argument is not finite, or shapes do not fit.
    """
    p = _finite(weights, "weights")
    angles = _angles(offsets, frequencies, "offsets")
    if angles.ndim < 2 or p.ndim < 1 or p.shape[-1] != angles.shape[-2]:
        raise InputError(
            f"weights {list(p.shape)} must be [..., m] where offsets {list(np.shape(offsets))} are [..., m, n]"
        )
    if np.any(p < 0) or np.any(p.sum(axis=-1) <= 0):
        raise InputError("weights must be at least 0, and not all 0")
    p = p / p.sum(axis=-1, keepdims=True)
    mean: Complexes = np.einsum("...m,...mr->...r", p, np.exp(1j * angles))
    return mean


def rotary_matrix(factor: ArrayLike) -> Reals:
    r"""Block-diagonal matrix of complex numbers: block r is :math:`[[a, -b], [b, a]]` for :math:`a + ib`.

    Of `phase` it is the rotary matrix R(x); of a characteristic function it is the averaged one, U(p).

    Parameters
    ----------
    factor
        Complex numbers ``[..., R]``.

    Returns
    -------
    ndarray
        Matrices ``[..., 2R, 2R]``.
    """
    z = _finite_complex(factor, "factor")
    blocks = z.shape[-1]
    matrix = np.zeros((*z.shape[:-1], blocks, 2, blocks, 2))
    r = np.arange(blocks)
    matrix[..., r, 0, r, 0] = matrix[..., r, 1, r, 1] = z.real
    matrix[..., r, 1, r, 0], matrix[..., r, 0, r, 1] = z.imag, -z.imag
    return matrix.reshape(*z.shape[:-1], 2 * blocks, 2 * blocks)


def averaged_score(q: ArrayLike, k: ArrayLike, query_factor: ArrayLike, key_factor: ArrayLike) -> Reals:
    r"""Rotary score averaged over independent supports, :math:`q^\top U(p_q)^\top U(p_k)\, k` (RS equation 12).

    It is the mean of the score, not of its exponential, and not of the attention that the score leads to.

    Parameters
    ----------
    q, k
        Query and key ``[..., 2R]``.
    query_factor, key_factor
        Characteristic functions ``[..., R]`` of both supports, phases of their centres included.

    Returns
    -------
    ndarray
        Scores ``[...]``, not divided by the root of the head dimension.

    Raises
    ------
    InputError
        Where an argument is not finite, or a vector does not have two channels a frequency.
    """
    u, w = _finite_complex(query_factor, "query_factor"), _finite_complex(key_factor, "key_factor")
    if u.shape[-1] != w.shape[-1]:
        raise InputError(f"query_factor has {u.shape[-1]} frequencies, key_factor {w.shape[-1]}")
    a, b = _pairs(q, "q", u.shape[-1]), _pairs(k, "k", u.shape[-1])
    scores: Reals = np.real(np.conj(a * u) * (b * w)).sum(axis=-1)
    return scores


def rotary_distance_bound(w1: ArrayLike, max_frequency: float) -> Reals:
    r"""Largest possible :math:`\|U(p) - U(p')\|` at transport distance W1: :math:`2 \sin(\min\{\omega W_1, \pi\} / 2)`.

    Never above :math:`\min\{2, \omega W_1\}` (RS equation 7), and attained by two points for every W1.

    Parameters
    ----------
    w1
        Transport distances ``[...]`` for the Euclidean distance, at least 0.
    max_frequency
        Largest Euclidean norm of a frequency vector.

    Returns
    -------
    ndarray
        Bounds ``[...]`` in [0, 2].

    Raises
    ------
    InputError
        Where an argument is negative or not finite.
    """
    angle = _finite(w1, "w1") * _finite(max_frequency, "max_frequency")
    if np.any(np.asarray(w1) < 0) or max_frequency < 0:
        raise InputError("w1 and max_frequency must be at least 0")
    bound: Reals = 2 * np.sin(np.minimum(angle, np.pi) / 2)
    return bound


def gaussian_w1_bound(x: ArrayLike, sigma: ArrayLike, other_x: ArrayLike, other_sigma: ArrayLike) -> Reals:
    r"""Bound W1 between two Gaussians on a line: :math:`|x - x'| + \sqrt{2/\pi}\,|\sigma - \sigma'|`.

    An equality where the centres or the deviations agree, and only there.

    Parameters
    ----------
    x, other_x
        Centres ``[...]``.
    sigma, other_sigma
        Standard deviations ``[...]``, at least 0.

    Returns
    -------
    ndarray
        Bounds ``[...]`` in the unit of x.

    Raises
    ------
    InputError
        Where a deviation is negative, or an argument is not finite.
    """
    s, t = _finite(sigma, "sigma"), _finite(other_sigma, "other_sigma")
    if np.any(s < 0) or np.any(t < 0):
        raise InputError("sigma and other_sigma must be at least 0")
    bound: Reals = np.abs(_finite(x, "x") - _finite(other_x, "other_x")) + np.sqrt(2 / np.pi) * np.abs(s - t)
    return bound


def _finite(x: ArrayLike, name: str) -> Reals:
    array = np.asarray(x, dtype=np.float64)
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite")
    return array


def _finite_complex(x: ArrayLike, name: str) -> Complexes:
    array = np.asarray(x, dtype=np.complex128)
    if array.ndim < 1:
        raise InputError(f"{name} must be [..., R], not a scalar")
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite")
    return array


def _coordinates(x: ArrayLike, frequencies: ArrayLike, name: str) -> tuple[Reals, Reals]:
    array, omega = _finite(x, name), _finite(frequencies, "frequencies")
    if omega.ndim != 2:
        raise InputError(f"frequencies must be [R, n], not {list(omega.shape)}")
    if array.ndim < 1 or array.shape[-1] != omega.shape[1]:
        raise InputError(f"{name} {list(array.shape)} must end in the {omega.shape[1]} coordinates of the frequencies")
    return array, omega


def _angles(x: ArrayLike, frequencies: ArrayLike, name: str) -> Reals:
    array, omega = _coordinates(x, frequencies, name)
    angles: Reals = array @ omega.T
    return angles


def _pairs(vector: ArrayLike, name: str, blocks: int) -> Any:
    array = _finite(vector, name)
    if array.ndim < 1 or array.shape[-1] != 2 * blocks:
        raise InputError(f"{name} {list(array.shape)} must have two channels for each of {blocks} frequencies")
    return array[..., ::2] + 1j * array[..., 1::2]
