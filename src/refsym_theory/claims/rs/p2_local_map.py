"""RS Appendix A.1: a local map that reads the mass need not be covariant."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="RS.P2-local-map",
    title="A local map of the mass is not covariant",
    source="RS Appendix A.1",
    statement=(
        "A local map that also reads $m_i$ need not be: $f(h_i,m_i)=m_i$ returns $m_i/k$ on equal children instead of the "
        "copied parent value $m_i$."
    ),
    plain="A layer that outputs a token's mass gives children other outputs than their parent had.",
    steps=(
        Step("children", "A child of $k$ equal ones has mass $m/k$."),
        Step("differs", "$m/k=m$ only for $k=1$, since $m>0$."),
    ),
    expected=Verdict.VERIFIED,
)


def child_mass(mass: Any, parts: Any) -> Any:
    """Mass of one of equal children."""
    return mass / parts
