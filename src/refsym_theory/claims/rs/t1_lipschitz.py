"""RS Theorem 1 for point evaluations of Lipschitz fields, and for two partitions of one domain."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.T1-lipschitz",
    title="Lipschitz fields on two partitions",
    source="RS Section 2.3 and Appendix B.1, Partitions and continuum comparison",
    statement=(
        "For point evaluations of Lipschitz value and log-kernel fields, paired points within distance $r$ give "
        r"$\epsilon_v\le L_vr$ and $\Delta\le2L_sr$. ... For partitions of one domain, the row and column sums of "
        r"$\gamma_{ij}=\mu(C_i\cap D_j)/\mu(\Omega)$ are the required normalized masses. If representatives $x_i,y_j$ "
        r"belong to intersecting cells of diameters at most $h,h'$, then $d(x_i,y_j)\le h+h'$. Thus Lipschitz value and "
        r"log-kernel fields have $\epsilon_v\le L_v(h+h')$ and $\Delta\le2L_s(h+h')$. This applies to nested and "
        "non-nested partitions."
    ),
    plain=(
        "Small cells make both terms of the bound small, in proportion to the cell sizes, whichever way the two "
        "partitions cut the domain."
    ),
    definitions=(r"A pair counts where $\mu(C_i\cap D_j)>0$; then the two cells have a point in common.",),
    hypotheses=(
        Hypothesis("lipschitz", r"Values and log-kernels are fields with Lipschitz constants $L_v$ and $L_s$."),
        Hypothesis("intersecting", r"The coupling pairs only cells that meet (it is the physical one)."),
        Hypothesis("covering", r"The cells of each partition are disjoint and cover the domain up to mass zero."),
        Hypothesis("point", "A token evaluates the fields at one point of its cell.", needed=False),
    ),
    steps=(
        Step("value", r"$\|v(y)-v(x)\|\le L_vd(x,y)\le L_vr$."),
        Step("range", r"Changes of log-kernels in $[-L_sr,L_sr]$ have range at most $2L_sr$."),
        Step("coupling", r"$\sum_j\mu(C_i\cap D_j)=\mu(C_i)$ and $\sum_i\mu(C_i\cap D_j)=\mu(D_j)$."),
        Step("distance", r"$d(x_i,y_j)\le d(x_i,z)+d(z,y_j)\le h+h'$ for $z$ in both cells."),
    ),
    uses=("RS.T1", "RS.T1-eps"),
    tight=(
        r"Six point masses on a line attain $\epsilon_v=L_v(h+h')$ and $\Delta=2L_s(h+h')$ (intervals come as close as "
        "one likes, and never attain it: cells that share a piece of length $o$ have $d\\le h+h'-o$)."
    ),
    stronger=(
        "Tokens that average the value and log-kernel fields over their cells, with any weights, obey the same two "
        "bounds: the difference of two averages is an average over pairs of points."
    ),
    residue="Additivity of the measure; that a mean of numbers at most c is at most c.",
    expected=Verdict.VERIFIED,
)


def value_bound(lipschitz: Any, h: Any, h_new: Any) -> Any:
    """Bound on epsilon_v."""
    return lipschitz * (h + h_new)


def range_bound(lipschitz: Any, h: Any, h_new: Any) -> Any:
    """Bound on Delta."""
    return 2 * lipschitz * (h + h_new)
