"""RS C.3: attention with masses survives every duplicate split; attention that counts does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.C3-attention",
    title="Table 4: attention",
    source="RS Appendix C.3, Table 4, row 1; section 2.2",
    statement=(
        "Measure-aware operations preserve the tested duplicate splits. [Row 1, with equation (1): "
        r"$A_m^K(s, v) = \frac{\sum_i m_i K(s_i) v_i}{\sum_i m_i K(s_i)}$.]"
    ),
    plain=(
        "If a copied token shares its parent's mass among the copies, attention does not notice; if it counts, it does."
    ),
    definitions=(
        r"A duplicate split replaces a token by copies with the same content whose masses sum to its mass.",
        r"Count form: every token has mass one, copies too.",
    ),
    hypotheses=(
        Hypothesis("conserved", "The masses of the copies sum to the mass of the parent."),
        Hypothesis("copied", "Copies keep the score and the value of the parent."),
    ),
    steps=(
        Step(
            "additive",
            r"$(m K v,\; m K)$ is additive in $m$, so that no split changes the two totals, of which $A$ is a "
            "function.",
        ),
        Step("count", "The count form changes under a split in two."),
    ),
    scope="Any number of tokens and copies, any positive kernel; the row of one query with its visible keys fixed.",
    residue="A split into k copies is k - 1 splits in two; a finite sum does not depend on the order of its terms.",
    expected=Verdict.VERIFIED,
)

Token = tuple[Any, ...]
"""Mass first, then what the token carries."""

Form = Callable[[Sequence[Token]], Any]
"""An operation on a list of tokens."""


def contribution(mass: Any, kernel: Any, value: Any) -> tuple[Any, ...]:
    """Return what one token adds to the numerator and to the denominator."""
    return mass * kernel * value, mass * kernel


def totals(contributed: Callable[..., tuple[Any, ...]], tokens: Sequence[Token]) -> tuple[Any, ...]:
    """Sum the contributions of all tokens."""
    return tuple(sum(column) for column in zip(*(contributed(*token) for token in tokens), strict=True))


def attention(tokens: Sequence[Token]) -> Any:
    """Attention of tokens (mass, K(score), value)."""
    numerator, denominator = totals(contribution, tokens)
    return numerator / denominator


def split(tokens: Sequence[Token], index: int, masses: Sequence[Any]) -> list[Token]:
    """Replace one token by copies with the given masses."""
    _, *content = tokens[index]
    return [*tokens[:index], *((mass, *content) for mass in masses), *tokens[index + 1 :]]


def counted(form: Form) -> Form:
    """Return the count form of an operation: every token has mass one."""
    return lambda tokens: form([(1, *content) for _, *content in tokens])
