"""RS section 3.3: copies with different prefixes."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.B5-prefix",
    title="Copies with different causal prefixes",
    source="RS section 3.3; Appendix A.3, last paragraph; Appendix G.2",
    statement=(
        "Copies with different token-index prefixes do not represent this same query. [A.3:] A parent that "
        "sees itself as a whole is not equivalent to a causal chain in which child $j$ sees only children "
        r"$1, \ldots, j$."
    ),
    plain=(
        "In a causal chain the first copy of a token does not see the later ones, so it computes something "
        "else than its parent did, whatever the masses."
    ),
    definitions=(
        "The parent, of mass $m > 0$, sees earlier keys and itself. A child sees the same keys and the "
        r"share $t$, $0 < t \le 1$, of its parent's mass (of $k$ equal children the $j$th has $t = j/k$), "
        "scores and values copied.",
        r"$R = \sum_i m_i K_i v_i$ and $Z = \sum_i m_i K_i \ge 0$ run over the earlier keys.",
    ),
    hypotheses=(
        Hypothesis("earlier", "Some earlier key is visible."),
        Hypothesis("different", "The mean value of the earlier keys is not the value of the token itself."),
        Hypothesis("partial", r"$t < 1$: the child is not the last one, which sees what the parent sees."),
    ),
    steps=(
        Step(
            "difference",
            r"(child $-$ parent) $= (1-t)\, m K\, (R - Z v) / ((Z + t m K)(Z + m K))$, for any number of earlier keys.",
        ),
        Step("exactly", r"So the child differs from the parent exactly where $t < 1$, $Z > 0$ and $R/Z \ne v$."),
        Step("witness", "One earlier key and two copies: the parent returns 1/2, its first child 1/3."),
    ),
    scope="One query row; scalar values, or one component at a time.",
    expected=Verdict.VERIFIED,
)


def output(rest: Any, normaliser: Any, weight: Any, value: Any, share: Any = 1) -> Any:
    """Attention over earlier keys (R, Z) and a share of a token of weight m K and value v."""
    return (rest + share * weight * value) / (normaliser + share * weight)


def difference(rest: Any, normaliser: Any, weight: Any, value: Any, share: Any) -> Any:
    """Child minus parent."""
    return (1 - share) * weight * (rest - normaliser * value) / ((normaliser + share * weight) * (normaliser + weight))
