"""Which implementation carries out an operation: how, never what."""

import os
from typing import Literal

import torch
from torch import Tensor

from refsym_theory.errors import InputError

Implementation = Literal["reference", "triton"]

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"
"""Triton decides this when it is first imported, and so do we."""


def by_kernels(impl: str, tensor: Tensor) -> bool:
    """Whether the Triton kernels run on this tensor; on the CPU they do in Triton's interpreter alone.

    Raises
    ------
    InputError
        The implementation is not known.
    """
    if impl not in ("reference", "triton"):
        raise InputError(f"unknown implementation {impl!r}; choose reference or triton")
    return impl == "triton" and (tensor.is_cuda or INTERPRETED)


def lengths_on(device: torch.device, lengths: list[int]) -> Tensor:
    """Lengths as the kernels read them."""
    return torch.tensor(lengths, dtype=torch.int32).to(device, non_blocking=True)
