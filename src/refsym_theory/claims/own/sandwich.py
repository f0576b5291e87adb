"""OWN: UG's equation 23 and its use in equation 24, without the slack that is counted twice."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.SANDWICH",
    title="Sharper sandwich, half the slack in the regret bound",
    source="this project, after UG equations 23 and 24",
    statement=(
        r"With $\eta = e^{-((\rho-1)k\Delta_2)^2/(4\tau^2)}$: "
        r"$\bigl[1-(1+\chi)\eta\bigr]_+ \bar V(g_t) \le V^*_t \le (1+\chi)\,\bar V(g_t)$, and in equation 24 "
        r"$C_q$ may be $\min\left\{1, \frac{1+\chi}{2}, B + \frac{\bar\varepsilon}{2}\right\}$, $B$ the band term."
    ),
    plain="The paper charges two separate errors to both sides; each belongs to one side, which halves the penalty.",
    definitions=(
        r"$\bar\varepsilon = \chi + (1+\chi)\eta$; $B = \sqrt2\,\frac{\beta\gamma_q}{\tau}\,"
        r"\varphi\bigl(\frac{\gamma_q(1-\beta)}{\sqrt2\tau}\bigr)$; "
        r"$V_- = \bar V(\gamma_q(1-\beta))$ and $V_+ = \bar V(\gamma_q(1+\beta))$, both at most $\frac12$, $V_--V_+ \le B$.",
        r"The factor in front of $C_q$ is $\min(D,T-D)/T$, as in the correction of UG.P1.",
    ),
    hypotheses=(Hypothesis("floor", r"(A1)."),),
    uses=("UG.L1-kept", "UG.L1-expanded", "UG.L1-sandwich", "UG.P1-pairs", "UG.P1-band", "UG.P1-caps"),
    steps=(
        Step(
            "sides",
            r"$\bar V(g_t) - (1+\chi)\,\eta\,\bar V(g_t) \le V^*_t \le (1+\chi)\bar V(g_t)$; and $V^*_t \ge 0$.",
        ),
        Step(
            "sharper", r"Each side improves on the printed one, by $\chi\bar V$ below and $(1+\chi)\eta\bar V$ above."
        ),
        Step("pair", r"$(1+\chi)V_- - [1-(1+\chi)\eta]\,V_+ \le B + \bar\varepsilon/2$ where $(1+\chi)\eta \le 1$."),
        Step("large", r"$(1+\chi)V_- - 0 \le B + \bar\varepsilon/2$ where $(1+\chi)\eta \ge 1$."),
        Step("half", r"$(1+\chi)\bar V(g_t) \le (1+\chi)/2$."),
    ),
    tight=r"Two blocks, $k = 1$, attain both sides of the sandwich: $V^*_t = \bar V(g_t)$, and $\chi, \eta \to 0$.",
    expected=Verdict.VERIFIED,
)


def sides(v: Any, chi: Any, far: Any) -> tuple[Any, Any]:
    """Both sides of the sandwich, the lower one before its positive part; `far` is eta."""
    return (1 - (1 + chi) * far) * v, (1 + chi) * v


def slack(chi: Any, far: Any) -> Any:
    """Return eps-bar / 2, what the third branch of C_q adds to the band term."""
    return (chi + (1 + chi) * far) / 2
