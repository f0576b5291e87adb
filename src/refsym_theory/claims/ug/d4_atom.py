"""UG appendix D.4: what ties at the cut say of the other spacings."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.D4-atom",
    title="Ties at the cut say nothing of the other spacings",
    source="UG Appendix D.4, observation (i)",
    statement=r"The 83% atom at $g_t=0$ means the secondary-spacing floor (A1) holds only with $\Delta_2\approx0$.",
    plain=(
        "False: (A1) is about every spacing except the one at the cut. With all cuts tied and all other neighbours ten noise scales "
        "apart, the floor is ten."
    ),
    definitions=(
        r"(A1): $s_{(j)}-s_{(j+1)}\ge\Delta_2$ for all $j\ne k-1$; $g=s_{(k-1)}-s_{(k)}$ is the spacing that it leaves out.",
        r"That the tail around the cut is flat would make $\Delta_2$ small, but that is a measurement of the other spacings, which "
        "D.4 (iv) says is pending.",
    ),
    steps=(
        Step(
            "free",
            r"For every $g\ge0$ and $\Delta_2\ge0$ the scores $s_{(j)}=-j\Delta_2$ before the cut and $-(j-1)\Delta_2-g$ behind it have cutoff "
            r"gap $g$ and all other spacings $\Delta_2$.",
        ),
    ),
    correction=(
        r"The share of tiles with $g_t=0$ and the floor $\Delta_2$ do not bound each other; $\Delta_2$ has to be read off the other "
        "spacings."
    ),
    expected=Verdict.REFUTED,
)


def score(rank: Any, behind: bool, gap: Any, floor: Any) -> Any:
    """Score at a rank: before the cut, or behind it."""
    return -(rank - 1) * floor - gap if behind else -rank * floor


def scores(n: int, k: int, gap: Any, floor: Any) -> list[Any]:
    """Sorted scores with this cutoff gap and all other spacings equal to the floor."""
    return [score(j, j >= k, gap, floor) for j in range(n)]
