"""RS Appendix A.2: the quadrature error is at most the total mass times the modulus of continuity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.Q-modulus",
    title="Quadrature consistency with a modulus of continuity",
    source="RS Appendix A.2, after equation 3",
    statement=(
        r"Uniform continuity gives $\left|\sum_i \mu(C_i) f(x_i) - \int f\,d\mu\right| \le "
        r"\mu(\Omega)\,\omega_f(\delta)$. "
        r"The corresponding bound holds componentwise for $g$. Both errors vanish with $\delta$, and $\int f\,d\mu > "
        r"0$, "
        "so their ratio converges. Merely assuming integrability would not guarantee convergence of arbitrary point "
        "evaluations."
    ),
    plain=(
        "Replacing a field by its value at one point of every cell costs at most the total mass times how much the "
        "field "
        "can vary within a cell; so mass-weighted attention converges to its continuum integral."
    ),
    definitions=(
        r"$f = K\circ s$, $g = (K\circ s)\,v$; $\omega_f(\delta) = \sup\{|f(x) - f(y)| : d(x,y) \le \delta\}$; "
        r"$\delta$ is the largest diameter of a cell.",
    ),
    hypotheses=(
        Hypothesis("continuous", "$f$ and $g$ are continuous."),
        Hypothesis("compact", r"$\Omega$ is compact."),
        Hypothesis("nonzero", r"$\mu$ is finite and not zero."),
        Hypothesis("inside", "The point $x_i$ lies in its cell $C_i$."),
        Hypothesis("positive", r"$K\circ s$ is strictly positive.", needed=False),
    ),
    steps=(
        Step("cell", r"Each cell, and each component, adds at most $\mu(C_i)\,\omega_f(\delta)$ to the error."),
        Step(
            "ratio", r"$\frac{g+a}{f+b} - \frac gf = \frac{a - (g/f)\,b}{f+b}$, which vanishes with both errors $a, b$."
        ),
    ),
    tight=r"One cell $[0,1]$, $f(x) = x$, $\mu$ a unit mass at 0, the cell's point at 1.",
    expected=Verdict.VERIFIED,
    stronger=(
        r"Positivity is not needed: $\int f\,d\mu \ne 0$ is enough. With errors $e_f < |\int f|$ and $e_g$, "
        r"$|\widehat A - A| \le (e_g + |A|\,e_f)/(|\int f| - e_f)$."
    ),
    residue=(
        r"That a continuous function on a compact space is uniformly continuous, so that $\omega_f(\delta) \to 0$, and "
        r"that $|\int h\,d\mu| \le \int |h|\,d\mu$."
    ),
)


def error_bound(mass: Any, modulus: Any) -> Any:
    """Bound on the quadrature error of cells of this total mass."""
    return mass * modulus


def quadrature_error(masses: Sequence[Any], at_points: Sequence[Any], integral: Any) -> Any:
    """Weighted sum of the point values, minus the integral."""
    return sum(m * f for m, f in zip(masses, at_points, strict=True)) - integral


def ratio_error(top: Any, bottom: Any, top_error: Any, bottom_error: Any) -> Any:
    """Error of the ratio top / bottom, from the errors of both."""
    return (top_error - top / bottom * bottom_error) / (bottom + bottom_error)
