"""UG Proposition 1, second step of the proof: what one mistaken pair costs."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.P1-band",
    title="A mistaken pair lies in the boundary band",
    source="UG Appendix D.3, proof of Proposition 1",
    statement=(
        r"By the sandwich (23) and monotonicity of $\bar V$, "
        r"$V^*_t - V^*_{t'} \le (1+\bar\varepsilon)\bar V(\gamma_q(1-\beta)) - (1-\bar\varepsilon)\bar V(\gamma_q(1+\beta))$, at most $\sqrt2\,\beta\gamma_q\,"
        r"\varphi(\gamma_q(1-\beta)/(\sqrt2\tau))/\tau + \bar\varepsilon$."
    ),
    plain="A tile wrongly left out and one wrongly expanded have gaps so alike that swapping them gains little.",
    definitions=(
        r"$t$ outside the router's set, $t'$ inside; $\gamma_q = \sigma_{(q)}\bar r$, $r_t = \bar r(1+\xi_t)$, $\bar r > 0$.",
    ),
    hypotheses=(
        Hypothesis("spread", r"(A2): $|\xi_t| \le \beta$ for the two tiles."),
        Hypothesis("beta", r"$\beta < 1$."),
        Hypothesis("small", r"$\bar\varepsilon \le 1$, which the cited reason silently uses.", needed=False),
    ),
    uses=("UG.L1-sandwich",),
    steps=(
        Step(
            "scale",
            r"$\sigma_t \ge \sigma_{(q)}$ and $r_t \ge \bar r(1-\beta)$ give $g_t \ge \gamma_q(1-\beta)$; likewise $g_{t'}$.",
        ),
        Step("pair", r"The first inequality, for $\bar\varepsilon \le 1$: both sides of (23) fall as the gap grows."),
        Step("large", r"The first inequality, for $\bar\varepsilon > 1$: there $V^*_{t'} \ge 0$ is enough."),
        Step("split", r"The bound is the band width plus $\bar\varepsilon\,[V_- + V_+]$, and $V_- + V_+ \le 1$."),
        Step("width", r"$\bar V(x) - \bar V(y) \le (y-x)\,\varphi(x/(\sqrt2\tau))/(\sqrt2\tau)$ for $0 \le x \le y$."),
    ),
    stronger=(
        r"It holds for every $\bar\varepsilon$. For $\bar\varepsilon > 1$ the reason given fails, since "
        r"$(1-\bar\varepsilon)\bar V$ then grows with the gap; $V^*_{t'} \ge 0$ (Observation 1) saves the conclusion."
    ),
    tight=r"The width bound becomes an equality as $\beta \to 0$.",
    residue=r"$\bar V(x)-\bar V(y) = \int_x^y \varphi(z/(\sqrt2\tau))/(\sqrt2\tau)\,dz$; a smaller integrand has a smaller integral.",
    expected=Verdict.VERIFIED,
)


def pair_cost(v_minus: Any, v_plus: Any, eps: Any) -> Any:
    """Bound on the cost of a pair, from V-bar at the two ends of the band."""
    return (1 + eps) * v_minus - (1 - eps) * v_plus


def band(beta: Any, gamma: Any, tau: Any, root: Any, density: Any) -> Any:
    """Printed band term root * beta * gamma / tau * density, with root = sqrt 2."""
    return root * beta * gamma / tau * density
