"""UG equation 9: the block that holds a tile's own rows."""

from __future__ import annotations

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.E9",
    title="The self block",
    source="UG Appendix A.4, equation 9",
    statement=(
        r"$b_{\mathrm{self}}(t)=\lfloor t\,\mathrm{BLOCK}_M/\mathrm{BLOCK}_N\rfloor$ (the key block containing the tile's own rows)."
    ),
    plain="The one key block that a tile must not lose is that of its own rows; there is one only if tiles do not straddle blocks.",
    definitions=(r"Tile $t$ covers rows $tM,\dots,(t+1)M-1$, $M=\mathrm{BLOCK}_M$, $N=\mathrm{BLOCK}_N$.",),
    hypotheses=(
        Hypothesis("divides", "$M$ divides $N$ (the paper uses 64 and 64; it does not say that it must)."),
        Hypothesis("no-prefix", "Queries and keys start at the same position (no cached prefix)."),
    ),
    steps=(
        Step("inside", r"$N=cM$: all rows of tile $t$ have $\lfloor\cdot/N\rfloor=\lfloor t/c\rfloor$."),
        Step(
            "straddles",
            r"$M\nmid N$: with $N=tM+e$, $1\le e\le M-1$, tile $t$ starts at $N-e<N$ and ends at $N+(M-1-e)\ge N$: two blocks.",
        ),
    ),
    stronger="The formula names the only block of the tile's rows for every tile exactly if $M$ divides $N$.",
    residue=r"That $N=tM+e$ with $1\le e\le M-1$ unless $M$ divides $N$.",
    expected=Verdict.VERIFIED,
)


def self_block(tile: int, block_m: int, block_n: int) -> int:
    """Return the block of equation 9."""
    return tile * block_m // block_n


def own_blocks(tile: int, block_m: int, block_n: int, offset: int = 0) -> set[int]:
    """Return the blocks that hold the diagonal positions of the tile's rows."""
    return {(offset + row) // block_n for row in range(tile * block_m, (tile + 1) * block_m)}
