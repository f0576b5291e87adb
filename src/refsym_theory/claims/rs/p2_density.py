"""RS Appendix A.1: covariance does not select a density."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P2-density",
    title="Covariance does not select a density",
    source="RS Appendix A.1, 'Covariance does not select a density'",
    statement=(
        r"Let $\nu$ be any fixed finite measure absolutely continuous with respect to $\mu$. The reduction "
        r"$\sum_i\nu(C_i)\varphi(h_i)$ is invariant because $\nu$ is additive and refinement preserves content. For example, on "
        r"$[0,1]$ with Lebesgue measure, take $d\nu=(1+x^2)\,dx$. The ratios $\nu(C_i)/\mu(C_i)$ can differ between cells with "
        "the same content."
    ),
    plain="Many weightings survive refinement, one for every way to weigh the signal's regions; the split rule alone does not choose.",
    definitions=("Null cells are discarded, as in Appendix A.1.",),
    hypotheses=(
        Hypothesis("continuous", r"$\nu\ll\mu$."),
        Hypothesis("measure", r"$\nu$ is additive."),
    ),
    steps=(
        Step("additive", r"$\nu([a,c])=\nu([a,b])+\nu([b,c])$, so a cut leaves the sum."),
        Step("ratios", r"$\nu/\mu$ is 13/12 on $[0,\tfrac12]$ and 19/12 on $[\tfrac12,1]$."),
    ),
    expected=Verdict.VERIFIED,
)


def density_mass(a: Any, b: Any) -> Any:
    """Integral of 1 + x^2 over [a, b]."""
    return (b - a) + (b**3 - a**3) / 3
