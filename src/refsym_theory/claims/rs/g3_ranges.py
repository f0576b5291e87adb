"""RS G.3: the printed ranges of the geometric-width schedule."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="RS.G3-ranges",
    title="Ranges of the geometric-width schedules",
    source="RS Appendix G.3, last paragraph",
    statement=(
        r"In a geometric-width schedule on 720 clips, all 40,320 head-allocation observations lie inside these bounds: "
        r"approximately $[0.250, 0.820]$ and $[0.125, 0.743]$ for the two tested schedules."
    ),
    plain=(
        "The printed ranges are the bounds for eight cells whose widths grow by a constant factor, four "
        "times and eight times from first to last."
    ),
    definitions=(
        r"The schedules are not printed. As reconstructed here: $n$ cells of widths $1, r, \ldots, r^{n-1}$, "
        r"the dense group being the narrower cells and the sparse one the wider ones, so that $\min_D "
        r"m/\max_S m = r^{-(n-1)}$ and $\max_D m/\min_S m = r^{-1}$, wherever the cut between the groups "
        "lies. Eight cells are what sixteen frames give at two frames a patch.",
    ),
    steps=(
        Step(
            "bounds",
            "With $n = 8$ and $r^7 = 4$ or $8$ the bounds are $1/4$, $4^{-1/7}$ and $1/8$, $8^{-1/7}$, which "
            "round as printed.",
        ),
        Step(
            "unique",
            r"Among all $n \ge 2$ only $n = 8$ fits the printed bounds of either schedule to three decimals, "
            "whatever $r$.",
        ),
        Step("count", r"$720 \cdot 28 \cdot 2 = 40{,}320$."),
    ),
    scope=(
        "A reconstruction: that the observations lie inside the bounds cannot be recomputed, but holds by RS.G3-bounds."
    ),
    residue="That the schedules were these.",
    uses=("RS.G3-bounds",),
    expected=Verdict.VERIFIED,
)

PRINTED = {4: ("0.250", "0.820"), 8: ("0.125", "0.743")}
"""Printed bounds, by the ratio of the widest cell to the narrowest."""


def upper(span: Any, cells: int) -> Any:
    """Return 1/r for cells whose widths grow geometrically by `span` altogether."""
    return (-(span.log()) / (cells - 1)).exp()
