"""RS Proposition 2: what survives refinement depends on the represented field alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P2",
    title="Refinement criterion",
    source="RS Appendix A.1, Proposition 2",
    statement=(
        "For partition families closed under common refinement, a reduction is unchanged under every content-preserving "
        r"refinement if and only if it factors through the represented pair $(\mu,h_P)$. A layer returning a field on its "
        r"input partition is refinement-covariant if and only if its reconstructed output depends only on $(\mu,h_P)$."
    ),
    plain="A summary ignores how a signal is cut exactly when it can be computed from the signal itself.",
    definitions=(
        "A representation is a partition with a content for each cell; its field gives every point its cell's content. "
        "A refinement cuts cells and copies contents.",
    ),
    hypotheses=(Hypothesis("closed", "The family is closed under common refinement."),),
    steps=(
        Step(
            "meet",
            "Two representations of one field have a common refinement: the nonempty intersections, on which both contents agree.",
        ),
        Step("preserves", "A refinement represents the same field, so that a function of the field is invariant."),
        Step("classes", "Hence the representations that refinements connect are exactly those of one field."),
        Step(
            "chain",
            "For any family: the criterion holds exactly if any two representations of one field are joined by a chain of "
            "refinements inside the family.",
        ),
        Step(
            "layer",
            "Covariance says that the reconstructed output does not change: the same, for an output that is a field.",
        ),
    ),
    stronger=(
        "A common refinement is not what the necessity direction must have (Appendix A.1 says so of restricted families): a chain "
        "of refinements up and down inside the family is, and a common coarsening does as well."
    ),
    scope="Finite domains: every partition of up to four atoms with every pattern of contents; 'chain', 'layer': up to three.",
    residue="Domains with more atoms and general measures (agreement almost everywhere): the argument is the same, cell by cell.",
    expected=Verdict.VERIFIED,
)

Partition = frozenset[frozenset[int]]
Represented = tuple[tuple[frozenset[int], int], ...]
"""Cells with their contents, sorted."""


def partitions(atoms: Sequence[int]) -> Iterator[Partition]:
    """Yield every partition of the atoms."""
    if not atoms:
        yield frozenset()
        return
    first, rest = atoms[0], atoms[1:]
    for smaller in partitions(rest):
        yield smaller | {frozenset([first])}
        for cell in smaller:
            yield smaller - {cell} | {cell | {first}}


def meet(p: Partition, q: Partition) -> Partition:
    """Return the common refinement: the nonempty intersections."""
    return frozenset(c & d for c in p for d in q if c & d)


def field(represented: Represented) -> tuple[int, ...]:
    """Content of every atom."""
    return tuple(content for _, content in sorted((atom, content) for cell, content in represented for atom in cell))
