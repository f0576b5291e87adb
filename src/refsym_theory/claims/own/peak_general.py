"""OWN: the shape of the expansion value of equally spaced scores, in general."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="OWN.PEAK-general",
    title="One peak for every k, rho and N",
    source="this project, on UG D.3",
    statement=(
        r"For equally spaced scores, $s_b = -bt\tau$, and any $k < \rho k \le N$, $V^*(t)$ first rises (unless the slope at ties "
        r"is not positive, see OWN.SLOPE) and then falls, changing direction at most once."
    ),
    plain="What expansion is worth has one peak as the spacing grows against the noise; seen in every case tried, not proved.",
    steps=(Step("shape", r"On a grid in $t$ the sequence $V^*(t)$ rises, then falls."),),
    scope="Sampled: floating point on a grid, errors below 1e-9. Proved for the cases of OWN.PEAK only.",
    residue="The statement itself, beyond the cases and points sampled.",
    expected=Verdict.SUPPORTED,
)


def turns(values: Sequence[float], tolerance: float) -> int:
    """Number of changes from falling to rising, differences below the tolerance ignored."""
    steps = [b - a for a, b in pairwise(values) if abs(b - a) > tolerance]
    return sum(a < 0 < b for a, b in pairwise(steps))
