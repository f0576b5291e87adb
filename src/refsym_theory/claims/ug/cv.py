"""UG (A2): the coefficient of variation is at most beta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.CV",
    title="CV(r) is at most beta",
    source="UG Appendix D.2, (A2)",
    statement=(
        r"$r_t = \bar r(1+\xi_t)$ with $\bar r := \frac1T\sum_t r_t$ and $|\xi_t| \le \beta < 1$. The measured "
        r"$\operatorname{CV}(r) := \sqrt{\operatorname{Var}_t r_t}/\bar r \le \beta$ is its observable proxy."
    ),
    plain="The relative standard deviation of the spreads never exceeds their largest relative deviation.",
    definitions=(
        r"$\operatorname{Var}_t r_t = \frac1T\sum_t (r_t-\bar r)^2$. With the divisor $T-1$ the inequality is false.",
        r"Only the inequality is claimed here; its use as a proxy is UG.CV-proxy.",
    ),
    hypotheses=(
        Hypothesis("divisor", r"The variance has the divisor $T$."),
        Hypothesis("beta", r"$\beta < 1$.", needed=False),
    ),
    steps=(
        Step("scale", r"$\operatorname{CV}^2 = \frac1T\sum_t \xi_t^2$."),
        Step("mean", r"$\beta^2 - \xi^2 = (\beta-\xi)(\beta+\xi) \ge 0$, and so is the mean over the tiles."),
    ),
    tight=r"Two tiles, $\xi = \pm\beta$.",
    expected=Verdict.VERIFIED,
)


def cv_squared(spreads: Sequence[Any], divisor: int | None = None) -> Any:
    """Squared coefficient of variation; the divisor is the number of tiles unless given."""
    mean = sum(spreads) / len(spreads)
    return sum((r - mean) ** 2 for r in spreads) / (divisor or len(spreads)) / mean**2


def beta(spreads: Sequence[Any]) -> Any:
    """Largest relative deviation from the mean."""
    mean = sum(spreads) / len(spreads)
    return max(abs(r / mean - 1) for r in spreads)
