"""RS Theorem 1: both coefficients are the smallest possible, and are attained together."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="RS.T1-sharp",
    title="The two-value construction attains the bound",
    source="RS Appendix B.1, proof of Theorem 1, and Figure 3a",
    statement=(
        r"For any $\Delta\ge0$, use a diagonal mass coupling and choose baseline attention probabilities "
        r"$P=\left(\frac{e^{\Delta/2}}{1+e^{\Delta/2}},\frac{1}{1+e^{\Delta/2}}\right)$. Score changes "
        r"$-\Delta/2,+\Delta/2$ swap these probabilities. The scalar output difference is exactly $\tanh(\Delta/4)$, "
        r"with $\epsilon_v=0$ and $D_v=1$. The coefficient of $\epsilon_v$ is attained by translating all values by "
        r"the same vector while leaving scores unchanged."
    ),
    plain="No smaller factor will do: two tokens with the values 0 and 1 reach the bound for every change of scores.",
    definitions=(
        r"$x=e^{\Delta/2}$, so that $\tanh(\Delta/4)=(x-1)/(x+1)$. The exponential kernel, values $0$ and $1$.",
    ),
    steps=(
        Step("range", r"The log-ratios of the paired kernels are $\mp\Delta/2$, with range $\Delta$."),
        Step("swap", r"The new attention is $P$ with its two entries exchanged."),
        Step("difference", r"The outputs differ by $\tanh(\Delta/4)$; $\epsilon_v=0$, $D_v=1$."),
        Step(
            "translation",
            r"Values moved by $c$ at unchanged scores: the output moves by $c$, $\epsilon_v=|c|$, $\Delta=0$.",
        ),
        Step(
            "joint",
            r"Both at once: the difference is $\epsilon_v+D_v\tanh(\Delta/4)$ for all $\epsilon_v,D_v,\Delta\ge0$.",
        ),
    ),
    stronger=(
        r"The two coefficients are attained jointly: for every $\epsilon_v,D_v,\Delta\ge0$ two tokens give equality in "
        r"(2), so no bound in these three quantities alone is smaller anywhere."
    ),
    expected=Verdict.VERIFIED,
)


def baseline(x: Any) -> tuple[Any, Any]:
    """Attention probabilities before the change, x = exp(Delta / 2)."""
    return x / (1 + x), 1 / (1 + x)


def factors(x: Any) -> tuple[Any, Any]:
    """K(t) / K(s) of the two tokens, for the score changes -Delta/2 and +Delta/2."""
    return 1 / x, x


def bound(error: Any, diameter: Any, x: Any) -> Any:
    """Right side of (2), with tanh(Delta / 4) = (x - 1) / (x + 1)."""
    return error + diameter * (x - 1) / (x + 1)
