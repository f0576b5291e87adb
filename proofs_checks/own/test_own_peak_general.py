"""OWN.PEAK-general: one peak."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from marks import proof
from refsym_theory.claims.own import peak_general
from refsym_theory.evidence import Level, at_most, require
from refsym_theory.selection.containment import containment_error

CASES = [
    (1, 2, 3),
    (1, 2, 4),
    (1, 2, 5),
    (1, 2, 8),
    (1, 3, 30),
    (2, 4, 4),
    (2, 4, 5),
    (2, 4, 6),
    (2, 4, 12),
    (3, 6, 20),
    (4, 8, 60),
]
STEPS = np.concatenate([np.linspace(0, 0.2, 21), np.linspace(0.22, 6, 120)])


def curve(k: int, m: int, n: int) -> list[float]:
    """Return V* on the grid."""
    scores = -STEPS[:, None] * np.arange(n)
    return (containment_error(scores, k, k, 1.0) - containment_error(scores, k, m, 1.0)).tolist()


@proof(
    "OWN.PEAK-general",
    "shape",
    Level.SAMPLED,
    lambda values: peak_general.turns(values, 4e-9),
    {
        "never rises": lambda values: sum(b - a > 4e-9 for a, b in pairwise(values)),
        "never falls": lambda values: sum(b - a < -4e-9 for a, b in pairwise(values)),
        "NaN": lambda values: float("nan"),
    },
)
def test_on_a_grid(stated: Callable[..., float]) -> None:
    for k, m, n in CASES:
        require(at_most(stated(curve(k, m, n)), 0))
