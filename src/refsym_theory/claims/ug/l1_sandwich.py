"""UG Lemma 1, equation 23: the expansion value is that of the cutoff gap."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.L1-sandwich",
    title="Expansion value between two multiples of V-bar",
    source="UG Appendix D.3, Lemma 1, equation 23",
    statement=(
        r"with $\bar\varepsilon := \chi+(1+\chi)\exp\bigl(-((\rho-1)k\,\Delta_2)^2/(4\tau^2)\bigr)$, "
        r"$(1-\bar\varepsilon)\,\bar V(g_t) \le V^*_t \le (1+\bar\varepsilon)\,\bar V(g_t)$."
    ),
    plain="With wide spacings, what expanding a tile is worth depends on its cutoff gap alone, up to a small factor.",
    definitions=(r"$V^*_t = \mathcal{E}_t(\widehat S_k) - \mathcal{E}_t(\widehat S_{\rho k})$.",),
    hypotheses=(Hypothesis("floor", r"(A1)."),),
    uses=("UG.L1-kept", "UG.L1-expanded", "UG.TAIL"),
    steps=(
        Step(
            "upper",
            r"$V^*_t \le \mathcal{E}_t(\widehat S_k) \le (1+\chi)\bar V(g_t) \le (1+\bar\varepsilon)\bar V(g_t)$.",
        ),
        Step(
            "gap", r"$G_t - g_t \ge (\rho-1)k\,\Delta_2$: it is made of $(\rho-1)k$ spacings, none of them at the cut."
        ),
        Step("tail", r"$\bar V(G_t) \le \bar V(g_t)\,e^{-((\rho-1)k\Delta_2)^2/(4\tau^2)}$, by UG.TAIL."),
        Step("lower", r"$V^*_t \ge \bar V(g_t) - (1+\chi)\bar V(G_t) \ge (1-\bar\varepsilon)\bar V(g_t)$."),
    ),
    stronger=r"The slack $\bar\varepsilon$ is not needed in full on either side: OWN.SANDWICH.",
    tight=r"Two blocks, $k = 1$: $V^*_t = \bar V(g_t)$, and no other spacing bounds $\Delta_2$ from above.",
    expected=Verdict.VERIFIED,
)


def epsilon(chi: Any, far: Any) -> Any:
    """Return eps-bar; `far` is the exponential of the expanded ranks."""
    return chi + (1 + chi) * far


def sides(v: Any, chi: Any, far: Any) -> tuple[Any, Any]:
    """Both sides of the sandwich."""
    return (1 - epsilon(chi, far)) * v, (1 + epsilon(chi, far)) * v


def inner_spacings(k: int, kept: int) -> list[int]:
    """Ranks j of the spacings s_j - s_(j+1) that make up G - g."""
    return list(range(k, kept))
