"""Operations over tokens that weigh each token by its mass, so that copies change nothing (RS C.3, table 4).

A token of mass m stands for m units of signal; its copies share its content and its mass. Without ``mass`` every token
counts as one: the usual form, which copies do change. Attention itself is `refsym_gpu.mass_weighted_attention`, with
``log_mass``.

Sums run in float32 at least, and in the type of ``x`` where that is wider; results have the type of ``x``.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from refsym_theory.errors import InputError


def mean_pool(x: Tensor, mass: Tensor | None = None) -> Tensor:
    """Mean over tokens, sum of m x divided by sum of m (RS C.3, "Aggregations").

    Parameters
    ----------
    x : [..., N, D]
    mass : [..., N], optional
        Not negative, some of it positive; 0 leaves a token out.

    Returns
    -------
    [..., D]

    Raises
    ------
    InputError
        The mass has not the tokens of x.
    """
    weights = _shares(x, mass)
    return (_wide(x) * weights[..., None]).sum(dim=-2).to(x.dtype)


def token_loss(losses: Tensor, mass: Tensor | None = None) -> Tensor:
    """Mean of per-token losses [..., N] over tokens: [...] (RS C.3, table 4, row 3). Masses as in `mean_pool`."""
    return mean_pool(losses[..., None], mass)[..., 0]


def token_norm(x: Tensor, mass: Tensor | None = None, *, eps: float = 1e-5) -> Tensor:
    """Centre and scale each feature by its mean and variance over tokens (RS C.3, table 4, row 4).

    Parameters
    ----------
    x : [..., N, D]
    mass : [..., N], optional
        As in `mean_pool`.
    eps : added to the variance

    Returns
    -------
    [..., N, D]
        (x - mean) / sqrt(variance + eps), both moments weighted by mass.
    """
    weights, wide = _shares(x, mass)[..., None], _wide(x)
    centred = wide - (wide * weights).sum(dim=-2, keepdim=True)
    variance = (centred.square() * weights).sum(dim=-2, keepdim=True)
    return (centred / (variance + eps).sqrt()).to(x.dtype)


def load_balance_loss(probabilities: Tensor, expert: Tensor, mass: Tensor | None = None) -> Tensor:
    """Auxiliary loss of a mixture of experts, E times the sum over experts of f_e P_e (RS C.3, "Aggregations").

    Parameters
    ----------
    probabilities : [..., N, E]
        Of the router.
    expert : int [..., N]
        Where each token goes.
    mass : [..., N], optional

    Returns
    -------
    [...]
        f_e is the share of mass that goes to expert e, P_e the mean probability under mass.

    Raises
    ------
    InputError
        Shapes do not fit.
    """
    if expert.shape != probabilities.shape[:-1]:
        raise InputError(f"expert {list(expert.shape)} must be [..., N] of probabilities {list(probabilities.shape)}")
    experts = probabilities.shape[-1]
    gone = torch.nn.functional.one_hot(expert.long(), experts).to(_wide(probabilities).dtype)
    share, mean = mean_pool(gone, mass), mean_pool(_wide(probabilities), mass)
    return (experts * (share * mean).sum(dim=-1)).to(probabilities.dtype)


def admitted(expert: Tensor, experts: int, mass: Tensor | None = None, *, factor: float = 1.0) -> Tensor:
    """Which tokens an expert of limited capacity takes, in their order (RS C.3, "Budgets").

    Parameters
    ----------
    expert : int [..., N]
        Where each token wants to go.
    experts : E
    mass : [..., N], optional
        With masses an expert takes ``factor * sum(mass) / E`` of them; without, floor(factor * N / E) tokens.
    factor : c of the capacity

    Returns
    -------
    bool [..., N]
        The mass asked of the expert so far, this token's included, stays within the budget. Sums run in float64; a
        budget that is met to the rounding of the masses counts as met, as 1/3 and 2/3 do not add up exactly.

    Raises
    ------
    InputError
        Shapes do not fit, there is no expert, or the factor is not positive.
    """
    if experts < 1 or not factor > 0:
        raise InputError(f"experts and factor must be positive, not {experts} and {factor}")
    weights = _mass(expert.shape, mass, expert.device).double()
    budget = factor * weights.sum(dim=-1, keepdim=True) / experts
    if mass is None:
        budget = budget.floor()
    asked = torch.nn.functional.one_hot(expert.long(), experts) * weights[..., None]
    so_far = asked.cumsum(dim=-2).gather(-1, expert.long()[..., None])[..., 0]
    # Each mass is rounded by half an ulp of its type, each sum by half an ulp of float64.
    rounding = (0.0 if mass is None else torch.finfo(mass.dtype).eps) + expert.shape[-1] * torch.finfo(
        torch.float64
    ).eps
    return so_far <= budget * (1 + rounding)


def log_length(tokens: Tensor | int, mass: Tensor | None = None, *, reference: float = 1.0) -> Tensor:
    """Factor on attention scores that grows with the length (RS C.3, table 4, row 7).

    Parameters
    ----------
    tokens : N
    mass : [..., N], optional
        The length is sum(mass) / reference; without masses N.
    reference : mass that counts as one token, fixed before any split

    Returns
    -------
    [...]
        Natural logarithm of the length: negative below one reference token, where it would reverse the scores' order.

    Raises
    ------
    InputError
        The reference is not positive.
    """
    return length(tokens, mass, reference=reference).log()


def length_temperature(
    of_length: Callable[[Tensor], Tensor], tokens: Tensor | int, mass: Tensor | None = None, *, reference: float = 1.0
) -> Tensor:
    """Factor 1 / T on attention scores at a temperature that depends on the length (RS C.3, table 4, row 8).

    Parameters
    ----------
    of_length : function of the length, positive
    tokens, mass, reference : as in `log_length`
    """
    return 1 / of_length(length(tokens, mass, reference=reference))


def length(tokens: Tensor | int, mass: Tensor | None = None, *, reference: float = 1.0) -> Tensor:
    """How long a sequence is: sum(mass) / reference, or the number of tokens; see `log_length`."""
    if not (reference > 0 and math.isfinite(reference)):
        raise InputError(f"reference must be positive, not {reference}")
    if mass is None:
        return torch.as_tensor(tokens, dtype=torch.float64)
    return _wide(mass).sum(dim=-1) / reference


def _wide(x: Tensor) -> Tensor:
    """At least float32."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


def _mass(shape: torch.Size, mass: Tensor | None, device: torch.device) -> Tensor:
    """Masses of tokens [..., N], 1 by default."""
    if mass is None:
        return torch.ones(shape, device=device)
    if mass.shape[-1:] != shape[-1:] or mass.ndim > len(shape):
        raise InputError(f"mass {list(mass.shape)} must have the tokens of {list(shape)}")
    return mass.expand(shape)


def _shares(x: Tensor, mass: Tensor | None) -> Tensor:
    """Share of each token of x [..., N, D] in the mass: [..., N]."""
    weights = _mass(x.shape[:-1], mass, x.device)
    weights = weights.to(torch.promote_types(_wide(x).dtype, weights.dtype))
    return weights / weights.sum(dim=-1, keepdim=True)
