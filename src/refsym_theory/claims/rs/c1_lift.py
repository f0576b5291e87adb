"""RS B.3: two partitions that do not refine each other, compared on their common index set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C1-lift",
    title="The lift to a common index set",
    source="RS Appendix B.3, Non-nested partitions",
    statement=(
        r"Let $I=\{(i,j):\gamma_{ij}>0\}$ and lift both states to this common index set, $\widehat{h}_{ij}=h_i$, "
        r"$\widehat{h}'_{ij}=h'_j$, with norm $\|u\|=\max_{(i,j)\in I}\|u_{ij}\|$ and masses $\gamma_{ij}$. For blocks "
        "preserving identical splits, the original coarse computation is represented exactly by the lifted block with "
        "coarse positional and visibility metadata copied to its duplicates; the same holds for the fine block with fine "
        "metadata."
    ),
    plain=(
        "Cut both tokenizations along each other's borders and copy, and a layer that does not notice copies computes what "
        "it did before. Not with the printed masses, though: they are divided by the total, which a layer that reads the total notices."
    ),
    definitions=(
        r"$\gamma$ has row sums $m_i/M$ (Section 2.3), so the copies of token $i$ carry $m_i/M$ together, not $m_i$.",
        "A block preserves identical splits if, when a token is replaced by copies whose masses sum to its mass, each "
        "copy gets its parent's output and all else is unchanged (Section 2.1).",
        r"The witness is attention with scores times $\log M$, the measure-aware form of Table 4's log-length scaling: it "
        "preserves every identical split, since splits preserve $M$, and still depends on $M$.",
    ),
    hypotheses=(Hypothesis("splits", "The blocks preserve identical splits."),),
    steps=(
        Step(
            "split",
            r"With the masses $M\gamma_{ij}$ the lift is an identical split of each representation: $\sum_jM\gamma_{ij}=m_i$.",
        ),
        Step(
            "attention",
            r"Attention under masses gives each pair $(i,j)$ the output of token $i$; for it $\gamma_{ij}$ will do too.",
        ),
        Step("network", "If each block reproduces its layer on copied states, so do the blocks one after another."),
    ),
    correction=(
        r"The masses of the lift must be $M\gamma_{ij}$, with the $M$ of Section 2.3. The masses $\gamma_{ij}$ serve where "
        "$M=1$, or where the blocks also ignore a common factor of all masses, as attention under masses does."
    ),
    residue="Identities are for one term, one token and one layer more; the rest is induction.",
    expected=Verdict.REFUTED,
)

Token = tuple[Any, Any]
"""Mass and state."""
Block = Callable[[Sequence[Token]], list[Any]]


def length_scaled(tokens: Sequence[Token]) -> list[Any]:
    """Attention whose scores are scaled by log M, M the total mass: the kernel is M**h, the value h.

    It preserves identical splits (RS.C3-log-length), since they preserve M.
    """
    total = sum(mass for mass, _ in tokens)
    weights = [mass * total**h for mass, h in tokens]
    output = sum(weight * h for weight, (_, h) in zip(weights, tokens, strict=True)) / sum(weights)
    return [output for _ in tokens]


def counting(tokens: Sequence[Token]) -> list[Any]:
    """Mean over tokens, whatever their masses: it does not preserve splits."""
    return [Fraction(sum(h for _, h in tokens), len(tokens)) for _ in tokens]


def lifted(states: Sequence[Any], coupling: Mapping[tuple[int, int], Any], side: int, scale: Any) -> list[Token]:
    """Copies of the states on the coupled pairs, with the masses scale * gamma_ij."""
    return [(scale * mass, states[pair[side]]) for pair, mass in coupling.items()]


def reproduces(block: Block, tokens: Sequence[Token], coupling: Mapping[tuple[int, int], Any], scale: Any) -> bool:
    """Whether the lifted block gives every pair the output that its first token had."""
    before = block(tokens)
    after = block(lifted([h for _, h in tokens], coupling, 0, scale))
    return all(new == before[i] for new, (i, _) in zip(after, coupling, strict=True))
