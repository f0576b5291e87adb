"""UG Proposition 1, third step of the proof: the two caps on what a mistaken pair costs."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.P1-caps",
    title="Caps on the cost of a pair",
    source="UG Appendix D.3, proof of Proposition 1",
    statement=(
        r"The two caps come from $V^*_t \le \mathcal{E}_t(\widehat S_k) \le 1$ and "
        r"$V^*_t \le (1+\bar\varepsilon)\bar V(g_t) \le \frac{1+\bar\varepsilon}{2}$, with $V^*_{t'} \ge 0$ (Observation 1)."
    ),
    plain="Expanding one tile instead of another can never gain more than one, or a little more than a half.",
    hypotheses=(
        Hypothesis("nested", r"The expanded set contains the kept one, $\widehat S_k \subseteq \widehat S_{\rho k}$."),
    ),
    uses=("UG.L1-sandwich",),
    steps=(
        Step("nonnegative", r"$V^* \ge 0$: whatever the expanded set misses, the kept set misses too."),
        Step("one", r"$V^*_t - V^*_{t'} \le V^*_t \le \mathcal{E}_t(\widehat S_k) \le 1$."),
        Step(
            "half",
            r"$(1+\bar\varepsilon)\bar V(g_t) \le (1+\bar\varepsilon)/2$, since $g_t \ge 0$ and $\bar V(0) = \frac12$.",
        ),
    ),
    stronger=r"$(1+\chi)/2$ is a cap too: OWN.SANDWICH.",
    tight=(
        r"One: $N$ tied blocks, $k = 1$, all of them kept after expansion: $V^* = 1 - 1/N$. "
        r"Half: two tied blocks, $V^* = \frac12$ with $\bar\varepsilon$ as small as one likes."
    ),
    expected=Verdict.VERIFIED,
)


def caps(eps: Any) -> tuple[Any, Any]:
    """Return the two caps."""
    return 1, (1 + eps) / 2
