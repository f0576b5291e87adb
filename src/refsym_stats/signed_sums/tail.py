"""P(T >= t): what is known of it."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Tail:
    """An enclosure of an upper tail, both ends as natural logarithms; equal ends where it is exact to rounding."""

    log_low: float
    log_high: float

    @property
    def low(self) -> float:
        """The lower end; 0 where it underflows."""
        return math.exp(self.log_low)

    @property
    def high(self) -> float:
        """The upper end; 0 where it underflows."""
        return math.exp(self.log_high)

    @classmethod
    def exactly(cls, probability: float) -> Tail:
        """A probability above zero that is known."""
        return cls(math.log(probability), math.log(probability))

    @classmethod
    def of_assignments(cls, flips: int) -> Tail:
        """One of 2^flips equally likely assignments."""
        return cls(-flips * math.log(2), -flips * math.log(2))

    @classmethod
    def never(cls) -> Tail:
        """Probability zero."""
        return cls(-math.inf, -math.inf)

    def doubled(self) -> Tail:
        """Both tails of the symmetric law, at most 1."""
        return Tail(min(0.0, self.log_low + math.log(2)), min(0.0, self.log_high + math.log(2)))

    def complement(self) -> Tail:
        """One minus it."""
        return Tail(_log1m(self.log_high), _log1m(self.log_low))


def _log1m(log_p: float) -> float:
    return math.log1p(-math.exp(log_p)) if math.exp(log_p) < 1 else -math.inf
