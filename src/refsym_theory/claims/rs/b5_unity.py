"""RS B.5: overlapping supports under a partition of unity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.B5-unity",
    title="Partition of unity for overlapping supports",
    source="RS Appendix B.5, 'A partition of unity for overlapping supports'; section 3.3",
    statement=(
        r"Let $\psi_i \ge 0$ satisfy $\sum_i \psi_i = 1$ almost everywhere. Setting $m_i(q) = \int_{V(q)} "
        r"\psi_i\,d\mu$ gives the exact numerator $\sum_i m_i(q) K(s_i) v_i = \int_{V(q)} \sum_i \psi_i(x) "
        r"K(s_i) v_i\,d\mu(x)$, and the corresponding denominator. Replacing $\psi_i$ by nonnegative "
        "functions summing to it, with copied scores and values, preserves both integrals. For two such "
        r"covers, $\gamma_{ij}(q) = \int_{V(q)} \psi_i \chi_j\,d\mu / \mu(V(q))$ has the required marginals. "
        "[...] The construction needs an explicit partition of unity, which is not supplied merely by "
        "assigning full physical area to every overlapping crop."
    ),
    plain=(
        "Overlapping tokens can share each point of the signal among them in fixed shares; then they can be split, and "
        "compared with another cover, like cells that do not overlap."
    ),
    definitions=(
        r"Functions are checked on finitely many atoms $x$ of mass $\mu_x$, as identities in all the $\psi_i(x)$.",
    ),
    hypotheses=(
        Hypothesis("unity", r"$\sum_i \psi_i = 1$ (needed for the marginals; the numerator does without)."),
        Hypothesis("nonnegative", r"$\psi_i \ge 0$."),
        Hypothesis("finite", r"$0 < \mu(V(q)) < \infty$."),
        Hypothesis("copied", "The functions that replace $\\psi_i$ keep its score and value."),
    ),
    steps=(
        Step("numerator", r"Summing over tokens and integrating over points commute."),
        Step("refine", r"Replacing $\psi_i$ by $a + b = \psi_i$ leaves the integrand as it is at every point."),
        Step(
            "marginals",
            r"$\sum_j \psi_i \chi_j - \psi_i = \psi_i (\sum_j \chi_j - 1) = 0$ at every point, for any number of "
            "functions.",
        ),
        Step("zero", "A token without visible mass contributes nothing, so that omitting it changes nothing."),
        Step("crops", "Full areas of overlapping crops give other masses, and another output."),
    ),
    uses=("RS.C3-attention",),
    scope="Any finite family of functions on any measure space.",
    residue="That the integral is linear; sums over more functions, atoms or tokens than in the identities checked.",
    expected=Verdict.VERIFIED,
)


def masses(shares: Sequence[Sequence[Any]], measure: Sequence[Any]) -> list[Any]:
    """Visible mass of each token: its share at each visible atom, times the mass of the atom."""
    return [sum(share * weight for share, weight in zip(row, measure, strict=True)) for row in shares]


def coupling(psi: Sequence[Sequence[Any]], chi: Sequence[Sequence[Any]], measure: Sequence[Any]) -> list[list[Any]]:
    """Coupling of two covers on the atoms of the visible region."""
    total = sum(measure)
    return [
        [sum(a * b * weight for a, b, weight in zip(first, second, measure, strict=True)) / total for second in chi]
        for first in psi
    ]


def integrand(shares: Sequence[Any], kernels: Sequence[Any], values: Sequence[Any]) -> Any:
    """Return the sum of psi_i K(s_i) v_i at one point."""
    return sum(share * kernel * value for share, kernel, value in zip(shares, kernels, values, strict=True))
