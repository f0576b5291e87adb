"""RS B.5: what a moved boundary costs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="RS.B5-regions",
    title="Total variation between two visible regions",
    source="RS Appendix B.5, 'To see the boundary contribution separately'",
    statement=(
        "Suppose two regions $V, V'$ use identical positive kernel field $g$ and values of diameter $D$. "
        r"Their normalized visible distributions satisfy $\operatorname{TV}(P_V, P_{V'}) = 1 - \frac{\int_{V "
        r"\cap V'} g\,d\mu}{\max\{\int_V g\,d\mu, \int_{V'} g\,d\mu\}}$. [...] Multiplying this expression "
        "by $D$ bounds the output change. Small boundary displacement alone need not make this term small."
    ),
    plain=(
        "Two queries that see different regions differ by the part of the heavier region that the other one "
        "does not share."
    ),
    definitions=(
        r"$G = \int_V g\,d\mu$, $G' = \int_{V'} g\,d\mu$; $p = \mathbf 1_V g/G$, $p' = \mathbf 1_{V'} g/G'$. "
        r"$D$ is the diameter of the values on $V \cup V'$.",
    ),
    hypotheses=(
        Hypothesis("sign", r"$g \ge 0$."),
        Hypothesis("strict", r"$g$ vanishes nowhere.", needed=False),
        Hypothesis("normalisers", r"$0 < G, G' < \infty$."),
        Hypothesis("identical", "Both regions use the same kernel field."),
        Hypothesis("values", "Both regions use the same values."),
        Hypothesis("union", "$D$ is taken over both regions, not over the reference region alone."),
    ),
    steps=(
        Step("overlap", r"$\min\{p, p'\} = \mathbf 1_{V \cap V'}\, g / \max\{G, G'\}$ at every point."),
        Step("halves", r"$|p - p'| = p + p' - 2\min\{p, p'\}$, whose integral is $2 - 2\int \min\{p, p'\}$."),
        Step(
            "output",
            r"$\|A_V - A_{V'}\| \le D \operatorname{TV}$: a mean of differences of two values, times "
            r"$\operatorname{TV}$.",
        ),
        Step(
            "small",
            r"On $V = [0, 1]$, $V' = [0, 1 + \delta]$ there is $g$ with $\operatorname{TV} = 1/(1+\delta)$, near "
            r"1 for small $\delta$.",
        ),
    ),
    tight=(
        r"Nested regions $V \subset V'$ with values $0$ on $V$ and $D$ on $V' \setminus V$ attain $D "
        r"\operatorname{TV}$, at every $\operatorname{TV}$."
    ),
    stronger=r"$g \ge 0$ with positive finite normalisers is enough.",
    scope="Any measure and regions, disjoint and nested ones too; any norm.",
    residue="That the integral is linear; that the norm of a mean is at most the mean of the norms.",
    expected=Verdict.VERIFIED,
)


def region_distribution(kernel: Mapping[Any, Any], region: Set[Hashable]) -> dict[Any, Any]:
    """Normalised weights of the atoms inside a region, zero outside."""
    total = sum(kernel[point] for point in region)
    return {point: weight / total if point in region else 0 for point, weight in kernel.items()}


def region_variation(kernel: Mapping[Any, Any], first: Set[Hashable], second: Set[Hashable]) -> Any:
    """Total variation as the formula has it."""
    common = sum(kernel[point] for point in first & second)
    return 1 - common / max(sum(kernel[point] for point in region) for region in (first, second))
