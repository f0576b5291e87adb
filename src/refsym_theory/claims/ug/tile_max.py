"""UG section 3.2: what a maximum over rows can and cannot do to a block that one row wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Step, Verdict

CLAIM = Claim(
    id="UG.TILE-MAX",
    title="Several weak rows cannot outrank a strong one",
    source="UG Section 3.2",
    statement=(
        "A block that one row in the tile strongly wants can be outranked by a block that several rows weakly want, since the "
        "tile score is a max over rows of an inner product."
    ),
    plain=(
        "False: with a maximum the number of rows does not matter. A block is outranked only by one that some single row wants "
        "more; what is described would happen with a mean over rows."
    ),
    definitions=(
        r"Row $r$ wants block $b$ by $s[r,b]$; 'weakly' means less than the strong row wants its block.",
        "Read of each row's own softmax instead, a block wanted strongly can lose to one wanted weakly, since raw scores are "
        "compared across rows; but one weak row is enough, and 'several' still does nothing (step own-mass).",
    ),
    steps=(
        Step("row", r"$\max_rs[r,b]>\max_rs[r,a]$ exactly if some row $r$ has $s[r,b]>s[r',a]$ for every row $r'$."),
        Step("count", "Adding rows that want $b$ no more than before changes no tile score."),
        Step(
            "own-mass",
            "A block with over 99% of one row's softmax is outranked by one with under 5% of another's, a single row's.",
        ),
    ),
    correction=(
        r"Block $b$ outranks block $a$ exactly if one row scores $b$ above every row's score of $a$; how many rows want $b$ weakly "
        "has no influence. Section 4.5 (needles 'that one row strongly wants but other rows in the tile ignore') needs the same "
        "correction: other rows' indifference loses nothing, another row's larger score does."
    ),
    residue="More rows and other values: the maximum is attained by one row.",
    expected=Verdict.REFUTED,
)


def pooled(pool: Callable[[Sequence[Any]], Any], rows: Sequence[Sequence[Any]]) -> list[Any]:
    """Tile score of every block from the rows' scores."""
    return [pool(column) for column in zip(*rows, strict=True)]
