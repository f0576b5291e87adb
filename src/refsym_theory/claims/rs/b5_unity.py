"""RS Appendix B.5: overlapping tokens under a partition of unity."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.B5-unity",
    title="A partition of unity for overlapping supports",
    source="RS Appendix B.5, 'A partition of unity for overlapping supports'; Section 3.3",
    statement=(
        r"Let $\psi_i\ge0$ satisfy $\sum_i\psi_i=1$ almost everywhere. Setting $m_i(q)=\int_{V(q)}\psi_i\,d\mu$ gives the exact numerator "
        r"$\sum_im_i(q)K(s_i)v_i=\int_{V(q)}\sum_i\psi_iK(s_i)v_i\,d\mu$ and the corresponding denominator. Replacing $\psi_i$ by nonnegative "
        r"functions summing to it preserves both. For two covers, $\gamma_{ij}(q)=\int_{V(q)}\psi_i\chi_j\,d\mu/\mu(V(q))$ has the required marginals."
    ),
    plain="Overlapping tokens may share the mass of what they cover, as long as the shares add up to one at every point.",
    definitions=("Integrals are over points of mass $w_x$; the identities are linear in the masses.",),
    hypotheses=(
        Hypothesis("unity", r"$\sum_i\psi_i=1$, for the marginals."),
        Hypothesis("nonnegative", r"$\psi_i\ge0$, for the coupling."),
    ),
    steps=(
        Step("numerator", r"$\sum_i(\sum_xw_x\psi_i(x))K_iv_i=\sum_xw_x\sum_i\psi_i(x)K_iv_i$."),
        Step("replace", r"$\psi_i=\psi'+\psi''$ with copied content: $m'Kv+m''Kv=m_iKv$."),
        Step("marginals", r"$\sum_j\int\psi_i\chi_j=\int\psi_i\sum_j\chi_j=m_i$."),
    ),
    residue="Integrals that are not finite sums: Fubini.",
    expected=Verdict.VERIFIED,
)


def mass(weights: Any, share: Any) -> Any:
    """Mass of a token, from the points' masses and its share at each."""
    return sum(w * s for w, s in zip(weights, share, strict=True))


def coupling(weights: Any, share: Any, other: Any) -> Any:
    """Common mass of two tokens of two covers."""
    return sum(w * s * t for w, s, t in zip(weights, share, other, strict=True))
