"""RS C.3: capacity of an expert, counted in tokens or in mass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict
from refsym_theory.claims.rs.c3_attention import Token

CLAIM = Claim(
    id="RS.C3-capacity",
    title="Table 4: expert capacity, and its boundary",
    source="RS Appendix C.3, Table 4, row 6, and 'Budgets'",
    statement=(
        "Consider six equal-mass tokens routed as $(0,0,0,1,1,1)$ to two experts with count capacity three. "
        "Splitting the first token into two copies creates four requests for expert zero without increasing "
        r"its rounded capacity; an untouched token can be rejected. A budget $c\sum_i m_i/E$, charged in "
        "units of each token's mass, preserves admission in this constructed case. Total mass is invariant, "
        "but that fact alone does not make every discrete routing algorithm covariant. At a capacity "
        "boundary, independent all-or-nothing decisions for children can differ from the parent's decision."
    ),
    plain=(
        "Copying a token can push an untouched one out of a full expert. A budget in units of mass prevents "
        "that in this example, but not in every one."
    ),
    definitions=(
        r"The paper gives neither $c$ nor the rounding. As read: $c = 1$, the count capacity is $\lfloor "
        r"cN/E \rfloor$, 3 before and after ($N = 6, 7$). Under the ceiling, half to even and half up, 7/2 "
        "becomes 4 and the sentence is false at $c = 1$; the same capacity of three then needs another $c$ "
        "(step 'conventions').",
        "Requests are served in order; one that does not fit is refused, and later, smaller ones may still fit.",
        r"The mass budget $c \sum m/E$ is not rounded.",
    ),
    hypotheses=(
        Hypothesis("floor", "The count capacity is rounded down (with $c = 1$)."),
        Hypothesis("room", r"What asks for the expert fits into the budget $c\sum_i m_i/E$: true here, with equality."),
        Hypothesis("exact", "Masses are added up exactly."),
    ),
    steps=(
        Step("count", "After the split expert zero refuses the third token; before, it refused nobody."),
        Step(
            "conventions",
            r"Capacity 3 at $N = 6$ and still 3 at $N = 7$ holds exactly for $c \in [1, 8/7)$ (floor), "
            "$(2/3, 6/7]$ (ceiling), $[5/6, 1)$ (half up), $(5/6, 1)$ (half to even).",
        ),
        Step(
            "mass",
            "With the mass budget nobody is refused, however the first token is split, in whatever order "
            "requests come.",
        ),
        Step("boundary", "A token that is refused can have a child that is admitted, at the same total mass."),
    ),
    scope="The constructed example, every split of the first token; the boundary case is another example.",
    residue="That partial sums of nonnegative charges never exceed their total.",
    expected=Verdict.VERIFIED,
)


def requests_after(parts: Sequence[Any]) -> list[Token]:
    """Return the six tokens (mass, expert, name) of the example, the first one in parts."""
    return [*((part, 0, 0) for part in parts), *((1, int(name > 2), name) for name in range(1, 6))]


def admission(
    tokens: Sequence[Token],
    factor: Any = 1,
    experts: int = 2,
    rounding: Callable[[Any], Any] = lambda budget: budget,
) -> tuple[Any, ...]:
    """Share of each name's mass that is admitted; with unit masses and a rounding, the count form."""
    budget = rounding(factor * sum(mass for mass, *_ in tokens) / experts)
    used: dict[int, Any] = {}
    admitted: dict[int, Any] = {}
    asked: dict[int, Any] = {}
    for mass, expert, name in tokens:
        asked[name] = asked.get(name, 0) + mass
        if used.get(expert, 0) + mass <= budget:
            used[expert] = used.get(expert, 0) + mass
            admitted[name] = admitted.get(name, 0) + mass
    return tuple(admitted.get(name, 0) / asked[name] for name in sorted(asked))
