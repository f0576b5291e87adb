"""RS Appendix A.1: covariant layers compose, and add up."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P2-composition",
    title="Covariant layers compose",
    source="RS Appendix A.1",
    statement=(
        "If $F$ and $G$ are covariant layers on compatible representations, then $F(G(RX))=F(RG(X))=RF(G(X))$. Residual sums "
        r"and parallel branches follow by linearity of the copying operation $R$. A content-only map $h_i\mapsto f(h_i)$ is covariant."
    ),
    plain="Stacking, adding and pointwise maps keep what each layer has: copying first or last is the same.",
    hypotheses=(Hypothesis("covariant", "Both layers are covariant."),),
    steps=(
        Step("compose", "$F(G(RX))=RF(G(X))$: two substitutions."),
        Step("sum", "$R$ is linear: copying a sum is the sum of the copies."),
        Step("pointwise", "A map of the content alone gives every copy its parent's image."),
    ),
    scope="Finite: every pair of maps on two coarse and three fine states; copying matrices for sums.",
    residue="The chain of equalities for arbitrary state spaces, which is two substitutions.",
    expected=Verdict.VERIFIED,
)


def compose(outer: Any, inner: Any) -> Any:
    """Composition of two maps given as tuples of images."""
    return tuple(outer[image] for image in inner)
