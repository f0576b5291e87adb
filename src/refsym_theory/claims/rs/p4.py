"""RS Proposition 4: when a shared type bias can stand in for the exponent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.P4",
    title="Ambiguity with shared type biases",
    source="RS Appendix A.4, Proposition 4, equation 6",
    statement=(
        r"Fix score arrays $s^{(r)}$ over a finite family of rows or tokenizations $r \in \mathcal{R}$. Let "
        r"$\tau(i)$ index "
        r"a key's modality or auxiliary type, and consider $z_i^{(r)} = s_i^{(r)} + c_{\tau(i)} + \alpha b_i^{(r)}$. "
        r"Define "
        r"$D_{\mathrm{id}}^2 = \min_{d\in\mathbb{R}^T} \frac{1}{|\mathcal{R}|} \sum_{r\in\mathcal{R}} "
        r"\operatorname{Var}_i(b_i^{(r)} - d_{\tau(i)})$. There is a shared vector $d$ such that $(\alpha,c)$ and "
        r"$(\alpha+t, c-td)$ give the same attention probabilities on every row for all $t$ if and only if "
        r"$D_{\mathrm{id}} = 0$."
    ),
    plain=(
        "The exponent cannot be told from per-type biases exactly where one vector of biases explains the log-masses "
        "of "
        "every row up to a constant."
    ),
    definitions=(
        r"$\operatorname{Var}_i$ is the variance under the uniform distribution on the keys of the row.",
        r"A minimum in $d$ is meant over all of $\mathbb{R}^T$, $T$ the number of types.",
    ),
    hypotheses=(
        Hypothesis("finite-scores", r"Every score is finite: a masked key ($s_i = -\infty$) is not a key of the row."),
        Hypothesis("shared", "One $d$ serves all rows."),
        Hypothesis("finite-family", "The family of rows is finite.", needed=False),
        Hypothesis("all-t", "The probabilities agree for all $t$.", needed=False),
    ),
    steps=(
        Step("change", r"The logit change is $t(b_i - d_{\tau(i)})$."),
        Step("softmax", "Two finite logit vectors have one softmax exactly when they differ by a constant."),
        Step(
            "variance", r"$n^2\operatorname{Var}(a) = \frac12\sum_{i,j}(a_i-a_j)^2$: zero exactly for a constant row."
        ),
        Step("minimum", "The minimum exists: a solution of the normal equations, which always have one, attains it."),
    ),
    expected=Verdict.VERIFIED,
    stronger=(
        r"One $t \ne 0$ is enough: if the probabilities agree on every row for a single nonzero $t$, then "
        r"$D_{\mathrm{id}} = 0$, and they agree for all $t$. The family may be countable, with any positive weights "
        r"for "
        "which the weighted mean of the variances is finite."
    ),
    residue=(
        "That a finite sum of nonnegative terms is zero exactly where each is; that the range of a real matrix's "
        "transpose "
        "is the range of its Gram matrix, from the identity checked (a vector orthogonal to the one is so to the "
        "other)."
    ),
)


def logits(score: Any, bias: Any, alpha: Any, b: Any) -> Any:
    """Logit of one key."""
    return score + bias + alpha * b


def softmax_cross(x: Sequence[Any], y: Sequence[Any], i: int, j: int) -> Any:
    """Return x_i y_j - x_j y_i over the two normalizers: p_i q_j - p_j q_i for weights x and y."""
    return (x[i] * y[j] - x[j] * y[i]) / (sum(x) * sum(y))


def variance(row: Sequence[Any]) -> Any:
    """Variance of a row under the uniform distribution."""
    n = len(row)
    return (n * sum(a * a for a in row) - sum(row) ** 2) / (n * n)


def distance(rows: Sequence[Sequence[Any]], types: Sequence[Sequence[int]], d: Sequence[Any]) -> Any:
    """What equation 6 minimises over d."""
    total = sum(
        variance([b - d[t] for b, t in zip(row, kinds, strict=True)]) for row, kinds in zip(rows, types, strict=True)
    )
    return total / len(rows)
