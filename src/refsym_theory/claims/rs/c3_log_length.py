"""RS C.3: scores scaled by the logarithm of the length."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token, attention

CLAIM = Claim(
    id="RS.C3-log-length",
    title="Table 4: log-length score scaling",
    source="RS Appendix C.3, Table 4, row 7",
    statement=(
        "Measure-aware operations preserve the tested duplicate splits. [Row 7: log-length score scaling. "
        "No formula is printed.]"
    ),
    plain=(
        "Scaling scores by the logarithm of the length depends on copies, even in attention with masses; "
        "scaling by the total mass does not."
    ),
    definitions=(
        r"The paper names the operation and does not define it. As read: scores are multiplied by $\lambda "
        r"\log N$, or by $\lambda \log(M/m_0)$ with a fixed reference mass $m_0$ and a fixed $\lambda$; "
        r"$e^{s \log N} = N^s$ ($\lambda = 1$).",
        r"Below one reference unit, $M < m_0$, the logarithm is negative and the order of the scores is reversed; "
        r"at $M = m_0$ all scores count alike. The count form, $N \ge 1$, has only the second edge.",
    ),
    hypotheses=(
        Hypothesis("conserved", "The masses of the copies sum to the mass of the parent."),
        Hypothesis("copied", "Copies keep score and value of the parent."),
        Hypothesis("fixed", "The reference mass stays what it was before the split."),
    ),
    steps=(
        Step("total", r"$M$ is unchanged by a split."),
        Step(
            "invariant",
            r"At the same $M$ the factors $(M/m_0)^{s_i}$ are the same, and attention with masses is unchanged.",
        ),
        Step("count", r"With $\log N$ the output changes, even where the attention itself is weighted by mass."),
        Step("reversal", r"For $M < m_0$ the token with the larger score gets the smaller weight."),
    ),
    uses=("RS.C3-attention",),
    scope="Any number of tokens and copies.",
    residue="The definition of the operation is ours.",
    expected=Verdict.VERIFIED,
)


def attention_at(tokens: Sequence[Token], base: Any) -> Any:
    """Attention of tokens (mass, score, value) with the kernel base**score."""
    return attention([(mass, base**score, value) for mass, score, value in tokens])


def by_mass(tokens: Sequence[Token], reference: Any = Fraction(1)) -> Any:
    """Attention with scores times the logarithm of the total mass in reference units."""
    return attention_at(tokens, sum(mass for mass, *_ in tokens) / reference)


def by_count(tokens: Sequence[Token]) -> Any:
    """Attention with masses, but scores times the logarithm of the number of tokens."""
    return attention_at(tokens, len(tokens))
