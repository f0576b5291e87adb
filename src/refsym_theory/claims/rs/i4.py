"""RS I.4: merged attention spread over the native patches, against native attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.I4",
    title="Attention pulled back to the native patches",
    source="RS Appendix I.4",
    statement=(
        "Spread each merged key's attention probability uniformly over its inherited native patches, and align text keys "
        r"by sequence order. Let $P$ be the native readout-row distribution, $\widetilde{Q}$ the resulting merged "
        r"distribution, $T=\operatorname{TV}(P,\widetilde{Q})$, and "
        r"$\Delta_{attn}=\operatorname{osc}\log(\widetilde{Q}/P)$. Lemma 1 gives $T\le\tanh(\Delta_{attn}/4)$ for each "
        "layer and head. ... For measure weighting, the pullback also agrees with the physical-mass coupling of "
        r"Theorem 1; for the other rules, $\Delta_{attn}$ includes their departure from inherited mass weighting."
    ),
    plain=(
        "Attention before and after merging can be compared patch by patch; with mass weights that comparison is the "
        "one in the theorem, with the other weights it also contains what they get wrong."
    ),
    definitions=(
        r"$\widetilde{Q}_i=q_j/|G_j|$ for $i\in G_j$. Text keys are groups of one. Native patches have equal mass.",
        r"Rules: weight $|G_j|K(t_j)$ (measure), $K(t_j)$ (standard), and $16/K$ times it for video keys (count).",
        r"$\operatorname{osc}$ runs over all keys, with $\log0=-\infty$: a key with probability zero on one side alone "
        r"makes it infinite, and the bound $T\le1$. Keys with zero on both sides are left out.",
    ),
    hypotheses=(
        Hypothesis("positive", "Keys whose probability is zero on one side alone are not left out."),
        Hypothesis("equal", "For the agreement: native patches have equal mass."),
        Hypothesis("uniform", "For the agreement: the spreading is uniform."),
    ),
    steps=(
        Step("spread", r"Spreading keeps the total: $|G_j|\cdot q_j/|G_j|=q_j$, so $\widetilde{Q}$ is a distribution."),
        Step("tilt", r"$\widetilde{Q}=Pf/\mathbb{E}_Pf$ with $f=\widetilde{Q}/P$, so Lemma 1 applies."),
        Step(
            "measure",
            r"With measure weighting $\widetilde{Q}$ is the lift $Q$ of Theorem 1, and $\Delta_{attn}=\Delta$.",
        ),
        Step(
            "others", "With standard or count weighting it differs from the lift; on groups of equal size count agrees."
        ),
    ),
    uses=("RS.L1", "RS.T1"),
    tight="Two native patches, unmerged, attain it.",
    stronger=(
        r"The inequality needs neither uniform spreading nor equal masses nor any coupling: it holds between any two "
        "distributions on one set."
    ),
    residue="That the merged keys' identity is for one group, and adds up over groups.",
    expected=Verdict.VERIFIED,
)

Groups = Sequence[Sequence[int]]


def merged(kernel: Sequence[Any], bias: Sequence[Any]) -> list[Any]:
    """Attention probabilities of the merged keys, from kernel values and multiplicative weights."""
    weights = [b * k for b, k in zip(bias, kernel, strict=True)]
    return [weight / sum(weights) for weight in weights]


def spread(groups: Groups, q: Sequence[Any]) -> dict[int, Any]:
    """Pull merged probabilities back to the native patches, uniformly within a group."""
    return {i: probability / len(group) for group, probability in zip(groups, q, strict=True) for i in group}


def sizes(groups: Groups) -> list[int]:
    """Multiplicative weights of the measure rule where native patches have mass one."""
    return [len(group) for group in groups]


def average_size(groups: Groups, video: Sequence[bool]) -> list[Any]:
    """Multiplicative weights of the count rule: the mean group size for video keys, one for text."""
    counted = [len(group) for group, flag in zip(groups, video, strict=True) if flag]
    return [Fraction(sum(counted), len(counted)) if flag else 1 for flag in video]


def physical_coupling(groups: Groups, mass: Mapping[int, Any]) -> dict[tuple[int, int], Any]:
    """Coupling of Theorem 1 between native patches and groups: a patch goes to its group, with its mass."""
    return {(i, j): mass[i] for j, group in enumerate(groups) for i in group}
