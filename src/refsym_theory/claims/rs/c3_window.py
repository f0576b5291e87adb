"""RS C.3: a window of neighbours is not a window of the signal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.b5_visible import Interval, binary_mass, visible_mass

CLAIM = Claim(
    id="RS.C3-window",
    title="Windows of tokens and of the signal",
    source="RS Appendix C.3, 'Visibility and score transforms'",
    statement=(
        "A fixed number of neighboring tokens does not define a fixed physical window after refinement. A "
        "physical window resolves that mismatch, subject to how boundary cells are integrated."
    ),
    plain=(
        "The last two tokens cover less of the signal once one of them is split. A window in seconds covers "
        "the same, if the cells at its edge count in part."
    ),
    hypotheses=(
        Hypothesis("partial", "A cell at the edge of the window counts with the part of it that lies inside."),
    ),
    steps=(
        Step("count", "Two tokens cover two units before, and one after, the last one is split into halves."),
        Step("physical", "The mass inside a physical window is unchanged by every split, wherever its edge lies."),
    ),
    uses=("RS.B5-visible",),
    scope="Cells on a line; the physical window is any interval.",
    expected=Verdict.VERIFIED,
)


def last_tokens(cells: Sequence[Interval], number: int) -> Any:
    """Length that the last tokens cover."""
    return sum(high - low for low, high in cells[-number:])


def inside(cells: Sequence[Interval], window: Interval) -> Any:
    """Length of the signal inside a window, by partial cells."""
    return sum(visible_mass(cell, window) for cell in cells)


def inside_by_midpoint(cells: Sequence[Interval], window: Interval) -> Any:
    """Length of the cells whose midpoint lies in the window."""
    return sum(binary_mass(cell, window) for cell in cells)
