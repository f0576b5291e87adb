"""RS C.3: a temperature that depends on the length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token
from refsym_theory.claims.rs.c3_log_length import attention_at

CLAIM = Claim(
    id="RS.C3-temperature",
    title="Table 4: length-dependent temperature",
    source="RS Appendix C.3, Table 4, row 8",
    statement=(
        "Measure-aware operations preserve the tested duplicate splits. [Row 8: length-dependent "
        "temperature. No formula is printed.]"
    ),
    plain="A temperature set by the number of tokens depends on copies; one set by the total mass does not.",
    definitions=(
        "The paper names the operation and does not define it. As read: $T > 0$ is any function of the "
        "length, or of the total mass in reference units; $e^{s/T} = b^s$ with $b = e^{1/T} > 1$.",
        r"The witness takes $T(x) = 1/\log(1 + 1/x)$, close to $x + \frac12$, for which $b(x) = 1 + 1/x$ is rational.",
    ),
    hypotheses=(
        Hypothesis("conserved", "The masses of the copies sum to the mass of the parent."),
        Hypothesis("copied", "Copies keep score and value of the parent."),
    ),
    steps=(
        Step("total", r"$M$ is unchanged by a split, and so is $T(M/m_0)$, whatever the function."),
        Step("invariant", r"At the same temperature attention with masses is unchanged."),
        Step("count", r"With $T(N)$ the output changes, even where the attention itself is weighted by mass."),
        Step("exactly", r"It changes for two tokens with different scores and values exactly when $T(3) \ne T(2)$."),
    ),
    uses=("RS.C3-attention",),
    scope="Any function T, any number of tokens and copies.",
    residue="The definition of the operation is ours.",
    expected=Verdict.VERIFIED,
)


def base(length: Any) -> Any:
    """Return e^(1/T) for T = 1 / log(1 + 1/length)."""
    return 1 + 1 / length


def by_mass(tokens: Sequence[Token], of_length: Callable[[Any], Any] = base) -> Any:
    """Attention at the temperature of the total mass."""
    return attention_at(tokens, of_length(sum(mass for mass, *_ in tokens)))


def by_count(tokens: Sequence[Token], of_length: Callable[[Any], Any] = base) -> Any:
    """Attention with masses, at the temperature of the number of tokens."""
    return attention_at(tokens, of_length(Fraction(len(tokens))))
