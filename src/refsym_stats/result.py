"""What a procedure returns: an estimate with its uncertainty, or a p-value, and how it was reached."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refsym_stats.errors import InputError

LEAST_LOG = math.log(sys.float_info.min)
"""Logarithm below which a p-value underflows."""

Number = float | NDArray[np.float64]
"""A float; an array where the differences came with leading axes, one value a contrast, NaN where undefined."""


class Alternative(StrEnum):
    """What a test is against."""

    TWO_SIDED = "two-sided"
    GREATER = "greater"
    LESS = "less"

    @classmethod
    def of(cls, value: str) -> Alternative:
        """Read an alternative.

        Raises
        ------
        InputError
            It is none of the three.
        """
        try:
            return cls(value)
        except ValueError:
            raise InputError(f"alternative {value!r}: one of two-sided, greater, less") from None


class Flag(StrEnum):
    """Why a result is not what it seems; each a sentence a reader can be shown."""

    ONE_UNIT = "one unit only: its variation cannot be estimated"
    NO_VARIATION = "every unit has the same difference: an identity in the sample, not a measured certainty"
    NO_DISCORDANT = "no discordant pair: the arms agree on every item"
    ALL_ZERO = "every difference is zero: every sign assignment gives the same value"
    FEW_UNITS = "fewer than 10 units: intervals from resampling them are too short"
    UNDERFLOW = "the p-value is below what a float holds; its logarithm is exact"
    NOT_SETTLED = "the enclosure is wide: the exact p-value lies somewhere in it"
    ROUNDED_FRACTIONS = "these look like fractions rounded to floats, which breaks ties: give them as integers"


@dataclass(frozen=True)
class Result:
    """An estimate, its uncertainty and how it was reached.

    Attributes
    ----------
    method : str
        The algorithm by name, as the report prints it.
    n : int
        Observations: items, or seeds where seeds are the unit.
    estimate : float or array, optional
    standard_error, low, high : float or array, optional
        None where undefined: never 0 for want of data.
    level : float, optional
        Of the interval.
    p_value : float, optional
        Exact or Monte Carlo; the upper end where only an enclosure is known, so that it is always valid.
    p_low, p_high : float, optional
        The enclosure of the exact p-value, where it is not settled.
    log10_p : float, optional
        For p-values that underflow.
    minimum_p : float, optional
        The smallest p-value that this design can reach.
    alternative : Alternative, optional
    clusters, seeds, draws, seed : int, optional
        `seed` is the random generator's.
    flags : tuple of Flag
    """

    method: str
    n: int
    estimate: Number | None = None
    standard_error: Number | None = None
    low: Number | None = None
    high: Number | None = None
    level: float | None = None
    p_value: float | None = None
    p_low: float | None = None
    p_high: float | None = None
    log10_p: float | None = None
    minimum_p: float | None = None
    alternative: Alternative | None = None
    clusters: int | None = None
    seeds: int | None = None
    draws: int | None = None
    seed: int | None = None
    flags: tuple[Flag, ...] = ()

    def at(self, index: int | tuple[int, ...]) -> Result:
        """Return the result of one contrast where the differences came with leading axes."""
        chosen: dict[str, Any] = {
            name: None if np.isnan(value[index]) else float(value[index])
            for name in ("estimate", "standard_error", "low", "high")
            if isinstance(value := getattr(self, name), np.ndarray)
        }
        # A family carries the flag where one of its contrasts does not vary.
        varies = chosen.get("low") is not None
        flags = tuple(flag for flag in self.flags if not (varies and flag is Flag.NO_VARIATION))
        return replace(self, **chosen, flags=flags)
