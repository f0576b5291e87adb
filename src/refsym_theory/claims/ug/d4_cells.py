"""UG appendix D.4: how many cells the diagnostic can have."""

from __future__ import annotations

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.D4-cells",
    title="The printed cell count does not fit its factors",
    source="UG Appendix D.4, 'Measured quantities'",
    statement=(
        r"The diagnostic collects $\sim5.7$M $(B,H,Q_t)$ tile cells per scoring backbone (10 examples $\times$ 48 layers $\times$ 40 heads "
        r"$\times\sim512$ tiles, masked to causally-valid tiles with $\ge\rho k+1$ visible blocks)."
    ),
    plain="The factors give 9.8 million cells, and masking leaves 8.6 million, not 5.7: either the prompts were shorter or cells are missing.",
    definitions=(
        r"$k=33$, $\rho=2$ (Section 4.1), so 67 visible blocks; causal tiles and blocks of 64: tile $t$ sees $t+1$ blocks.",
    ),
    steps=(
        Step(
            "tiles",
            "32,768 tokens are 512 tiles of 64; ten examples have 5,120, of which 4,460 pass the mask ('about 5000').",
        ),
        Step("kept", "Of 512 tiles, 446 see at least 67 blocks; 444 see 67 besides the two forced ones."),
        Step("cells", "That makes 8,563,200 cells."),
        Step(
            "needed",
            "5.7 million cells need about 297 tiles that are left, 363 in all: prompts of about 23 thousand tokens.",
        ),
    ),
    correction="With 512 tiles the mask leaves 446 of them and 8.56 million cells; 5.7 million fit prompts of about 363 tiles.",
    expected=Verdict.REFUTED,
)

GROUPS = 10 * 48 * 40
"""Examples, layers and heads."""


def kept_tiles(tiles: int, needed: int) -> int:
    """Tiles that see at least this many blocks."""
    return sum(t + 1 >= needed for t in range(tiles))


def cells(tiles: int, needed: int = 67) -> int:
    """Cells that the mask leaves."""
    return GROUPS * kept_tiles(tiles, needed)
