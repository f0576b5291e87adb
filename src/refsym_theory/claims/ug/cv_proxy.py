"""UG D.4: the coefficient of variation in the place of beta."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.CV-proxy",
    title="CV(r) in the place of beta",
    source="UG Appendix D.4, steps 2 and 4",
    statement=(
        r"Every input to Proposition 1 is measurable [...] $\operatorname{CV}(r)$ (the observable proxy for $\beta$) "
        r"[...] Evaluate (24)."
    ),
    plain="The recipe measures the typical deviation where the theorem needs the largest one; the result is no bound.",
    definitions=(r"As read: (24) evaluated with $\beta := \operatorname{CV}(r)$ bounds the regret.",),
    correction=(
        r"$\beta$ must be $\max_t |r_t/\bar r-1|$, which is as measurable. If only $\operatorname{CV}$ is known, "
        r"$\beta \le \sqrt{T-1}\,\operatorname{CV}(r)$ may stand for it where that is below 1."
    ),
    hypotheses=(Hypothesis("centred", r"$\bar r$ is the mean of the $r_t$, so $\sum_t \xi_t = 0$."),),
    uses=("UG.CV",),
    steps=(
        Step("others", r"$\xi_1 = -\sum_{t\ne1}\xi_t$ and $(\sum_{t\ne1}\xi_t)^2 \le (T-1)\sum_{t\ne1}\xi_t^2$."),
        Step("largest", r"Hence $T\,\xi_1^2 \le (T-1)\sum_t \xi_t^2$, that is $\xi_1^2 \le (T-1)\operatorname{CV}^2$."),
    ),
    tight=r"One spread apart, all others equal: $\beta = \sqrt{T-1}\,\operatorname{CV}(r)$ for every $T$.",
    residue="That a mean of squares is nonnegative.",
    expected=Verdict.REFUTED,
)


def largest_squared(tiles: Any, cv_squared: Any) -> Any:
    """Bound (T - 1) CV^2 on beta^2."""
    return (tiles - 1) * cv_squared
