"""RS Appendix A.4: what follows from Proposition 4 for reference offsets, single and several configurations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.p4 import distance

CLAIM = Claim(
    id="RS.P4-reference",
    title="Reference offsets and several configurations",
    source="RS Appendix A.4, after Proposition 4",
    statement=(
        "The least-squares minimum exists; its vector need not be unique because common shifts cancel. Taking $d=0$ "
        r"bounds $D_{\mathrm{id}}^2$ by the mean rowwise variance of $b$. Adding a fixed type-specific reference "
        r"offset to "
        r"$b$ leaves $D_{\mathrm{id}}$ unchanged. A single configuration with constant $b$ within each type has "
        r"$D_{\mathrm{id}}=0$; several configurations need not, because one shared bias vector must explain them all."
    ),
    plain="Fixed reference masses change nothing about what can be identified; seeing several tokenizations does.",
    definitions=(
        "A configuration is a set of rows with the same $b$ and the same types; the offset is the same for every row.",
    ),
    hypotheses=(
        Hypothesis("fixed", "The offset of a type is the same on every row."),
        Hypothesis("single", "There is a single configuration."),
        Hypothesis("within", "$b$ is constant within each type."),
    ),
    steps=(
        Step("offset", r"$(b+e) - (d+e) = b - d$, and $d \mapsto d+e$ is onto."),
        Step("zero", r"$D_{\mathrm{id}}^2 \le \frac{1}{|\mathcal{R}|}\sum_r \operatorname{Var}_i(b_i^{(r)})$."),
        Step("constant", r"A single configuration, $b$ constant within types: $d = b$ leaves nothing."),
        Step("several", r"Rows $b=(1,0)$ and $(2,0)$ with two types have $D_{\mathrm{id}}^2 = 1/16$."),
        Step("shifts", r"$d$ and $d + c\mathbf{1}$ give the same variances."),
    ),
    uses=("RS.P4",),
    tight=r"One type: then $D_{\mathrm{id}}^2$ is the mean rowwise variance of $b$.",
    expected=Verdict.VERIFIED,
)


def shifted(rows: Sequence[Sequence[Any]], types: Sequence[Sequence[int]], offset: Sequence[Any]) -> list[list[Any]]:
    """Rows with a fixed offset added to every key of a type."""
    return [[b + offset[t] for b, t in zip(row, kinds, strict=True)] for row, kinds in zip(rows, types, strict=True)]


def unexplained(rows: Sequence[Sequence[Any]], types: Sequence[Sequence[int]], d: Sequence[Any]) -> Any:
    """What equation 6 minimises over d."""
    return distance(rows, types, d)
