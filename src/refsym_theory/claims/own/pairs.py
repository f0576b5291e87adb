"""OWN: Lemma 1 of UG without its spacing floor, and sharper for a flat cut."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.PAIRS",
    title="Pair bounds on the identification error",
    source="this project, after UG Lemma 1",
    statement=(
        r"$\bar V(g) \le \mathcal{E}_k \le \min\bigl(1, \sum_{i<k\le j} \bar V(s_i-s_j)\bigr)$, and for $k \le m < N$ "
        r"$\mathcal{E}_m \le \sum_{j\ge m}\ \min_{k\le a\le m}\ \frac{1}{a-k+1}\sum_{i<a}\bar V(s_i-s_j)$."
    ),
    plain=(
        "How likely a cut is to miss a truly best block follows from the pairs of scores across the cut alone, whatever "
        "the spacings; keeping many more than k blocks makes a miss rarer than one pair suggests."
    ),
    definitions=(
        r"Scores $s_0 \ge s_1 \ge \dots$; the first $m$ ranks are kept, exactly $m$ of them; $g = s_{k-1}-s_k$.",
        r"$\bar V(d) = \Phi(-d/(\sqrt2\tau)) = \frac12\operatorname{erfc}(d/(2\tau))$.",
        r"$a = k$ gives UG's pairs $(i,j)$ with $i < k$, $j \ge m$.",
    ),
    hypotheses=(
        Hypothesis("law", r"Each difference $\mu_j-\mu_i$ across the cut is $N(s_j-s_i, 2\tau^2)$ given the scores."),
        Hypothesis("size", r"The kept set has exactly $m$ blocks: ties at the cut are broken."),
        Hypothesis("independent", r"The noises of different blocks are independent.", needed=False),
    ),
    steps=(
        Step("law", r"$\mathbb{P}(\mu_j > \mu_i) = \bar V(s_i-s_j)$."),
        Step("lower", r"If block $k$ truly beats block $k-1$, the kept $k$ are not the true top $k$."),
        Step("union", r"If the kept $k$ miss, some $j \ge k$ truly beats some $i < k$."),
        Step(
            "share",
            r"A top-$k$ block $j$ has at most $k-1$ blocks above it, so it beats at least $a-k+1$ of any $a$ kept ones: "
            r"$\mathbf{1}[j \in S^*] \le \#\{i<a : \mu_j>\mu_i\}/(a-k+1)$.",
        ),
    ),
    stronger=r"Noise common to all blocks changes nothing: $2\tau^2$ is the variance of a difference.",
    tight="Two blocks attain both sides of the first bound.",
    residue=(
        "The sum of independent normals is normal; expectation of a sum. The events are listed for up to six blocks; for more "
        "they rest on the two counts of blocks above a block, which are checked as identities."
    ),
    expected=Verdict.VERIFIED,
)


def v_bar(gap: Any, tau: Any = 1) -> Any:
    """Probability that two blocks at this gap are in the wrong order; a ball in, a ball out."""
    return (gap / (2 * tau)).erfc() / 2


def share(beaten: int, a: int, k: int) -> Fraction:
    """Bound on the indicator of "is a true top-k block" of a block that beats `beaten` of `a` kept ones."""
    return Fraction(beaten, a - k + 1)
