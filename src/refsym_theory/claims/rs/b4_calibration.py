"""RS section 3.1 and Appendix B.4: reference calibration."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.B4-calibration",
    title="Native cells get factor one",
    source="RS Section 3.1; Appendix B.4",
    statement=(
        r"For a checkpoint with uniform native cell measures $m_\tau^0$, choosing $\kappa_\tau=1/m_\tau^0$ gives "
        r"$\widetilde m_i=\mu_{\tau(i)}(C_i)/m_{\tau(i)}^0$. Every native bias is then zero in exact arithmetic. A common rescaling "
        "of all co-visible types cancels, whereas changing one type's scale changes its odds against the others."
    ),
    plain="Measured in units of its own native token, every native token weighs one, and the model runs as it was trained.",
    hypotheses=(Hypothesis("uniform", "Native cells of one type have one measure."),),
    steps=(
        Step("native", r"$\mu(C_i)=m_\tau^0$ gives $\widetilde m_i=1$, bias $\log1=0$."),
        Step("common", "A common factor of all masses cancels in every probability."),
        Step("one-type", "A factor on one type multiplies its odds against every other type by it."),
    ),
    expected=Verdict.VERIFIED,
)


def reference_mass(measure: Any, native: Any) -> Any:
    """Mass in units of the native cell of its type."""
    return measure / native


def odds(mass: Any, kernel: Any, other: Any) -> Any:
    """Odds of a type against another of weight `other`."""
    return mass * kernel / other
