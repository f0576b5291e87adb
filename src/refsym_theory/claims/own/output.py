"""OWN: from scores, noise scale and value diameter to the expected error of sparse attention."""

from __future__ import annotations

from typing import Any

from refsym_theory.claims.claim import Claim, Hypothesis, Step, Verdict

CLAIM = Claim(
    id="OWN.OUTPUT",
    title="Expected output error of a kept set",
    source="this project, the composition that UG D.5 leaves open",
    statement=(
        r"Let block $b$ have total softmax weight $e^{\mu_b}$ with $\mu \sim N(s, \tau^2I)$, $K$ be kept, and $\operatorname{diam}$ "
        r"the largest distance of a kept value from a dropped one. Then $\mathbb{E}\|o^K-o^{\mathrm{full}}\| \le "
        r"\operatorname{diam}\cdot\min\bigl(1, \sum_{j\notin K}\min_{A\subseteq K} B(a_{j,A}, v_A)\bigr)$, where "
        r"$B(a,v) = \Phi(-a/\sqrt v) + e^{v/2-a}\,\Phi((a-v)/\sqrt v)$, $a_{j,A} = \frac1m\sum_{i\in A}s_i - s_j + \log m$, "
        r"$v_A = \tau^2(1+\frac1m)$, $m = |A|$."
    ),
    plain=(
        "How far sparse attention may be from full attention, on average, computed from the scores, the noise and the spread of "
        "the values alone. What counts is the distance of a dropped block from the best kept ones, not the gap at the cut."
    ),
    definitions=(
        r"$\mu_b$ is the logarithm of the block's total weight: its keys' number and spread included.",
        r"$m = 1$, $A$ the best-scored block: $B(d, 2\tau^2) = \bar V(d) + e^{\tau^2-d}\,\bar V(2\tau^2-d)$ at $d = s_0-s_j$, "
        r"so the first dropped block pays for the spread $r$, not for the cutoff gap $g$.",
        r"UG's $\Phi$-tail $\bar V(d)$ is one of the two terms; the other is exponential, and larger where $d > \tau^2$.",
    ),
    hypotheses=(
        Hypothesis(
            "law",
            r"$\mu_j - \frac1m\sum_A\mu_i$ is normal with variance $\tau^2(1+\frac1m)$, as for independent noise.",
        ),
        Hypothesis("weight", r"$\mu_b$ is the log of the whole block's weight."),
        Hypothesis("top", r"$K$ is the set of the best-scored blocks.", needed=False),
    ),
    uses=("UG.D5",),
    steps=(
        Step("partner", r"The dropped block $j$ has mass at most $1/(1+\sum_{i\in A}e^{\mu_i-\mu_j})$."),
        Step("mean", r"$\sum_{i\in A}e^{y_i} \ge m\,e^{\bar y}$, by the tangent $e^u \ge 1+u$ at the mean."),
        Step("cap", r"So it is at most $e^X/(1+e^X) \le \min(1, e^X)$ with $X = \mu_j - \frac1m\sum_A\mu_i - \log m$."),
        Step("moments", r"$X \sim N(-a_{j,A}, v_A)$."),
        Step("tilt", r"$\mathbb{E}\min(1,e^X) = B(a,v)$ for $X \sim N(-a,v)$: $e^x$ shifts the normal law by $v$."),
        Step(
            "factor",
            r"$\min(1,z) \le 2z/(1+z)$: for one kept and one dropped block $B$ is at most twice the expected mass.",
        ),
        Step("simple", r"$z^2/(1+z^2) \le z/2$: also $\frac12e^{-a/2+v/8}$ in the place of $B(a,v)$."),
    ),
    stronger=r"Any kept set, any $A$; noise common to all blocks changes nothing. Both $B$ and $\frac12e^{-a/2+v/8}$ may be used.",
    tight="One kept and one dropped block with values +1 and -1: error over bound tends to 1 as their gap grows.",
    residue=r"$e^u \ge 1+u$; linear combinations of normals are normal; a change of variable in one integral.",
    expected=Verdict.VERIFIED,
)


def exponent(a: Any, v: Any) -> Any:
    """Exponent of the tilted term."""
    return v / 2 - a


def capped_mean(a: Any, v: Any) -> Any:
    """Return B(a, v) = E min(1, e^X), X ~ N(-a, v), of balls."""
    scale = (2 * v).sqrt()
    return ((a / scale).erfc() + exponent(a, v).exp() * ((v - a) / scale).erfc()) / 2


def simple_bound(a: Any, v: Any) -> Any:
    """Return exp(-a/2 + v/8) / 2, the mean of e^(X/2) / 2."""
    return (v / 8 - a / 2).exp() / 2


def logistic(z: Any) -> Any:
    """Return z / (1 + z), the mass of a block with weight z against one partner's."""
    return z / (1 + z)
