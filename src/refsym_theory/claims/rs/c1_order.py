"""RS Appendix C.1: the order of score transform, mass and mask."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C1-order",
    title="Transform the score, then add the mass, then mask",
    source="RS Appendix C.1; Section 2.1",
    statement=(
        r"The score transformation acts before the log-measure term. Applying a temperature to $s+\log m$ changes the exponent on the "
        "measure, while softcapping that sum prevents children from contributing additive mass. Masked keys have zero attention weight. "
        "Every query must retain at least one visible key. An auxiliary key with zero additive bias has multiplicative weight one."
    ),
    plain="A temperature or a cap must act on the score alone; on the sum it would act on the mass as well, and a split would show.",
    hypotheses=(
        Hypothesis("temperature", r"$T\ne1$, for the change."),
        Hypothesis("visible", "At least one key is visible."),
    ),
    steps=(
        Step("temperature", r"$(s+\log m)/T=s/T+\tfrac1T\log m$: weight $m^{1/T}e^{s/T}$."),
        Step("before", r"$m\,e^{f(s)}$ is additive in $m$ for every transform $f$ of the score."),
        Step("softcap", r"$2\exp(c\tanh((s+\log\tfrac m2)/c))\ne\exp(c\tanh((s+\log m)/c))$."),
        Step("mask", "A masked key adds nothing to either sum, whatever its mass; bias zero is weight one, not zero."),
    ),
    expected=Verdict.VERIFIED,
)


def log_weight(score: Any, log_mass: Any, temperature: Any) -> Any:
    """Logarithm of the weight with the temperature on the sum."""
    return (score + log_mass) / temperature


def capped(score: Any, log_mass: Any, cap: Any) -> Any:
    """Weight with a soft cap on the sum, in ball arithmetic."""
    return (cap * ((score + log_mass) / cap).tanh()).exp()
