"""Which equal splits are enough to force linear weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.SPLIT-FACTORS",
    title="Halving and thirding are enough",
    source="This project; sharpens RS Proposition 1 and the example after it in Appendix A.3",
    statement=(
        r"Let $w:(0,\infty)\to(0,\infty)$ be nondecreasing with $k\,w(m/k)=w(m)$ for all $m$ and all $k$ in a set $S$ of "
        r"integers $\ge2$. If $S$ has two members with $k^a\ne l^b$ for all integers $(a,b)\ne(0,0)$, such as 2 and 3, then "
        r"$w(m)=cm$. If all members are powers of one integer $b$, then $w(m)=m[1+\frac1{10}\sin(2\pi\log_bm)]$ is another example."
    ),
    plain="Not every split has to be tried: cuts in two and in three force proportional weight, cuts in two and in four do not.",
    hypotheses=(
        Hypothesis("monotone", "$w$ is nondecreasing."),
        Hypothesis("independent", "$k$ and $l$ are not powers of one integer."),
    ),
    steps=(
        Step("group", r"$w(gm)=g\,w(m)$ for $g=k^al^b$, with integers $a,b$ of either sign."),
        Step(
            "descent",
            r"For independent $1<y<x$ let $y^n<x<y^{n+1}$ and $z=\min(x/y^n,\,y^{n+1}/x)$: $1<z\le\sqrt y$, and $y,z$ generate "
            r"what $x,y$ do. So products $k^al^b>1$ come as close to 1 as one likes.",
        ),
        Step("squeeze", r"With $g^n\le x\le g^{n+1}$: $|w(x)-cx|\le cx(g-1)$, $c=w(1)$."),
        Step("powers-keep", r"The example keeps splits into $b^j$."),
        Step("powers-increase", r"The example is increasing, for every $b\ge2$."),
        Step("powers-differ", r"The example is not linear: $w(b^{1/4})=\frac{11}{10}b^{1/4}$, $w(1)=1$."),
    ),
    uses=("RS.P1-halving",),
    stronger=(
        r"For $w$ continuous at one point instead of monotone the conclusion holds too, since $w(m)/m$ is constant on a dense set "
        "around every point; measurable is not enough (the control is)."
    ),
    residue=(
        r"That $k^{1/2^n}\to1$; that integers no two of which are independent are powers of one integer (their exponent vectors are "
        r"proportional); the limit in the remark on continuity; that $2\pi/\log b$ falls in $b$."
    ),
    expected=Verdict.VERIFIED,
)


def grown(weight: Any, factor: Any) -> Any:
    """Weight w(g m) from w(m)."""
    return factor * weight


def nearer(x: Fraction, y: Fraction) -> Fraction:
    """Descend from independent 1 < y < x to z in (1, sqrt y], of the group that x and y generate."""
    while x > y:
        x /= y
    return min(x, y / x)


def error(c: Any, x: Any, g: Any) -> Any:
    """Bound on |w(x) - c x|."""
    return c * x * (g - 1)
