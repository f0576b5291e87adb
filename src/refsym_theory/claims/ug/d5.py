"""UG D.5: dropped softmax mass and the attention output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="UG.D5",
    title="Output error from dropped mass",
    source="UG Appendix D.5",
    statement=(
        r"$\|o^{\widehat S}-o^{\mathrm{full}}\|_2 \le \bigl(\sum_{b\notin\widehat S}\alpha^*_b\bigr)\cdot\max_j\|v_j\|$, "
        r"where $\alpha^*$ is the dense softmax."
    ),
    plain=(
        "A sparse kernel divides by the weights it kept. Then the error is the dropped mass times the distance between kept "
        "and dropped values, up to twice what the paper prints."
    ),
    definitions=(
        r"$o^{\widehat S} = \sum_{i\in\widehat S}\alpha^*_iv_i / \sum_{i\in\widehat S}\alpha^*_i$: the softmax over the kept "
        r"blocks, which a block-sparse attention kernel computes.",
        r"Without the division (a masked dense softmax) the printed inequality is true: step plain.",
    ),
    correction=(
        r"$\|o^{\widehat S}-o^{\mathrm{full}}\| \le \delta\cdot\max_{i\in\widehat S, j\notin\widehat S}\|v_i-v_j\|$, $\delta$ "
        r"the dropped mass: at most $\delta$ times the value diameter, at most $2\,\delta\max_j\|v_j\|$."
    ),
    hypotheses=(Hypothesis("kept", r"Some mass is kept: $\delta < 1$."),),
    steps=(
        Step(
            "mixture",
            r"$o^{\mathrm{full}} = (1-\delta)\,m_K + \delta\,m_D$ and $o^{\widehat S} = m_K$: they differ by $\delta(m_K-m_D)$.",
        ),
        Step("means", r"$m_K - m_D = \sum_{i,j} p_iq_j(v_i-v_j)$, an average of differences of values."),
        Step("twice", r"$\|v_i-v_j\| \le 2\max\|v\|$: the printed bound is wrong by at most a factor 2."),
        Step(
            "plain",
            r"Not renormalised, $o^{\mathrm{full}} - o^{\widehat S} = \sum_{j\notin\widehat S}\alpha^*_jv_j$: as printed.",
        ),
    ),
    tight="Two blocks with values +1 and -1, at every dropped mass.",
    residue="The triangle inequality, and that a norm of an average is at most the largest norm.",
    expected=Verdict.REFUTED,
)


def outputs(weights: Sequence[Any], values: Sequence[Any], kept: int) -> tuple[Any, Any]:
    """Renormalised output of the first `kept` blocks, and the full output."""
    inside = sum(w * v for w, v in zip(weights[:kept], values[:kept], strict=True)) / sum(weights[:kept])
    return inside, sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


def dropped_mass(weights: Sequence[Any], kept: int) -> Any:
    """Share of the weights that is not kept."""
    return sum(weights[kept:]) / sum(weights)


def printed_bound(weights: Sequence[Any], values: Sequence[Any], kept: int) -> Any:
    """Dropped mass times the largest modulus."""
    return dropped_mass(weights, kept) * max(abs(v) for v in values)


def bound(weights: Sequence[Any], values: Sequence[Any], kept: int) -> Any:
    """Dropped mass times the largest distance of a kept value from a dropped one."""
    return dropped_mass(weights, kept) * max((abs(v - u) for v in values[:kept] for u in values[kept:]), default=0)
