"""RS C.1: where the mass enters the softmax."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C1-order",
    title="Score transform, then mass, then mask",
    source="RS Appendix C.1; section 2.2, after equation (1)",
    statement=(
        r"The score transformation acts before the log-measure term. Applying a temperature to $s + \log m$ "
        "changes the exponent on the measure, while softcapping that sum prevents children from "
        "contributing additive mass. An equivalent implementation multiplies the unnormalized transformed "
        "score weights by $m$ and renormalizes. [...] Every query must retain at least one visible key. An "
        "auxiliary key with zero additive bias has multiplicative weight one. A token with truly zero "
        "integration measure would instead have zero weight and be excluded."
    ),
    plain=(
        "Temperature and softcap belong before the mass is added, the mask comes last; in any other order "
        "copies gain or lose weight, or hidden tokens come back."
    ),
    definitions=(
        r"Temperature: $s \mapsto s/T$, $T > 0$. Softcap: $s \mapsto c\tanh(s/c)$, $c > 0$. The mask sets a "
        r"score to $-\infty$.",
    ),
    hypotheses=(
        Hypothesis("order", "The mask is applied after the transform (and after the mass)."),
        Hypothesis("visible", "The query has a visible key of positive mass."),
        Hypothesis("transform", r"The transform reads the score alone, not $s + \log m$."),
    ),
    steps=(
        Step(
            "before",
            r"With any transform $\phi$ of the score alone, $e^{\phi(s) + \log m} = m\,e^{\phi(s)}$ is additive "
            "in $m$.",
        ),
        Step(
            "temperature",
            r"$e^{(s + \log m)/T} = m^{1/T} e^{s/T}$; $k$ equal children weigh $k^{1 - 1/T}$ times as much "
            "as the parent, which is 1 for $k > 1$ only at $T = 1$.",
        ),
        Step(
            "softcap",
            r"$x - c\tanh(x/c)$ has the derivative $\tanh^2(x/c) \ge 0$, zero only at $x = 0$: a child of "
            "mass $a < m$ weighs more than the share $a/m$ of its parent, and the children of every split "
            "weigh more than the parent.",
        ),
        Step("unit", r"Zero bias is mass one: $e^{s + 0} = 1 \cdot e^s$; zero mass contributes nothing."),
    ),
    uses=("RS.C3-attention",),
    stronger="Softcapping the sum violates every split, and always in the same direction: copies gain weight.",
    scope="Any number of keys and children.",
    residue=(
        "A function whose derivative is nonnegative with one zero is strictly increasing; the logarithm is injective."
    ),
    expected=Verdict.VERIFIED,
)


def log_gain(log_children: Any, temperature: Any) -> Any:
    """Log of what k equal children weigh over their parent, where the temperature divides s + log m."""
    return log_children * (1 - 1 / temperature)


def softcapped(score: Any, cap: Any, tanh: Any) -> Any:
    """Softcap of a score."""
    return cap * tanh(score / cap)
