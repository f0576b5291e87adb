"""Found while checking RS equation 7: the best bound that knows only the transport distance."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.E7-sharp",
    title="Support perturbation, sharp for every distance",
    source="This project, on RS equation 7",
    statement=(
        r"$\|U(p)-U(p')\|_{\mathrm{op}} \le 2\sin\left(\frac12\min\{\pi, \omega_{\max}W_1(p,p')\}\right)$, and for "
        r"every "
        "value of $W_1$ there are supports that attain it."
    ),
    plain="Equation 7 with its best constant at every distance: no function of the distance alone does better.",
    definitions=(
        r"As in RS.E7. $S(\theta) = 2\sin(\frac12\min\{\pi,\theta\})$ for $\theta \ge 0$; $S(\theta) \le "
        r"\min\{2,\theta\}$, "
        "so RS equation 7 follows.",
    ),
    hypotheses=(Hypothesis("average", "The distance is the mean $W_1$ over a coupling, or more: $W_2$, $W_\\infty$."),),
    steps=(
        Step("dominates", r"$2|\sin(\theta/2)| \le S(\theta)$, and $S$ does not decrease."),
        Step(
            "tangent",
            r"$S(\theta) \le 2\sin(\frac m2) + \cos(\frac m2)(\theta-m)$ for $0 \le m \le \pi$, $\theta \ge 0$.",
        ),
        Step(
            "jensen",
            r"The mean of the tangent at $m = \mathbb{E}\theta$ is $S(m)$: so $\mathbb{E}S(\theta) \le "
            r"S(\mathbb{E}\theta)$.",
        ),
    ),
    uses=("RS.E7",),
    tight=(
        r"Points at distance $\theta/\omega_{\max}$, for every $\theta \le \pi$; beyond, mix points an odd "
        "number of half turns away."
    ),
    expected=Verdict.VERIFIED,
    residue=(
        r"That a function with derivative of the sign of $\theta-m$ is least at $m$. Beyond $\pi$ the tangent does not "
        r"fall and $S$ stays; a mean above $\pi$ leaves $S(m) = 2$; as $S$ does not decrease, the largest frequency "
        r"bounds "
        "every block."
    ),
)


def tangent_slope(sine_low: Any, sine_high: Any) -> Any:
    """Derivative of tangent minus sine, from the sines of m/4 and theta/4."""
    return 2 * (sine_high**2 - sine_low**2)


def sharp(angle: Any) -> Any:
    """Return S of a ball or float angle within [0, pi]."""
    return 2 * (angle / 2).sin()
