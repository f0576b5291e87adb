"""RS C.3: the suite of 34 configurations, built anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from refsym_theory.claims.claim import Claim, Step, Verdict
from refsym_theory.claims.rs import c3_capacity, c3_log_length, c3_loss, c3_mean, c3_moe, c3_norm, c3_temperature
from refsym_theory.claims.rs.c3_attention import Form, Token, attention, counted, split

CLAIM = Claim(
    id="RS.C3-table",
    title="Table 4: 34 configurations",
    source="RS Appendix C.3, Table 4",
    statement=(
        "The local suite evaluates 34 configurations in float64 under a content-preserving duplicate split. "
        "[...] The entries are deterministic constructed examples. [Measure-aware column: at most $8.9 "
        r"\times 10^{-16}$; count form: $7.9 \times 10^{-2}$ to $4.4$.]"
    ),
    plain=(
        "On 34 examples over eight operations, forms that weigh by mass move by nothing but rounding, forms "
        "that count move visibly."
    ),
    definitions=(
        "The paper's own 34 instances are not given, so its count-form numbers cannot be recomputed. These "
        "34 are built here: six of attention and four of each other operation, with rational numbers, so "
        "that every output is exact.",
        "The deviation is the largest over the outputs of the operation.",
    ),
    steps=(
        Step("measure", "All 34 measure forms: exactly no change."),
        Step("count", "All 34 count forms: a change."),
        Step("float64", r"The 34 measure forms in float64: a change of at most $2^{-50} = 8.9 \times 10^{-16}$."),
        Step(
            "printed",
            r"The eight printed measure-aware deviations are whole multiples of $2^{-53}$, as rounding leaves them.",
        ),
    ),
    uses=(
        "RS.C3-attention",
        "RS.C3-mean",
        "RS.C3-loss",
        "RS.C3-norm",
        "RS.C3-moe",
        "RS.C3-capacity",
        "RS.C3-log-length",
        "RS.C3-temperature",
    ),
    scope="The 34 configurations built here.",
    residue="The paper's own instances.",
    expected=Verdict.VERIFIED,
)


@dataclass(frozen=True)
class Configuration:
    """An operation in both forms, its tokens, and the token to be split with the masses of its copies."""

    operation: str
    measure: Form
    count: Form
    tokens: list[Token]
    index: int
    parts: tuple[Fraction, ...]

    @property
    def after(self) -> list[Token]:
        """Return the tokens after the split."""
        return split(self.tokens, self.index, self.parts)


def configurations() -> Iterator[Configuration]:
    """Yield the 34 configurations: splits of different tokens into two to five equal or unequal copies."""
    cuts = [(1, 1), (1, 2), (2, 1, 1), (1, 1, 1, 2), (1, 1, 1, 1, 1), (3, 5)]
    masses = [Fraction(3, 2), Fraction(1), Fraction(5, 4), Fraction(1, 2)]
    kernels = [Fraction(2), Fraction(1, 3), Fraction(5), Fraction(3, 4)]
    values = [Fraction(-1), Fraction(2), Fraction(1, 2), Fraction(3)]
    scored = list(zip(masses, (0, 1, 2, 1), values, strict=True))
    routed = [(m, i % 2, p) for i, (m, p) in enumerate(zip(masses, _probabilities(), strict=True))]
    lists: dict[str, tuple[Form, Form, list[Token]]] = {
        "attention": (attention, counted(attention), list(zip(masses, kernels, values, strict=True))),
        "mean pooling": (c3_mean.mean, counted(c3_mean.mean), list(zip(masses, values, strict=True))),
        "per-token loss": (
            c3_loss.mean_loss,
            counted(c3_loss.mean_loss),
            [(m, 1, v**2) for m, v in zip(masses, values, strict=True)],
        ),
        "token-axis normalization": (c3_norm.moments, counted(c3_norm.moments), list(zip(masses, values, strict=True))),
        "MoE load-balancing loss": (c3_moe.balance, counted(c3_moe.balance), routed),
        "expert capacity": (
            c3_capacity.admission,
            counted(lambda tokens: c3_capacity.admission(tokens, Fraction(1), 2, floor)),
            c3_capacity.requests_after([Fraction(1)]),
        ),
        "log-length score scaling": (c3_log_length.by_mass, c3_log_length.by_count, scored),
        "length-dependent temperature": (c3_temperature.by_mass, c3_temperature.by_count, scored),
    }
    for operation, (measure, count, tokens) in lists.items():
        for number in range(6 if operation == "attention" else 4):
            index = 0 if operation == "expert capacity" else number % len(tokens)
            cut = cuts[number]
            parts = tuple(tokens[index][0] * Fraction(part, sum(cut)) for part in cut)
            yield Configuration(operation, measure, count, tokens, index, parts)


def _probabilities() -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(n, 10), Fraction(10 - n, 10)) for n in (9, 3, 6, 2)]
