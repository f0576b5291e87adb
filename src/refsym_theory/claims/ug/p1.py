"""UG Proposition 1: the regret of the sigma-quantile trigger."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.P1",
    title="Regret of the sigma-quantile trigger",
    source="UG Appendix D.3, Proposition 1, equation 24",
    statement=(
        r"Under (17), (A1) and (A2), $\mathcal{R}_q \le \min(q,1-q)\cdot C_q$, $C_q := \min\left\{1, "
        r"\frac{1+\bar\varepsilon}{2}, \sqrt2\,\frac{\beta\gamma_q}{\tau}\,"
        r"\varphi\bigl(\frac{\gamma_q(1-\beta)}{\sqrt2\tau}\bigr)+\bar\varepsilon\right\}$. The bound is exact at finite $T$."
    ),
    plain=(
        "The paper bounds what the router loses by expanding the wrong tiles. It divides by the wrong number: a budget of "
        "10% of two tiles is one whole tile, not a tenth of each."
    ),
    correction=(
        r"$\mathcal{R}_q \le \frac{\min(D, T-D)}{T}\cdot C_q$ with $D = \lceil qT\rceil$, hence "
        r"$\le \min(q+\frac1T, 1-q)\cdot C_q$; the printed factor is right where $qT$ is an integer."
    ),
    definitions=(
        r"Both policies trigger $\lceil qT\rceil$ tiles, as in D.2; $0 < q < 1$. The proof ends with "
        r"$D/T \le \min(q,1-q)$, which rounding up breaks.",
        r"For $k = 1$, $\sigma_t = 1$ on every tile with $g_t > 0$: the router then decides by its tie rule alone.",
    ),
    hypotheses=(
        Hypothesis("noise", r"(17) with the same $\tau$ on every tile."),
        Hypothesis("floor", r"(A1)."),
        Hypothesis("spread", r"(A2): $|r_t/\bar r-1| \le \beta < 1$."),
    ),
    uses=("UG.P1-pairs", "UG.P1-band", "UG.P1-caps", "UG.L1-sandwich"),
    steps=(
        Step(
            "sum",
            r"$T\,\mathcal{R}_q$ is a sum over at most $n = \min(D,T-D)$ pairs, each at most $C_q$: at most $n\,C_q$.",
        ),
        Step("factor", r"With $D = qT+f$, $0 \le f < 1$: $D/T = q+f/T$ and $1-D/T = (1-q)-f/T$."),
        Step("witness", r"The corrected bound holds on the witnesses against the printed one."),
    ),
    tight=r"Two tiles of two blocks, $q = \frac12$: regret over bound tends to 1 as $\beta \to 0$.",
    stronger=r"OWN.SANDWICH halves $\bar\varepsilon$; OWN.TRIGGER needs neither (A2) nor $\bar r$ and is never worse.",
    expected=Verdict.REFUTED,
)


def printed_factor(q: Fraction, tiles: int) -> Fraction:
    """Return min(q, 1 - q)."""
    return min(q, 1 - q)


def factor(q: Fraction, tiles: int) -> Fraction:
    """Return min(D, T - D) / T with D = ceil(q T)."""
    triggered = ceil(q * tiles)
    return Fraction(min(triggered, tiles - triggered), tiles)


def branches(eps: Any, band: Any) -> tuple[Any, Any, Any]:
    """Return the three terms whose minimum is C_q."""
    return 1, (1 + eps) / 2, band + eps
